// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "base/result.h"
#include "storage/object_store.h"

namespace weir::delta {

/// How far a consumer has come in the changes of one table.
struct Offset {
  /// The metadata id: a table that was made anew is another one. Empty where it is not known.
  std::string table_id;
  int64_t next_version = 0;  ///< The first version that the consumer has not had wholly.
  /// Of that version it had the files before this one, in the order of the plan (change_plan.h).
  int64_t next_file = 0;
  /// That version is given out as the table's rows at it, with which the stream began.
  bool in_snapshot = false;

  bool operator==(const Offset&) const = default;

  /// Whether there is less before this place than before another one of the same table.
  bool IsBefore(const Offset& other) const {
    return std::tie(next_version, next_file) < std::tie(other.next_version, other.next_file);
  }
};

/// The offsets of named consumers, each a small JSON file `NAME.json` in one folder, replaced as a
/// whole. One process per consumer at a time. Thread-safe as far as the store is.
class OffsetStore {
 public:
  /// `directory`: a path or URL; made when the first offset is saved. Errors: those of OpenStore.
  static Result<OffsetStore> Open(const std::string& directory);

  /// Errors: kInvalidArgument WEIR_CONSUMER_NAME_INVALID (letters, digits, '.', '_', '-' are
  /// allowed), kCorruptLog WEIR_OFFSET_MALFORMED names the file; those of the store.
  Result<std::optional<Offset>> Load(const std::string& consumer) const;
  /// The consumers that have an offset here, by name. Errors: those of Load.
  Result<std::map<std::string, Offset>> LoadAll() const;
  Status Save(const std::string& consumer, const Offset& offset) const;

 private:
  OffsetStore(std::shared_ptr<storage::ObjectStore> store, std::string directory)
      : store_(std::move(store)), directory_(std::move(directory)) {}
  Result<std::string> PathOf(const std::string& consumer) const;

  std::shared_ptr<storage::ObjectStore> store_;
  std::string directory_;
};

}  // namespace weir::delta

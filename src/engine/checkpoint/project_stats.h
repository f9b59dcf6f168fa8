// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::engine {

/// Cuts the JSON text of statistics down to some top-level columns. Not thread-safe.
class StatsProjector {
 public:
  /// Without columns, texts stay as they are.
  explicit StatsProjector(const std::optional<std::vector<std::string>>& columns)
      : columns_(columns) {}

  /// numRecords, tightBounds and the members of the columns; the whole text when it is not
  /// understood. The view is of `text` or lives until the next call.
  std::string_view Project(std::string_view text);

 private:
  bool Cut(std::string_view text);
  bool CutBounds(simdjson::ondemand::object bounds);
  void AppendName(std::string_view name);

  const std::optional<std::vector<std::string>>& columns_;
  simdjson::ondemand::parser parser_;
  std::string padded_;
  std::string out_;
};

}  // namespace weir::engine

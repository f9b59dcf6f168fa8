// SPDX-License-Identifier: Apache-2.0
#include "changes/parquet_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/text.h"

namespace weir::changes {
namespace {

constexpr std::string_view kEnding = ".parquet";
// Files that are being written; what a killed writer leaves here is nobody's.
constexpr std::string_view kUnfinished = "_unfinished";
// Versions have the width that they have in the log.
constexpr size_t kDigits = 20;

std::string NameOf(const StreamBatch& batch) {
  if (batch.is_snapshot) return fmt::format("snapshot-{:020}.parquet", batch.last);
  return fmt::format("changes-{:020}-{:020}.parquet", batch.first, batch.last);
}

// The last version of a file of ours; -1 for any other.
int64_t LastVersionOf(std::string_view name) {
  if (!StartsWith(name, "changes-") && !StartsWith(name, "snapshot-")) return -1;
  if (!EndsWith(name, kEnding)) return -1;
  name.remove_suffix(kEnding.size());
  if (name.size() < kDigits) return -1;
  const std::string_view digits = name.substr(name.size() - kDigits);
  int64_t version = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  return error == std::errc() && end == digits.data() + digits.size() ? version : -1;
}

}  // namespace

Result<ParquetFolder> ParquetFolder::Open(const std::string& directory) {
  const std::string place = storage::NormalizeLocation(directory);
  const bool is_local = place.find("://") == std::string::npos;
  std::error_code error;
  if (is_local) std::filesystem::create_directories(storage::JoinPath(place, kUnfinished), error);
  if (!is_local || error) {
    return Fail(IoError("WEIR_OUTPUT_FAILED",
                        "cannot make the folder '" + directory +
                            "': " + (error ? error.message() : "it must be a local one")));
  }
  for (const auto& left :
       std::filesystem::directory_iterator(storage::JoinPath(place, kUnfinished), error)) {
    std::filesystem::remove(left.path(), error);
  }
  WEIR_ASSIGN_OR_RETURN(auto store, storage::OpenStore(place));
  return ParquetFolder(std::move(store), place);
}

Result<int64_t> ParquetFolder::NextVersion() const {
  WEIR_ASSIGN_OR_RETURN(const auto files, store_->List(directory_));
  int64_t next = 0;
  for (const auto& file : files)
    next = std::max(next, LastVersionOf(storage::BaseName(file.path)) + 1);
  return next;
}

// Readers take all that ends in .parquet, so that a file may not be seen there before it is whole.
Status ParquetFolder::Write(engine::Session& session, const StreamBatch& batch) const {
  const std::string name = NameOf(batch);
  const std::string unfinished =
      storage::JoinPath(storage::JoinPath(directory_, kUnfinished), name);
  WEIR_RETURN_IF_ERROR(session.Execute("COPY (" + batch.sql + ") TO " + QuoteLiteral(unfinished) +
                                       " (FORMAT parquet, USE_TMP_FILE false)"));
  std::error_code error;
  std::filesystem::rename(unfinished, storage::JoinPath(directory_, name), error);
  if (!error) return {};
  return Fail(
      IoError("WEIR_OUTPUT_FAILED", "cannot rename '" + unfinished + "': " + error.message()));
}

}  // namespace weir::changes

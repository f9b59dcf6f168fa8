// SPDX-License-Identifier: Apache-2.0
#include "changes/parquet_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "storage/remote_store.h"

namespace weir::changes {
namespace {

constexpr std::string_view kEnding = ".parquet";
constexpr std::string_view kFiles = "-files-";
// Files that are being written; what a killed writer leaves here is nobody's.
constexpr std::string_view kUnfinished = "_unfinished";
// Numbers have the width of versions in the log.
constexpr size_t kDigits = 20;

std::string NameOf(const StreamBatch& batch) {
  std::string name = batch.is_snapshot
                         ? fmt::format("snapshot-{:020}", batch.last)
                         : fmt::format("changes-{:020}-{:020}", batch.first, batch.last);
  if (batch.is_part()) {
    name += fmt::format("{}{:020}-{:020}", kFiles, batch.first_file,
                        batch.first_file + batch.files - 1);
  }
  return name + std::string(kEnding);
}

// The number of kDigits digits at the end of a name.
std::optional<int64_t> NumberAtEnd(std::string_view name) {
  if (name.size() < kDigits) return std::nullopt;
  const auto number = ParseInt64(name.substr(name.size() - kDigits));
  return number && *number >= 0 ? number : std::nullopt;
}

// Where a stream goes on behind a file of ours; the beginning for any other file.
Offset NextOf(std::string_view name) {
  const bool is_snapshot = StartsWith(name, "snapshot-");
  if ((!is_snapshot && !StartsWith(name, "changes-")) || !EndsWith(name, kEnding)) return {};
  name.remove_suffix(kEnding.size());
  const auto last = NumberAtEnd(name);
  if (!last) return {};
  const size_t files = name.find(kFiles);
  if (files == std::string_view::npos) return {{}, *last + 1};
  const auto version = NumberAtEnd(name.substr(0, files));
  return version ? Offset{{}, *version, *last + 1, is_snapshot} : Offset();
}

// A folder on a disk, without what a killed writer has left.
Status MakeFolder(const std::string& place) {
  const std::string unfinished = storage::JoinPath(place, kUnfinished);
  const bool is_local = place.find("://") == std::string::npos;
  std::error_code error;
  if (is_local) std::filesystem::create_directories(unfinished, error);
  if (!is_local || error) {
    return Fail(IoError(
        "WEIR_OUTPUT_FAILED",
        "cannot make the folder '" + place + "': " +
            (error ? error.message() : "it is neither on a disk nor on a store that Weir knows")));
  }
  for (const auto& left : std::filesystem::directory_iterator(unfinished, error))
    std::filesystem::remove(left.path(), error);
  return {};
}

}  // namespace

Result<ParquetFolder> ParquetFolder::Open(const std::string& directory) {
  const std::string place = storage::NormalizeLocation(directory);
  const bool is_remote = storage::IsRemoteLocation(place);
  if (!is_remote) WEIR_RETURN_IF_ERROR(MakeFolder(place));
  WEIR_ASSIGN_OR_RETURN(auto store, storage::OpenStore(place));
  return ParquetFolder(std::move(store), place, is_remote);
}

Result<Offset> ParquetFolder::Next() const {
  WEIR_ASSIGN_OR_RETURN(const auto files, store_->List(directory_));
  Offset next;
  for (const auto& file : files) {
    const Offset behind = NextOf(storage::BaseName(file.path));
    if (next.IsBefore(behind)) next = behind;
  }
  return next;
}

// Readers take all that ends in .parquet, so that a file may not be seen there before it is whole.
// On a store it is not seen before its upload ends.
Status ParquetFolder::Write(engine::Session& session, const StreamBatch& batch) const {
  const std::string path = storage::JoinPath(directory_, NameOf(batch));
  const std::string written =
      is_remote_ ? path
                 : storage::JoinPath(storage::JoinPath(directory_, kUnfinished), NameOf(batch));
  Status copied = session.Execute("COPY (" + batch.sql + ") TO " + QuoteLiteral(written) +
                                  " (FORMAT parquet, USE_TMP_FILE false)");
  if (is_remote_) return copied;
  std::error_code error;
  if (!copied) {
    std::filesystem::remove(written, error);
    return copied;
  }
  std::filesystem::rename(written, path, error);
  if (!error) return {};
  return Fail(IoError("WEIR_OUTPUT_FAILED", "cannot rename '" + written + "': " + error.message()));
}

}  // namespace weir::changes

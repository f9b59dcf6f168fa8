// SPDX-License-Identifier: Apache-2.0
#include "delta/check/check_iceberg.h"

#include <fmt/format.h>

#include "delta/features/iceberg_compat.h"
#include "delta/uniform/iceberg_folder.h"
#include "iceberg/manifest_list.h"

namespace weir::delta {
namespace {

constexpr const char* kRemedy =
    "readers of Iceberg see an older version: the next commit by Weir, or weir check --repair, "
    "writes it anew";

// Files that the newest snapshot of Iceberg's lists.
Result<int64_t> CountFiles(const TableLog& log, const iceberg::TableMetadata& metadata) {
  const iceberg::Snapshot* snapshot = metadata.current_snapshot();
  if (snapshot == nullptr) return 0;
  WEIR_ASSIGN_OR_RETURN(const std::string bytes, log.store->Get(snapshot->manifest_list));
  WEIR_ASSIGN_OR_RETURN(const auto manifests, iceberg::ReadManifestList(bytes));
  int64_t count = 0;
  for (const iceberg::ManifestFile& manifest : manifests) {
    count += manifest.live_files();
    if (manifest.live_files() > 0)
      WEIR_RETURN_IF_ERROR(log.store->Head(manifest.path).map([](const auto&) {}));
  }
  return count;
}

}  // namespace

void CheckIceberg(const TableLog& log, const TableReplay& replay, Findings& findings) {
  if (!replay.metadata || !IsUniformEnabled(*replay.metadata) || HasIcebergRowIds(*replay.metadata))
    return;
  const std::string folder = storage::JoinPath(log.root, kIcebergFolder);
  const auto report = [&](std::string file, std::string problem) {
    findings.Add("iceberg", replay.version, std::move(file), std::move(problem), kRemedy,
                 RepairKind::kIceberg);
  };
  const auto state = FindIcebergState(log);
  if (!state) {
    findings.Add("iceberg", replay.version, folder, state.error().message,
                 "move the folder away: the next commit by Weir fills it anew");
    return;
  }
  if (!*state) return report(folder, "there is no metadata of Iceberg");
  if ((*state)->version != replay.version) {
    return report((*state)->path,
                  fmt::format("the metadata of Iceberg is that of version {}", (*state)->version));
  }
  const auto count = CountFiles(log, (*state)->metadata);
  if (!count) return report((*state)->path, count.error().message);
  if (*count != static_cast<int64_t>(replay.files.size())) {
    return report((*state)->path,
                  fmt::format("it lists {} files, the log has {}", *count, replay.files.size()));
  }
  const std::string hint = IcebergPath(log, kIcebergHint);
  if (log.store->Get(hint).value_or("") != std::to_string(replay.version))
    report(hint, "it does not name the newest metadata");
}

}  // namespace weir::delta

// SPDX-License-Identifier: Apache-2.0
#include "engine/maintenance/auto_compaction.h"

#include <algorithm>
#include <map>
#include <memory>

#include "duckdb.hpp"

#include "base/text.h"
#include "delta/features/properties.h"
#include "engine/scan/scan_files.h"

namespace weir::engine {

bool AsksForCompaction(const delta::Transaction& committed) {
  if (!committed.base()) return false;
  const auto properties = delta::ParseTableProperties(committed.base()->metadata().configuration);
  if (!properties || properties->auto_compact == delta::AutoCompact::kOff) return false;
  return std::any_of(committed.actions().begin(), committed.actions().end(),
                     [](const delta::Action& action) {
                       const auto* add = std::get_if<delta::AddFile>(&action);
                       return add != nullptr && add->data_change;
                     });
}

void RunAutoCompaction(duckdb::DatabaseInstance& db, const std::string& root) {
  duckdb::Connection connection(db);
  connection.Query("SELECT * FROM weir_optimize(" + QuoteLiteral(root) + ", auto => true)");
}

FileFilter SmallFilesOfCrowdedPartitions(const TableState& state, int64_t target_size) {
  const int64_t small = target_size / 2;
  auto counts = std::make_shared<std::map<delta::PartitionValues, size_t>>();
  const ScanFiles files(TableState::Of(state.snapshot()));
  for (size_t i = 0; i < files.size(); ++i) {
    if (files.file_size(i) < small) ++(*counts)[files.Get(i).partition_values];
  }
  return [counts, small](const delta::AddFile& file) {
    return file.size < small && (*counts)[file.partition_values] >= kAutoCompactFiles;
  };
}

}  // namespace weir::engine

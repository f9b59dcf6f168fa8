// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/deletion_filter.h"

#include "engine/duckdb_errors.h"

namespace weir::engine {

duckdb::unique_ptr<duckdb::DeleteFilter> MakeDeletionFilter(const ScanSource& source, const delta::AddFile& file) {
  Throw(UnsupportedFeature("DELTA_UNSUPPORTED_FEATURES_FOR_READ",
                           "table " + source.name + ": deletion vector of " + file.path + " cannot be read"));
}

}  // namespace weir::engine

// SPDX-License-Identifier: Apache-2.0
#include "delta/changes/count_changes.h"

#include "delta/deletion_vectors/deletion_vector.h"
#include "delta/statistics/file_statistics.h"

namespace weir::delta {

Result<std::optional<int64_t>> CountChangedRows(const TableLog& log, const ChangeFile& file) {
  using Count = std::optional<int64_t>;
  if (file.kind == ChangeKind::kChangeData) return Count();
  if (file.rows_in && !file.rows_not_in) return Count(file.rows_in->cardinality);
  if (file.rows_in) {
    WEIR_ASSIGN_OR_RETURN(RowBitmap rows, ReadDeletionVector(*log.store, log.root, *file.rows_in));
    WEIR_ASSIGN_OR_RETURN(const RowBitmap others,
                          ReadDeletionVector(*log.store, log.root, *file.rows_not_in));
    rows.Subtract(others);
    return Count(static_cast<int64_t>(rows.cardinality()));
  }
  Count rows = file.stats ? ReadNumRecords(*file.stats) : std::nullopt;
  if (rows && file.rows_not_in) *rows -= file.rows_not_in->cardinality;
  return rows;
}

}  // namespace weir::delta

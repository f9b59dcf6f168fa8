// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "delta/commit/pending_commit.h"

namespace weir::delta {

/// The rules that a commit must keep whatever others do, judged before anything is written:
///  - one add and one remove for a path at most: kInvalidArgument DELTA_DUPLICATE_ACTIONS_FOUND;
///  - an append-only table loses no rows: kConstraintViolated DELTA_CANNOT_MODIFY_APPEND_ONLY;
///  - a file with a deletion vector says how many rows it has: kInvalidArgument
///    DELTA_ADDING_DELETION_VECTORS_WITHOUT_NUM_RECORDS;
///  - a file has a value for every partition column and no other: kInvalidArgument
///    DELTA_ADD_FILE_PARTITIONING_MISMATCH;
///  - the new protocol and metadata are such that Weir can write to the table: the errors of
///  CheckWritable;
///  - a new table has its protocol and metadata: kInvalidArgument WEIR_INCOMPLETE_TABLE.
/// `tip` is the base (version -1 for a new table).
Status ValidateCommit(const PendingCommit& pending, const TableTip& tip);

}  // namespace weir::delta

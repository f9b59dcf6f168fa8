// SPDX-License-Identifier: Apache-2.0
//
// Clustered tables (protocol section "Clustered Table"): the metadata domain `delta.clustering`
// names the columns by which OPTIMIZE keeps rows together. A column is a path of names, outer to
// inner; in the domain they are physical names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/schema/types.h"

namespace weir::delta {

inline constexpr const char* kClusteringDomain = "delta.clustering";
using ClusteringColumn = std::vector<std::string>;

/// The physical paths that a table clusters by; none when it has no such domain. A bare name, as
/// older writers have it, is a path of one. Errors: kCorruptLog DELTA_CLUSTERING_DOMAIN_MALFORMED.
Result<std::vector<ClusteringColumn>> ClusteringColumnsOf(
    const std::map<std::string, DomainMetadata>& domains);

DomainMetadata MakeClusteringDomain(const std::vector<ClusteringColumn>& physical);

/// The physical paths of columns that a user names (in any case). Errors: kInvalidArgument
/// DELTA_COLUMN_NOT_FOUND_IN_SCHEMA, DELTA_DUPLICATE_COLUMNS_FOUND,
/// DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS (more than four), DELTA_CLUSTER_BY_WITH_PARTITIONED_BY,
/// DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED (a type that has no bounds),
/// DELTA_CLUSTERING_COLUMN_MISSING_STATS (the properties keep its bounds out of the statistics).
Result<std::vector<ClusteringColumn>> ResolveClusteringColumns(
    const DataType& schema, const Metadata& metadata, const std::vector<ClusteringColumn>& named);

/// The names that users know; a path that the schema does not have is given as it is.
std::vector<ClusteringColumn> LogicalClusteringColumns(
    const DataType& schema, const std::vector<ClusteringColumn>& physical);

/// "s.a".
std::string JoinColumnPath(const ClusteringColumn& path);

}  // namespace weir::delta

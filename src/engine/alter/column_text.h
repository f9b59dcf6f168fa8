// SPDX-License-Identifier: Apache-2.0
//
// How changes of columns are told in the log.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "engine/alter/alteration.h"

namespace weir::engine {

/// "a.b", names as they are.
std::string JoinedPath(const delta::ColumnPath& path);

/// {"name":"a.b","type":"integer","nullable":true,"metadata":{}}; of a nested type its kind alone.
/// What the table keeps in the metadata for itself is left out.
JsonValue DescribeField(const delta::StructField& field, const delta::ColumnPath& path);

/// The columns that the table clusters by, as users know them.
std::vector<delta::ColumnPath> ClusteringColumns(const Alteration& change);

}  // namespace weir::engine

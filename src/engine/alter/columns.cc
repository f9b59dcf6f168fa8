// SPDX-License-Identifier: Apache-2.0
//
// ADD, DROP and RENAME COLUMN.
#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "delta/features/properties.h"
#include "delta/features/property_values.h"
#include "delta/schema/text_lengths.h"
#include "engine/alter/alteration.h"
#include "engine/alter/column_text.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

using delta::ColumnPath;

constexpr const char* kStatisticsColumns = "delta.dataSkippingStatsColumns";

bool IsMapped(const Alteration& change) {
  return OrThrow(delta::ParseTableProperties(change.metadata.configuration)).column_mapping_mode !=
         delta::ColumnMappingMode::kNone;
}

bool HasNotNull(const delta::DataType& type) {
  switch (type.kind()) {
    case delta::TypeKind::kStruct:
      return std::any_of(type.fields().begin(), type.fields().end(), [](const auto& field) {
        return !field.nullable || HasNotNull(*field.type);
      });
    case delta::TypeKind::kArray:
      return HasNotNull(*type.element());
    case delta::TypeKind::kMap:
      return HasNotNull(*type.key()) || HasNotNull(*type.value());
    default:
      return false;
  }
}

// Parquet files know a column by its name where nothing is mapped, and Parquet on Spark refuses
// these.
void CheckName(const Alteration& change, const ColumnPath& path) {
  if (path.back().find_first_of(" ,;{}()\n\t=") == std::string::npos || IsMapped(change)) return;
  Throw(InvalidArgument("DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES",
                        "column " + delta::PathText(path) + " of table " + change.table.name +
                            " has one of the characters ' ,;{}()\\n\\t=' in its name, which needs "
                            "column mapping: set delta.columnMapping.mode to 'name' first",
                        "42K05"));
}

void CheckNewColumn(const Alteration& change, const NewColumn& column, const ColumnPath& path) {
  if (!column.field.nullable || HasNotNull(*column.field.type)) {
    Throw(UnsupportedFeature("DELTA_OPERATION_NOT_ALLOWED",
                             "column " + delta::PathText(path) +
                                 " cannot be NOT NULL: the rows that are there have no value for "
                                 "it; add it, UPDATE the rows, then SET NOT NULL",
                             "0AKDC"));
  }
  if (column.has_default) {
    Throw(UnsupportedFeature(
        "WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED",
        "column " + delta::PathText(path) +
            " cannot be added with a DEFAULT: the rows that are there would need it; add it, then "
            "ALTER COLUMN ... SET DEFAULT, which holds for new rows",
        "0AKDC"));
  }
  CheckName(change, path);
  const bool is_reserved =
      column.parent.empty() && (EqualsIgnoreCase(path.back(), "_change_type") ||
                                EqualsIgnoreCase(path.back(), "_commit_version") ||
                                EqualsIgnoreCase(path.back(), "_commit_timestamp"));
  if (is_reserved &&
      OrThrow(delta::ParseTableProperties(change.metadata.configuration)).enable_change_data_feed) {
    Throw(InvalidArgument("RESERVED_CDC_COLUMNS_ON_WRITE",
                          "column " + path.back() + " is one that the change data feed of table " +
                              change.table.name + " adds itself; choose another name",
                          "42939"));
  }
}

JsonValue DescribeAdded(const NewColumn& column, const ColumnPath& path) {
  JsonValue described = JsonValue::Object();
  described.Set("column", DescribeField(column.field, path));
  if (column.place.kind != delta::FieldPlace::Kind::kLast)
    described.Set("position", JsonValue::String(column.place.ToString()));
  return described;
}

using StatisticsColumns = std::vector<std::vector<std::string>>;

// Lets `edit` change the columns whose statistics are kept, where they are listed.
void EditStatisticsColumns(Alteration& change,
                           const std::function<void(StatisticsColumns&)>& edit) {
  const auto property = change.metadata.configuration.find(kStatisticsColumns);
  if (property == change.metadata.configuration.end()) return;
  auto columns = delta::ParseColumnListProperty(property->second);
  if (!columns) return;
  edit(*columns);
  property->second = delta::FormatColumnListProperty(*columns);
}

bool IsWithin(const ColumnPath& path, const ColumnPath& parent) {
  return path.size() >= parent.size() &&
         std::equal(parent.begin(), parent.end(), path.begin(),
                    [](const auto& a, const auto& b) { return EqualsIgnoreCase(a, b); });
}

void CheckDroppable(const Alteration& change, const ColumnPath& path) {
  const auto& partitions = change.metadata.partition_columns;
  const bool is_column = path.size() == 1;
  if (is_column && std::find(partitions.begin(), partitions.end(), path[0]) != partitions.end()) {
    Throw(UnsupportedFeature("DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN",
                             "table " + change.table.name + " is partitioned by " + path[0] +
                                 ", which cannot be dropped",
                             "0AKDC"));
  }
  for (const ColumnPath& clustering : ClusteringColumns(change)) {
    if (!IsWithin(clustering, path)) continue;
    Throw(UnsupportedFeature("DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN",
                             "table " + change.table.name + " is clustered by " +
                                 delta::PathText(clustering) +
                                 ", which cannot be dropped; CLUSTER BY other columns first",
                             "0AKDC"));
  }
}

}  // namespace

void AddColumns(Alteration& change, const std::vector<NewColumn>& columns, bool if_not_exists) {
  std::set<std::string> names;
  for (const NewColumn& column : columns) {
    ColumnPath path = column.parent;
    path.push_back(column.field.name);
    if (names.insert(ToLowerAscii(delta::PathText(path))).second) continue;
    Throw(AlreadyExists("COLUMN_ALREADY_EXISTS",
                        "column " + delta::PathText(path) + " is added twice", "42711"));
  }
  std::vector<JsonValue> described;
  for (const NewColumn& column : columns) {
    ColumnPath path = column.parent.empty()
                          ? ColumnPath()
                          : OrThrow(delta::ResolvePath(*change.schema, column.parent));
    path.push_back(column.field.name);
    auto added = delta::AddField(change.schema, column.parent,
                                 delta::WithStoredLengths(column.field), column.place);
    if (!added && if_not_exists && added.error().name == "FIELD_ALREADY_EXISTS") continue;
    change.schema = OrThrow(std::move(added));
    CheckNewColumn(change, column, path);
    described.push_back(DescribeAdded(column, path));
  }
  change.is_changed = !described.empty();
  change.operation = "ADD COLUMNS";
  change.parameters.Set("columns",
                        JsonValue::String(JsonValue::Array(std::move(described)).ToString()));
}

void DropColumns(Alteration& change, const std::vector<ColumnPath>& paths, bool if_exists) {
  std::vector<ColumnPath> dropped;
  for (const ColumnPath& path : paths) {
    auto resolved = delta::ResolvePath(*change.schema, path);
    if (!resolved && if_exists) continue;
    dropped.push_back(OrThrow(std::move(resolved)));
  }
  change.is_changed = !dropped.empty();
  if (dropped.empty()) return;
  if (!IsMapped(change)) {
    Throw(UnsupportedFeature("DELTA_UNSUPPORTED_DROP_COLUMN",
                             "columns of table " + change.table.name +
                                 " cannot be dropped, for its files know them by their names: set "
                                 "delta.columnMapping.mode to 'name' first",
                             "0AKDC"));
  }
  delta::TypePtr schema = change.schema;
  for (const ColumnPath& path : dropped) schema = OrThrow(delta::DropField(schema, path));
  for (const ColumnPath& path : dropped) CheckDroppable(change, path);
  for (const ColumnPath& path : dropped) CheckNoDependents(change, path);
  std::vector<JsonValue> described;
  for (const ColumnPath& path : dropped) {
    EditStatisticsColumns(change, [&](StatisticsColumns& columns) {
      std::erase_if(columns, [&](const auto& column) { return IsWithin(column, path); });
    });
    described.push_back(JsonValue::String(JoinedPath(path)));
  }
  change.schema = std::move(schema);
  change.operation = "DROP COLUMNS";
  change.parameters.Set("columns",
                        JsonValue::String(JsonValue::Array(std::move(described)).ToString()));
}

void RenameColumn(Alteration& change, const ColumnPath& path, const std::string& name) {
  const ColumnPath old_path = OrThrow(delta::ResolvePath(*change.schema, path));
  delta::TypePtr schema = OrThrow(delta::RenameField(change.schema, old_path, name));
  CheckNoDependents(change, old_path);
  if (!IsMapped(change)) {
    Throw(UnsupportedFeature("DELTA_UNSUPPORTED_RENAME_COLUMN",
                             "columns of table " + change.table.name +
                                 " cannot be renamed, for its files know them by their names: set "
                                 "delta.columnMapping.mode to 'name' first",
                             "0AKDC"));
  }
  ColumnPath new_path = old_path;
  new_path.back() = name;
  if (old_path.size() == 1) {
    std::replace(change.metadata.partition_columns.begin(), change.metadata.partition_columns.end(),
                 old_path[0], name);
  }
  EditStatisticsColumns(change, [&](StatisticsColumns& columns) {
    for (auto& column : columns) {
      if (IsWithin(column, old_path)) column[old_path.size() - 1] = name;
    }
  });
  change.schema = std::move(schema);
  change.operation = "RENAME COLUMN";
  change.parameters.Set("oldColumnPath", JsonValue::String(JoinedPath(old_path)));
  change.parameters.Set("newColumnPath", JsonValue::String(JoinedPath(new_path)));
}

}  // namespace weir::engine

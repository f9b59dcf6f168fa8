// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/file_types.h"

#include <string>
#include <utility>

#include "parquet_reader.hpp"

namespace weir::engine {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::MultiFileColumnDefinition;
using duckdb::ParquetColumnSchema;

namespace {

// A column of a file is described twice: for the mapping and for the decoder. Both must agree.
struct LocalColumn {
  MultiFileColumnDefinition& mapped;
  ParquetColumnSchema& decoded;

  void SetType(const LogicalType& type) {
    mapped.type = type;
    decoded.type = type;
  }
};

bool IsTimestamp(LogicalTypeId id) {
  return id == LogicalTypeId::TIMESTAMP || id == LogicalTypeId::TIMESTAMP_TZ ||
         id == LogicalTypeId::TIMESTAMP_NS;
}

bool IsBytes(LogicalTypeId id) { return id == LogicalTypeId::BLOB || id == LogicalTypeId::VARCHAR; }

// Returns whether the type changed.
bool AdoptLeaf(LocalColumn local, const LogicalType& wanted) {
  const auto have = local.mapped.type.id();
  const bool other_clock = IsTimestamp(have) && IsTimestamp(wanted.id());
  const bool other_bytes = IsBytes(have) && IsBytes(wanted.id());
  if (have == wanted.id() || !(other_clock || other_bytes)) return false;
  local.SetType(wanted);
  return true;
}

bool AdoptVariant(LocalColumn local, const LogicalType& wanted) {
  if (local.mapped.type.id() != LogicalTypeId::STRUCT || local.decoded.children.size() < 2)
    return false;
  local.decoded.schema_type = duckdb::ParquetColumnSchemaType::VARIANT;
  local.SetType(wanted);
  return true;
}

bool Adopt(LocalColumn local, const LogicalType& wanted);

bool AdoptChild(LocalColumn parent, size_t place, const LogicalType& wanted) {
  if (place >= parent.mapped.children.size() || place >= parent.decoded.children.size())
    return false;
  return Adopt({parent.mapped.children[place], parent.decoded.children[place]}, wanted);
}

LogicalType StructOf(const MultiFileColumnDefinition& column) {
  duckdb::child_list_t<LogicalType> children;
  for (const auto& child : column.children) children.emplace_back(child.name, child.type);
  return LogicalType::STRUCT(std::move(children));
}

bool AdoptList(LocalColumn local, const LogicalType& wanted) {
  if (!AdoptChild(local, 0, duckdb::ListType::GetChildType(wanted))) return false;
  local.SetType(LogicalType::LIST(local.mapped.children[0].type));
  return true;
}

bool AdoptMap(LocalColumn local, const LogicalType& wanted) {
  if (local.mapped.children.size() != 1 || local.decoded.children.size() != 1) return false;
  LocalColumn entry{local.mapped.children[0], local.decoded.children[0]};
  const bool key = AdoptChild(entry, 0, duckdb::MapType::KeyType(wanted));
  const bool value = AdoptChild(entry, 1, duckdb::MapType::ValueType(wanted));
  if (!key && !value) return false;
  entry.SetType(StructOf(entry.mapped));
  local.SetType(LogicalType::MAP(entry.mapped.children[0].type, entry.mapped.children[1].type));
  return true;
}

bool Adopt(LocalColumn local, const LogicalType& wanted) {
  const auto have = local.mapped.type.id();
  if (wanted.id() == LogicalTypeId::VARIANT) return AdoptVariant(local, wanted);
  if (wanted.id() == LogicalTypeId::LIST && have == LogicalTypeId::LIST)
    return AdoptList(local, wanted);
  if (wanted.id() == LogicalTypeId::MAP && have == LogicalTypeId::MAP)
    return AdoptMap(local, wanted);
  return AdoptLeaf(local, wanted);
}

// Structs go by the resolved names, everything below a struct-free list or map by place.
bool AdoptResolved(LocalColumn local, const MultiFileColumnDefinition& column);

bool AdoptMembers(LocalColumn local, const MultiFileColumnDefinition& column) {
  bool changed = false;
  for (const auto& child : column.children) {
    for (size_t i = 0; i < local.mapped.children.size() && i < local.decoded.children.size(); ++i) {
      if (local.mapped.children[i].name != child.GetIdentifierName()) continue;
      changed |= AdoptResolved({local.mapped.children[i], local.decoded.children[i]}, child);
    }
  }
  return changed;
}

bool AdoptResolved(LocalColumn local, const MultiFileColumnDefinition& column) {
  const auto have = local.mapped.type.id();
  if (column.children.empty() || have != column.type.id()) return Adopt(local, column.type);
  if (have == LogicalTypeId::MAP) {
    if (local.mapped.children.size() != 1 || local.decoded.children.size() != 1) return false;
    LocalColumn entry{local.mapped.children[0], local.decoded.children[0]};
    if (!AdoptMembers(entry, column)) return false;
    entry.SetType(StructOf(entry.mapped));
    local.SetType(LogicalType::MAP(entry.mapped.children[0].type, entry.mapped.children[1].type));
    return true;
  }
  if (!AdoptMembers(local, column)) return false;
  local.SetType(have == LogicalTypeId::LIST ? LogicalType::LIST(local.mapped.children[0].type)
                                            : StructOf(local.mapped));
  return true;
}

}  // namespace

void AdoptTypes(duckdb::BaseFileReader& reader,
                const duckdb::vector<MultiFileColumnDefinition>& columns) {
  auto& decoded = reader.Cast<duckdb::ParquetReader>().root_schema->children;
  for (const auto& column : columns) {
    if (column.identifier.IsNull()) continue;
    for (size_t i = 0; i < reader.columns.size(); ++i) {
      if (reader.columns[i].name != column.GetIdentifierName()) continue;
      AdoptResolved({reader.columns[i], decoded[i]}, column);
      break;
    }
  }
}

}  // namespace weir::engine

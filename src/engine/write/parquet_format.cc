// SPDX-License-Identifier: Apache-2.0
#include "engine/write/parquet_format.h"

#include <array>
#include <utility>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/copy_function_catalog_entry.hpp"
#include "duckdb/parser/parsed_data/copy_info.hpp"

#include "base/text.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

using delta::DataType;
using delta::TypeKind;
using duckdb::LogicalType;
using duckdb::Value;

// DuckDB's option `field_ids`: a struct of ids by name, nested ones under the id's reserved name.
constexpr const char* kFieldIdName = "__duckdb_field_id";

struct FieldIds {
  std::optional<int64_t> id;
  duckdb::child_list_t<Value> children;

  bool empty() const { return !id && children.empty(); }
  Value ToOption() && {
    if (children.empty()) return Value::INTEGER(static_cast<int32_t>(*id));
    if (id) children.emplace_back(kFieldIdName, Value::INTEGER(static_cast<int32_t>(*id)));
    return Value::STRUCT(std::move(children));
  }
  void Add(const std::string& name, FieldIds ids) {
    if (!ids.empty()) children.emplace_back(name, std::move(ids).ToOption());
  }
};

// Ids of list elements, map keys and map values, by their paths below a field.
constexpr const char* kNestedIds = "delta.columnMapping.nested.ids";

FieldIds IdsBelow(const DataType& type, const JsonValue* nested, const std::string& path);

FieldIds IdsOf(const delta::StructField& field) {
  FieldIds ids = IdsBelow(*field.type, field.metadata.Find(kNestedIds), field.physical_name());
  ids.id = field.field_id();
  return ids;
}

FieldIds IdsBelow(const DataType& type, const JsonValue* nested, const std::string& path) {
  FieldIds ids;
  const auto add_part = [&](const std::string& name, const DataType& part) {
    FieldIds own = IdsBelow(part, nested, path + "." + name);
    const JsonValue* id = nested ? nested->Find(path + "." + name) : nullptr;
    if (id) own.id = id->AsInt64();
    ids.Add(name, std::move(own));
  };
  if (type.kind() == TypeKind::kStruct) {
    for (const auto& field : type.fields()) ids.Add(field.physical_name(), IdsOf(field));
  } else if (type.kind() == TypeKind::kArray) {
    add_part("element", *type.element());
  } else if (type.kind() == TypeKind::kMap) {
    add_part("key", *type.key());
    add_part("value", *type.value());
  }
  return ids;
}

// The type with the names that nested fields have in files.
LogicalType PhysicalType(const LogicalType& type, const DataType& source) {
  switch (source.kind()) {
    case TypeKind::kStruct: {
      duckdb::child_list_t<LogicalType> children;
      for (size_t i = 0; i < source.fields().size(); i++) {
        const auto& field = source.fields()[i];
        children.emplace_back(field.physical_name(),
                              PhysicalType(duckdb::StructType::GetChildType(type, i), *field.type));
      }
      return LogicalType::STRUCT(std::move(children));
    }
    case TypeKind::kArray:
      return LogicalType::LIST(
          PhysicalType(duckdb::ListType::GetChildType(type), *source.element()));
    case TypeKind::kMap:
      return LogicalType::MAP(PhysicalType(duckdb::MapType::KeyType(type), *source.key()),
                              PhysicalType(duckdb::MapType::ValueType(type), *source.value()));
    default:
      return type;
  }
}

std::string DuckDBCodec(const std::string& codec) {
  static constexpr std::array kKnown = {"uncompressed", "snappy", "gzip",
                                        "zstd",         "brotli", "lz4_raw"};
  std::string name = ToLowerAscii(codec);
  if (name == "none") name = "uncompressed";
  if (name == "lz4" || name == "lz4raw") name = "lz4_raw";
  for (const char* known : kKnown) {
    if (name == known) return name;
  }
  Throw(InvalidArgument(
      "DELTA_INVALID_COMPRESSION_CODEC",
      "'" + codec +
          "' is no Parquet compression; use zstd, snappy, gzip, lz4, brotli or uncompressed"));
}

}  // namespace

ParquetFormat::ParquetFormat(duckdb::ClientContext& context, const std::vector<FileColumn>& columns,
                             const std::string& codec, bool with_field_ids)
    : function_("parquet") {
  auto& catalog = duckdb::Catalog::GetSystemCatalog(context);
  function_ = catalog.GetEntry<duckdb::CopyFunctionCatalogEntry>(context, DEFAULT_SCHEMA, "parquet")
                  .function;
  duckdb::vector<std::string> names;
  FieldIds ids;
  for (const auto& column : columns) {
    names.push_back(column.name);
    types_.push_back(column.field ? PhysicalType(column.type, *column.field->type) : column.type);
    if (!with_field_ids) continue;
    if (column.field) {
      ids.Add(column.name, IdsOf(*column.field));
    } else if (column.field_id) {
      FieldIds own;
      own.id = column.field_id;
      ids.Add(column.name, std::move(own));
    }
  }
  const std::string duckdb_codec = DuckDBCodec(codec);
  duckdb::CopyInfo info;
  info.format = "parquet";
  info.options["compression"] = {Value(duckdb_codec)};
  // Half the time of DuckDB's level 3, for files that are hardly larger.
  if (duckdb_codec == "zstd") info.options["compression_level"] = {Value::BIGINT(1)};
  if (!ids.empty()) info.options["field_ids"] = {std::move(ids).ToOption()};
  duckdb::CopyFunctionBindInput input(info);
  bind_data_ = function_.copy_to_bind(context, input, names, types_);
  codec_ = duckdb_codec == "uncompressed" ? ""
           : duckdb_codec == "lz4_raw"    ? "lz4raw"
                                          : duckdb_codec;
}

}  // namespace weir::engine

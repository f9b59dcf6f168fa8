// SPDX-License-Identifier: Apache-2.0
//
// The schema of a table as the log writes it (protocol section "Schema Serialization Format"): a
// struct of named fields whose types are primitives, structs, arrays and maps. Field metadata is
// kept as JSON, member for member, because other writers put things there that we do not know.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace weir::delta {

enum class TypeKind {
  kBoolean,
  kByte,
  kShort,
  kInteger,
  kLong,
  kFloat,
  kDouble,
  kDecimal,
  kString,  ///< Also `char(n)` and `varchar(n)`, whose name is kept.
  kBinary,
  kDate,
  kTimestamp,
  kTimestampNtz,
  kVariant,
  kVoid,      ///< In no data file; reads as NULL.
  kInterval,  ///< ANSI and calendar intervals; the name keeps which. Refused by readers of data.
  kStruct,
  kArray,
  kMap,
};

class DataType;
/// Types are immutable and shared.
using TypePtr = std::shared_ptr<const DataType>;

/// A named member of a struct.
struct StructField {
  std::string name;
  TypePtr type;
  bool nullable = true;
  /// An object; unknown members are kept. `delta.columnMapping.id`, `delta.generationExpression`,
  /// ...
  JsonValue metadata = JsonValue::Object();

  /// The name in data files and in statistics: `delta.columnMapping.physicalName`, else `name`.
  const std::string& physical_name() const;
  /// `delta.columnMapping.id`, where the field has one.
  std::optional<int64_t> field_id() const;
  /// A string member of the metadata, or nullptr.
  const std::string* MetadataText(std::string_view key) const;

  bool operator==(const StructField& other) const;
};

/// One type. Value-like, immutable after the factory, safe to share between threads.
class DataType {
 public:
  static TypePtr Primitive(TypeKind kind);
  /// 1 <= precision <= 38, 0 <= scale <= precision is the caller's duty.
  static TypePtr Decimal(int precision, int scale);
  /// An interval type by its name in the log, e.g. "interval day to second".
  static TypePtr Interval(std::string name);
  /// A string type by its name in the log: "char(n)" or "varchar(n)". Spark itself writes "string"
  /// and keeps the length in the field's metadata.
  static TypePtr Text(std::string name);
  static TypePtr Struct(std::vector<StructField> fields);
  static TypePtr Array(TypePtr element, bool contains_null);
  static TypePtr Map(TypePtr key, TypePtr value, bool value_contains_null);

  TypeKind kind() const { return kind_; }
  bool is_primitive() const { return kind_ < TypeKind::kStruct; }
  int precision() const { return precision_; }
  int scale() const { return scale_; }
  /// The log's name of an interval, a char or a varchar; empty for all others.
  const std::string& name() const { return name_; }

  /// Of a struct.
  const std::vector<StructField>& fields() const { return fields_; }
  /// The field of that name (ASCII case-insensitive, as SQL), or nullptr.
  const StructField* FindField(std::string_view name) const;
  /// The element of an array.
  const TypePtr& element() const { return element_; }
  /// The key and value of a map; the value is element().
  const TypePtr& key() const { return key_; }
  const TypePtr& value() const { return element_; }
  /// Whether an array's elements or a map's values may be NULL.
  bool contains_null() const { return contains_null_; }

  /// The JSON form of the log: `"long"`, `"decimal(10,2)"`, `{"type":"struct",...}`.
  std::string ToJson() const;
  void AppendJson(std::string& out) const;
  /// For people, in Spark's spelling: `BIGINT`, `DECIMAL(10,2)`, `STRUCT<a: INT>`.
  std::string ToSql() const;

  /// Structural equality; field metadata and nullability count.
  bool Equals(const DataType& other) const;

 private:
  DataType() = default;

  TypeKind kind_ = TypeKind::kVoid;
  int precision_ = 0;
  int scale_ = 0;
  std::string name_;
  bool contains_null_ = true;
  TypePtr key_;
  TypePtr element_;
  std::vector<StructField> fields_;
};

/// Parses a schemaString. The result is a struct.
/// Errors: kCorruptLog DELTA_SCHEMA_NOT_PARSABLE for text that is no schema, with the place in it;
/// kUnsupportedFeature DELTA_UNSUPPORTED_DATA_TYPE names a type that is not known (e.g. geometry).
/// Any input is safe: depth is bounded.
Result<TypePtr> ParseSchema(std::string_view schema_string);

/// The type of a name in the log: "long", "decimal(10,2)", "interval day to second". "null" is the
/// old name of "void", "timestamp_ltz" another one of "timestamp", bare "decimal" is decimal(10,0).
/// Errors: kUnsupportedFeature DELTA_UNSUPPORTED_DATA_TYPE; kCorruptLog DELTA_SCHEMA_NOT_PARSABLE
/// for a decimal out of range.
Result<TypePtr> ParsePrimitiveType(std::string_view name);

}  // namespace weir::delta

// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/column_options.h"

#include <algorithm>

#include "base/text.h"
#include "delta/identity/identity_columns.h"
#include "delta/schema/text_lengths.h"
#include "engine/catalog/create_table.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

constexpr std::string_view kPrefix = "weir.";
constexpr std::string_view kTableComment = "weir.comment";
constexpr std::string_view kComment = "weir.comment.";
constexpr std::string_view kIdentity = "weir.identity.";
constexpr std::string_view kType = "weir.type.";

delta::StructField& FieldOf(const std::string& table, const std::string& key,
                            std::string_view column, std::vector<delta::StructField>& fields) {
  auto it = std::find_if(fields.begin(), fields.end(),
                         [&](const auto& field) { return EqualsIgnoreCase(field.name, column); });
  if (it == fields.end()) {
    Throw(InvalidArgument("WEIR_UNKNOWN_COLUMN_OPTION",
                          "table " + table + " has no column \"" + std::string(column) +
                              "\", which its option '" + key + "' is for",
                          "42703"));
  }
  return *it;
}

[[noreturn]] void ThrowInvalid(const std::string& key, const std::string& value) {
  Throw(InvalidArgument("WEIR_INVALID_COLUMN_OPTION",
                        "option '" + key +
                            "' must be 'always' or 'default', the first value and "
                            "the step, as in 'always,1,1'; found '" +
                            value + "'"));
}

int64_t Number(const std::string& key, const std::string& value, std::string_view text) {
  const auto number = ParseInt64(text);
  if (!number) ThrowInvalid(key, value);
  return *number;
}

delta::Identity ParseIdentity(const std::string& key, const std::string& value) {
  const size_t first = value.find(',');
  const size_t second = first == std::string::npos ? first : value.find(',', first + 1);
  if (second == std::string::npos) ThrowInvalid(key, value);
  const std::string kind = value.substr(0, first);
  if (kind != "always" && kind != "default") ThrowInvalid(key, value);
  delta::Identity identity;
  identity.allows_explicit = kind == "default";
  identity.start =
      Number(key, value, std::string_view(value).substr(first + 1, second - first - 1));
  identity.step = Number(key, value, std::string_view(value).substr(second + 1));
  return identity;
}

void MakeIdentity(delta::StructField& field, const delta::Identity& identity,
                  const std::vector<std::string>& partition_columns) {
  if (field.metadata.Find("delta.generationExpression") || field.metadata.Find("CURRENT_DEFAULT")) {
    Throw(InvalidArgument("DELTA_IDENTITY_COLUMNS_WITH_GENERATED_EXPRESSION",
                          "identity column \"" + field.name +
                              "\" cannot have a generation expression or a default as well",
                          "42613"));
  }
  if (std::find(partition_columns.begin(), partition_columns.end(), field.name) !=
      partition_columns.end()) {
    Throw(InvalidArgument("DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED",
                          "the table cannot be partitioned by its identity column \"" + field.name +
                              "\": every row would be a partition",
                          "42601"));
  }
  OrThrow(delta::SetIdentity(field, identity));
}

// Within arrays and maps NOT NULL is not enforced, by nobody.
void CheckNullability(const std::string& column, const delta::DataType& type, bool in_collection) {
  switch (type.kind()) {
    case delta::TypeKind::kStruct:
      for (const auto& field : type.fields()) {
        if (in_collection && !field.nullable) {
          Throw(UnsupportedFeature("DELTA_NESTED_NOT_NULL_CONSTRAINT",
                                   "column \"" + column + "\" has the field " + field.name +
                                       " within an array or a map, where NOT NULL is not enforced",
                                   "0AKDC"));
        }
        CheckNullability(column, *field.type, in_collection);
      }
      return;
    case delta::TypeKind::kArray:
      return CheckNullability(column, *type.element(), true);
    case delta::TypeKind::kMap:
      CheckNullability(column, *type.key(), true);
      return CheckNullability(column, *type.value(), true);
    default:
      return;
  }
}

}  // namespace

bool IsColumnOption(const std::string& key) { return StartsWith(ToLowerAscii(key), kPrefix); }

void ApplyColumnOptions(const duckdb::CreateTableInfo& create,
                        const std::vector<std::string>& partition_columns,
                        std::vector<delta::StructField>& fields) {
  for (const auto& [key, expression] : create.options) {
    if (!IsColumnOption(key)) continue;
    const std::string lower = ToLowerAscii(key);
    const std::string value = PropertyText(key, *expression);
    if (StartsWith(lower, kComment)) {
      FieldOf(create.table, key, key.substr(kComment.size()), fields)
          .metadata.Set("comment", JsonValue::String(value));
    } else if (StartsWith(lower, kIdentity)) {
      MakeIdentity(FieldOf(create.table, key, key.substr(kIdentity.size()), fields),
                   ParseIdentity(key, value), partition_columns);
    } else if (StartsWith(lower, kType)) {
      auto& field = FieldOf(create.table, key, key.substr(kType.size()), fields);
      field.type = OrThrow(delta::ParseTypeDeclaration(value));
      CheckNullability(field.name, *field.type, false);
      field = delta::WithStoredLengths(std::move(field));
    } else if (lower != kTableComment) {
      Throw(InvalidArgument("WEIR_UNKNOWN_COLUMN_OPTION",
                            "'" + key +
                                "' is no option of CREATE TABLE, which knows weir.comment, "
                                "weir.comment.COLUMN, weir.identity.COLUMN and weir.type.COLUMN"));
    }
  }
}

std::optional<std::string> TableCommentOption(const duckdb::CreateTableInfo& create) {
  const auto it = create.options.find(std::string(kTableComment));
  if (it == create.options.end()) return std::nullopt;
  return PropertyText(it->first, *it->second);
}

}  // namespace weir::engine

// SPDX-License-Identifier: Apache-2.0
#include "delta/features/iceberg_compat.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "delta/features/conditions.h"
#include "delta/features/features.h"

namespace weir::delta {
namespace {

constexpr const char* kMappingMode = "delta.columnMapping.mode";

constexpr const char* kEnableRowTracking = "delta.enableRowTracking";
constexpr const char* kUniversalFormats = "delta.universalFormat.enabledFormats";
constexpr std::string_view kIceberg = "iceberg";

// The formats in a list with commas.
std::vector<std::string> SplitFormats(std::string_view text) {
  std::vector<std::string> formats;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view format = Trim(text.substr(0, end));
    if (!format.empty()) formats.push_back(ToLowerAscii(format));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return formats;
}

bool IsTrue(const Metadata& metadata, const char* key) {
  const auto it = metadata.configuration.find(key);
  return it != metadata.configuration.end() && EqualsIgnoreCase(it->second, "true");
}

bool IsV1(const Metadata& metadata) { return IsTrue(metadata, "delta.enableIcebergCompatV1"); }
bool IsV2(const Metadata& metadata) { return IsTrue(metadata, "delta.enableIcebergCompatV2"); }
bool IsV3(const Metadata& metadata) { return IsTrue(metadata, "delta.enableIcebergCompatV3"); }

Error Violation(const Metadata& metadata, std::string_view rule, std::string_view what) {
  const char* version = IsV3(metadata) ? "V3" : IsV2(metadata) ? "V2" : "V1";
  return InvalidArgument(
      "DELTA_ICEBERG_COMPAT_VIOLATION." + std::string(rule),
      "delta.enableIcebergCompat" + std::string(version) + ": " + std::string(what), "KD00E");
}

// The first type in the schema that Iceberg's readers do not know; null when there is none.
const DataType* FindUnsupported(const DataType& type, const Metadata& metadata) {
  switch (type.kind()) {
    case TypeKind::kStruct:
      for (const StructField& field : type.fields()) {
        if (const DataType* found = FindUnsupported(*field.type, metadata)) return found;
      }
      return nullptr;
    case TypeKind::kArray:
      return IsV1(metadata) ? &type : FindUnsupported(*type.element(), metadata);
    case TypeKind::kMap: {
      if (IsV1(metadata)) return &type;
      const DataType* key = FindUnsupported(*type.key(), metadata);
      return key ? key : FindUnsupported(*type.value(), metadata);
    }
    case TypeKind::kVariant:
      return IsV3(metadata) ? nullptr : &type;
    case TypeKind::kVoid:
    case TypeKind::kInterval:
      return &type;
    default:
      return nullptr;
  }
}

// Whether SQL is one value written down: 7, -1.5, 'a', NULL, DATE '2024-01-01', CAST(7 AS BIGINT).
bool IsLiteral(std::string_view sql) {
  sql = Trim(sql);
  const std::string lower = ToLowerAscii(sql);
  if (StartsWith(lower, "cast(") && EndsWith(lower, ")")) {
    const size_t as = lower.rfind(" as ");
    return as != std::string::npos && IsLiteral(sql.substr(5, as - 5));
  }
  for (const char* prefix : {"date", "timestamp", "timestamp_ntz", "timestamp_ltz", "x"}) {
    if (!StartsWith(lower, prefix)) continue;
    const std::string_view rest = Trim(sql.substr(std::string_view(prefix).size()));
    if (StartsWith(rest, "'")) return IsLiteral(rest);
  }
  if (StartsWith(sql, "'")) {
    size_t i = 1;
    while (i < sql.size() && (sql[i] != '\'' || (i + 1 < sql.size() && sql[i + 1] == '\''))) {
      i += sql[i] == '\'' || sql[i] == '\\' ? 2 : 1;
    }
    return i + 1 == sql.size();
  }
  if (lower == "null" || lower == "true" || lower == "false") return true;
  const size_t digits = StartsWith(sql, "-") || StartsWith(sql, "+") ? 1 : 0;
  return digits < sql.size() && sql.find_first_not_of("0123456789.eE", digits) == sql.npos;
}

// V3: default values go into Iceberg's schema.
Status CheckDefaults(const Metadata& metadata, const DataType& schema) {
  for (const StructField& field : schema.fields()) {
    const std::string* text = field.MetadataText("CURRENT_DEFAULT");
    if (text == nullptr || IsLiteral(*text)) continue;
    return Fail(Violation(
        metadata, "UNSUPPORTED_DATA_TYPE",
        "the default of column \"" + field.name + "\" is " + *text + ", which is no literal"));
  }
  return {};
}

// V3 rests on row ids whose columns have Iceberg's own ids in every file.
Status CheckRowTracking(const Metadata& metadata, const Metadata* current) {
  if (!IsTrue(metadata, kEnableRowTracking)) {
    return Fail(Violation(metadata, "WRONG_REQUIRED_TABLE_PROPERTY",
                          std::string(kEnableRowTracking) + " must be true"));
  }
  // A table that is replaced, and so gets another id, leaves no files behind.
  if (current == nullptr || current->id != metadata.id) return {};
  if (IsV3(*current) || !IsTrue(*current, kEnableRowTracking)) return {};
  return Fail(UnsupportedFeature(
      "WEIR_ICEBERG_COMPAT_V3_AFTER_ROW_TRACKING",
      "delta.enableIcebergCompatV3 must be set before " + std::string(kEnableRowTracking) +
          ", or with it: files of this table may have row ids without the id that Iceberg gives "
          "them",
      "0A000"));
}

// Iceberg widens int to long, float to double and a decimal's precision, and nothing else.
bool IsIcebergWidening(const std::string& from, const std::string& to) {
  const auto old_type = ParsePrimitiveType(from);
  const auto new_type = ParsePrimitiveType(to);
  if (!old_type || !new_type) return false;
  const TypeKind a = (*old_type)->kind();
  const TypeKind b = (*new_type)->kind();
  const bool is_small = a == TypeKind::kByte || a == TypeKind::kShort || a == TypeKind::kInteger;
  if (is_small && (b == TypeKind::kShort || b == TypeKind::kInteger || b == TypeKind::kLong))
    return true;
  if (a == TypeKind::kFloat && b == TypeKind::kDouble) return true;
  return a == TypeKind::kDecimal && b == TypeKind::kDecimal &&
         (*old_type)->scale() == (*new_type)->scale();
}

Status CheckWidening(const Metadata& metadata, const DataType& type) {
  if (type.kind() == TypeKind::kArray) return CheckWidening(metadata, *type.element());
  if (type.kind() == TypeKind::kMap) {
    WEIR_RETURN_IF_ERROR(CheckWidening(metadata, *type.key()));
    return CheckWidening(metadata, *type.value());
  }
  if (type.kind() != TypeKind::kStruct) return {};
  for (const StructField& field : type.fields()) {
    WEIR_RETURN_IF_ERROR(CheckWidening(metadata, *field.type));
    const JsonValue* changes = field.metadata.Find("delta.typeChanges");
    if (changes == nullptr) continue;
    for (const JsonValue& change : changes->items()) {
      const JsonValue* from = change.Find("fromType");
      const JsonValue* to = change.Find("toType");
      if (from && to && IsIcebergWidening(from->text(), to->text())) continue;
      return Fail(Violation(metadata, "UNSUPPORTED_TYPE_WIDENING",
                            "the type of column \"" + field.name + "\" was changed from " +
                                (from ? from->text() : "?") + " to " + (to ? to->text() : "?") +
                                ", which Iceberg cannot read"));
    }
  }
  return {};
}

}  // namespace

bool IsIcebergCompatEnabled(const Metadata& metadata) {
  return IsV1(metadata) || IsV2(metadata) || IsV3(metadata);
}

bool HasIcebergRowIds(const Metadata& metadata) { return IsV3(metadata); }

bool IsUniformEnabled(const Metadata& metadata) {
  const auto it = metadata.configuration.find(kUniversalFormats);
  if (it == metadata.configuration.end()) return false;
  const auto formats = SplitFormats(it->second);
  return std::find(formats.begin(), formats.end(), kIceberg) != formats.end();
}

bool NeedsNestedFieldIds(const Metadata& metadata) { return IsV2(metadata) || IsV3(metadata); }

Status CompleteIcebergCompat(Metadata& metadata, const Metadata* current) {
  if (IsIcebergCompatEnabled(metadata)) {
    if (current == nullptr) metadata.configuration.try_emplace(kMappingMode, "name");
    if (IsV3(metadata)) metadata.configuration.try_emplace(kEnableRowTracking, "true");
    const bool is_new = current == nullptr || !IsUniformEnabled(*current) || !IsV3(*current);
    if (!IsV3(metadata) || !IsUniformEnabled(metadata) || !is_new) return {};
    return Fail(
        UnsupportedFeature("WEIR_UNIFORM_FOR_ICEBERG_COMPAT_V3",
                           "Weir writes metadata of Iceberg for tables with "
                           "delta.enableIcebergCompatV2 or ...V1, not for ...V3; leave out " +
                               std::string(kUniversalFormats),
                           "0A000"));
  }
  if (!IsUniformEnabled(metadata)) return {};
  if (current == nullptr || !IsIcebergCompatEnabled(*current)) {
    return Fail(InvalidArgument(
        "DELTA_UNIVERSAL_FORMAT_VIOLATION",
        std::string(kUniversalFormats) +
            " = 'iceberg' needs Iceberg compatibility: set delta.enableIcebergCompatV2 to true "
            "with it",
        "KD00E"));
  }
  std::string others;
  for (const std::string& format : SplitFormats(metadata.configuration[kUniversalFormats])) {
    if (format != kIceberg) others += (others.empty() ? "" : ",") + format;
  }
  if (others.empty()) {
    metadata.configuration.erase(kUniversalFormats);
  } else {
    metadata.configuration[kUniversalFormats] = others;
  }
  return {};
}

Status CheckIcebergCompat(const Protocol& protocol, const Metadata& metadata,
                          const DataType& schema, const Metadata* current) {
  if (current != nullptr && IsV3(*current) && !IsV3(metadata)) {
    return Fail(UnsupportedFeature("WEIR_ICEBERG_COMPAT_V3_CANNOT_BE_DISABLED",
                                   "delta.enableIcebergCompatV3 stays once it is set", "0A000"));
  }
  if (!IsIcebergCompatEnabled(metadata)) return {};
  if (IsV1(metadata) + IsV2(metadata) + IsV3(metadata) > 1) {
    return Fail(Violation(metadata, "VERSION_MUTUAL_EXCLUSIVE",
                          "only one version of Iceberg compatibility can be enabled; set the "
                          "other's property to false"));
  }
  if (!HasColumnMapping(metadata, schema)) {
    return Fail(Violation(metadata, "WRONG_REQUIRED_TABLE_PROPERTY",
                          std::string(kMappingMode) + " must be 'name' or 'id'; set it first"));
  }
  if (IsV3(metadata)) {
    WEIR_RETURN_IF_ERROR(CheckRowTracking(metadata, current));
    WEIR_RETURN_IF_ERROR(CheckDefaults(metadata, schema));
  } else if (IsSupported(protocol, Feature::kDeletionVectors) &&
             HasDeletionVectors(metadata, schema)) {
    return Fail(Violation(metadata, "DELETION_VECTORS_SHOULD_BE_DISABLED",
                          "Iceberg readers know no deletion vectors; set "
                          "delta.enableDeletionVectors to false and REORG ... APPLY (PURGE)"));
  }
  if (const DataType* type = FindUnsupported(schema, metadata)) {
    return Fail(Violation(metadata, "UNSUPPORTED_DATA_TYPE",
                          "type " + type->ToSql() +
                              " is in the schema, which Iceberg readers "
                              "would not understand"));
  }
  if (current && !current->partition_columns.empty() &&
      current->partition_columns != metadata.partition_columns) {
    return Fail(Violation(metadata, "REPLACE_TABLE_CHANGE_PARTITION_NAMES",
                          "a partitioned table cannot be replaced by one with other partition "
                          "columns"));
  }
  return CheckWidening(metadata, schema);
}

}  // namespace weir::delta

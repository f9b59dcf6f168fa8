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

Error Violation(const Metadata& metadata, std::string_view rule, std::string_view what) {
  return InvalidArgument(
      "DELTA_ICEBERG_COMPAT_VIOLATION." + std::string(rule),
      std::string(IsV2(metadata) ? "delta.enableIcebergCompatV2" : "delta.enableIcebergCompatV1") +
          ": " + std::string(what),
      "KD00E");
}

// The first type in the schema that Iceberg's readers do not know; null when there is none.
const DataType* FindUnsupported(const DataType& type, bool is_v1) {
  switch (type.kind()) {
    case TypeKind::kStruct:
      for (const StructField& field : type.fields()) {
        if (const DataType* found = FindUnsupported(*field.type, is_v1)) return found;
      }
      return nullptr;
    case TypeKind::kArray:
      return is_v1 ? &type : FindUnsupported(*type.element(), is_v1);
    case TypeKind::kMap: {
      if (is_v1) return &type;
      const DataType* key = FindUnsupported(*type.key(), is_v1);
      return key ? key : FindUnsupported(*type.value(), is_v1);
    }
    case TypeKind::kVoid:
    case TypeKind::kVariant:
    case TypeKind::kInterval:
      return &type;
    default:
      return nullptr;
  }
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

bool IsIcebergCompatEnabled(const Metadata& metadata) { return IsV1(metadata) || IsV2(metadata); }

bool IsUniformEnabled(const Metadata& metadata) {
  const auto it = metadata.configuration.find(kUniversalFormats);
  if (it == metadata.configuration.end()) return false;
  const auto formats = SplitFormats(it->second);
  return std::find(formats.begin(), formats.end(), kIceberg) != formats.end();
}

bool NeedsNestedFieldIds(const Metadata& metadata) { return IsV2(metadata); }

Status CompleteIcebergCompat(Metadata& metadata, const Metadata* current) {
  if (IsIcebergCompatEnabled(metadata)) {
    if (current == nullptr) metadata.configuration.try_emplace(kMappingMode, "name");
    return {};
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
  if (!IsIcebergCompatEnabled(metadata)) return {};
  if (IsV1(metadata) && IsV2(metadata)) {
    return Fail(Violation(metadata, "VERSION_MUTUAL_EXCLUSIVE",
                          "only one version of Iceberg compatibility can be enabled; set the "
                          "other's property to false"));
  }
  if (!HasColumnMapping(metadata, schema)) {
    return Fail(Violation(metadata, "WRONG_REQUIRED_TABLE_PROPERTY",
                          std::string(kMappingMode) + " must be 'name' or 'id'; set it first"));
  }
  if (IsSupported(protocol, Feature::kDeletionVectors) && HasDeletionVectors(metadata, schema)) {
    return Fail(Violation(metadata, "DELETION_VECTORS_SHOULD_BE_DISABLED",
                          "Iceberg readers know no deletion vectors; set "
                          "delta.enableDeletionVectors to false and REORG ... APPLY (PURGE)"));
  }
  if (const DataType* type = FindUnsupported(schema, IsV1(metadata))) {
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

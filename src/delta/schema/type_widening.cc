// SPDX-License-Identifier: Apache-2.0
#include "delta/schema/type_widening.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace weir::delta {
namespace {

constexpr const char* kTypeChanges = "delta.typeChanges";

/// 1 for byte up to 4 for long; 0 for what is no integer.
int IntegerRank(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kByte:
      return 1;
    case TypeKind::kShort:
      return 2;
    case TypeKind::kInteger:
      return 3;
    case TypeKind::kLong:
      return 4;
    default:
      return 0;
  }
}

/// The place in the order in which Spark widens numbers.
int NumericRank(const DataType& type) {
  if (type.kind() == TypeKind::kFloat) return 5;
  return type.kind() == TypeKind::kDouble ? 6 : IntegerRank(type);
}

/// How many digits an integer may have, as Spark counts them.
int DigitsOf(int integer_rank) {
  constexpr int kDigits[] = {0, 3, 5, 10, 20};
  return kDigits[integer_rank];
}

bool Holds(const DataType& decimal, int digits, int scale) {
  return decimal.precision() - decimal.scale() >= digits - scale && decimal.scale() >= scale;
}

bool IsDecimal(const DataType& type) { return type.kind() == TypeKind::kDecimal; }

bool IsWithinFamily(const DataType& from, const DataType& to) {
  if (IntegerRank(from) > 0 && IntegerRank(to) > 0) return IntegerRank(from) <= IntegerRank(to);
  if (IsDecimal(from) && IsDecimal(to)) return Holds(to, from.precision(), from.scale());
  if (from.kind() == TypeKind::kFloat) return to.kind() == TypeKind::kDouble;
  return from.kind() == TypeKind::kDate && to.kind() == TypeKind::kTimestampNtz;
}

bool IsString(const DataType& type) { return type.kind() == TypeKind::kString; }

struct TypeChange {
  std::string from;
  std::string to;
  std::string path;  ///< "element", "value.element", ...
};

std::string Below(const std::string& path, const char* step) {
  return path.empty() ? step : path + "." + step;
}

/// The changes within one field, structs left out: their fields keep their own.
void Collect(const DataType& from, const DataType& to, const std::string& path,
             std::vector<TypeChange>& changes) {
  if (from.kind() == TypeKind::kArray && to.kind() == TypeKind::kArray)
    return Collect(*from.element(), *to.element(), Below(path, "element"), changes);
  if (from.kind() == TypeKind::kMap && to.kind() == TypeKind::kMap) {
    Collect(*from.key(), *to.key(), Below(path, "key"), changes);
    return Collect(*from.value(), *to.value(), Below(path, "value"), changes);
  }
  const bool is_change =
      from.is_primitive() && to.is_primitive() && !from.Equals(to) && !IsString(from);
  // A primitive's JSON is its name in quotes.
  const auto name = [](const DataType& type) {
    const std::string json = type.ToJson();
    return json.substr(1, json.size() - 2);
  };
  if (is_change && IsTypeChangeSupported(from, to)) changes.push_back({name(from), name(to), path});
}

void Note(StructField& field, const std::vector<TypeChange>& changes,
          std::optional<int64_t> table_version) {
  if (changes.empty()) return;
  const JsonValue* noted = field.metadata.Find(kTypeChanges);
  std::vector<JsonValue> items = noted ? noted->items() : std::vector<JsonValue>();
  for (const TypeChange& change : changes) {
    JsonValue item = JsonValue::Object();
    if (table_version) item.Set("tableVersion", JsonValue::Int(*table_version));
    item.Set("fromType", JsonValue::String(change.from));
    item.Set("toType", JsonValue::String(change.to));
    if (!change.path.empty()) item.Set("fieldPath", JsonValue::String(change.path));
    items.push_back(std::move(item));
  }
  field.metadata.Set(kTypeChanges, JsonValue::Array(std::move(items)));
}

TypePtr Record(const TypePtr& type, const DataType& old, std::optional<int64_t> table_version) {
  if (type->kind() != old.kind()) return type;
  switch (type->kind()) {
    case TypeKind::kArray:
      return DataType::Array(Record(type->element(), *old.element(), table_version),
                             type->contains_null());
    case TypeKind::kMap: {
      TypePtr key = Record(type->key(), *old.key(), table_version);
      return DataType::Map(std::move(key), Record(type->value(), *old.value(), table_version),
                           type->contains_null());
    }
    case TypeKind::kStruct: {
      std::vector<StructField> fields = type->fields();
      for (StructField& field : fields) {
        const auto before = std::find_if(
            old.fields().begin(), old.fields().end(), [&](const StructField& candidate) {
              return candidate.physical_name() == field.physical_name();
            });
        if (before == old.fields().end()) continue;
        std::vector<TypeChange> changes;
        Collect(*before->type, *field.type, "", changes);
        field.type = Record(field.type, *before->type, table_version);
        Note(field, changes, table_version);
      }
      return DataType::Struct(std::move(fields));
    }
    default:
      return type;
  }
}

}  // namespace

bool IsUpCast(const DataType& from, const DataType& to) {
  if (from.Equals(to) || from.kind() == TypeKind::kVoid) return true;
  if (!from.is_primitive() || !to.is_primitive()) return false;
  if (IsString(to)) return true;
  if (IsDecimal(to)) {
    if (IsDecimal(from)) return Holds(to, from.precision(), from.scale());
    return IntegerRank(from) > 0 && Holds(to, DigitsOf(IntegerRank(from)), 0);
  }
  if (IsDecimal(from)) {
    return IntegerRank(to) > 0 && from.scale() == 0 && from.precision() < DigitsOf(IntegerRank(to));
  }
  if (NumericRank(from) > 0 && NumericRank(to) > 0) return NumericRank(from) <= NumericRank(to);
  const bool to_instant = to.kind() == TypeKind::kTimestamp || to.kind() == TypeKind::kTimestampNtz;
  return to_instant && (from.kind() == TypeKind::kDate || from.kind() == TypeKind::kTimestamp ||
                        from.kind() == TypeKind::kTimestampNtz);
}

bool IsTypeChangeSupported(const DataType& from, const DataType& to) {
  if (from.Equals(to) || IsWithinFamily(from, to)) return true;
  const int rank = IntegerRank(from);
  if (rank == 0) return false;
  // Parquet keeps byte, short and integer alike in 32 bits, which can all be read as ten digits.
  if (IsDecimal(to)) return Holds(to, DigitsOf(std::max(rank, 3)), 0);
  return rank < 4 && to.kind() == TypeKind::kDouble;
}

TypePtr RecordTypeChanges(const TypePtr& schema, const DataType& old,
                          std::optional<int64_t> table_version) {
  return Record(schema, old, table_version);
}

}  // namespace weir::delta

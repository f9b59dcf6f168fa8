// SPDX-License-Identifier: Apache-2.0
#include "delta/identity/identity_columns.h"

#include <limits>
#include <utility>

namespace weir::delta {
namespace {

constexpr std::string_view kStart = "delta.identity.start";
constexpr std::string_view kStep = "delta.identity.step";
constexpr std::string_view kMark = "delta.identity.highWaterMark";
constexpr std::string_view kAllowExplicit = "delta.identity.allowExplicitInsert";

using Wide = __int128;

std::optional<int64_t> Narrow(Wide value) {
  if (value < std::numeric_limits<int64_t>::min() || value > std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return static_cast<int64_t>(value);
}

// The greatest n with start + n * step not beyond `value`; negative for a value before the start.
Wide StepsTo(const Identity& identity, int64_t value) {
  const Wide way = Wide{value} - identity.start;
  Wide steps = way / identity.step;
  const bool is_before = way != 0 && (way < 0) != (identity.step < 0);
  if (is_before && way % identity.step != 0) --steps;
  return steps;
}

Wide ValueAt(const Identity& identity, Wide steps) {
  return Wide{identity.start} + steps * identity.step;
}

Wide NextStep(const Identity& identity) {
  return identity.high_water_mark ? StepsTo(identity, *identity.high_water_mark) + 1 : Wide{0};
}

Error Malformed(const StructField& field, std::string_view key) {
  return CorruptLog("DELTA_IDENTITY_COLUMNS_MALFORMED",
                    "identity column \"" + field.name + "\" has no usable " + std::string(key) +
                        " in its metadata " + field.metadata.ToString());
}

}  // namespace

std::optional<int64_t> Identity::Next() const { return Last(1); }

std::optional<int64_t> Identity::Last(int64_t count) const {
  return Narrow(ValueAt(*this, NextStep(*this) + count - 1));
}

bool Identity::IsBeyond(int64_t a, int64_t b) const { return step > 0 ? a > b : a < b; }

bool IsIdentity(const StructField& field) { return field.metadata.Find(kStart) != nullptr; }

Result<Identity> IdentityOf(const StructField& field) {
  Identity identity;
  const auto number = [&](std::string_view key) -> std::optional<int64_t> {
    const JsonValue* value = field.metadata.Find(key);
    return value ? value->AsInt64() : std::nullopt;
  };
  const auto start = number(kStart);
  if (!start) return Fail(Malformed(field, kStart));
  const auto step = number(kStep);
  if (!step || *step == 0) return Fail(Malformed(field, kStep));
  identity.start = *start;
  identity.step = *step;
  identity.high_water_mark = number(kMark);
  if (!identity.high_water_mark && field.metadata.Find(kMark)) return Fail(Malformed(field, kMark));
  const JsonValue* allow = field.metadata.Find(kAllowExplicit);
  identity.allows_explicit = allow && allow->is_bool() && allow->bool_value();
  return identity;
}

Status SetIdentity(StructField& field, const Identity& identity) {
  if (field.type->kind() != TypeKind::kLong) {
    return Fail(InvalidArgument(
        "DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE",
        "identity column \"" + field.name + "\" must be BIGINT, not " + field.type->ToSql(),
        "428H8"));
  }
  if (identity.step == 0) {
    return Fail(
        InvalidArgument("DELTA_IDENTITY_COLUMNS_ILLEGAL_STEP",
                        "identity column \"" + field.name +
                            "\" cannot count in steps of 0; give INCREMENT BY another value",
                        "42611"));
  }
  field.metadata.Set(kStart, JsonValue::Int(identity.start));
  field.metadata.Set(kStep, JsonValue::Int(identity.step));
  field.metadata.Set(kAllowExplicit, JsonValue::Bool(identity.allows_explicit));
  return {};
}

TypePtr WithIdentityMark(const TypePtr& schema, size_t column, int64_t mark) {
  const JsonValue* old = schema->fields()[column].metadata.Find(kMark);
  if (old && old->AsInt64() == mark) return schema;
  auto fields = schema->fields();
  fields[column].metadata.Set(kMark, JsonValue::Int(mark));
  return DataType::Struct(std::move(fields));
}

Result<TypePtr> WithIdentityMarksOf(const TypePtr& schema, const DataType& other) {
  TypePtr result = schema;
  for (size_t i = 0; i < schema->fields().size(); ++i) {
    const StructField& field = schema->fields()[i];
    if (!IsIdentity(field)) continue;
    WEIR_ASSIGN_OR_RETURN(const Identity identity, IdentityOf(field));
    for (const StructField& theirs : other.fields()) {
      if (!IsIdentity(theirs) || theirs.physical_name() != field.physical_name()) continue;
      WEIR_ASSIGN_OR_RETURN(const Identity reached, IdentityOf(theirs));
      if (!reached.high_water_mark) continue;
      if (!identity.high_water_mark ||
          identity.IsBeyond(*reached.high_water_mark, *identity.high_water_mark)) {
        result = WithIdentityMark(result, i, *reached.high_water_mark);
      }
    }
  }
  return result;
}

Identity SyncedTo(Identity identity, int64_t value) {
  if (identity.IsBeyond(identity.start, value)) return identity;
  Wide steps = StepsTo(identity, value);
  if (ValueAt(identity, steps) != value) ++steps;
  const auto mark = Narrow(ValueAt(identity, steps));
  if (!mark) return identity;
  if (!identity.high_water_mark || identity.IsBeyond(*mark, *identity.high_water_mark))
    identity.high_water_mark = mark;
  return identity;
}

}  // namespace weir::delta

// SPDX-License-Identifier: Apache-2.0
//
// Random files and conditions: statistics written by BuildStatistics never lose a row to
// FilePruner.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "delta/statistics/file_pruner.h"
#include "delta/statistics/file_statistics.h"

namespace weir::delta {
namespace {

using Row = std::vector<Value>;
enum class Truth { kTrue, kFalse, kNull };

class World {
 public:
  explicit World(uint64_t seed) : random_(seed) {}

  size_t Pick(size_t count) { return random_() % count; }

  Value Make(const DataType& type) {
    static constexpr std::array kDoubles = {-1.5,
                                            -0.0,
                                            0.0,
                                            1.5,
                                            2.5,
                                            1e300,
                                            std::numeric_limits<double>::quiet_NaN(),
                                            std::numeric_limits<double>::infinity(),
                                            -std::numeric_limits<double>::infinity()};
    switch (type.kind()) {
      case TypeKind::kDouble:
        return Value(kDoubles[Pick(kDoubles.size())]);
      case TypeKind::kDecimal:
        return Value(Decimal{static_cast<Int128>(Pick(7)) * 1'000'000'000'000'000'000 - 3, 4});
      case TypeKind::kString:
        return Value(Text());
      case TypeKind::kTimestamp:
        return Value(static_cast<int64_t>(Pick(5000)) - 2500);
      default:
        return Value(static_cast<int64_t>(Pick(6)));
    }
  }

  PredicatePtr MakePredicate(const std::vector<StructField>& fields, int depth) {
    size_t kind = Pick(depth > 0 ? 6 : 3);
    const auto& field = fields[Pick(fields.size())];
    switch (kind) {
      case 0:
        return Predicate::IsNull({field.name});
      case 1:
        return Predicate::In({field.name}, {MaybeNull(*field.type), MaybeNull(*field.type)});
      case 2:
        return Predicate::Compare({field.name}, static_cast<CompareOp>(Pick(6)),
                                  MaybeNull(*field.type));
      case 3:
        return Predicate::Not(MakePredicate(fields, depth - 1));
      case 4:
        return Predicate::And({MakePredicate(fields, depth - 1), MakePredicate(fields, depth - 1)});
      default:
        return Predicate::Or({MakePredicate(fields, depth - 1), MakePredicate(fields, depth - 1)});
    }
  }

  Value MaybeNull(const DataType& type) { return Pick(8) == 0 ? Value() : Make(type); }

 private:
  std::string Text() {
    static constexpr std::array<std::string_view, 5> kEnds = {"", "a", "\x7F", "\uFFFD",
                                                              "\U0001F600"};
    std::string text(Pick(3) == 0 ? 31 + Pick(3) : Pick(2), 'm');
    for (size_t i = Pick(3); i > 0; --i) text += kEnds[Pick(kEnds.size())];
    return text;
  }

  std::mt19937_64 random_;
};

Truth Compared(const Value& value, CompareOp op, const Value& constant) {
  if (value.is_null() || constant.is_null()) return Truth::kNull;
  auto order = Compare(value, constant);
  bool is_true = op == CompareOp::kEqual         ? order == 0
                 : op == CompareOp::kNotEqual    ? order != 0
                 : op == CompareOp::kLess        ? order < 0
                 : op == CompareOp::kLessOrEqual ? order <= 0
                 : op == CompareOp::kGreater     ? order > 0
                                                 : order >= 0;
  return is_true ? Truth::kTrue : Truth::kFalse;
}

Truth Not(Truth truth) {
  return truth == Truth::kNull ? truth : truth == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
}

Truth Both(Truth a, Truth b) {
  if (a == Truth::kFalse || b == Truth::kFalse) return Truth::kFalse;
  return a == Truth::kNull || b == Truth::kNull ? Truth::kNull : Truth::kTrue;
}

Truth Evaluate(const Predicate& predicate, const std::vector<StructField>& fields, const Row& row) {
  auto value = [&]() -> const Value& {
    size_t i = 0;
    while (fields[i].name != predicate.column[0]) ++i;
    return row[i];
  };
  auto child = [&](size_t i) { return Evaluate(*predicate.children[i], fields, row); };
  switch (predicate.kind) {
    case Predicate::Kind::kIsNull:
      return value().is_null() ? Truth::kTrue : Truth::kFalse;
    case Predicate::Kind::kCompare:
      return Compared(value(), predicate.op, predicate.values[0]);
    case Predicate::Kind::kIn: {
      Truth none = Truth::kTrue;
      for (const auto& constant : predicate.values) {
        none = Both(none, Not(Compared(value(), CompareOp::kEqual, constant)));
      }
      return Not(none);
    }
    case Predicate::Kind::kNot:
      return Not(child(0));
    case Predicate::Kind::kAnd:
      return Both(child(0), child(1));
    default:
      return Not(Both(Not(child(0)), Not(child(1))));
  }
}

// As a Parquet writer counts: NaN is in no bound.
ColumnStatistics Summarize(const std::vector<Row>& rows, size_t column) {
  ColumnStatistics statistics;
  statistics.null_count = 0;
  for (const auto& row : rows) {
    const Value& value = row[column];
    if (value.is_null()) {
      ++*statistics.null_count;
    } else if (value.if_double() && std::isnan(*value.if_double())) {
      statistics.has_nan = true;
    } else {
      if (!statistics.min || Compare(value, *statistics.min) < 0) statistics.min = value;
      if (!statistics.max || Compare(value, *statistics.max) > 0) statistics.max = value;
    }
  }
  return statistics;
}

TEST(FilePrunerProperty, NoMatchingRowIsEverLost) {
  std::vector<StructField> fields;
  for (auto type :
       {DataType::Primitive(TypeKind::kLong), DataType::Primitive(TypeKind::kDouble),
        DataType::Decimal(38, 4), DataType::Primitive(TypeKind::kString),
        DataType::Primitive(TypeKind::kTimestamp), DataType::Primitive(TypeKind::kDouble)}) {
    StructField field;
    field.name = "c" + std::to_string(fields.size());
    field.type = type;
    fields.push_back(field);
  }
  TypePtr schema = DataType::Struct(fields);
  auto columns = *StatisticsColumns(*schema, {});
  int skipped = 0;
  int certain = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    World world(seed);
    std::vector<Row> rows(world.Pick(4));
    for (auto& row : rows) {
      for (const auto& field : fields) row.push_back(world.MaybeNull(*field.type));
    }
    DataFileStatistics statistics;
    statistics.num_records = static_cast<int64_t>(rows.size());
    for (size_t i = 0; i < fields.size(); ++i) {
      statistics.columns[{fields[i].name}] = Summarize(rows, i);
    }
    AddFile file;
    file.stats = BuildStatistics(columns, statistics);
    for (int round = 0; round < 5; ++round) {
      auto predicate = world.MakePredicate(fields, 3);
      auto match = FilePruner(*schema, {}, predicate).Evaluate(file);
      skipped += match == FileMatch::kNever;
      certain += match == FileMatch::kAlways;
      for (const auto& row : rows) {
        bool is_true = Evaluate(*predicate, fields, row) == Truth::kTrue;
        ASSERT_FALSE(is_true && match == FileMatch::kNever) << "seed " << seed << *file.stats;
        ASSERT_FALSE(!is_true && match == FileMatch::kAlways) << "seed " << seed << *file.stats;
      }
    }
  }
  EXPECT_GT(skipped, 2000) << "conditions that never skip would prove nothing";
  EXPECT_GT(certain, 500);
}

}  // namespace
}  // namespace weir::delta

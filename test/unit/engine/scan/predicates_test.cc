// SPDX-License-Identifier: Apache-2.0
//
// Filters as conditions: judged by what they keep of files with given statistics.
#include "engine/scan/predicates.h"

#include <gtest/gtest.h>

#include "duckdb/planner/expression/list.hpp"
#include "duckdb/planner/filter/list.hpp"

#include "delta/statistics/file_pruner.h"

namespace weir::engine {
namespace {

using delta::FileMatch;
using duckdb::ExpressionType;
using duckdb::LogicalType;
using duckdb::make_uniq;
using duckdb::Value;

constexpr const char* kSchema =
    R"({"type":"struct","fields":[{"name":"n","type":"long","nullable":true,"metadata":{}},)"
    R"({"name":"d","type":"date","nullable":true,"metadata":{}},)"
    R"({"name":"txt","type":"string","nullable":true,"metadata":{}},)"
    R"({"name":"flag","type":"boolean","nullable":true,"metadata":{}}]})";

class PredicatesTest : public ::testing::Test {
 protected:
  static duckdb::unique_ptr<duckdb::Expression> Column(size_t i, const LogicalType& type) {
    return make_uniq<duckdb::BoundReferenceExpression>(type, i);
  }
  static duckdb::unique_ptr<duckdb::Expression> Constant(Value value) {
    return make_uniq<duckdb::BoundConstantExpression>(std::move(value));
  }
  static duckdb::unique_ptr<duckdb::Expression> Compare(
      ExpressionType type, duckdb::unique_ptr<duckdb::Expression> left,
      duckdb::unique_ptr<duckdb::Expression> right) {
    return make_uniq<duckdb::BoundComparisonExpression>(type, std::move(left), std::move(right));
  }

  std::optional<ColumnTarget> Target(size_t i) const {
    const auto& field = schema_->fields()[i];
    return ColumnTarget{{field.name}, field.type.get()};
  }

  FileMatch Judge(const delta::PredicatePtr& predicate) const {
    delta::AddFile file;
    file.path = "f";
    file.stats =
        R"({"numRecords":5,"minValues":{"n":10,"d":"2024-01-10","txt":"m"},)"
        R"("maxValues":{"n":19,"d":"2024-01-19","txt":"mz"},"nullCount":{"n":0,"d":5,"txt":0,"flag":5}})";
    return delta::FilePruner(*schema_, delta::Metadata(), predicate).Evaluate(file);
  }
  FileMatch Judge(const duckdb::Expression& expression) const {
    return Judge(ToPredicate(expression, [&](const duckdb::Expression& reference) {
      if (reference.type != ExpressionType::BOUND_REF) return std::optional<ColumnTarget>();
      return Target(reference.Cast<duckdb::BoundReferenceExpression>().index);
    }));
  }

  delta::TypePtr schema_ = *delta::ParseSchema(kSchema);
};

TEST_F(PredicatesTest, ComparisonsInBothDirections) {
  auto above = Compare(ExpressionType::COMPARE_GREATERTHAN, Column(0, LogicalType::BIGINT),
                       Constant(Value::BIGINT(19)));
  EXPECT_EQ(Judge(*above), FileMatch::kNever);
  auto below = Compare(ExpressionType::COMPARE_GREATERTHAN, Constant(Value::BIGINT(19)),
                       Column(0, LogicalType::BIGINT));
  EXPECT_EQ(Judge(*below), FileMatch::kMaybe);
}

TEST_F(PredicatesTest, WidenedIntegersKeepTheirValue) {
  auto cast = make_uniq<duckdb::BoundCastExpression>(
      Column(0, LogicalType::INTEGER), LogicalType::BIGINT, duckdb::BoundCastInfo(nullptr), false);
  EXPECT_EQ(
      Judge(*Compare(ExpressionType::COMPARE_EQUAL, std::move(cast), Constant(Value::BIGINT(9)))),
      FileMatch::kNever);
}

TEST_F(PredicatesTest, ConstantsOfAnotherKindDecideNothing) {
  auto other = Compare(ExpressionType::COMPARE_EQUAL, Column(1, LogicalType::DATE),
                       Constant(Value::TIMESTAMP(2024, 1, 1, 0, 0, 0, 0)));
  // All dates are NULL, but the comparison is not understood.
  EXPECT_EQ(Judge(*other), FileMatch::kMaybe);
  auto same = Compare(ExpressionType::COMPARE_EQUAL, Column(1, LogicalType::DATE),
                      Constant(Value::DATE(2024, 1, 11)));
  EXPECT_EQ(Judge(*same), FileMatch::kNever);
}

TEST_F(PredicatesTest, DistinctFromKnowsNull) {
  auto same = Compare(ExpressionType::COMPARE_NOT_DISTINCT_FROM, Column(1, LogicalType::DATE),
                      Constant(Value(LogicalType::DATE)));
  EXPECT_NE(Judge(*same), FileMatch::kNever);
  auto differs = Compare(ExpressionType::COMPARE_DISTINCT_FROM, Column(1, LogicalType::DATE),
                         Constant(Value::DATE(2024, 1, 11)));
  EXPECT_NE(Judge(*differs), FileMatch::kNever);
}

TEST_F(PredicatesTest, ABooleanColumnIsACondition) {
  EXPECT_EQ(Judge(*Column(3, LogicalType::BOOLEAN)), FileMatch::kNever);
}

TEST_F(PredicatesTest, TableFilters) {
  const auto target = *Target(0);
  duckdb::ConstantFilter low(ExpressionType::COMPARE_LESSTHAN, Value::BIGINT(10));
  EXPECT_EQ(Judge(ToPredicate(low, target)), FileMatch::kNever);
  duckdb::InFilter in({Value::BIGINT(1), Value::BIGINT(20)});
  EXPECT_EQ(Judge(ToPredicate(in, target)), FileMatch::kNever);
  EXPECT_EQ(Judge(ToPredicate(duckdb::IsNullFilter(), target)), FileMatch::kNever);

  duckdb::ConjunctionOrFilter either;
  either.child_filters.push_back(low.Copy());
  either.child_filters.push_back(make_uniq<duckdb::IsNotNullFilter>());
  EXPECT_NE(Judge(ToPredicate(either, target)), FileMatch::kNever);
  EXPECT_EQ(Judge(ToPredicate(duckdb::OptionalFilter(low.Copy()), target)), FileMatch::kNever);
}

TEST_F(PredicatesTest, DynamicFiltersCountOnceTheyAreSet) {
  auto data = duckdb::make_shared_ptr<duckdb::DynamicFilterData>();
  duckdb::DynamicFilter filter(data);
  EXPECT_EQ(Judge(ToPredicate(filter, *Target(0))), FileMatch::kMaybe);
  data->filter =
      make_uniq<duckdb::ConstantFilter>(ExpressionType::COMPARE_GREATERTHAN, Value::BIGINT(0));
  data->SetValue(Value::BIGINT(50));
  EXPECT_EQ(Judge(ToPredicate(filter, *Target(0))), FileMatch::kNever);
}

}  // namespace
}  // namespace weir::engine

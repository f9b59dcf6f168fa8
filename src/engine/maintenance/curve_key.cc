// SPDX-License-Identifier: Apache-2.0
#include "engine/maintenance/curve_key.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

constexpr int kMostBits = 10;
constexpr size_t kMostColumns = 64;

// The arguments that are constant, taken apart once.
struct CurveData final : duckdb::FunctionData {
  bool hilbert = false;
  std::vector<std::vector<std::string>> bounds;

  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<CurveData>(*this);
  }
  bool Equals(const duckdb::FunctionData& other) const override {
    const auto& that = other.Cast<CurveData>();
    return hilbert == that.hilbert && bounds == that.bounds;
  }
};

std::vector<std::string> BoundsOf(const Value& list) {
  std::vector<std::string> bounds;
  for (const Value& bound : duckdb::ListValue::GetChildren(list))
    bounds.push_back(duckdb::StringValue::Get(bound));
  return bounds;
}

duckdb::unique_ptr<duckdb::FunctionData> BindCurveKey(
    duckdb::ClientContext& context, duckdb::ScalarFunction&,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  if (arguments.size() < 3 || arguments.size() % 2 == 0 || arguments.size() / 2 > kMostColumns)
    throw duckdb::BinderException("weir_curve_key takes a curve, and bounds and a key per column");
  auto data = duckdb::make_uniq<CurveData>();
  const auto constant = [&](size_t i) {
    return duckdb::ExpressionExecutor::EvaluateScalar(context, *arguments[i]);
  };
  data->hilbert = constant(0).ToString() == "hilbert";
  for (size_t i = 1; i < arguments.size(); i += 2) data->bounds.push_back(BoundsOf(constant(i)));
  return data;
}

// The value's range, spread over all numbers of `bits` bits, so that a column with few values
// counts as much as one with many.
uint32_t RangeOf(const std::vector<std::string>& bounds, std::string_view key, int bits) {
  const auto above = std::upper_bound(bounds.begin(), bounds.end(), key);
  const auto range = static_cast<uint64_t>(above - bounds.begin());
  return static_cast<uint32_t>((range << bits) / (bounds.size() + 1));
}

void CurveKey(duckdb::DataChunk& arguments, duckdb::ExpressionState& state,
              duckdb::Vector& result) {
  const auto& data =
      state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<CurveData>();
  const size_t columns = data.bounds.size();
  const int bits = CurveBits(columns);
  std::vector<duckdb::UnifiedVectorFormat> keys(columns);
  for (size_t c = 0; c < columns; ++c)
    arguments.data[2 + 2 * c].ToUnifiedFormat(arguments.size(), keys[c]);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* out = duckdb::FlatVector::GetData<uint64_t>(result);
  std::array<uint32_t, kMostColumns> point{};
  for (duckdb::idx_t row = 0; row < arguments.size(); ++row) {
    for (size_t c = 0; c < columns; ++c) {
      const auto at = keys[c].sel->get_index(row);
      const auto& key = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(keys[c])[at];
      point[c] = RangeOf(data.bounds[c], {key.GetData(), key.GetSize()}, bits);
    }
    const std::span<uint32_t> all(point.data(), columns);
    out[row] = data.hilbert ? HilbertKey(all, bits) : ZOrderKey(all, bits);
  }
}

}  // namespace

int CurveBits(size_t columns) { return std::clamp(static_cast<int>(64 / columns), 1, kMostBits); }

uint64_t ZOrderKey(std::span<const uint32_t> point, int bits) {
  uint64_t key = 0;
  for (int bit = bits - 1; bit >= 0; --bit) {
    for (const uint32_t coordinate : point) key = (key << 1) | ((coordinate >> bit) & 1);
  }
  return key;
}

// From the top bit down, each level's cell says how the cells within it are turned: a set bit flips
// the lower bits of the first coordinate, a clear one exchanges them with the first's. What is left
// is a Gray code, which is undone at last.
uint64_t HilbertKey(std::span<uint32_t> point, int bits) {
  const size_t n = point.size();
  const uint32_t top = uint32_t{1} << (bits - 1);
  for (uint32_t cell = top; cell > 1; cell >>= 1) {
    const uint32_t below = cell - 1;
    for (size_t i = 0; i < n; ++i) {
      if ((point[i] & cell) != 0) {
        point[0] ^= below;
      } else {
        const uint32_t exchanged = (point[0] ^ point[i]) & below;
        point[0] ^= exchanged;
        point[i] ^= exchanged;
      }
    }
  }
  for (size_t i = 1; i < n; ++i) point[i] ^= point[i - 1];
  uint32_t parity = 0;
  for (uint32_t cell = top; cell > 1; cell >>= 1) {
    if ((point[n - 1] & cell) != 0) parity ^= cell - 1;
  }
  for (size_t i = 0; i < n; ++i) point[i] ^= parity;
  return ZOrderKey(point, bits);
}

void RegisterCurveKey(duckdb::ExtensionLoader& loader) {
  duckdb::ScalarFunction function("weir_curve_key", {LogicalType::VARCHAR}, LogicalType::UBIGINT,
                                  CurveKey, BindCurveKey);
  function.varargs = LogicalType::ANY;
  function.null_handling = duckdb::FunctionNullHandling::SPECIAL_HANDLING;
  loader.RegisterFunction(function);
}

}  // namespace weir::engine

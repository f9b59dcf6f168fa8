// SPDX-License-Identifier: Apache-2.0
#include "engine/write/statistics_collector.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace weir::engine {
namespace {

using delta::TypeKind;

// The order of bounds. -0.0 is below 0.0, so that bounds hold for readers who tell the zeros apart
// and for those who do not.
template <typename T>
bool Below(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  } else {
    return a < b;
  }
}

delta::Int128 ToInt128(duckdb::hugeint_t value) {
  return (static_cast<delta::Int128>(value.upper) << 64) | static_cast<delta::Int128>(value.lower);
}

// How a native value becomes a constant of the log.
template <typename T>
delta::Value ToValue(const delta::DataType& type, const T& value) {
  if constexpr (std::is_same_v<T, duckdb::hugeint_t>) {
    return delta::Value(delta::Decimal{ToInt128(value), type.scale()});
  } else if constexpr (std::is_floating_point_v<T>) {
    return delta::Value(static_cast<double>(value));
  } else {
    if (type.kind() == TypeKind::kDecimal) return delta::Value(delta::Decimal{value, type.scale()});
    return delta::Value(static_cast<int64_t>(value));
  }
}

// Counts NULLs only: the base of all, and all there is for booleans, binaries, lists and maps.
class NullCounter : public FieldCollector {
 public:
  explicit NullCounter(const StatisticsField& field) : field_(field) {}

  void Update(duckdb::Vector& values, size_t count,
              const duckdb::ValidityMask& parent_valid) override {
    duckdb::UnifiedVectorFormat data;
    values.ToUnifiedFormat(count, data);
    CountNulls(data, count, parent_valid);
  }
  void Merge(const FieldCollector& other) override {
    nulls_ += static_cast<const NullCounter&>(other).nulls_;
  }
  void Finish(delta::DataFileStatistics& statistics) const override {
    statistics.columns[field_.path].null_count = nulls_;
  }

 protected:
  void CountNulls(const duckdb::UnifiedVectorFormat& data, size_t count,
                  const duckdb::ValidityMask& parent_valid) {
    if (data.validity.AllValid() && parent_valid.AllValid()) return;
    for (size_t row = 0; row < count; row++) {
      nulls_ +=
          !(parent_valid.RowIsValid(row) && data.validity.RowIsValid(data.sel->get_index(row)));
    }
  }

  const StatisticsField& field_;
  int64_t nulls_ = 0;
};

template <typename T>
class BoundsCollector final : public NullCounter {
 public:
  using NullCounter::NullCounter;

  void Update(duckdb::Vector& values, size_t count,
              const duckdb::ValidityMask& parent_valid) override {
    duckdb::UnifiedVectorFormat data;
    values.ToUnifiedFormat(count, data);
    CountNulls(data, count, parent_valid);
    const T* items = duckdb::UnifiedVectorFormat::GetData<T>(data);
    const bool all_valid = data.validity.AllValid() && parent_valid.AllValid();
    for (size_t row = 0; row < count; row++) {
      const auto index = data.sel->get_index(row);
      if (!all_valid && !(parent_valid.RowIsValid(row) && data.validity.RowIsValid(index)))
        continue;
      Take(items[index]);
    }
  }
  void Merge(const FieldCollector& other) override {
    NullCounter::Merge(other);
    const auto& same = static_cast<const BoundsCollector&>(other);
    has_nan_ |= same.has_nan_;
    if (!same.seen_) return;
    Take(same.min_);
    Take(same.max_);
  }
  void Finish(delta::DataFileStatistics& statistics) const override {
    NullCounter::Finish(statistics);
    auto& column = statistics.columns[field_.path];
    column.has_nan = has_nan_;
    if (!seen_) return;
    column.min = ToValue(*field_.type, min_);
    column.max = ToValue(*field_.type, max_);
  }

 private:
  void Take(const T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) {
        has_nan_ = true;
        return;
      }
    }
    if (!seen_) {
      min_ = max_ = value;
      seen_ = true;
      return;
    }
    if (Below(value, min_)) min_ = value;
    if (Below(max_, value)) max_ = value;
  }

  bool seen_ = false;
  bool has_nan_ = false;
  T min_{};
  T max_{};
};

class StringBoundsCollector final : public NullCounter {
 public:
  using NullCounter::NullCounter;

  void Update(duckdb::Vector& values, size_t count,
              const duckdb::ValidityMask& parent_valid) override {
    duckdb::UnifiedVectorFormat data;
    values.ToUnifiedFormat(count, data);
    CountNulls(data, count, parent_valid);
    const auto* items = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(data);
    // The chunk's extremes are found without copying; only they meet the kept ones.
    const duckdb::string_t* low = nullptr;
    const duckdb::string_t* high = nullptr;
    for (size_t row = 0; row < count; row++) {
      const auto index = data.sel->get_index(row);
      if (!parent_valid.RowIsValid(row) || !data.validity.RowIsValid(index)) continue;
      const auto& item = items[index];
      if (!low || item < *low) low = &item;
      if (!high || item > *high) high = &item;
    }
    if (!low) return;
    Take(low->GetString(), high->GetString());
  }
  void Merge(const FieldCollector& other) override {
    NullCounter::Merge(other);
    const auto& same = static_cast<const StringBoundsCollector&>(other);
    if (same.seen_) Take(same.min_, same.max_);
  }
  void Finish(delta::DataFileStatistics& statistics) const override {
    NullCounter::Finish(statistics);
    if (!seen_) return;
    auto& column = statistics.columns[field_.path];
    column.min = delta::Value(min_);
    column.max = delta::Value(max_);
  }

 private:
  void Take(const std::string& low, const std::string& high) {
    if (!seen_ || low < min_) min_ = low;
    if (!seen_ || max_ < high) max_ = high;
    seen_ = true;
  }

  bool seen_ = false;
  std::string min_;
  std::string max_;
};

class StructCollector final : public FieldCollector {
 public:
  explicit StructCollector(const StatisticsField& field) {
    for (const auto& child : field.children) {
      children_.push_back(child.any_wanted() ? FieldCollector::Create(child) : nullptr);
    }
  }

  void Update(duckdb::Vector& values, size_t count,
              const duckdb::ValidityMask& parent_valid) override {
    duckdb::Vector flat(values.GetType());
    flat.Reference(values);
    flat.Flatten(count);
    const auto& own = duckdb::FlatVector::Validity(flat);
    duckdb::ValidityMask valid(count);
    for (size_t row = 0; row < count; row++) {
      if (!own.RowIsValid(row) || !parent_valid.RowIsValid(row)) valid.SetInvalid(row);
    }
    auto& entries = duckdb::StructVector::GetEntries(flat);
    for (size_t i = 0; i < children_.size(); i++) {
      if (children_[i]) children_[i]->Update(*entries[i], count, valid);
    }
  }
  void Merge(const FieldCollector& other) override {
    const auto& same = static_cast<const StructCollector&>(other);
    for (size_t i = 0; i < children_.size(); i++) {
      if (children_[i]) children_[i]->Merge(*same.children_[i]);
    }
  }
  void Finish(delta::DataFileStatistics& statistics) const override {
    for (const auto& child : children_) {
      if (child) child->Finish(statistics);
    }
  }

 private:
  std::vector<std::unique_ptr<FieldCollector>> children_;
};

std::unique_ptr<FieldCollector> CreateDecimal(const StatisticsField& field) {
  // DuckDB's physical types by precision.
  const int precision = field.type->precision();
  if (precision <= 4) return std::make_unique<BoundsCollector<int16_t>>(field);
  if (precision <= 9) return std::make_unique<BoundsCollector<int32_t>>(field);
  if (precision <= 18) return std::make_unique<BoundsCollector<int64_t>>(field);
  return std::make_unique<BoundsCollector<duckdb::hugeint_t>>(field);
}

}  // namespace

std::unique_ptr<FieldCollector> FieldCollector::Create(const StatisticsField& field) {
  if (field.type->kind() == TypeKind::kStruct) return std::make_unique<StructCollector>(field);
  switch (field.type->kind()) {
    case TypeKind::kByte:
      return std::make_unique<BoundsCollector<int8_t>>(field);
    case TypeKind::kShort:
      return std::make_unique<BoundsCollector<int16_t>>(field);
    case TypeKind::kInteger:
    case TypeKind::kDate:
      return std::make_unique<BoundsCollector<int32_t>>(field);
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz:
      return std::make_unique<BoundsCollector<int64_t>>(field);
    case TypeKind::kFloat:
      return std::make_unique<BoundsCollector<float>>(field);
    case TypeKind::kDouble:
      return std::make_unique<BoundsCollector<double>>(field);
    case TypeKind::kDecimal:
      return CreateDecimal(field);
    case TypeKind::kString:
      return std::make_unique<StringBoundsCollector>(field);
    default:
      return std::make_unique<NullCounter>(field);
  }
}

bool StatisticsField::any_wanted() const {
  return wanted || std::any_of(children.begin(), children.end(),
                               [](const StatisticsField& child) { return child.any_wanted(); });
}

namespace {

StatisticsField MakeField(const delta::StructField& column, delta::ColumnPath path,
                          const std::vector<delta::StatisticsColumn>& columns) {
  StatisticsField field;
  path.push_back(column.physical_name());
  field.path = std::move(path);
  field.type = column.type;
  if (column.type->kind() == TypeKind::kStruct) {
    for (const auto& child : column.type->fields()) {
      field.children.push_back(MakeField(child, field.path, columns));
    }
  } else {
    field.wanted =
        std::any_of(columns.begin(), columns.end(), [&](const delta::StatisticsColumn& candidate) {
          return candidate.physical_path == field.path;
        });
  }
  return field;
}

}  // namespace

StatisticsField StatisticsField::Of(const delta::StructField& column,
                                    const std::vector<delta::StatisticsColumn>& columns) {
  return MakeField(column, {}, columns);
}

StatisticsCollector::StatisticsCollector(const std::vector<StatisticsField>& fields) {
  for (const auto& field : fields) {
    collectors_.push_back(field.any_wanted() ? FieldCollector::Create(field) : nullptr);
  }
}

void StatisticsCollector::Update(duckdb::DataChunk& rows) {
  const duckdb::ValidityMask all_valid;
  for (size_t i = 0; i < collectors_.size(); i++) {
    if (collectors_[i]) collectors_[i]->Update(rows.data[i], rows.size(), all_valid);
  }
  rows_ += static_cast<int64_t>(rows.size());
}

void StatisticsCollector::Merge(const StatisticsCollector& other) {
  for (size_t i = 0; i < collectors_.size(); i++) {
    if (collectors_[i]) collectors_[i]->Merge(*other.collectors_[i]);
  }
  rows_ += other.rows_;
}

delta::DataFileStatistics StatisticsCollector::Finish() const {
  delta::DataFileStatistics statistics;
  statistics.num_records = rows_;
  for (const auto& collector : collectors_) {
    if (collector) collector->Finish(statistics);
  }
  return statistics;
}

}  // namespace weir::engine

// SPDX-License-Identifier: Apache-2.0
#include "delta/statistics/file_pruner.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/text.h"
#include "delta/statistics/column_facts.h"

namespace weir::delta {
namespace {

// The truth values that a condition may take over the rows of a file, as a set. AND, OR and NOT
// work on the sets, so that NOT and NULL need no special cases.
using Outcomes = uint8_t;
constexpr Outcomes kTrue = 1;
constexpr Outcomes kFalse = 2;
constexpr Outcomes kNull = 4;
constexpr Outcomes kAnything = kTrue | kFalse | kNull;

Outcomes Negate(Outcomes set) {
  return (set & kNull) | (set & kTrue ? kFalse : 0) | (set & kFalse ? kTrue : 0);
}

Outcomes Conjunction(Outcomes a, Outcomes b) {
  Outcomes out = (a | b) & kFalse;
  if (a & b & kTrue) out |= kTrue;
  if ((a & kNull && b & (kTrue | kNull)) || (b & kNull && a & (kTrue | kNull))) out |= kNull;
  return out;
}

Outcomes Disjunction(Outcomes a, Outcomes b) { return Negate(Conjunction(Negate(a), Negate(b))); }

Outcomes Compared(const ColumnFacts& facts, CompareOp op, const Value& constant) {
  if (constant.is_null()) return kNull;
  Outcomes out = facts.may_be_null ? kNull : 0;
  if (!facts.may_have_value) return out;
  bool below = true;
  bool equal = true;
  bool above = true;
  if (facts.low) {
    auto order = Compare(*facts.low, constant);
    if (order == std::partial_ordering::unordered) return out | kTrue | kFalse;
    below = order < 0;
    equal = order <= 0;
  }
  if (facts.high) {
    auto order = Compare(*facts.high, constant);
    if (order == std::partial_ordering::unordered) return out | kTrue | kFalse;
    above = order > 0;
    equal = equal && order >= 0;
  }
  auto add = [&](bool when, bool truth) {
    if (when) out |= truth ? kTrue : kFalse;
  };
  add(below, op == CompareOp::kLess || op == CompareOp::kLessOrEqual || op == CompareOp::kNotEqual);
  add(equal,
      op == CompareOp::kEqual || op == CompareOp::kLessOrEqual || op == CompareOp::kGreaterOrEqual);
  add(above,
      op == CompareOp::kGreater || op == CompareOp::kGreaterOrEqual || op == CompareOp::kNotEqual);
  return out;
}

struct BoundColumn {
  TypePtr type;
  int partition = -1;   // place among the partition columns, or
  int statistics = -1;  // place among the columns of the reader
  std::string physical_name;
  bool may_hold_nan = false;
};

struct BoundNode {
  const Predicate* predicate = nullptr;
  int column = -1;  // -1: nothing is known of it
  std::vector<BoundNode> children;
  // Of an IN: its values but for NULL, ascending, unless they do not compare with each other.
  std::vector<Value> sorted;
  bool has_null = false;
};

// Sorts the values of an IN, which may be thousands and are looked up for every file. Whether that
// can be done.
bool SortValues(const std::vector<Value>& values, BoundNode& node) {
  for (const auto& value : values) {
    if (value.is_null()) {
      node.has_null = true;
    } else if (!node.sorted.empty() &&
               Compare(value, node.sorted[0]) == std::partial_ordering::unordered) {
      return false;
    } else {
      node.sorted.push_back(value);
    }
  }
  std::sort(node.sorted.begin(), node.sorted.end(),
            [](const Value& a, const Value& b) { return Compare(a, b) < 0; });
  return true;
}

Outcomes IsIn(const ColumnFacts& facts, const BoundNode& node) {
  if (node.sorted.empty() && !node.has_null) return kFalse;
  Outcomes out = facts.may_be_null ? kNull : 0;
  if (!facts.may_have_value) return out;
  auto first = node.sorted.begin();
  if (facts.low && first != node.sorted.end()) {
    if (Compare(*facts.low, *first) == std::partial_ordering::unordered) return kAnything;
    first = std::partition_point(first, node.sorted.end(), [&](const Value& value) {
      return Compare(value, *facts.low) < 0;
    });
  }
  auto order = facts.high && first != node.sorted.end() ? Compare(*first, *facts.high)
                                                        : std::partial_ordering::less;
  if (order == std::partial_ordering::unordered) return kAnything;
  bool is_inside = first != node.sorted.end() && order <= 0;
  if (is_inside) out |= kTrue;
  bool is_exact = facts.low && facts.high && Compare(*facts.low, *facts.high) == 0;
  if (!(is_inside && is_exact)) out |= node.has_null ? kNull : kFalse;
  return out;
}

// Up to so many FLOAT and DOUBLE columns are split into their NaN rows and the others.
constexpr size_t kMaxNanColumns = 4;

}  // namespace

class FilePruner::Impl {
 public:
  Impl(const DataType& schema, const Metadata& metadata, const PredicatePtr& predicate)
      : predicate_(predicate), root_(Bind(schema, metadata, *predicate)) {
    std::vector<WantedColumn> wanted;
    for (size_t i = 0; i < columns_.size(); ++i) {
      auto& column = columns_[i];
      if (column.partition >= 0) continue;
      column.statistics = static_cast<int>(wanted.size());
      wanted.push_back(wanted_[i]);
      const std::string& top = wanted.back().physical_path[0];
      if (std::find(top_names_.begin(), top_names_.end(), top) == top_names_.end()) {
        top_names_.push_back(top);
      }
      if (column.may_hold_nan && nan_columns_.size() < kMaxNanColumns) {
        nan_columns_.push_back(i);
      }
    }
    reader_ = std::make_unique<StatisticsReader>(std::move(wanted));
  }

  const std::vector<std::string>& statistics_columns() const { return top_names_; }

  // partition(column): the text of a partition column.
  template <typename PartitionText>
  FileMatch Evaluate(const PartitionText& partition, std::string_view stats) {
    facts_.assign(columns_.size(), {});
    for (size_t i = 0; i < columns_.size(); ++i) {
      const auto& column = columns_[i];
      if (column.partition >= 0) facts_[i] = PartitionFacts(*column.type, partition(column));
    }
    Outcomes outcomes = Walk(root_);
    if (!(outcomes & kTrue)) return FileMatch::kNever;
    if (outcomes == kTrue) return FileMatch::kAlways;
    if (top_names_.empty() || stats.empty()) return FileMatch::kMaybe;
    bool is_empty = reader_->Read(stats, read_facts_);
    if (is_empty) return FileMatch::kNever;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].statistics >= 0) facts_[i] = read_facts_[columns_[i].statistics];
    }
    outcomes = WalkNanCases();
    if (!(outcomes & kTrue)) return FileMatch::kNever;
    return outcomes == kTrue ? FileMatch::kAlways : FileMatch::kMaybe;
  }

 private:
  BoundNode Bind(const DataType& schema, const Metadata& metadata, const Predicate& predicate) {
    BoundNode node;
    node.predicate = &predicate;
    if (!predicate.column.empty()) node.column = BindColumn(schema, metadata, predicate.column);
    if (predicate.kind == Predicate::Kind::kIn && !SortValues(predicate.values, node)) {
      node.column = -1;
    }
    for (const auto& child : predicate.children) {
      node.children.push_back(Bind(schema, metadata, *child));
    }
    return node;
  }

  int BindColumn(const DataType& schema, const Metadata& metadata, const ColumnPath& path) {
    WantedColumn wanted;
    const StructField* field = nullptr;
    const DataType* parent = &schema;
    for (const auto& name : path) {
      if (parent->kind() != TypeKind::kStruct) return -1;
      field = parent->FindField(name);
      if (!field) return -1;
      wanted.physical_path.push_back(field->physical_name());
      parent = field->type.get();
    }
    if (parent->kind() == TypeKind::kStruct) return -1;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (wanted_[i].physical_path == wanted.physical_path) return static_cast<int>(i);
    }
    wanted.type = field->type;
    TypeKind kind = field->type->kind();
    wanted.was_float = kind == TypeKind::kDouble && field->metadata.Find("delta.typeChanges");
    BoundColumn column;
    column.type = field->type;
    column.physical_name = field->physical_name();
    const auto& partitions = metadata.partition_columns;
    auto it = std::find_if(partitions.begin(), partitions.end(), [&](const auto& name) {
      return path.size() == 1 && EqualsIgnoreCase(name, path[0]);
    });
    if (it != partitions.end()) column.partition = static_cast<int>(it - partitions.begin());
    column.may_hold_nan =
        column.partition < 0 && (kind == TypeKind::kFloat || kind == TypeKind::kDouble);
    columns_.push_back(std::move(column));
    wanted_.push_back(std::move(wanted));
    return static_cast<int>(columns_.size()) - 1;
  }

  // Many writers leave NaN out of the bounds, so every FLOAT and DOUBLE column may hold NaN, above
  // any maximum. The rows with and without NaN are judged apart: for a range outside of the bounds
  // neither kind of row can match.
  Outcomes WalkNanCases() {
    const double infinity = std::numeric_limits<double>::infinity();
    const Value nan(std::numeric_limits<double>::quiet_NaN());
    std::vector<ColumnFacts> whole = facts_;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].may_hold_nan) facts_[i].high.reset();
    }
    Outcomes outcomes = 0;
    for (size_t cases = 0; cases < size_t{1} << nan_columns_.size(); ++cases) {
      bool is_possible = true;
      for (size_t k = 0; k < nan_columns_.size(); ++k) {
        size_t i = nan_columns_[k];
        facts_[i] = whole[i];
        auto& facts = facts_[i];
        if (cases >> k & 1) {
          is_possible = is_possible && facts.may_have_value;
          facts = {nan, nan, false, true, std::nullopt};
        } else {
          if (!facts.high || Compare(*facts.high, nan) == 0) facts.high = Value(infinity);
          // A minimum of NaN says that every value is NaN.
          if (facts.low && Compare(*facts.low, nan) == 0) facts.may_have_value = false;
        }
      }
      if (is_possible) outcomes |= Walk(root_);
    }
    return outcomes;
  }

  Outcomes Walk(const BoundNode& node) const {
    const Predicate& predicate = *node.predicate;
    switch (predicate.kind) {
      case Predicate::Kind::kUnknown:
        return kAnything;
      case Predicate::Kind::kCompare:
        if (node.column < 0) return kAnything;
        return Compared(facts_[node.column], predicate.op, predicate.values[0]);
      case Predicate::Kind::kIn:
        return node.column < 0 ? kAnything : IsIn(facts_[node.column], node);
      case Predicate::Kind::kIsNull: {
        if (node.column < 0) return kTrue | kFalse;
        const auto& facts = facts_[node.column];
        return (facts.may_be_null ? kTrue : 0) | (facts.may_have_value ? kFalse : 0);
      }
      case Predicate::Kind::kAnd: {
        Outcomes outcomes = kTrue;
        for (const auto& child : node.children) outcomes = Conjunction(outcomes, Walk(child));
        return outcomes;
      }
      case Predicate::Kind::kOr: {
        Outcomes outcomes = kFalse;
        for (const auto& child : node.children) outcomes = Disjunction(outcomes, Walk(child));
        return outcomes;
      }
      case Predicate::Kind::kNot:
        return Negate(Walk(node.children[0]));
    }
    return kAnything;
  }

  PredicatePtr predicate_;
  std::vector<BoundColumn> columns_;
  std::vector<WantedColumn> wanted_;  // one per column
  BoundNode root_;
  std::vector<size_t> nan_columns_;
  std::vector<std::string> top_names_;
  std::unique_ptr<StatisticsReader> reader_;
  std::vector<ColumnFacts> facts_;
  std::vector<ColumnFacts> read_facts_;
};

FilePruner::FilePruner(const DataType& schema, const Metadata& metadata,
                       const PredicatePtr& predicate)
    : impl_(std::make_unique<Impl>(schema, metadata, predicate)) {}
FilePruner::~FilePruner() = default;
FilePruner::FilePruner(FilePruner&&) noexcept = default;
FilePruner& FilePruner::operator=(FilePruner&&) noexcept = default;

const std::vector<std::string>& FilePruner::statistics_columns() const {
  return impl_->statistics_columns();
}

FileMatch FilePruner::Evaluate(const FileList& files, size_t i, const FileStatistics* statistics) {
  return impl_->Evaluate(
      [&](const BoundColumn& column) {
        return files.partition_value(i, static_cast<size_t>(column.partition));
      },
      statistics ? statistics->json(i) : std::string_view());
}

FileMatch FilePruner::Evaluate(const AddFile& file) {
  return impl_->Evaluate(
      [&](const BoundColumn& column) -> std::optional<std::string_view> {
        auto it = file.partition_values.find(column.physical_name);
        if (it == file.partition_values.end() || !it->second) return std::nullopt;
        return std::string_view(*it->second);
      },
      file.stats ? std::string_view(*file.stats) : std::string_view());
}

std::vector<size_t> SelectFiles(const FileList& files, FilePruner& pruner) {
  std::vector<size_t> selected;
  for (size_t i = 0; i < files.size(); ++i) {
    if (pruner.Evaluate(files, i, nullptr) != FileMatch::kNever) selected.push_back(i);
  }
  if (selected.empty() || pruner.statistics_columns().empty()) return selected;
  auto statistics = files.ReadStatistics(pruner.statistics_columns());
  if (!statistics) return selected;
  std::erase_if(selected, [&](size_t i) {
    return pruner.Evaluate(files, i, statistics->get()) == FileMatch::kNever;
  });
  return selected;
}

}  // namespace weir::delta

// SPDX-License-Identifier: Apache-2.0
#include "delta/statistics/column_facts.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "delta/partitions/partition_values.h"

namespace weir::delta {
namespace {

constexpr int64_t kMicrosPerMilli = 1000;

enum class Side { kLow, kHigh };

// Statistics that a writer has sent through a double are off by up to half a unit in its last
// place. They show: a writer that is exact keeps the column's scale.
Value DecimalBound(const DataType& type, std::string_view text, Side side, const Decimal& decimal) {
  size_t point = text.find('.');
  size_t places = point == std::string_view::npos ? 0 : text.size() - point - 1;
  bool has_exponent = text.find_first_of("eE") != std::string_view::npos;
  bool is_exact =
      has_exponent ? decimal.scale == type.scale() : places == static_cast<size_t>(type.scale());
  Int128 magnitude = decimal.unscaled < 0 ? -decimal.unscaled : decimal.unscaled;
  constexpr Int128 kExactInDouble = 1'000'000'000'000'000;
  if (is_exact || magnitude < kExactInDouble) return Value(decimal);
  Int128 slack = magnitude / (Int128{1} << 52) + 1;
  return Value(Decimal{side == Side::kLow ? decimal.unscaled - slack : decimal.unscaled + slack,
                       decimal.scale});
}

// A timestamp bound was cut to milliseconds: most writers cut towards the past, some towards 1970.
std::optional<Value> TimestampBound(const Value& bound, Side side) {
  int64_t micros = *bound.if_int();
  if (side == Side::kHigh) return Value(micros + kMicrosPerMilli);
  return Value(micros < 0 ? micros - kMicrosPerMilli : micros);
}

// Old releases of Delta raised a cut maximum with U+FFFD, which sorts below every character outside
// the basic plane. Such a maximum is read as "anything that begins with the rest".
std::optional<Value> StringBound(std::string_view text, Side side) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string bound(text);
  if (side == Side::kHigh && EndsWith(text, kReplacement)) {
    bound.resize(bound.size() - kReplacement.size());
    bound += "\xFF";
  }
  return Value(std::move(bound));
}

std::optional<Value> ParseBound(const WantedColumn& column, std::string_view text, Side side) {
  const DataType& type = *column.type;
  if (!TypeHasBounds(type.kind()) && type.kind() != TypeKind::kBoolean) return std::nullopt;
  if (type.kind() == TypeKind::kString) return StringBound(text, side);
  if (type.kind() == TypeKind::kDecimal) {
    auto decimal = Decimal::Parse(text);
    if (!decimal) return std::nullopt;
    return DecimalBound(type, text, side, *decimal);
  }
  auto value = ParseValue(type, text);
  if (!value) return std::nullopt;
  if (type.kind() == TypeKind::kTimestamp || type.kind() == TypeKind::kTimestampNtz) {
    return TimestampBound(*value, side);
  }
  if (column.was_float) {
    auto as_float = ParseValue(*DataType::Primitive(TypeKind::kFloat), text);
    auto order = as_float ? Compare(*as_float, *value) : std::partial_ordering::unordered;
    if (side == Side::kLow ? order < 0 : order > 0) return as_float;
  }
  return value;
}

// The wanted columns as a tree of names.
struct Node {
  std::string name;
  int column = -1;
  std::vector<Node> children;

  const Node* Find(std::string_view key) const {
    for (const auto& child : children) {
      if (child.name == key) return &child;
    }
    return nullptr;
  }
};

void Insert(Node& root, const ColumnPath& path, int column) {
  Node* node = &root;
  for (const auto& name : path) {
    auto it = std::find_if(node->children.begin(), node->children.end(),
                           [&](const Node& child) { return child.name == name; });
    if (it == node->children.end()) it = node->children.insert(it, Node{name, -1, {}});
    node = &*it;
  }
  node->column = column;
}

struct RawStatistics {
  std::optional<int64_t> num_records;
  bool tight_bounds = true;
  std::vector<std::optional<int64_t>> null_counts;
};

}  // namespace

class StatisticsReader::Impl {
 public:
  explicit Impl(std::vector<WantedColumn> columns) : columns_(std::move(columns)) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      Insert(root_, columns_[i].physical_path, static_cast<int>(i));
    }
  }

  bool Read(std::string_view stats, std::vector<ColumnFacts>& facts) {
    facts.assign(columns_.size(), {});
    if (stats.empty()) return false;
    RawStatistics raw;
    raw.null_counts.resize(columns_.size());
    if (Parse(stats, raw, facts) != simdjson::SUCCESS) {
      facts.assign(columns_.size(), {});
      return false;
    }
    for (size_t i = 0; i < columns_.size(); ++i) ApplyNullCount(raw, i, facts[i]);
    return raw.num_records == 0;
  }

 private:
  simdjson::error_code Parse(std::string_view stats, RawStatistics& raw,
                             std::vector<ColumnFacts>& facts) {
    buffer_.resize(stats.size() + simdjson::SIMDJSON_PADDING);
    std::memcpy(buffer_.data(), stats.data(), stats.size());
    std::memset(buffer_.data() + stats.size(), 0, simdjson::SIMDJSON_PADDING);
    simdjson::ondemand::document document;
    auto code = parser_.iterate(buffer_.data(), stats.size(), buffer_.size()).get(document);
    if (code) return code;
    simdjson::ondemand::object top;
    if ((code = document.get_object().get(top))) return code;
    for (auto member : top) {
      simdjson::ondemand::field field;
      std::string_view key;
      if ((code = std::move(member).get(field)) || (code = field.unescaped_key().get(key)))
        return code;
      if ((code = ReadMember(key, field.value(), raw, facts))) return code;
    }
    return simdjson::SUCCESS;
  }

  simdjson::error_code ReadMember(std::string_view key, simdjson::ondemand::value value,
                                  RawStatistics& raw, std::vector<ColumnFacts>& facts) {
    if (key == "numRecords") {
      int64_t count = 0;
      if (!value.get_int64().get(count) && count >= 0) raw.num_records = count;
    } else if (key == "tightBounds") {
      // Anything but a plain true is taken as wide.
      bool tight = false;
      raw.tight_bounds = !value.get_bool().get(tight) && tight;
    } else if (key == "minValues" || key == "maxValues") {
      Side side = key == "minValues" ? Side::kLow : Side::kHigh;
      return Walk(value, root_, [&](int column, std::string_view text) {
        auto& bound = side == Side::kLow ? facts[column].low : facts[column].high;
        bound = ParseBound(columns_[column], text, side);
      });
    } else if (key == "nullCount") {
      return Walk(value, root_, [&](int column, std::string_view text) {
        auto parsed = ParseValue(*DataType::Primitive(TypeKind::kLong), text);
        if (parsed) raw.null_counts[column] = *parsed->if_int();
      });
    }
    return simdjson::SUCCESS;
  }

  // Calls take(column, text) for each wanted scalar below `value`.
  template <typename Take>
  simdjson::error_code Walk(simdjson::ondemand::value value, const Node& node, const Take& take) {
    simdjson::ondemand::object object;
    if (value.get_object().get(object)) return simdjson::SUCCESS;
    for (auto member : object) {
      simdjson::ondemand::field field;
      std::string_view key;
      if (auto code = std::move(member).get(field)) return code;
      if (auto code = field.unescaped_key().get(key)) return code;
      const Node* child = node.Find(key);
      if (!child) continue;
      simdjson::ondemand::value inner = field.value();
      if (child->column < 0) {
        if (auto code = Walk(inner, *child, take)) return code;
        continue;
      }
      std::optional<std::string_view> text;
      if (auto code = Scalar(inner, text)) return code;
      if (text) take(child->column, *text);
    }
    return simdjson::SUCCESS;
  }

  static simdjson::error_code Scalar(simdjson::ondemand::value value,
                                     std::optional<std::string_view>& text) {
    simdjson::ondemand::json_type type;
    if (auto code = value.type().get(type)) return code;
    if (type == simdjson::ondemand::json_type::string) {
      std::string_view unescaped;
      if (auto code = value.get_string().get(unescaped)) return code;
      text = unescaped;
    } else if (type == simdjson::ondemand::json_type::number ||
               type == simdjson::ondemand::json_type::boolean) {
      text = Trim(value.raw_json_token());
    }
    return simdjson::SUCCESS;
  }

  static void ApplyNullCount(const RawStatistics& raw, size_t i, ColumnFacts& facts) {
    auto nulls = raw.null_counts[i];
    if (!nulls || !raw.num_records || *nulls < 0 || *nulls > *raw.num_records) return;
    facts.null_count = nulls;
    // Zero and "all" hold for any subset of the rows, so also under wide bounds; no other count is
    // used to skip.
    facts.may_be_null = *nulls != 0;
    facts.may_have_value = *nulls != *raw.num_records;
  }

  std::vector<WantedColumn> columns_;
  Node root_;
  simdjson::ondemand::parser parser_;
  std::vector<char> buffer_;
};

StatisticsReader::StatisticsReader(std::vector<WantedColumn> columns)
    : impl_(std::make_unique<Impl>(std::move(columns))) {}
StatisticsReader::~StatisticsReader() = default;

bool StatisticsReader::Read(std::string_view stats, std::vector<ColumnFacts>& facts) {
  return impl_->Read(stats, facts);
}

ColumnFacts PartitionFacts(const DataType& type, std::optional<std::string_view> text) {
  ColumnFacts facts;
  auto value = ParsePartitionValue(type, text);
  if (!value) return facts;
  facts.may_be_null = value->is_null();
  facts.may_have_value = !value->is_null();
  if (!value->is_null()) facts.low = facts.high = *value;
  return facts;
}

}  // namespace weir::delta

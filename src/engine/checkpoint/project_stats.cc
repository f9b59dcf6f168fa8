// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/project_stats.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace weir::engine {

namespace ondemand = simdjson::ondemand;

std::string_view StatsProjector::Project(std::string_view text) {
  if (!columns_ || text.empty()) return text;
  return Cut(text) ? std::string_view(out_) : text;
}

void StatsProjector::AppendName(std::string_view name) {
  if (out_.back() != '{') out_ += ',';
  AppendJsonString(out_, name);
  out_ += ':';
}

bool StatsProjector::Cut(std::string_view text) {
  padded_.assign(text);
  padded_.resize(text.size() + simdjson::SIMDJSON_PADDING);
  ondemand::document document;
  ondemand::object members;
  if (parser_.iterate(padded_.data(), text.size(), padded_.size()).get(document) !=
          simdjson::SUCCESS ||
      document.get_object().get(members) != simdjson::SUCCESS) {
    return false;
  }
  out_ = "{";
  for (auto member : members) {
    std::string_view name;
    ondemand::value value;
    if (member.unescaped_key().get(name) != simdjson::SUCCESS ||
        member.value().get(value) != simdjson::SUCCESS) {
      return false;
    }
    if (name == "numRecords" || name == "tightBounds") {
      AppendName(name);
      out_ += Trim(value.raw_json_token());
    } else if (name == "minValues" || name == "maxValues" || name == "nullCount") {
      ondemand::object bounds;
      if (value.get_object().get(bounds) != simdjson::SUCCESS) return false;
      AppendName(name);
      if (!CutBounds(bounds)) return false;
    }
  }
  out_ += '}';
  return true;
}

bool StatsProjector::CutBounds(ondemand::object bounds) {
  out_ += '{';
  for (auto member : bounds) {
    std::string_view name;
    ondemand::value value;
    if (member.unescaped_key().get(name) != simdjson::SUCCESS ||
        member.value().get(value) != simdjson::SUCCESS) {
      return false;
    }
    if (std::find(columns_->begin(), columns_->end(), name) == columns_->end()) continue;
    AppendName(name);
    ondemand::json_type type;
    if (value.type().get(type) != simdjson::SUCCESS) return false;
    if (type == ondemand::json_type::object) {
      ondemand::object nested;
      std::string_view raw;
      if (value.get_object().get(nested) != simdjson::SUCCESS ||
          nested.raw_json().get(raw) != simdjson::SUCCESS) {
        return false;
      }
      out_ += raw;
    } else if (type == ondemand::json_type::array) {
      return false;
    } else {
      out_ += Trim(value.raw_json_token());
    }
  }
  out_ += '}';
  return true;
}

}  // namespace weir::engine

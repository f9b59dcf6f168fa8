// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "delta/actions/member_table.h"

namespace weir::delta {
namespace {

constexpr int kMaxSkipDepth = 1000;
constexpr size_t kExcerptLength = 60;

using simdjson::ondemand::json_type;

/// Calls `take(key, value)` for the members of an object; false when it or `take` fails.
template <typename Take>
bool VisitMembers(JsonInput input, Take take) {
  simdjson::ondemand::object object;
  if (input.get_object().get(object)) return false;
  for (auto item : object) {
    simdjson::ondemand::field field;
    std::string_view key;
    if (std::move(item).get(field) || field.unescaped_key().get(key)) return false;
    if (!take(key, field.value())) return false;
  }
  return true;
}

template <typename Take>
bool VisitItems(JsonInput input, Take take) {
  simdjson::ondemand::array array;
  if (input.get_array().get(array)) return false;
  for (auto item : array) {
    JsonInput value;
    if (item.get(value) || !take(value)) return false;
  }
  return true;
}

}  // namespace

bool ReadContext::Fail(std::string what) {
  failure = std::move(what);
  return false;
}

bool ReadContext::FailAt(const char* at, std::string what) {
  auto offset = static_cast<size_t>(at - line.data());
  std::string_view rest = offset <= line.size() ? line.substr(offset) : std::string_view();
  return Fail(std::move(what) + ", found " + std::string(rest.substr(0, kExcerptLength)) +
              (rest.size() > kExcerptLength ? "..." : ""));
}

bool ReadValue(JsonInput input, std::string& value, ReadContext&) {
  std::string_view text;
  if (input.get_string().get(text)) return false;
  value = text;
  return true;
}

bool ReadValue(JsonInput input, int64_t& value, ReadContext&) {
  return input.get_int64().get(value) == simdjson::SUCCESS;
}

bool ReadValue(JsonInput input, int32_t& value, ReadContext&) {
  int64_t wide = 0;
  if (input.get_int64().get(wide)) return false;
  value = static_cast<int32_t>(wide);
  return wide == value;
}

bool ReadValue(JsonInput input, bool& value, ReadContext&) {
  return input.get_bool().get(value) == simdjson::SUCCESS;
}

bool ReadValue(JsonInput input, std::vector<std::string>& value, ReadContext& context) {
  value.clear();
  return VisitItems(input,
                    [&](JsonInput item) { return ReadValue(item, value.emplace_back(), context); });
}

bool ReadValue(JsonInput input, StringMap& value, ReadContext&) {
  value.clear();
  return VisitMembers(input, [&](std::string_view key, JsonInput item) {
    if (IsNull(item)) return true;
    std::string_view text;
    if (item.get_string().get(text)) return false;
    value.insert_or_assign(std::string(key), std::string(text));
    return true;
  });
}

bool ReadValue(JsonInput input, PartitionValues& value, ReadContext&) {
  value.clear();
  return VisitMembers(input, [&](std::string_view key, JsonInput item) {
    std::string_view text;
    if (!IsNull(item) && item.get_string().get(text)) return false;
    auto& entry = value[std::string(key)];
    entry = text.empty() ? std::nullopt : std::optional<std::string>(text);
    return true;
  });
}

void WriteValue(JsonWriter& writer, const std::string& value) { writer.String(value); }
void WriteValue(JsonWriter& writer, int64_t value) { writer.Int(value); }
void WriteValue(JsonWriter& writer, int32_t value) { writer.Int(value); }
void WriteValue(JsonWriter& writer, bool value) { writer.Bool(value); }

void WriteValue(JsonWriter& writer, const std::vector<std::string>& value) {
  writer.BeginArray();
  for (const auto& item : value) writer.String(item);
  writer.EndArray();
}

void WriteValue(JsonWriter& writer, const StringMap& value) {
  writer.BeginObject();
  for (const auto& [key, text] : value) writer.Key(key).String(text);
  writer.EndObject();
}

void WriteValue(JsonWriter& writer, const PartitionValues& value) {
  writer.BeginObject();
  for (const auto& [key, text] : value) {
    writer.Key(key);
    if (text.has_value()) {
      writer.String(*text);
    } else {
      writer.Null();
    }
  }
  writer.EndObject();
}

bool IsNull(JsonInput input) {
  bool is_null = false;
  return input.is_null().get(is_null) == simdjson::SUCCESS && is_null;
}

bool SkipValue(JsonInput input, int depth) {
  if (depth > kMaxSkipDepth) return false;
  json_type type;
  if (input.type().get(type)) return false;
  switch (type) {
    case json_type::object:
      return VisitMembers(
          input, [&](std::string_view, JsonInput value) { return SkipValue(value, depth + 1); });
    case json_type::array:
      return VisitItems(input, [&](JsonInput value) { return SkipValue(value, depth + 1); });
    case json_type::string:
      return input.get_string().error() == simdjson::SUCCESS;
    case json_type::number:
      return input.get_double().error() == simdjson::SUCCESS;
    case json_type::boolean:
      return input.get_bool().error() == simdjson::SUCCESS;
    case json_type::null:
      return IsNull(input);
  }
  return false;
}

}  // namespace weir::delta

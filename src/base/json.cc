// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>

namespace weir {
namespace {

constexpr int kMaxDepth = 1000;

Error ParseError(simdjson::error_code code) {
  return InvalidArgument("WEIR_JSON_PARSE_ERROR",
                         std::string("not valid JSON: ") + simdjson::error_message(code));
}

simdjson::error_code Build(simdjson::ondemand::value input, int depth, JsonValue& out);

simdjson::error_code BuildArray(simdjson::ondemand::array input, int depth, JsonValue& out) {
  out = JsonValue::Array();
  for (auto item : input) {
    simdjson::ondemand::value value;
    if (auto code = item.get(value)) return code;
    if (auto code = Build(value, depth + 1, out.items().emplace_back())) return code;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code BuildObject(simdjson::ondemand::object input, int depth, JsonValue& out) {
  out = JsonValue::Object();
  for (auto item : input) {
    simdjson::ondemand::field field;
    if (auto code = std::move(item).get(field)) return code;
    std::string_view key;
    if (auto code = field.unescaped_key().get(key)) return code;
    auto& member = out.members().emplace_back(std::string(key), JsonValue());
    if (auto code = Build(field.value(), depth + 1, member.second)) return code;
  }
  return simdjson::SUCCESS;
}

bool IsNumber(std::string_view text) {
  size_t i = 0;
  auto digits = [&] {
    size_t start = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - start;
  };
  if (i < text.size() && text[i] == '-') ++i;
  size_t first = i;
  size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

std::string_view TrimRight(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' ||
                           text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

simdjson::error_code BuildScalar(std::string_view token, JsonValue& out) {
  token = TrimRight(token);
  if (token == "null") {
    out = JsonValue();
  } else if (token == "true" || token == "false") {
    out = JsonValue::Bool(token == "true");
  } else if (IsNumber(token)) {
    out = JsonValue::Number(std::string(token));
  } else {
    return simdjson::TAPE_ERROR;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code Build(simdjson::ondemand::value input, int depth, JsonValue& out) {
  if (depth > kMaxDepth) return simdjson::DEPTH_ERROR;
  simdjson::ondemand::json_type type;
  if (auto code = input.type().get(type)) return code;
  switch (type) {
    case simdjson::ondemand::json_type::array: {
      simdjson::ondemand::array array;
      if (auto code = input.get_array().get(array)) return code;
      return BuildArray(array, depth, out);
    }
    case simdjson::ondemand::json_type::object: {
      simdjson::ondemand::object object;
      if (auto code = input.get_object().get(object)) return code;
      return BuildObject(object, depth, out);
    }
    case simdjson::ondemand::json_type::string: {
      std::string_view text;
      if (auto code = input.get_string().get(text)) return code;
      out = JsonValue::String(std::string(text));
      return simdjson::SUCCESS;
    }
    case simdjson::ondemand::json_type::number: {
      // Consuming the number makes simdjson move on; its text is kept, not its double.
      std::string_view token = input.raw_json_token();
      return BuildScalar(token, out);
    }
    case simdjson::ondemand::json_type::boolean: {
      bool value = false;
      if (auto code = input.get_bool().get(value)) return code;
      out = JsonValue::Bool(value);
      return simdjson::SUCCESS;
    }
    case simdjson::ondemand::json_type::null: {
      bool is_null = false;
      if (auto code = input.is_null().get(is_null)) return code;
      if (!is_null) return simdjson::TAPE_ERROR;
      out = JsonValue();
      return simdjson::SUCCESS;
    }
    default:
      return simdjson::TAPE_ERROR;
  }
}

}  // namespace

JsonValue JsonValue::Bool(bool value) {
  JsonValue v;
  v.kind_ = Kind::kBool;
  v.bool_ = value;
  return v;
}

JsonValue JsonValue::Int(int64_t value) { return Number(std::to_string(value)); }

JsonValue JsonValue::Number(std::string text) {
  JsonValue v;
  v.kind_ = Kind::kNumber;
  v.text_ = std::move(text);
  return v;
}

JsonValue JsonValue::String(std::string value) {
  JsonValue v;
  v.kind_ = Kind::kString;
  v.text_ = std::move(value);
  return v;
}

JsonValue JsonValue::Array(std::vector<JsonValue> items) {
  JsonValue v;
  v.kind_ = Kind::kArray;
  v.items_ = std::move(items);
  return v;
}

JsonValue JsonValue::Object(std::vector<Member> members) {
  JsonValue v;
  v.kind_ = Kind::kObject;
  v.members_ = std::move(members);
  return v;
}

Result<JsonValue> JsonValue::Parse(std::string_view text) {
  std::string_view trimmed = TrimRight(text);
  size_t start = trimmed.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return Fail(ParseError(simdjson::EMPTY));
  trimmed.remove_prefix(start);
  JsonValue result;
  char first = trimmed.front();
  bool is_scalar = first != '{' && first != '[' && first != '"';
  if (is_scalar) {
    if (auto code = BuildScalar(trimmed, result)) return Fail(ParseError(code));
    return result;
  }
  simdjson::ondemand::parser parser;
  simdjson::padded_string padded(trimmed);
  simdjson::ondemand::document document;
  if (auto code = parser.iterate(padded).get(document)) return Fail(ParseError(code));
  if (first == '"') {
    std::string_view value;
    if (auto code = document.get_string().get(value)) return Fail(ParseError(code));
    result = String(std::string(value));
  } else {
    simdjson::ondemand::value value;
    if (auto code = document.get_value().get(value)) return Fail(ParseError(code));
    if (auto code = Build(value, 1, result)) return Fail(ParseError(code));
  }
  const char* rest = nullptr;
  if (document.current_location().get(rest) != simdjson::OUT_OF_BOUNDS) {
    return Fail(
        InvalidArgument("WEIR_JSON_PARSE_ERROR", "not valid JSON: text behind the document"));
  }
  return result;
}

std::optional<int64_t> JsonValue::AsInt64() const {
  if (kind_ != Kind::kNumber) return std::nullopt;
  int64_t value = 0;
  auto [end, ec] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
  if (ec != std::errc() || end != text_.data() + text_.size()) return std::nullopt;
  return value;
}

const JsonValue* JsonValue::Find(std::string_view key) const {
  for (const auto& [name, value] : members_) {
    if (name == key) return &value;
  }
  return nullptr;
}

void JsonValue::Set(std::string_view key, JsonValue value) {
  kind_ = Kind::kObject;
  for (auto& [name, current] : members_) {
    if (name == key) {
      current = std::move(value);
      return;
    }
  }
  members_.emplace_back(std::string(key), std::move(value));
}

bool JsonValue::Remove(std::string_view key) {
  auto it = std::find_if(members_.begin(), members_.end(),
                         [&](const Member& member) { return member.first == key; });
  if (it == members_.end()) return false;
  members_.erase(it);
  return true;
}

std::string JsonValue::ToString() const {
  std::string out;
  AppendTo(out);
  return out;
}

void JsonValue::AppendTo(std::string& out) const {
  switch (kind_) {
    case Kind::kNull:
      out += "null";
      return;
    case Kind::kBool:
      out += bool_ ? "true" : "false";
      return;
    case Kind::kNumber:
      out += text_;
      return;
    case Kind::kString:
      AppendJsonString(out, text_);
      return;
    case Kind::kArray: {
      out += '[';
      for (size_t i = 0; i < items_.size(); ++i) {
        if (i > 0) out += ',';
        items_[i].AppendTo(out);
      }
      out += ']';
      return;
    }
    case Kind::kObject: {
      out += '{';
      for (size_t i = 0; i < members_.size(); ++i) {
        if (i > 0) out += ',';
        AppendJsonString(out, members_[i].first);
        out += ':';
        members_[i].second.AppendTo(out);
      }
      out += '}';
      return;
    }
  }
}

void AppendJsonString(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  auto is_escaped = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
  };
  out += '"';
  while (!text.empty()) {
    // Texts are mostly free of escapes: whole runs are copied.
    auto run =
        static_cast<size_t>(std::find_if(text.begin(), text.end(), is_escaped) - text.begin());
    out.append(text.substr(0, run));
    text.remove_prefix(run);
    if (text.empty()) break;
    char c = text.front();
    text.remove_prefix(1);
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += "\\u00";
        out += kHex[static_cast<unsigned char>(c) >> 4];
        out += kHex[c & 0x0F];
    }
  }
  out += '"';
}

void JsonWriter::Separate() {
  if (need_comma_) out_ += ',';
  need_comma_ = true;
}

JsonWriter& JsonWriter::Open(char bracket) {
  Separate();
  out_ += bracket;
  need_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::Close(char bracket) {
  out_ += bracket;
  need_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  AppendJsonString(out_, key);
  out_ += ':';
  need_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view value) {
  Separate();
  AppendJsonString(out_, value);
  return *this;
}

JsonWriter& JsonWriter::Int(int64_t value) { return Raw(std::to_string(value)); }

JsonWriter& JsonWriter::Bool(bool value) { return Raw(value ? "true" : "false"); }

JsonWriter& JsonWriter::Null() { return Raw("null"); }

JsonWriter& JsonWriter::Raw(std::string_view json) {
  Separate();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::Value(const JsonValue& value) {
  Separate();
  value.AppendTo(out_);
  return *this;
}

}  // namespace weir

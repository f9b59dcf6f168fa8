// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace weir {

/// A JSON document that survives a round trip: members keep their order, numbers keep the text they
/// were written in (so a decimal(38) or 1E-18 is never bent by a double). It serves the small
/// documents of the log (schemas, field metadata, statistics, configurations); hot loops parse with
/// simdjson directly. A value type, thread-compatible.
class JsonValue {
 public:
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };
  using Member = std::pair<std::string, JsonValue>;

  JsonValue() = default;  ///< null
  static JsonValue Bool(bool value);
  static JsonValue Int(int64_t value);
  /// A number given by its JSON text, which is kept as it is.
  static JsonValue Number(std::string text);
  static JsonValue String(std::string value);
  static JsonValue Array(std::vector<JsonValue> items = {});
  static JsonValue Object(std::vector<Member> members = {});

  /// Parses one whole document. Errors: kInvalidArgument WEIR_JSON_PARSE_ERROR with the reason;
  /// input nested deeper than 1000 levels is refused.
  static Result<JsonValue> Parse(std::string_view text);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_object() const { return kind_ == Kind::kObject; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_number() const { return kind_ == Kind::kNumber; }
  bool is_bool() const { return kind_ == Kind::kBool; }

  bool bool_value() const { return bool_; }
  /// The text of a string (unescaped) or of a number (as written).
  const std::string& text() const { return text_; }
  const std::vector<JsonValue>& items() const { return items_; }
  std::vector<JsonValue>& items() { return items_; }
  const std::vector<Member>& members() const { return members_; }
  std::vector<Member>& members() { return members_; }

  /// The number as an integer; nullopt when it is none or does not fit.
  std::optional<int64_t> AsInt64() const;

  /// The member `key` of an object, or nullptr when absent or when this is no object. The pointer
  /// lives as long as this value is unchanged.
  const JsonValue* Find(std::string_view key) const;
  /// Sets or replaces a member, keeping its place.
  void Set(std::string_view key, JsonValue value);
  /// Removes a member; false when there was none.
  bool Remove(std::string_view key);

  /// Compact text, members in order.
  std::string ToString() const;
  void AppendTo(std::string& out) const;

  bool operator==(const JsonValue&) const = default;

 private:
  Kind kind_ = Kind::kNull;
  bool bool_ = false;
  std::string text_;
  std::vector<JsonValue> items_;
  std::vector<Member> members_;
};

/// Appends `text` as a JSON string with quotes; control characters, quote and backslash escaped as
/// Jackson (so Spark) does, everything else byte for byte.
void AppendJsonString(std::string& out, std::string_view text);

/// Writes one JSON object or array piece by piece into a string, placing commas itself:
///
///   JsonWriter w(out);  w.BeginObject().Key("path").String(p).Key("size").Int(n).EndObject();
///
/// The caller keeps `out` alive. Not thread-safe.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }
  JsonWriter& Key(std::string_view key);
  JsonWriter& String(std::string_view value);
  JsonWriter& Int(int64_t value);
  JsonWriter& Bool(bool value);
  JsonWriter& Null();
  /// `json` must be a valid JSON text; it is taken as it is.
  JsonWriter& Raw(std::string_view json);
  JsonWriter& Value(const JsonValue& value);

 private:
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char bracket);
  void Separate();

  std::string& out_;
  bool need_comma_ = false;
};

}  // namespace weir

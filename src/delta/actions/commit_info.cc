// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/codecs.h"

namespace weir::delta {
namespace {

std::optional<int64_t> IntegerOf(const JsonValue& members, std::string_view key) {
  const JsonValue* value = members.Find(key);
  return value != nullptr ? value->AsInt64() : std::nullopt;
}

std::optional<std::string> TextOf(const JsonValue& members, std::string_view key) {
  const JsonValue* value = members.Find(key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->text();
}

}  // namespace

bool ReadAction(JsonInput input, CommitInfo& action, ReadContext& context) {
  const char* start = input.raw_json_token().data();
  simdjson::ondemand::object object;
  std::string_view text;
  if (input.get_object().get(object)) return context.FailAt(start, "an object is expected");
  if (object.raw_json().get(text)) return context.Fail("the JSON is broken");
  auto members = JsonValue::Parse(text);
  if (!members) return context.Fail(members.error().message);
  action.members = std::move(*members);
  return true;
}

void WriteAction(JsonWriter& writer, const CommitInfo& action) { writer.Value(action.members); }

std::optional<int64_t> CommitInfo::in_commit_timestamp() const {
  return IntegerOf(members, "inCommitTimestamp");
}

std::optional<int64_t> CommitInfo::timestamp() const { return IntegerOf(members, "timestamp"); }

std::optional<std::string> CommitInfo::operation() const { return TextOf(members, "operation"); }

std::optional<std::string> CommitInfo::txn_id() const { return TextOf(members, "txnId"); }

}  // namespace weir::delta

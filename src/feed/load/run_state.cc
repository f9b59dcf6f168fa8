// SPDX-License-Identifier: Apache-2.0
#include "feed/load/run_state.h"

#include <array>

#include "base/json.h"
#include "storage/object_store.h"

namespace weir::feed {
namespace {

constexpr std::array<const char*, 3> kStatusNames = {"none", "started", "done"};

// A folder that starts with '_' is no schema of the warehouse.
std::string StatePath(const FeedProject& project, const UsedTable& table) {
  return storage::JoinPath(storage::NormalizeLocation(project.warehouse),
                           "_weir_feed/" + table.id() + ".json");
}

std::string TextOf(const JsonValue& json, std::string_view key) {
  const JsonValue* value = json.Find(key);
  return value != nullptr && value->is_string() ? value->text() : "";
}

std::optional<std::string> TextIfAny(const JsonValue& json, std::string_view key) {
  if (json.Find(key) == nullptr) return std::nullopt;
  return TextOf(json, key);
}

int64_t NumberOf(const JsonValue& json, std::string_view key, int64_t otherwise) {
  const JsonValue* value = json.Find(key);
  return value == nullptr ? otherwise : value->AsInt64().value_or(otherwise);
}

std::optional<LoadType> LoadTypeOf(const JsonValue& json, std::string_view key) {
  const std::string text = TextOf(json, key);
  for (int i = 0; i <= static_cast<int>(LoadType::kAdditional); ++i) {
    if (text == ToString(static_cast<LoadType>(i))) return static_cast<LoadType>(i);
  }
  return std::nullopt;
}

}  // namespace

Result<RunState> ReadRunState(const FeedProject& project, const UsedTable& table) {
  const std::string path = StatePath(project, table);
  WEIR_ASSIGN_OR_RETURN(const auto store, storage::OpenStore(path));
  const auto text = store->Get(path);
  if (!text && text.error().kind == ErrorKind::kNotFound) return RunState();
  if (!text) return Fail(text.error());
  const auto json = JsonValue::Parse(*text);
  RunState state;
  const std::string status = json ? TextOf(*json, "status") : "";
  size_t at = 0;
  while (at < kStatusNames.size() && status != kStatusNames[at]) ++at;
  if (at == kStatusNames.size()) {
    return Fail(CorruptLog(
        "WEIR_FEED_STATE_CORRUPT",
        path + " is no note of a run; move it away and run `weir feed reset " + table.id() + "`"));
  }
  state.status = static_cast<RunStatus>(at);
  state.run_id = TextOf(*json, "run_id");
  state.etl_date = NumberOf(*json, "etl_date", 0);
  state.load_type = LoadTypeOf(*json, "load_type");
  state.previous_load_type = LoadTypeOf(*json, "previous_load_type");
  state.keys = TextIfAny(*json, "keys");
  state.previous_keys = TextIfAny(*json, "previous_keys");
  state.file = TextOf(*json, "file");
  state.index_version = NumberOf(*json, "index_version", RunState::kAbsent);
  state.history_version = NumberOf(*json, "history_version", RunState::kAbsent);
  return state;
}

Status WriteRunState(const FeedProject& project, const UsedTable& table, const RunState& state) {
  const std::string path = StatePath(project, table);
  std::string text;
  JsonWriter writer(text);
  writer.BeginObject()
      .Key("status")
      .String(kStatusNames[static_cast<size_t>(state.status)])
      .Key("run_id")
      .String(state.run_id)
      .Key("etl_date")
      .Int(state.etl_date)
      .Key("load_type")
      .String(state.load_type ? ToString(*state.load_type) : "")
      .Key("previous_load_type")
      .String(state.previous_load_type ? ToString(*state.previous_load_type) : "");
  if (state.keys) writer.Key("keys").String(*state.keys);
  if (state.previous_keys) writer.Key("previous_keys").String(*state.previous_keys);
  writer.Key("file")
      .String(state.file)
      .Key("index_version")
      .Int(state.index_version)
      .Key("history_version")
      .Int(state.history_version)
      .EndObject();
  WEIR_ASSIGN_OR_RETURN(const auto store, storage::OpenStore(path));
  return store->Put(path, text + "\n");
}

}  // namespace weir::feed

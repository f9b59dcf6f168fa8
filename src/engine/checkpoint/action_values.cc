// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/action_values.h"

#include <string>
#include <utility>

#include "base/json.h"

namespace weir::engine {
namespace {

JsonValue ToJson(const duckdb::Value& value);

JsonValue StructToJson(const duckdb::Value& value) {
  JsonValue object = JsonValue::Object();
  const auto& types = duckdb::StructType::GetChildTypes(value.type());
  const auto& children = duckdb::StructValue::GetChildren(value);
  for (size_t i = 0; i < children.size(); ++i) {
    if (!children[i].IsNull()) object.Set(types[i].first, ToJson(children[i]));
  }
  return object;
}

JsonValue MapToJson(const duckdb::Value& value) {
  JsonValue object = JsonValue::Object();
  for (const auto& entry : duckdb::MapValue::GetChildren(value)) {
    const auto& pair = duckdb::StructValue::GetChildren(entry);
    object.Set(pair[0].ToString(), ToJson(pair[1]));
  }
  return object;
}

JsonValue ToJson(const duckdb::Value& value) {
  if (value.IsNull()) return {};
  switch (value.type().id()) {
    case duckdb::LogicalTypeId::BOOLEAN:
      return JsonValue::Bool(value.GetValue<bool>());
    case duckdb::LogicalTypeId::STRUCT:
      return StructToJson(value);
    case duckdb::LogicalTypeId::MAP:
      return MapToJson(value);
    case duckdb::LogicalTypeId::LIST: {
      JsonValue array = JsonValue::Array();
      for (const auto& item : duckdb::ListValue::GetChildren(value))
        array.items().push_back(ToJson(item));
      return array;
    }
    case duckdb::LogicalTypeId::VARCHAR:
      return JsonValue::String(duckdb::StringValue::Get(value));
    default:
      if (value.type().IsIntegral()) return JsonValue::Number(value.ToString());
      return JsonValue::String(value.ToString());
  }
}

}  // namespace

Result<std::optional<delta::Action>> ActionFromValue(std::string_view name,
                                                     const duckdb::Value& value) {
  JsonValue body = ToJson(value);
  if (body.members().empty()) return std::nullopt;
  std::string line;
  JsonWriter(line).BeginObject().Key(name).Value(body).EndObject();
  WEIR_ASSIGN_OR_RETURN(auto actions, delta::ParseActions("an action of the checkpoint", line));
  if (actions.empty()) return std::nullopt;
  return std::move(actions.front());
}

}  // namespace weir::engine

// SPDX-License-Identifier: Apache-2.0
#include "delta/changes/offset_store.h"

#include <algorithm>
#include <cctype>

#include "base/json.h"
#include "base/text.h"

namespace weir::delta {
namespace {

constexpr int64_t kFormatVersion = 1;
constexpr std::string_view kEnding = ".json";

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
}

std::optional<Offset> Parse(const std::string& text) {
  const auto json = JsonValue::Parse(text);
  if (!json) return std::nullopt;
  const auto* format = json->Find("formatVersion");
  const auto* table_id = json->Find("tableId");
  const auto* next = json->Find("nextVersion");
  if (!format || format->AsInt64() != kFormatVersion || !table_id || !table_id->is_string() ||
      !next || next->AsInt64().value_or(-1) < 0) {
    return std::nullopt;
  }
  return Offset{table_id->text(), *next->AsInt64()};
}

}  // namespace

Result<OffsetStore> OffsetStore::Open(const std::string& directory) {
  WEIR_ASSIGN_OR_RETURN(auto store, storage::OpenStore(directory));
  return OffsetStore(std::move(store), storage::NormalizeLocation(directory));
}

Result<std::string> OffsetStore::PathOf(const std::string& consumer) const {
  if (!consumer.empty() && consumer.front() != '.' &&
      std::all_of(consumer.begin(), consumer.end(), IsNameCharacter)) {
    return storage::JoinPath(directory_, consumer + std::string(kEnding));
  }
  return Fail(InvalidArgument("WEIR_CONSUMER_NAME_INVALID",
                              "the consumer name '" + consumer +
                                  "' is not made of letters, digits, '.', '_' and '-' alone, the "
                                  "first no '.'"));
}

Result<std::optional<Offset>> OffsetStore::Load(const std::string& consumer) const {
  WEIR_ASSIGN_OR_RETURN(const std::string path, PathOf(consumer));
  const auto text = store_->Get(path);
  if (!text) {
    if (text.error().kind == ErrorKind::kNotFound) return std::nullopt;
    return Fail(text.error());
  }
  auto offset = Parse(*text);
  if (offset) return offset;
  return Fail(CorruptLog("WEIR_OFFSET_MALFORMED",
                         path + " is no offset: expected {\"formatVersion\":1,\"tableId\":...,"
                                "\"nextVersion\":...}; delete it to begin anew"));
}

Result<std::map<std::string, Offset>> OffsetStore::LoadAll() const {
  std::map<std::string, Offset> offsets;
  WEIR_ASSIGN_OR_RETURN(const auto files, store_->List(directory_));
  for (const auto& file : files) {
    std::string_view name = storage::BaseName(file.path);
    if (name.front() == '.' || !EndsWith(name, kEnding)) continue;
    name.remove_suffix(kEnding.size());
    WEIR_ASSIGN_OR_RETURN(const auto offset, Load(std::string(name)));
    if (offset) offsets[std::string(name)] = *offset;
  }
  return offsets;
}

Status OffsetStore::Save(const std::string& consumer, const Offset& offset) const {
  WEIR_ASSIGN_OR_RETURN(const std::string path, PathOf(consumer));
  std::string text;
  JsonWriter(text)
      .BeginObject()
      .Key("formatVersion")
      .Int(kFormatVersion)
      .Key("tableId")
      .String(offset.table_id)
      .Key("nextVersion")
      .Int(offset.next_version)
      .EndObject();
  return store_->Put(path, text + "\n");
}

}  // namespace weir::delta

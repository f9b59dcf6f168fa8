// SPDX-License-Identifier: Apache-2.0
#include "delta/changes/offset_store.h"

#include <algorithm>
#include <cctype>

#include "base/json.h"
#include "base/text.h"

namespace weir::delta {
namespace {

constexpr int64_t kFormatVersion = 1;
// Of an offset inside a version, which who knows whole versions alone must not take for one.
constexpr int64_t kFileFormatVersion = 2;
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
  const int64_t format_version = format ? format->AsInt64().value_or(0) : 0;
  if (!table_id || !table_id->is_string() || !next || next->AsInt64().value_or(-1) < 0)
    return std::nullopt;
  Offset offset{table_id->text(), *next->AsInt64()};
  if (format_version == kFormatVersion) return offset;
  const auto* file = json->Find("nextFile");
  const auto* snapshot = json->Find("inSnapshot");
  const bool is_known = format_version == kFileFormatVersion && file && snapshot &&
                        file->AsInt64().value_or(-1) >= 0 && snapshot->is_bool();
  if (!is_known) return std::nullopt;
  offset.next_file = *file->AsInt64();
  offset.in_snapshot = snapshot->bool_value();
  return offset;
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
  const bool is_inside = offset.next_file > 0 || offset.in_snapshot;
  std::string text;
  JsonWriter writer(text);
  writer.BeginObject()
      .Key("formatVersion")
      .Int(is_inside ? kFileFormatVersion : kFormatVersion)
      .Key("tableId")
      .String(offset.table_id)
      .Key("nextVersion")
      .Int(offset.next_version);
  if (is_inside) {
    writer.Key("nextFile").Int(offset.next_file).Key("inSnapshot").Bool(offset.in_snapshot);
  }
  writer.EndObject();
  return store_->Put(path, text + "\n");
}

}  // namespace weir::delta

// SPDX-License-Identifier: Apache-2.0
#include "iceberg/table_metadata.h"

#include <algorithm>
#include <limits>

#include "iceberg/avro.h"

namespace weir::iceberg {
namespace {

constexpr int64_t kFormatVersion = 2;

void AppendTexts(JsonWriter& json, const std::map<std::string, std::string>& texts) {
  json.BeginObject();
  for (const auto& [key, value] : texts) json.Key(key).String(value);
  json.EndObject();
}

void AppendSnapshot(JsonWriter& json, const Snapshot& snapshot) {
  json.BeginObject().Key("sequence-number").Int(snapshot.sequence_number);
  json.Key("snapshot-id").Int(snapshot.id);
  if (snapshot.parent_id) json.Key("parent-snapshot-id").Int(*snapshot.parent_id);
  json.Key("timestamp-ms").Int(snapshot.timestamp_ms).Key("summary");
  AppendTexts(json, snapshot.summary);
  json.Key("manifest-list").String(snapshot.manifest_list);
  json.Key("schema-id").Int(snapshot.schema_id).EndObject();
}

void AppendSpecs(JsonWriter& json, const TableMetadata& metadata) {
  json.Key("partition-specs").BeginArray();
  for (const PartitionSpec& spec : metadata.specs) {
    json.BeginObject().Key("spec-id").Int(spec.id).Key("fields").Raw(spec.FieldsJson());
    json.EndObject();
  }
  json.EndArray().Key("default-spec-id").Int(metadata.default_spec_id);
  json.Key("last-partition-id").Int(metadata.last_partition_id);
}

void AppendSnapshots(JsonWriter& json, const TableMetadata& metadata) {
  if (metadata.current_snapshot_id) {
    json.Key("current-snapshot-id").Int(*metadata.current_snapshot_id).Key("refs").BeginObject();
    json.Key("main").BeginObject().Key("snapshot-id").Int(*metadata.current_snapshot_id);
    json.Key("type").String("branch").EndObject().EndObject();
  }
  json.Key("snapshots").BeginArray();
  for (const Snapshot& snapshot : metadata.snapshots) AppendSnapshot(json, snapshot);
  json.EndArray().Key("snapshot-log").BeginArray();
  for (const SnapshotLogEntry& entry : metadata.snapshot_log) {
    json.BeginObject().Key("timestamp-ms").Int(entry.timestamp_ms);
    json.Key("snapshot-id").Int(entry.snapshot_id).EndObject();
  }
  json.EndArray().Key("metadata-log").BeginArray();
  for (const MetadataLogEntry& entry : metadata.metadata_log) {
    json.BeginObject().Key("timestamp-ms").Int(entry.timestamp_ms);
    json.Key("metadata-file").String(entry.file).EndObject();
  }
  json.EndArray();
}

// Reads members of one document; the first that is missing or wrong is remembered.
class Reader {
 public:
  int64_t Long(const JsonValue& object, const char* key) {
    const JsonValue* member = object.Find(key);
    const auto value = member ? member->AsInt64() : std::nullopt;
    if (!value) Refuse(key);
    return value.value_or(0);
  }

  std::optional<int64_t> OptionalLong(const JsonValue& object, const char* key) {
    const JsonValue* member = object.Find(key);
    if (member == nullptr || member->is_null()) return std::nullopt;
    return Long(object, key);
  }

  int Int(const JsonValue& object, const char* key) {
    const int64_t value = Long(object, key);
    if (value < 0 || value > std::numeric_limits<int>::max()) Refuse(key);
    return static_cast<int>(value);
  }

  std::string Text(const JsonValue& object, const char* key) {
    const JsonValue* member = object.Find(key);
    if (member != nullptr && member->is_string()) return member->text();
    Refuse(key);
    return {};
  }

  std::map<std::string, std::string> Texts(const JsonValue& object, const char* key) {
    std::map<std::string, std::string> texts;
    const JsonValue* member = object.Find(key);
    if (member == nullptr) return texts;
    for (const auto& [name, value] : member->members()) texts[name] = value.text();
    return texts;
  }

  const std::vector<JsonValue>& Items(const JsonValue& object, const char* key) {
    static const std::vector<JsonValue> kNothing;
    const JsonValue* member = object.Find(key);
    return member != nullptr ? member->items() : kNothing;
  }

  void Refuse(const char* key) {
    if (fault_.empty()) fault_ = key;
  }
  const std::string& fault() const { return fault_; }

 private:
  std::string fault_;
};

PartitionSpec ReadSpec(Reader& reader, const JsonValue& json) {
  PartitionSpec spec;
  spec.id = reader.Int(json, "spec-id");
  for (const JsonValue& item : reader.Items(json, "fields")) {
    PartitionField& field = spec.fields.emplace_back();
    field.source_id = reader.Int(item, "source-id");
    field.field_id = reader.Int(item, "field-id");
    field.name = reader.Text(item, "name");
    if (reader.Text(item, "transform") != "identity") reader.Refuse("transform");
  }
  return spec;
}

Snapshot ReadSnapshot(Reader& reader, const JsonValue& json) {
  Snapshot snapshot;
  snapshot.id = reader.Long(json, "snapshot-id");
  snapshot.parent_id = reader.OptionalLong(json, "parent-snapshot-id");
  snapshot.sequence_number = reader.Long(json, "sequence-number");
  snapshot.timestamp_ms = reader.Long(json, "timestamp-ms");
  snapshot.manifest_list = reader.Text(json, "manifest-list");
  snapshot.schema_id = reader.Int(json, "schema-id");
  snapshot.summary = reader.Texts(json, "summary");
  return snapshot;
}

void ReadLists(Reader& reader, const JsonValue& json, TableMetadata& metadata) {
  for (const JsonValue& item : reader.Items(json, "schemas")) {
    const JsonValue* fields = item.Find("fields");
    if (fields == nullptr || !fields->is_array()) reader.Refuse("fields");
    metadata.schemas.push_back(
        {reader.Int(item, "schema-id"), fields ? *fields : JsonValue::Array()});
  }
  for (const JsonValue& item : reader.Items(json, "partition-specs"))
    metadata.specs.push_back(ReadSpec(reader, item));
  for (const JsonValue& item : reader.Items(json, "snapshots"))
    metadata.snapshots.push_back(ReadSnapshot(reader, item));
  for (const JsonValue& item : reader.Items(json, "snapshot-log"))
    metadata.snapshot_log.push_back(
        {reader.Long(item, "timestamp-ms"), reader.Long(item, "snapshot-id")});
  for (const JsonValue& item : reader.Items(json, "metadata-log"))
    metadata.metadata_log.push_back(
        {reader.Long(item, "timestamp-ms"), reader.Text(item, "metadata-file")});
}

}  // namespace

JsonValue Schema::ToJson() const {
  JsonValue json = JsonValue::Object();
  json.Set("type", JsonValue::String("struct"));
  json.Set("schema-id", JsonValue::Int(id));
  json.Set("fields", fields);
  return json;
}

const Snapshot* TableMetadata::current_snapshot() const {
  if (!current_snapshot_id) return nullptr;
  const auto found = std::find_if(snapshots.begin(), snapshots.end(), [&](const Snapshot& each) {
    return each.id == *current_snapshot_id;
  });
  return found == snapshots.end() ? nullptr : &*found;
}

const Schema* TableMetadata::FindSchema(int id) const {
  const auto found = std::find_if(schemas.begin(), schemas.end(),
                                  [&](const Schema& each) { return each.id == id; });
  return found == schemas.end() ? nullptr : &*found;
}

const std::string* TableMetadata::FindProperty(const std::string& key) const {
  const auto found = properties.find(key);
  return found == properties.end() ? nullptr : &found->second;
}

std::string SerializeTableMetadata(const TableMetadata& metadata) {
  std::string text;
  JsonWriter json(text);
  json.BeginObject().Key("format-version").Int(kFormatVersion);
  json.Key("table-uuid").String(metadata.uuid).Key("location").String(metadata.location);
  json.Key("last-sequence-number").Int(metadata.last_sequence_number);
  json.Key("last-updated-ms").Int(metadata.last_updated_ms);
  json.Key("last-column-id").Int(metadata.last_column_id);
  json.Key("current-schema-id").Int(metadata.current_schema_id).Key("schemas").BeginArray();
  for (const Schema& schema : metadata.schemas) json.Value(schema.ToJson());
  json.EndArray();
  AppendSpecs(json, metadata);
  json.Key("default-sort-order-id").Int(0).Key("sort-orders").BeginArray().BeginObject();
  json.Key("order-id").Int(0).Key("fields").BeginArray().EndArray().EndObject().EndArray();
  json.Key("properties");
  AppendTexts(json, metadata.properties);
  AppendSnapshots(json, metadata);
  json.EndObject();
  return text;
}

Result<TableMetadata> ParseTableMetadata(std::string_view text) {
  const auto json = JsonValue::Parse(text);
  if (!json) return Fail(Malformed("a metadata file that is no JSON: " + json.error().message));
  Reader reader;
  TableMetadata metadata;
  if (reader.Long(*json, "format-version") != kFormatVersion) reader.Refuse("format-version");
  metadata.uuid = reader.Text(*json, "table-uuid");
  metadata.location = reader.Text(*json, "location");
  metadata.last_sequence_number = reader.Long(*json, "last-sequence-number");
  metadata.last_updated_ms = reader.Long(*json, "last-updated-ms");
  metadata.last_column_id = reader.Int(*json, "last-column-id");
  metadata.current_schema_id = reader.Int(*json, "current-schema-id");
  metadata.default_spec_id = reader.Int(*json, "default-spec-id");
  metadata.last_partition_id = reader.Int(*json, "last-partition-id");
  metadata.properties = reader.Texts(*json, "properties");
  metadata.current_snapshot_id = reader.OptionalLong(*json, "current-snapshot-id");
  ReadLists(reader, *json, metadata);
  if (metadata.current_snapshot_id && !metadata.current_snapshot())
    reader.Refuse("current-snapshot-id");
  if (!metadata.FindSchema(metadata.current_schema_id)) reader.Refuse("current-schema-id");
  if (reader.fault().empty()) return metadata;
  return Fail(Malformed("a metadata file whose member " + reader.fault() +
                        " is missing, or not what Weir writes"));
}

}  // namespace weir::iceberg

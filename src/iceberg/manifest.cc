// SPDX-License-Identifier: Apache-2.0
#include "iceberg/manifest.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "iceberg/avro.h"

namespace weir::iceberg {
namespace {

void BeginField(JsonWriter& json, std::string_view name, int id) {
  json.BeginObject().Key("name").String(name).Key("field-id").Int(id);
}

void Field(JsonWriter& json, std::string_view name, int id, std::string_view type) {
  BeginField(json, name, id);
  json.Key("type").String(type).EndObject();
}

void OptionalField(JsonWriter& json, std::string_view name, int id, std::string_view type_json) {
  BeginField(json, name, id);
  json.Key("type").BeginArray().String("null").Raw(type_json).EndArray();
  json.Key("default").Null().EndObject();
}

// Maps with keys that are no strings are arrays of pairs.
void OptionalMap(JsonWriter& json, std::string_view name, int id, int key_id,
                 std::string_view value_type) {
  std::string type;
  JsonWriter map(type);
  const std::string pair = "k" + std::to_string(key_id) + "_v" + std::to_string(key_id + 1);
  map.BeginObject().Key("type").String("array").Key("logicalType").String("map").Key("items");
  map.BeginObject().Key("type").String("record").Key("name").String(pair).Key("fields");
  map.BeginArray();
  Field(map, "key", key_id, "int");
  Field(map, "value", key_id + 1, value_type);
  map.EndArray().EndObject().EndObject();
  OptionalField(json, name, id, type);
}

std::string AvroType(const PrimitiveType& type) {
  const auto logical = [](std::string_view base, std::string_view name, std::string_view more) {
    return "{\"type\":\"" + std::string(base) + "\",\"logicalType\":\"" + std::string(name) + "\"" +
           std::string(more) + "}";
  };
  switch (type.kind) {
    case PrimitiveKind::kDate:
      return logical("int", "date", "");
    case PrimitiveKind::kTimestamp:
      return logical("long", "timestamp-micros", ",\"adjust-to-utc\":false");
    case PrimitiveKind::kTimestampTz:
      return logical("long", "timestamp-micros", ",\"adjust-to-utc\":true");
    case PrimitiveKind::kDecimal: {
      const std::string digits = std::to_string(type.precision);
      const std::string scale = std::to_string(type.scale);
      return logical("fixed", "decimal",
                     ",\"name\":\"decimal_" + digits + "_" + scale +
                         "\",\"size\":" + std::to_string(DecimalWidth(type.precision)) +
                         ",\"precision\":" + digits + ",\"scale\":" + scale);
    }
    case PrimitiveKind::kBinary:
      return "\"bytes\"";
    default:
      return "\"" + type.ToText() + "\"";
  }
}

// Avro's names have letters, digits and underscores alone; readers go by the id.
std::string AvroName(const PartitionField& field) { return "p" + std::to_string(field.field_id); }

std::string PartitionType(const PartitionSpec& spec) {
  std::string type;
  JsonWriter json(type);
  json.BeginObject().Key("type").String("record").Key("name").String("r102").Key("fields");
  json.BeginArray();
  for (const PartitionField& field : spec.fields)
    OptionalField(json, AvroName(field), field.field_id, AvroType(field.type));
  json.EndArray().EndObject();
  return type;
}

std::string DataFileType(const PartitionSpec& spec) {
  std::string type;
  JsonWriter json(type);
  json.BeginObject().Key("type").String("record").Key("name").String("r2").Key("fields");
  json.BeginArray();
  Field(json, "content", 134, "int");
  Field(json, "file_path", 100, "string");
  Field(json, "file_format", 101, "string");
  BeginField(json, "partition", 102);
  json.Key("type").Raw(PartitionType(spec)).EndObject();
  Field(json, "record_count", 103, "long");
  Field(json, "file_size_in_bytes", 104, "long");
  OptionalMap(json, "value_counts", 109, 119, "long");
  OptionalMap(json, "null_value_counts", 110, 121, "long");
  OptionalMap(json, "lower_bounds", 125, 126, "bytes");
  OptionalMap(json, "upper_bounds", 128, 129, "bytes");
  json.EndArray().EndObject();
  return type;
}

std::string EntrySchema(const PartitionSpec& spec) {
  std::string schema;
  JsonWriter json(schema);
  json.BeginObject().Key("type").String("record").Key("name").String("manifest_entry");
  json.Key("fields").BeginArray();
  Field(json, "status", 0, "int");
  OptionalField(json, "snapshot_id", 1, "\"long\"");
  OptionalField(json, "sequence_number", 3, "\"long\"");
  OptionalField(json, "file_sequence_number", 4, "\"long\"");
  BeginField(json, "data_file", 2);
  json.Key("type").Raw(DataFileType(spec)).EndObject();
  json.EndArray().EndObject();
  return schema;
}

constexpr int64_t kNullBranch = 0;
constexpr int64_t kValueBranch = 1;
constexpr int64_t kDataContent = 0;
constexpr std::string_view kParquet = "PARQUET";

// A single value in Avro's form of its type, and back.
void EncodeValue(AvroEncoder& out, const PrimitiveType& type, const std::string& value) {
  const auto little_endian = [&] {
    uint64_t bits = 0;
    for (size_t i = value.size(); i > 0; --i)
      bits = bits << 8 | static_cast<unsigned char>(value[i - 1]);
    return value.size() == sizeof(int32_t) ? static_cast<int64_t>(static_cast<int32_t>(bits))
                                           : static_cast<int64_t>(bits);
  };
  switch (type.kind) {
    case PrimitiveKind::kInt:
    case PrimitiveKind::kDate:
    case PrimitiveKind::kLong:
    case PrimitiveKind::kTimestamp:
    case PrimitiveKind::kTimestampTz:
      return out.Long(little_endian());
    case PrimitiveKind::kBoolean:
    case PrimitiveKind::kFloat:
    case PrimitiveKind::kDouble:
      return out.Fixed(value);
    case PrimitiveKind::kDecimal: {
      const auto width = static_cast<size_t>(DecimalWidth(type.precision));
      const bool is_negative = !value.empty() && static_cast<signed char>(value[0]) < 0;
      const size_t missing = width - std::min(width, value.size());
      return out.Fixed(std::string(missing, is_negative ? '\xFF' : '\0') + value);
    }
    case PrimitiveKind::kString:
    case PrimitiveKind::kBinary:
      return out.Bytes(value);
  }
}

std::string DecodeValue(AvroDecoder& in, const PrimitiveType& type) {
  switch (type.kind) {
    case PrimitiveKind::kInt:
    case PrimitiveKind::kDate:
      return IntBytes(static_cast<int32_t>(in.Long()));
    case PrimitiveKind::kLong:
    case PrimitiveKind::kTimestamp:
    case PrimitiveKind::kTimestampTz:
      return LongBytes(in.Long());
    case PrimitiveKind::kBoolean:
      return BooleanBytes(in.Boolean());
    case PrimitiveKind::kFloat:
      return std::string(in.Fixed(sizeof(float)));
    case PrimitiveKind::kDouble:
      return std::string(in.Fixed(sizeof(double)));
    case PrimitiveKind::kDecimal: {
      Int128 unscaled = 0;
      const std::string_view bytes = in.Fixed(DecimalWidth(type.precision));
      if (!bytes.empty() && static_cast<signed char>(bytes[0]) < 0) unscaled = -1;
      for (const char byte : bytes) unscaled = unscaled * 256 + static_cast<unsigned char>(byte);
      return DecimalBytes(unscaled);
    }
    case PrimitiveKind::kString:
    case PrimitiveKind::kBinary:
      return std::string(in.Bytes());
  }
  return {};
}

void EncodeMapValue(AvroEncoder& out, int64_t value) { out.Long(value); }
void EncodeMapValue(AvroEncoder& out, const std::string& value) { out.Bytes(value); }
void DecodeMapValue(AvroDecoder& in, int64_t& value) { value = in.Long(); }
void DecodeMapValue(AvroDecoder& in, std::string& value) { value = in.Bytes(); }

template <typename T>
void EncodeMap(AvroEncoder& out, const std::vector<std::pair<int, T>>& map) {
  out.Long(map.empty() ? kNullBranch : kValueBranch);
  if (map.empty()) return;
  out.Long(static_cast<int64_t>(map.size()));
  for (const auto& [key, value] : map) {
    out.Long(key);
    EncodeMapValue(out, value);
  }
  out.Long(0);
}

template <typename T>
void DecodeMap(AvroDecoder& in, std::vector<std::pair<int, T>>& map) {
  if (in.Long() == kNullBranch) return;
  for (int64_t count = in.Long(); count != 0 && in.ok(); count = in.Long()) {
    if (count < 0) in.Refuse();
    for (; count > 0 && in.ok(); --count) {
      auto& [key, value] = map.emplace_back();
      key = static_cast<int>(in.Long());
      DecodeMapValue(in, value);
    }
  }
}

void EncodeOptional(AvroEncoder& out, int64_t value) {
  out.Long(kValueBranch);
  out.Long(value);
}

int64_t DecodeOptional(AvroDecoder& in) {
  if (in.Long() == kValueBranch) return in.Long();
  in.Refuse();
  return 0;
}

void EncodeFile(AvroEncoder& out, const PartitionSpec& spec, const DataFile& file) {
  out.Long(kDataContent);
  out.Bytes(file.path);
  out.Bytes(kParquet);
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    out.Long(file.partition[i] ? kValueBranch : kNullBranch);
    if (file.partition[i]) EncodeValue(out, spec.fields[i].type, *file.partition[i]);
  }
  out.Long(file.record_count);
  out.Long(file.size);
  EncodeMap(out, file.value_counts);
  EncodeMap(out, file.null_value_counts);
  EncodeMap(out, file.lower_bounds);
  EncodeMap(out, file.upper_bounds);
}

DataFile DecodeFile(AvroDecoder& in, const PartitionSpec& spec) {
  DataFile file;
  if (in.Long() != kDataContent) in.Refuse();
  file.path = in.Bytes();
  if (in.Bytes() != kParquet) in.Refuse();
  for (const PartitionField& field : spec.fields) {
    if (in.Long() == kNullBranch) {
      file.partition.emplace_back();
    } else {
      file.partition.emplace_back(DecodeValue(in, field.type));
    }
  }
  file.record_count = in.Long();
  file.size = in.Long();
  DecodeMap(in, file.value_counts);
  DecodeMap(in, file.null_value_counts);
  DecodeMap(in, file.lower_bounds);
  DecodeMap(in, file.upper_bounds);
  return file;
}

}  // namespace

std::string PartitionSpec::FieldsJson() const {
  std::string text;
  JsonWriter json(text);
  json.BeginArray();
  for (const PartitionField& field : fields) {
    json.BeginObject().Key("source-id").Int(field.source_id).Key("field-id").Int(field.field_id);
    json.Key("name").String(field.name).Key("transform").String("identity").EndObject();
  }
  json.EndArray();
  return text;
}

std::string WriteManifest(const PartitionSpec& spec, int schema_id, std::string_view schema_json,
                          const std::vector<ManifestEntry>& entries) {
  AvroFileWriter file(EntrySchema(spec), {{"schema", std::string(schema_json)},
                                          {"schema-id", std::to_string(schema_id)},
                                          {"partition-spec", spec.FieldsJson()},
                                          {"partition-spec-id", std::to_string(spec.id)},
                                          {"format-version", "2"},
                                          {"content", "data"}});
  for (const ManifestEntry& entry : entries) {
    file.Add([&](AvroEncoder& out) {
      out.Long(static_cast<int64_t>(entry.status));
      EncodeOptional(out, entry.snapshot_id);
      EncodeOptional(out, entry.sequence_number);
      EncodeOptional(out, entry.file_sequence_number);
      EncodeFile(out, spec, entry.file);
    });
  }
  return file.Finish();
}

Result<std::vector<ManifestEntry>> ReadManifest(std::string_view bytes, const PartitionSpec& spec) {
  WEIR_ASSIGN_OR_RETURN(const AvroFile file, ReadAvroFile(bytes));
  if (file.schema() != EntrySchema(spec))
    return Fail(Malformed("a manifest that another writer has made"));
  AvroDecoder in(file.records);
  std::vector<ManifestEntry> entries;
  while (in.ok() && !in.at_end()) {
    ManifestEntry entry;
    const int64_t status = in.Long();
    if (status < 0 || status > static_cast<int64_t>(EntryStatus::kDeleted)) in.Refuse();
    entry.status = static_cast<EntryStatus>(status);
    entry.snapshot_id = DecodeOptional(in);
    entry.sequence_number = DecodeOptional(in);
    entry.file_sequence_number = DecodeOptional(in);
    entry.file = DecodeFile(in, spec);
    entries.push_back(std::move(entry));
  }
  if (!in.ok() || static_cast<int64_t>(entries.size()) != file.count)
    return Fail(Malformed("a manifest that is cut off or garbled"));
  return entries;
}

}  // namespace weir::iceberg

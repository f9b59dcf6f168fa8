// SPDX-License-Identifier: Apache-2.0
#include "iceberg/manifest_list.h"

#include <algorithm>

#include "iceberg/avro.h"

namespace weir::iceberg {
namespace {

constexpr std::string_view kSchema =
    R"({"type":"record","name":"manifest_file","fields":[)"
    R"({"name":"manifest_path","field-id":500,"type":"string"},)"
    R"({"name":"manifest_length","field-id":501,"type":"long"},)"
    R"({"name":"partition_spec_id","field-id":502,"type":"int"},)"
    R"({"name":"content","field-id":517,"type":"int"},)"
    R"({"name":"sequence_number","field-id":515,"type":"long"},)"
    R"({"name":"min_sequence_number","field-id":516,"type":"long"},)"
    R"({"name":"added_snapshot_id","field-id":503,"type":"long"},)"
    R"({"name":"added_files_count","field-id":504,"type":"int"},)"
    R"({"name":"existing_files_count","field-id":505,"type":"int"},)"
    R"({"name":"deleted_files_count","field-id":506,"type":"int"},)"
    R"({"name":"added_rows_count","field-id":512,"type":"long"},)"
    R"({"name":"existing_rows_count","field-id":513,"type":"long"},)"
    R"({"name":"deleted_rows_count","field-id":514,"type":"long"},)"
    R"({"name":"partitions","field-id":507,"default":null,"type":["null",{"type":"array",)"
    R"("element-id":508,"items":{"type":"record","name":"r508","fields":[)"
    R"({"name":"contains_null","field-id":509,"type":"boolean"},)"
    R"({"name":"contains_nan","field-id":518,"default":null,"type":["null","boolean"]},)"
    R"({"name":"lower_bound","field-id":510,"default":null,"type":["null","bytes"]},)"
    R"({"name":"upper_bound","field-id":511,"default":null,"type":["null","bytes"]}]}}]}]})";

constexpr int64_t kNullBranch = 0;
constexpr int64_t kValueBranch = 1;
constexpr int64_t kDataContent = 0;

void Widen(const PrimitiveType& type, const std::optional<std::string>& value,
           FieldSummary& summary) {
  if (!value) {
    summary.contains_null = true;
  } else if (IsNan(type, *value)) {
    summary.contains_nan = true;
  } else {
    if (!summary.lower_bound || CompareValues(type, *value, *summary.lower_bound) < 0)
      summary.lower_bound = value;
    if (!summary.upper_bound || CompareValues(type, *value, *summary.upper_bound) > 0)
      summary.upper_bound = value;
  }
}

void EncodeOptional(AvroEncoder& out, const std::optional<std::string>& value) {
  out.Long(value ? kValueBranch : kNullBranch);
  if (value) out.Bytes(*value);
}

std::optional<std::string> DecodeOptional(AvroDecoder& in) {
  if (in.Long() == kNullBranch) return std::nullopt;
  return std::string(in.Bytes());
}

void EncodeSummaries(AvroEncoder& out, const std::vector<FieldSummary>& summaries) {
  out.Long(kValueBranch);
  if (!summaries.empty()) out.Long(static_cast<int64_t>(summaries.size()));
  for (const FieldSummary& summary : summaries) {
    out.Boolean(summary.contains_null);
    out.Long(kValueBranch);
    out.Boolean(summary.contains_nan);
    EncodeOptional(out, summary.lower_bound);
    EncodeOptional(out, summary.upper_bound);
  }
  out.Long(0);
}

std::vector<FieldSummary> DecodeSummaries(AvroDecoder& in) {
  std::vector<FieldSummary> summaries;
  if (in.Long() == kNullBranch) return summaries;
  for (int64_t count = in.Long(); count != 0 && in.ok(); count = in.Long()) {
    if (count < 0) in.Refuse();
    for (; count > 0 && in.ok(); --count) {
      FieldSummary& summary = summaries.emplace_back();
      summary.contains_null = in.Boolean();
      summary.contains_nan = in.Long() == kValueBranch && in.Boolean();
      summary.lower_bound = DecodeOptional(in);
      summary.upper_bound = DecodeOptional(in);
    }
  }
  return summaries;
}

void Encode(AvroEncoder& out, const ManifestFile& manifest) {
  out.Bytes(manifest.path);
  out.Long(manifest.length);
  out.Long(manifest.spec_id);
  out.Long(kDataContent);
  for (const int64_t number :
       {manifest.sequence_number, manifest.min_sequence_number, manifest.added_snapshot_id,
        manifest.added_files, manifest.existing_files, manifest.deleted_files, manifest.added_rows,
        manifest.existing_rows, manifest.deleted_rows})
    out.Long(number);
  EncodeSummaries(out, manifest.partitions);
}

ManifestFile Decode(AvroDecoder& in) {
  ManifestFile manifest;
  manifest.path = in.Bytes();
  manifest.length = in.Long();
  manifest.spec_id = static_cast<int>(in.Long());
  if (in.Long() != kDataContent) in.Refuse();
  for (int64_t* number :
       {&manifest.sequence_number, &manifest.min_sequence_number, &manifest.added_snapshot_id,
        &manifest.added_files, &manifest.existing_files, &manifest.deleted_files,
        &manifest.added_rows, &manifest.existing_rows, &manifest.deleted_rows})
    *number = in.Long();
  manifest.partitions = DecodeSummaries(in);
  return manifest;
}

}  // namespace

ManifestFile Summarize(const PartitionSpec& spec, const std::vector<ManifestEntry>& entries) {
  ManifestFile manifest;
  manifest.spec_id = spec.id;
  manifest.partitions.resize(spec.fields.size());
  std::optional<int64_t> least;
  for (const ManifestEntry& entry : entries) {
    const int64_t rows = entry.file.record_count;
    switch (entry.status) {
      case EntryStatus::kAdded:
        ++manifest.added_files;
        manifest.added_rows += rows;
        break;
      case EntryStatus::kExisting:
        ++manifest.existing_files;
        manifest.existing_rows += rows;
        break;
      case EntryStatus::kDeleted:
        ++manifest.deleted_files;
        manifest.deleted_rows += rows;
        break;
    }
    if (entry.status != EntryStatus::kDeleted)
      least = std::min(least.value_or(entry.sequence_number), entry.sequence_number);
    for (size_t i = 0; i < spec.fields.size(); ++i)
      Widen(spec.fields[i].type, entry.file.partition[i], manifest.partitions[i]);
  }
  manifest.min_sequence_number =
      least.value_or(entries.empty() ? 0 : entries.front().sequence_number);
  return manifest;
}

std::string WriteManifestList(const ManifestListHead& head,
                              const std::vector<ManifestFile>& manifests) {
  AvroFileWriter file(
      kSchema, {{"snapshot-id", std::to_string(head.snapshot_id)},
                {"parent-snapshot-id",
                 head.parent_snapshot_id ? std::to_string(*head.parent_snapshot_id) : "null"},
                {"sequence-number", std::to_string(head.sequence_number)},
                {"format-version", "2"}});
  for (const ManifestFile& manifest : manifests)
    file.Add([&](AvroEncoder& out) { Encode(out, manifest); });
  return file.Finish();
}

Result<std::vector<ManifestFile>> ReadManifestList(std::string_view bytes) {
  WEIR_ASSIGN_OR_RETURN(const AvroFile file, ReadAvroFile(bytes));
  if (file.schema() != kSchema)
    return Fail(Malformed("a manifest list that another writer has made"));
  AvroDecoder in(file.records);
  std::vector<ManifestFile> manifests;
  while (in.ok() && !in.at_end()) manifests.push_back(Decode(in));
  if (!in.ok() || static_cast<int64_t>(manifests.size()) != file.count)
    return Fail(Malformed("a manifest list that is cut off or garbled"));
  return manifests;
}

}  // namespace weir::iceberg

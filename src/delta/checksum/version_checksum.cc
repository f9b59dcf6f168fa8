// SPDX-License-Identifier: Apache-2.0
#include "delta/checksum/version_checksum.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "delta/checksum/histograms.h"
#include "delta/snapshot/commit_timestamps.h"
#include "delta/snapshot/log_files.h"

namespace weir::delta {
namespace {

Error Malformed(std::string_view what) {
  return CorruptLog("DELTA_CHECKSUM_MALFORMED", fmt::format("found no version checksum: {}", what));
}

Result<int64_t> Required(const JsonValue& document, std::string_view key) {
  const JsonValue* member = document.Find(key);
  auto number = member ? member->AsInt64() : std::nullopt;
  if (number) return *number;
  return Fail(Malformed(fmt::format("expected an integer in its member {}", key)));
}

std::optional<int64_t> Optional(const JsonValue& document, std::string_view key) {
  const JsonValue* member = document.Find(key);
  return member ? member->AsInt64() : std::nullopt;
}

// A member that is an action's body, by the parser of actions.
template <typename T>
Result<T> ActionMember(const JsonValue& document, std::string_view action, std::string_view key) {
  const JsonValue* member = document.Find(key);
  if (member == nullptr) return Fail(Malformed(fmt::format("expected a member {}", key)));
  std::string line;
  JsonWriter(line).BeginObject().Key(action).Value(*member).EndObject();
  auto actions = ParseActions("the version checksum", line);
  if (!actions) return Fail(Malformed(actions.error().message));
  if (actions->size() == 1 && std::holds_alternative<T>(actions->front())) {
    return std::get<T>(std::move(actions->front()));
  }
  return Fail(Malformed(fmt::format("its member {} is no {} action", key, action)));
}

// The body of an action as JSON: its line without the outer object.
std::string Body(const Action& action) {
  std::string line = SerializeAction(action);
  size_t start = line.find(':') + 1;
  return line.substr(start, line.size() - start - 1);
}

void Compare(std::vector<std::string>& out, std::string_view what, int64_t noted, int64_t found) {
  if (noted == found) return;
  out.push_back(fmt::format("the version checksum says {} {}, the log's actions give {}", what,
                            noted, found));
}

void WriteNumbers(JsonWriter& writer, std::string_view key, const std::vector<int64_t>& numbers) {
  writer.Key(key).BeginArray();
  for (int64_t number : numbers) writer.Int(number);
  writer.EndArray();
}

bool HasDeletionVectors(const Protocol& protocol) {
  const auto& features = protocol.writer_features;
  return features &&
         std::find(features->begin(), features->end(), "deletionVectors") != features->end();
}

}  // namespace

Result<VersionChecksum> ParseVersionChecksum(std::string_view text) {
  auto document = JsonValue::Parse(text);
  if (!document) return Fail(Malformed(document.error().message));
  if (!document->is_object()) return Fail(Malformed("expected a JSON object"));
  VersionChecksum checksum;
  WEIR_ASSIGN_OR_RETURN(checksum.table_size_bytes, Required(*document, "tableSizeBytes"));
  WEIR_ASSIGN_OR_RETURN(checksum.num_files, Required(*document, "numFiles"));
  checksum.in_commit_timestamp = Optional(*document, "inCommitTimestampOpt");
  checksum.num_deleted_records = Optional(*document, "numDeletedRecordsOpt");
  checksum.num_deletion_vectors = Optional(*document, "numDeletionVectorsOpt");
  WEIR_ASSIGN_OR_RETURN(checksum.protocol,
                        ActionMember<Protocol>(*document, "protocol", "protocol"));
  WEIR_ASSIGN_OR_RETURN(checksum.metadata,
                        ActionMember<Metadata>(*document, "metaData", "metadata"));
  return checksum;
}

std::vector<std::string> CompareWithChecksum(const VersionChecksum& checksum,
                                             const Snapshot& snapshot) {
  std::vector<std::string> differences;
  const FileList& files = snapshot.files();
  Compare(differences, "numFiles", checksum.num_files, static_cast<int64_t>(files.size()));
  Compare(differences, "tableSizeBytes", checksum.table_size_bytes, files.total_size());
  if (checksum.num_deleted_records || checksum.num_deletion_vectors) {
    DeletedRecords deleted = CountDeletedRecords(files);
    Compare(differences, "numDeletedRecordsOpt",
            checksum.num_deleted_records.value_or(deleted.records), deleted.records);
    Compare(differences, "numDeletionVectorsOpt",
            checksum.num_deletion_vectors.value_or(deleted.vectors), deleted.vectors);
  }
  if (checksum.metadata.id != snapshot.metadata().id) {
    differences.push_back(fmt::format("the version checksum is of table {}, the log's is {}",
                                      checksum.metadata.id, snapshot.metadata().id));
  } else if (checksum.metadata.schema_string != snapshot.metadata().schema_string) {
    differences.push_back("the version checksum has another schema than the log's actions give");
  }
  if (checksum.protocol.min_reader_version != snapshot.protocol().min_reader_version ||
      checksum.protocol.min_writer_version != snapshot.protocol().min_writer_version) {
    differences.push_back("the version checksum has another protocol than the log's actions give");
  }
  return differences;
}

std::string SerializeVersionChecksum(const Snapshot& snapshot,
                                     const std::optional<std::string>& txn_id) {
  const FileList& files = snapshot.files();
  std::string text;
  JsonWriter writer(text);
  writer.BeginObject();
  if (txn_id) writer.Key("txnId").String(*txn_id);
  writer.Key("tableSizeBytes").Int(files.total_size());
  writer.Key("numFiles").Int(static_cast<int64_t>(files.size()));
  DeletedRecords deleted = CountDeletedRecords(files);
  bool vectors = HasDeletionVectors(snapshot.protocol());
  if (vectors) {
    writer.Key("numDeletedRecordsOpt").Int(deleted.records);
    writer.Key("numDeletionVectorsOpt").Int(deleted.vectors);
  }
  writer.Key("numMetadata").Int(1).Key("numProtocol").Int(1);
  if (HasInCommitTimestamps(snapshot.metadata())) {
    writer.Key("inCommitTimestampOpt").Int(snapshot.timestamp_ms());
  }
  writer.Key("setTransactions").BeginArray();
  for (const auto& [app_id, transaction] : snapshot.transactions()) writer.Raw(Body(transaction));
  writer.EndArray().Key("domainMetadata").BeginArray();
  for (const auto& [name, domain] : snapshot.domains()) writer.Raw(Body(domain));
  writer.EndArray();
  writer.Key("metadata").Raw(Body(snapshot.metadata()));
  writer.Key("protocol").Raw(Body(snapshot.protocol()));
  FileSizeHistogram sizes = CountFileSizes(files);
  writer.Key("fileSizeHistogram").BeginObject();
  WriteNumbers(writer, "sortedBinBoundaries", sizes.bin_starts);
  WriteNumbers(writer, "fileCounts", sizes.file_counts);
  WriteNumbers(writer, "totalBytes", sizes.total_bytes);
  writer.EndObject();
  if (vectors) {
    writer.Key("deletedRecordCountsHistogramOpt").BeginObject();
    WriteNumbers(writer, "deletedRecordCounts", deleted.file_counts);
    writer.EndObject();
  }
  writer.EndObject();
  return text;
}

Status WriteChecksum(const Snapshot& snapshot, const std::optional<std::string>& txn_id) {
  std::string path =
      storage::JoinPath(snapshot.log().log_dir(), ChecksumFileName(snapshot.version()));
  auto written =
      snapshot.log().store->PutIfAbsent(path, SerializeVersionChecksum(snapshot, txn_id));
  if (!written && written.error().kind != ErrorKind::kAlreadyExists) return written;
  return {};
}

}  // namespace weir::delta

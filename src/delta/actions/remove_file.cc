// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/codecs.h"

namespace weir::delta {
namespace {

// These two are written only where they say something: Spark writes neither for a remove without
// extended file metadata.
void WriteExtended(JsonWriter& writer, std::string_view key, const RemoveFile& remove) {
  if (remove.extended_file_metadata) writer.Key(key).Bool(true);
}

void WritePartitionValues(JsonWriter& writer, std::string_view key, const RemoveFile& remove) {
  if (remove.extended_file_metadata || !remove.partition_values.empty()) {
    WriteMember(writer, key, remove.partition_values);
  }
}

constexpr auto WithWriter(MemberEntry<RemoveFile> entry, decltype(entry.write) write) {
  entry.write = write;
  return entry;
}

constexpr MemberEntry<RemoveFile> kMembers[] = {
    Member<&RemoveFile::path>("path", Presence::kRequired),
    Member<&RemoveFile::deletion_timestamp>("deletionTimestamp", Presence::kOptional),
    Member<&RemoveFile::data_change>("dataChange", Presence::kRequired),
    WithWriter(
        Member<&RemoveFile::extended_file_metadata>("extendedFileMetadata", Presence::kOptional),
        WriteExtended),
    WithWriter(Member<&RemoveFile::partition_values>("partitionValues", Presence::kOptional),
               WritePartitionValues),
    Member<&RemoveFile::size>("size", Presence::kOptional),
    Member<&RemoveFile::tags>("tags", Presence::kOptional),
    Member<&RemoveFile::deletion_vector>("deletionVector", Presence::kOptional),
    Member<&RemoveFile::base_row_id>("baseRowId", Presence::kOptional),
    Member<&RemoveFile::default_row_commit_version>("defaultRowCommitVersion", Presence::kOptional),
    Member<&RemoveFile::stats>("stats", Presence::kOptional),
};

}  // namespace

bool ReadAction(JsonInput input, RemoveFile& action, ReadContext& context) {
  return ReadMembers<RemoveFile>(input, kMembers, action, context);
}

void WriteAction(JsonWriter& writer, const RemoveFile& action) {
  WriteMembers<RemoveFile>(writer, kMembers, action);
}

}  // namespace weir::delta

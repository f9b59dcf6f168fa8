// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/codecs.h"

namespace weir::delta {
namespace {

constexpr MemberEntry<AddFile> kMembers[] = {
    Member<&AddFile::path>("path", Presence::kRequired),
    Member<&AddFile::partition_values>("partitionValues", Presence::kRequired),
    Member<&AddFile::size>("size", Presence::kRequired),
    Member<&AddFile::modification_time>("modificationTime", Presence::kRequired),
    Member<&AddFile::data_change>("dataChange", Presence::kRequired),
    Member<&AddFile::stats>("stats", Presence::kOptional),
    Member<&AddFile::tags>("tags", Presence::kOptional),
    Member<&AddFile::deletion_vector>("deletionVector", Presence::kOptional),
    Member<&AddFile::base_row_id>("baseRowId", Presence::kOptional),
    Member<&AddFile::default_row_commit_version>("defaultRowCommitVersion", Presence::kOptional),
    Member<&AddFile::clustering_provider>("clusteringProvider", Presence::kOptional),
};

}  // namespace

bool ReadAction(JsonInput input, AddFile& action, ReadContext& context) {
  return ReadMembers<AddFile>(input, kMembers, action, context);
}

void WriteAction(JsonWriter& writer, const AddFile& action) {
  WriteMembers<AddFile>(writer, kMembers, action);
}

}  // namespace weir::delta

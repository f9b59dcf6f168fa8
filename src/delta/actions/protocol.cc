// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/codecs.h"

namespace weir::delta {
namespace {

constexpr MemberEntry<Protocol> kMembers[] = {
    Member<&Protocol::min_reader_version>("minReaderVersion", Presence::kRequired),
    Member<&Protocol::min_writer_version>("minWriterVersion", Presence::kRequired),
    Member<&Protocol::reader_features>("readerFeatures", Presence::kOptional),
    Member<&Protocol::writer_features>("writerFeatures", Presence::kOptional),
};

}  // namespace

bool ReadAction(JsonInput input, Protocol& action, ReadContext& context) {
  return ReadMembers<Protocol>(input, kMembers, action, context);
}

void WriteAction(JsonWriter& writer, const Protocol& action) {
  WriteMembers<Protocol>(writer, kMembers, action);
}

}  // namespace weir::delta

// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/codecs.h"

namespace weir::delta {
namespace {

constexpr MemberEntry<Sidecar> kMembers[] = {
    Member<&Sidecar::path>("path", Presence::kRequired),
    Member<&Sidecar::size_in_bytes>("sizeInBytes", Presence::kRequired),
    Member<&Sidecar::modification_time>("modificationTime", Presence::kRequired),
    Member<&Sidecar::tags>("tags", Presence::kOptional),
};

}  // namespace

bool ReadAction(JsonInput input, Sidecar& action, ReadContext& context) {
  return ReadMembers<Sidecar>(input, kMembers, action, context);
}

void WriteAction(JsonWriter& writer, const Sidecar& action) {
  WriteMembers<Sidecar>(writer, kMembers, action);
}

}  // namespace weir::delta

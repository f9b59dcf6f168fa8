// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/codecs.h"

namespace weir::delta {
namespace {

constexpr MemberEntry<CheckpointMetadata> kMembers[] = {
    Member<&CheckpointMetadata::version>("version", Presence::kRequired),
    Member<&CheckpointMetadata::tags>("tags", Presence::kOptional),
};

}  // namespace

bool ReadAction(JsonInput input, CheckpointMetadata& action, ReadContext& context) {
  return ReadMembers<CheckpointMetadata>(input, kMembers, action, context);
}

void WriteAction(JsonWriter& writer, const CheckpointMetadata& action) {
  WriteMembers<CheckpointMetadata>(writer, kMembers, action);
}

}  // namespace weir::delta

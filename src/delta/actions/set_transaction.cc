// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/codecs.h"

namespace weir::delta {
namespace {

constexpr MemberEntry<SetTransaction> kMembers[] = {
    Member<&SetTransaction::app_id>("appId", Presence::kRequired),
    Member<&SetTransaction::version>("version", Presence::kRequired),
    Member<&SetTransaction::last_updated>("lastUpdated", Presence::kOptional),
};

}  // namespace

bool ReadAction(JsonInput input, SetTransaction& action, ReadContext& context) {
  return ReadMembers<SetTransaction>(input, kMembers, action, context);
}

void WriteAction(JsonWriter& writer, const SetTransaction& action) {
  WriteMembers<SetTransaction>(writer, kMembers, action);
}

}  // namespace weir::delta

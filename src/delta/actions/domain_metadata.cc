// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/codecs.h"

namespace weir::delta {
namespace {

constexpr MemberEntry<DomainMetadata> kMembers[] = {
    Member<&DomainMetadata::domain>("domain", Presence::kRequired),
    Member<&DomainMetadata::configuration>("configuration", Presence::kRequired),
    Member<&DomainMetadata::removed>("removed", Presence::kRequired),
};

}  // namespace

bool ReadAction(JsonInput input, DomainMetadata& action, ReadContext& context) {
  return ReadMembers<DomainMetadata>(input, kMembers, action, context);
}

void WriteAction(JsonWriter& writer, const DomainMetadata& action) {
  WriteMembers<DomainMetadata>(writer, kMembers, action);
}

}  // namespace weir::delta

// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/codecs.h"

namespace weir::delta {
namespace {

/// dataChange is false by definition, whatever a writer says.
constexpr MemberEntry<AddCdcFile> DataChange() {
  return {"dataChange", Presence::kOptional, "a boolean",
          [](JsonInput input, AddCdcFile&, ReadContext& context) {
            bool ignored = false;
            return ReadValue(input, ignored, context);
          },
          [](JsonWriter& writer, std::string_view key, const AddCdcFile&) {
            writer.Key(key).Bool(false);
          }};
}

constexpr MemberEntry<AddCdcFile> kMembers[] = {
    Member<&AddCdcFile::path>("path", Presence::kRequired),
    Member<&AddCdcFile::partition_values>("partitionValues", Presence::kRequired),
    Member<&AddCdcFile::size>("size", Presence::kRequired),
    Member<&AddCdcFile::tags>("tags", Presence::kOptional),
    DataChange(),
};

}  // namespace

bool ReadAction(JsonInput input, AddCdcFile& action, ReadContext& context) {
  return ReadMembers<AddCdcFile>(input, kMembers, action, context);
}

void WriteAction(JsonWriter& writer, const AddCdcFile& action) {
  WriteMembers<AddCdcFile>(writer, kMembers, action);
}

}  // namespace weir::delta

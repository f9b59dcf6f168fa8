// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/member_table.h"

namespace weir::delta {
namespace {

/// One character in the log's string.
constexpr MemberEntry<DeletionVectorDescriptor> StorageType() {
  return {"storageType", Presence::kRequired, "one of \"u\", \"i\" and \"p\"",
          [](JsonInput input, DeletionVectorDescriptor& vector, ReadContext& context) {
            std::string text;
            if (!ReadValue(input, text, context)) return false;
            if (text != "u" && text != "i" && text != "p") return false;
            vector.storage_type = text.front();
            return true;
          },
          [](JsonWriter& writer, std::string_view key, const DeletionVectorDescriptor& vector) {
            writer.Key(key).String(std::string_view(&vector.storage_type, 1));
          }};
}

constexpr MemberEntry<DeletionVectorDescriptor> kMembers[] = {
    StorageType(),
    Member<&DeletionVectorDescriptor::path_or_inline_dv>("pathOrInlineDv", Presence::kRequired),
    Member<&DeletionVectorDescriptor::offset>("offset", Presence::kOptional),
    Member<&DeletionVectorDescriptor::size_in_bytes>("sizeInBytes", Presence::kRequired),
    Member<&DeletionVectorDescriptor::cardinality>("cardinality", Presence::kRequired),
};

}  // namespace

bool ReadValue(JsonInput input, DeletionVectorDescriptor& value, ReadContext& context) {
  const char* at = input.raw_json_token().data();
  if (!ReadMembers<DeletionVectorDescriptor>(input, kMembers, value, context)) {
    return context.Fail("deletionVector: " + context.failure);
  }
  bool is_valid =
      value.size_in_bytes >= 0 && value.cardinality >= 0 && value.offset.value_or(0) >= 0;
  return is_valid ||
         context.FailAt(at, "deletionVector: a size, cardinality or offset is negative");
}

void WriteValue(JsonWriter& writer, const DeletionVectorDescriptor& value) {
  WriteMembers<DeletionVectorDescriptor>(writer, kMembers, value);
}

std::string DeletionVectorDescriptor::UniqueId() const {
  std::string id(1, storage_type);
  id += path_or_inline_dv;
  if (offset.has_value()) id += "@" + std::to_string(*offset);
  return id;
}

}  // namespace weir::delta

// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/codecs.h"

namespace weir::delta {
namespace {

constexpr MemberEntry<Metadata> kFormatMembers[] = {
    Member<&Metadata::format_provider>("provider", Presence::kRequired),
    Member<&Metadata::format_options>("options", Presence::kOptional),
};

/// "format" is an object of its own in the log.
constexpr MemberEntry<Metadata> Format() {
  return {"format", Presence::kRequired, "an object",
          [](JsonInput input, Metadata& metadata, ReadContext& context) {
            return ReadMembers<Metadata>(input, kFormatMembers, metadata, context);
          },
          [](JsonWriter& writer, std::string_view key, const Metadata& metadata) {
            WriteMembers<Metadata>(writer.Key(key), kFormatMembers, metadata);
          }};
}

constexpr MemberEntry<Metadata> kMembers[] = {
    Member<&Metadata::id>("id", Presence::kRequired),
    Member<&Metadata::name>("name", Presence::kOptional),
    Member<&Metadata::description>("description", Presence::kOptional),
    Format(),
    Member<&Metadata::schema_string>("schemaString", Presence::kRequired),
    Member<&Metadata::partition_columns>("partitionColumns", Presence::kRequired),
    Member<&Metadata::configuration>("configuration", Presence::kRequired),
    Member<&Metadata::created_time>("createdTime", Presence::kOptional),
};

}  // namespace

bool ReadAction(JsonInput input, Metadata& action, ReadContext& context) {
  return ReadMembers<Metadata>(input, kMembers, action, context);
}

void WriteAction(JsonWriter& writer, const Metadata& action) {
  WriteMembers<Metadata>(writer, kMembers, action);
}

}  // namespace weir::delta

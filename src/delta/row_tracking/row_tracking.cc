// SPDX-License-Identifier: Apache-2.0
#include "delta/row_tracking/row_tracking.h"

#include <algorithm>
#include <limits>

#include "base/json.h"
#include "base/uuid.h"
#include "delta/commit/pending_commit.h"
#include "delta/features/features.h"
#include "delta/statistics/file_statistics.h"

namespace weir::delta {
namespace {

constexpr const char* kMarkMember = "rowIdHighWaterMark";

}  // namespace

bool IsRowTrackingSupported(const Protocol& protocol, const Metadata& metadata) {
  return IsSupported(protocol, Feature::kRowTracking) &&
         !IsPropertyTrue(metadata, "delta.rowTrackingSuspended");
}

bool IsRowTrackingEnabled(const Protocol& protocol, const Metadata& metadata) {
  return IsRowTrackingSupported(protocol, metadata) &&
         IsPropertyTrue(metadata, "delta.enableRowTracking");
}

std::optional<MaterializedColumns> MaterializedColumnsOf(const Metadata& metadata) {
  auto row_id = metadata.configuration.find(kMaterializedRowIdProperty);
  auto version = metadata.configuration.find(kMaterializedRowCommitVersionProperty);
  if (row_id == metadata.configuration.end() || version == metadata.configuration.end()) {
    return std::nullopt;
  }
  return MaterializedColumns{row_id->second, version->second};
}

void EnsureMaterializedColumns(Metadata& metadata) {
  metadata.configuration.try_emplace(kMaterializedRowIdProperty,
                                     "_row-id-col-" + Uuid::Random().ToString());
  metadata.configuration.try_emplace(kMaterializedRowCommitVersionProperty,
                                     "_row-commit-version-col-" + Uuid::Random().ToString());
}

std::optional<int64_t> StableRowId(std::optional<int64_t> materialized,
                                   std::optional<int64_t> base_row_id, int64_t position) {
  if (materialized || !base_row_id) return materialized;
  return *base_row_id + position;
}

std::optional<int64_t> StableRowCommitVersion(std::optional<int64_t> materialized,
                                              std::optional<int64_t> default_version) {
  return materialized ? materialized : default_version;
}

Result<int64_t> ReadHighWaterMark(std::string_view domain_configuration) {
  auto parsed = JsonValue::Parse(domain_configuration);
  const JsonValue* member = parsed ? parsed->Find(kMarkMember) : nullptr;
  auto mark = member ? member->AsInt64() : std::nullopt;
  if (!mark || *mark < -1) {
    return Fail(CorruptLog("DELTA_ROW_TRACKING_DOMAIN_MALFORMED",
                           "the domain delta.rowTracking holds '" +
                               std::string(domain_configuration) + "', expected an object with " +
                               kMarkMember));
  }
  return *mark;
}

DomainMetadata MakeHighWaterMark(int64_t mark) {
  JsonValue configuration = JsonValue::Object();
  configuration.Set(kMarkMember, JsonValue::Int(mark));
  DomainMetadata domain;
  domain.domain = kRowTrackingDomain;
  domain.configuration = configuration.ToString();
  return domain;
}

Status AssignRowIds(std::vector<Action>& actions, int64_t version, int64_t& mark) {
  for (auto& action : actions) {
    auto* add = std::get_if<AddFile>(&action);
    if (!add) continue;
    if (!add->default_row_commit_version) add->default_row_commit_version = version;
    auto rows = add->stats ? ReadNumRecords(*add->stats) : std::nullopt;
    if (!rows && !add->base_row_id) {
      return Fail(InvalidArgument("DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS",
                                  "cannot give row ids to the file '" + add->path +
                                      "', because its statistics do not say how many rows it has"));
    }
    int64_t base = add->base_row_id.value_or(mark + 1);
    if (rows && *rows > std::numeric_limits<int64_t>::max() - 1 - base) {
      return Fail(InvalidArgument("DELTA_ROW_ID_OVERFLOW", "the table has run out of row ids"));
    }
    add->base_row_id = base;
    mark = std::max(mark, base + rows.value_or(0) - 1);
  }
  return {};
}

}  // namespace weir::delta

// SPDX-License-Identifier: Apache-2.0
#include "delta/check/member_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace weir::delta {
namespace {

struct ObjectNames {
  std::string_view object;
  std::array<std::string_view, 15> members;  // the rest of them empty
};

// What the protocol's objects are made of; those of one that stands in another are found by the
// member's name. Statistics are JSON in a text.
constexpr ObjectNames kObjects[] = {
    {"",
     {"add", "remove", "cdc", "metaData", "protocol", "commitInfo", "txn", "domainMetadata",
      "checkpointMetadata", "sidecar"}},
    {"add",
     {"path", "partitionValues", "size", "modificationTime", "dataChange", "stats", "tags",
      "deletionVector", "baseRowId", "defaultRowCommitVersion", "clusteringProvider"}},
    {"remove",
     {"path", "deletionTimestamp", "dataChange", "extendedFileMetadata", "partitionValues", "size",
      "tags", "stats", "deletionVector", "baseRowId", "defaultRowCommitVersion"}},
    {"cdc", {"path", "partitionValues", "size", "dataChange", "tags"}},
    {"metaData",
     {"id", "name", "description", "format", "schemaString", "partitionColumns", "configuration",
      "createdTime"}},
    {"protocol", {"minReaderVersion", "minWriterVersion", "readerFeatures", "writerFeatures"}},
    {"commitInfo", {"inCommitTimestamp", "timestamp", "operation", "txnId"}},
    {"txn", {"appId", "version", "lastUpdated"}},
    {"domainMetadata", {"domain", "configuration", "removed"}},
    {"sidecar", {"path", "sizeInBytes", "modificationTime", "tags"}},
    {"deletionVector", {"storageType", "pathOrInlineDv", "offset", "sizeInBytes", "cardinality"}},
    {"stats", {"numRecords", "minValues", "maxValues", "nullCount", "tightBounds"}},
    {"fileSizeHistogram", {"sortedBinBoundaries", "fileCounts", "totalBytes"}},
};

constexpr ObjectNames kChecksum{
    "crc",
    {"txnId", "tableSizeBytes", "numFiles", "numMetadata", "numProtocol", "numDeletedRecordsOpt",
     "numDeletionVectorsOpt", "inCommitTimestampOpt", "setTransactions", "domainMetadata",
     "metadata", "protocol", "fileSizeHistogram", "allFiles", "deletedRecordCountsHistogramOpt"}};

const ObjectNames* FindObject(std::string_view name) {
  if (name == "metadata") name = "metaData";
  for (const ObjectNames& names : kObjects) {
    if (names.object == name) return &names;
  }
  return nullptr;
}

bool DifferByOne(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || a == b) return false;
  return std::mismatch(a.begin(), a.end(), b.begin()).first ==
         std::mismatch(a.rbegin(), a.rend(), b.rbegin()).first.base() - 1;
}

void Look(const JsonValue& object, const ObjectNames& names, std::vector<std::string>& found) {
  for (const auto& [name, value] : object.members()) {
    for (const std::string_view expected : names.members) {
      if (DifferByOne(name, expected) && object.Find(expected) == nullptr)
        found.push_back(fmt::format("there is a member {} where {} was meant", name, expected));
    }
    const ObjectNames* inner = name.empty() ? nullptr : FindObject(name);
    if (inner == nullptr) continue;
    if (value.is_object()) {
      Look(value, *inner, found);
    } else if (value.is_string() && inner->object == "stats") {
      if (const auto parsed = JsonValue::Parse(value.text())) {
        Look(*parsed, *inner, found);
      } else if (!value.text().empty()) {
        found.push_back("stats that are no JSON: " + value.text().substr(0, 80));
      }
    }
  }
}

}  // namespace

std::vector<std::string> DamagedNamesInChecksum(const JsonValue& checksum) {
  std::vector<std::string> found;
  Look(checksum, kChecksum, found);
  return found;
}

std::vector<std::string> DamagedNamesInActions(std::string_view text) {
  std::vector<std::string> found;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (const auto line = JsonValue::Parse(text.substr(0, end)))
      Look(*line, *FindObject(""), found);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

}  // namespace weir::delta

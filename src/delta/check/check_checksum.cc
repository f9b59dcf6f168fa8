// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/json.h"
#include "delta/check/check_state.h"
#include "delta/check/member_names.h"
#include "delta/checksum/version_checksum.h"

namespace weir::delta {
namespace {

constexpr const char* kChecksumRemedy =
    "Spark may refuse the table: weir check --repair writes it anew from the log";

// Numbers of an array member of a member; empty when it has another form.
std::vector<int64_t> Numbers(const JsonValue* object, std::string_view key) {
  const JsonValue* list = object ? object->Find(key) : nullptr;
  std::vector<int64_t> numbers;
  if (list == nullptr) return numbers;
  for (const JsonValue& item : list->items()) numbers.push_back(item.AsInt64().value_or(-1));
  return numbers;
}

// The bins are the file's own.
bool HistogramHolds(const JsonValue& histogram, const TableReplay& replay) {
  const auto bounds = Numbers(&histogram, "sortedBinBoundaries");
  const auto counts = Numbers(&histogram, "fileCounts");
  const auto bytes = Numbers(&histogram, "totalBytes");
  const bool is_known = histogram.Find("sortedBinBoundaries") != nullptr;
  if (bounds.empty() || counts.size() != bounds.size() || bytes.size() != bounds.size())
    return !is_known;  // Of another form nothing is known.
  if (std::adjacent_find(bounds.begin(), bounds.end(), std::greater_equal<>()) != bounds.end())
    return false;
  std::vector<int64_t> found_counts(bounds.size(), 0);
  std::vector<int64_t> found_bytes(bounds.size(), 0);
  for (const auto& [name, file] : replay.files) {
    const auto above = std::upper_bound(bounds.begin(), bounds.end(), file.size);
    if (above == bounds.begin()) continue;
    const auto bin = static_cast<size_t>(above - bounds.begin() - 1);
    ++found_counts[bin];
    found_bytes[bin] += file.size;
  }
  return found_counts == counts && found_bytes == bytes;
}

std::vector<std::string> ChecksumDifferences(const VersionChecksum& checksum,
                                             const TableReplay& replay) {
  std::vector<std::string> out;
  const auto compare = [&](std::string_view what, int64_t noted, int64_t found) {
    if (noted != found)
      out.push_back(fmt::format("it says {} {}, the log gives {}", what, noted, found));
  };
  compare("numFiles", checksum.num_files, static_cast<int64_t>(replay.files.size()));
  compare("tableSizeBytes", checksum.table_size_bytes, replay.TotalSize());
  int64_t vectors = 0;
  int64_t records = 0;
  for (const auto& [name, file] : replay.files) {
    if (!file.deletion_vector) continue;
    ++vectors;
    records += file.deletion_vector->cardinality;
  }
  compare("numDeletionVectorsOpt", checksum.num_deletion_vectors.value_or(vectors), vectors);
  compare("numDeletedRecordsOpt", checksum.num_deleted_records.value_or(records), records);
  if (checksum.in_commit_timestamp && replay.in_commit_timestamp)
    compare("inCommitTimestampOpt", *checksum.in_commit_timestamp, *replay.in_commit_timestamp);
  // Only these two are compared; what else a checksum may hold is optional.
  TableReplay noted;
  noted.protocol = checksum.protocol;
  noted.metadata = checksum.metadata;
  TableReplay found;
  found.protocol = replay.protocol;
  found.metadata = replay.metadata;
  for (std::string& difference : Differences(noted, "it", found, "the log"))
    out.push_back(std::move(difference));
  return out;
}

// Ten bins: no row, up to 9, up to 99 and so on; the last from 2^31 - 1 on.
bool DeletedHistogramHolds(const JsonValue& histogram, const TableReplay& replay) {
  constexpr std::array<int64_t, 9> kStarts{1,       10,        100,        1000,      10'000,
                                           100'000, 1'000'000, 10'000'000, 2147483647};
  std::vector<int64_t> found(kStarts.size() + 1, 0);
  for (const auto& [name, file] : replay.files) {
    const int64_t rows = file.deletion_vector ? file.deletion_vector->cardinality : 0;
    const auto above = std::upper_bound(kStarts.begin(), kStarts.end(), rows);
    ++found[static_cast<size_t>(above - kStarts.begin())];
  }
  return Numbers(&histogram, "deletedRecordCounts") == found;
}

std::string TextOf(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.Find(key);
  return value ? value->text() : std::string();
}

// Each application that it names is in the log with that version; old ones may be left out.
bool TransactionsHold(const JsonValue& list, const TableReplay& replay) {
  return std::all_of(list.items().begin(), list.items().end(), [&](const JsonValue& item) {
    const auto found = replay.transactions.find(TextOf(item, "appId"));
    const JsonValue* version = item.Find("version");
    return found != replay.transactions.end() && version != nullptr &&
           version->AsInt64() == found->second.version;
  });
}

bool DomainsHold(const JsonValue& list, const TableReplay& replay) {
  const bool all =
      std::all_of(list.items().begin(), list.items().end(), [&](const JsonValue& item) {
        const auto found = replay.domains.find(TextOf(item, "domain"));
        return found != replay.domains.end() &&
               TextOf(item, "configuration") == found->second.configuration;
      });
  return all && list.items().size() == replay.domains.size();
}

// The members that other writers may leave out.
void CheckOptional(const JsonValue& document, const TableReplay& replay,
                   const std::function<void(std::string)>& report) {
  struct Member {
    const char* name;
    bool (*holds)(const JsonValue& value, const TableReplay& replay);
  };
  constexpr auto kIsOne = [](const JsonValue& value, const TableReplay&) {
    return value.AsInt64() == 1;
  };
  constexpr std::array kMembers{
      Member{"numMetadata", kIsOne},
      Member{"numProtocol", kIsOne},
      Member{"setTransactions", TransactionsHold},
      Member{"domainMetadata", DomainsHold},
      Member{"fileSizeHistogram", HistogramHolds},
      Member{"histogramOpt", HistogramHolds},
      Member{"deletedRecordCountsHistogramOpt", DeletedHistogramHolds},
  };
  for (const Member& member : kMembers) {
    const JsonValue* value = document.Find(member.name);
    if (value != nullptr && !value->is_null() && !member.holds(*value, replay))
      report(fmt::format("its {} is not that of the version", member.name));
  }
}

}  // namespace

void CompareChecksum(const TableLog& log, const DeltaFile& checksum, const TableReplay& replay,
                     Findings& findings) {
  const auto report = [&](std::string problem) {
    findings.Add("checksum", checksum.version, checksum.info.path, std::move(problem),
                 kChecksumRemedy, RepairKind::kChecksum);
  };
  const auto text = log.store->Get(checksum.info.path);
  if (!text) return report(text.error().message);
  const auto parsed = ParseVersionChecksum(*text);
  if (!parsed) return report(parsed.error().message);
  for (std::string& difference : ChecksumDifferences(*parsed, replay))
    report(std::move(difference));
  const auto document = JsonValue::Parse(*text);
  for (std::string& name : DamagedNamesInChecksum(document ? *document : JsonValue()))
    report(std::move(name));
  if (document) CheckOptional(*document, replay, report);
}

}  // namespace weir::delta

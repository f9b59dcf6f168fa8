// SPDX-License-Identifier: Apache-2.0
#include "delta/check/table_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "delta/commit/pending_commit.h"
#include "delta/schema/types.h"
#include "delta/statistics/file_statistics.h"

namespace weir::delta {
namespace {

constexpr size_t kMostDifferences = 5;

bool SameNames(const std::optional<std::vector<std::string>>& a,
               const std::optional<std::vector<std::string>>& b) {
  const std::vector<std::string> none;
  const auto& x = a ? *a : none;
  const auto& y = b ? *b : none;
  return std::set<std::string>(x.begin(), x.end()) == std::set<std::string>(y.begin(), y.end());
}

bool SameProtocol(const Protocol& a, const Protocol& b) {
  return a.min_reader_version == b.min_reader_version &&
         a.min_writer_version == b.min_writer_version &&
         SameNames(a.reader_features, b.reader_features) &&
         SameNames(a.writer_features, b.writer_features);
}

bool SameSchema(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto x = ParseSchema(a);
  const auto y = ParseSchema(b);
  return x && y && (*x)->Equals(**y);
}

bool SameMetadata(const Metadata& a, const Metadata& b) {
  return a.id == b.id && SameSchema(a.schema_string, b.schema_string) &&
         a.partition_columns == b.partition_columns && a.configuration == b.configuration;
}

std::optional<int64_t> Records(const AddFile& file) {
  return file.stats ? ReadNumRecords(*file.stats) : std::nullopt;
}

// Which part of a file's entry differs; empty when none does.
std::string DifferentPart(const AddFile& a, const AddFile& b) {
  if (a.size != b.size) return fmt::format("size {} against {}", a.size, b.size);
  if (!SamePartition(a.partition_values, b.partition_values)) return "other partition values";
  if (a.base_row_id != b.base_row_id) return "another baseRowId";
  if (a.default_row_commit_version != b.default_row_commit_version)
    return "another defaultRowCommitVersion";
  const auto x = Records(a);
  const auto y = Records(b);
  if (x && y && *x != *y) return fmt::format("numRecords {} against {}", *x, *y);
  return {};
}

template <typename T, typename Same>
void CompareMaps(const std::map<std::string, T>& x, const std::string& a,
                 const std::map<std::string, T>& y, const std::string& b, const char* what,
                 const Same& same, std::vector<std::string>& out) {
  for (const auto& [name, value] : x) {
    if (out.size() >= kMostDifferences) return;
    const auto it = y.find(name);
    if (it == y.end()) {
      out.push_back(fmt::format("{} {} is in {} and not in {}", what, name, a, b));
    } else if (const std::string difference = same(value, it->second); !difference.empty()) {
      out.push_back(fmt::format("{} {}: {} ({} against {})", what, name, difference, a, b));
    }
  }
  for (const auto& [name, value] : y) {
    if (out.size() >= kMostDifferences) return;
    if (x.count(name) == 0)
      out.push_back(fmt::format("{} {} is in {} and not in {}", what, name, b, a));
  }
}

}  // namespace

bool SamePartition(const PartitionValues& a, const PartitionValues& b) {
  const auto covers = [](const PartitionValues& x, const PartitionValues& y) {
    return std::all_of(x.begin(), x.end(), [&](const auto& entry) {
      const auto it = y.find(entry.first);
      return it == y.end() ? !entry.second : it->second == entry.second;
    });
  };
  return covers(a, b) && covers(b, a);
}

std::string LogicalFileName(const std::string& path,
                            const std::optional<DeletionVectorDescriptor>& vector) {
  std::string name = CanonicalPath(path);
  if (vector) name += " with the deletion vector " + vector->UniqueId();
  return name;
}

TableReplay TableReplay::Of(int64_t version, const CheckpointState& checkpoint) {
  TableReplay replay;
  replay.version = version;
  replay.protocol = checkpoint.protocol;
  replay.metadata = checkpoint.metadata;
  for (const FilePart& part : checkpoint.files) {
    for (size_t i = 0; i < part.size(); ++i) {
      AddFile add = part.segment->Get(part.row(i));
      const std::string_view stats = part.segment->inline_stats(part.row(i));
      if (!stats.empty()) add.stats = stats;
      std::string name = LogicalFileName(add.path, add.deletion_vector);
      replay.files.insert_or_assign(std::move(name), std::move(add));
    }
  }
  for (const SetTransaction& transaction : checkpoint.transactions)
    replay.transactions[transaction.app_id] = transaction;
  for (const DomainMetadata& domain : checkpoint.domains) {
    if (!domain.removed) replay.domains[domain.domain] = domain;
  }
  return replay;
}

void TableReplay::Apply(const std::vector<Action>& actions) {
  ++version;
  in_commit_timestamp.reset();
  for (const Action& action : actions) {
    if (const auto* remove = std::get_if<RemoveFile>(&action))
      files.erase(LogicalFileName(remove->path, remove->deletion_vector));
  }
  for (const Action& action : actions) {
    if (const auto* add = std::get_if<AddFile>(&action)) {
      files.insert_or_assign(LogicalFileName(add->path, add->deletion_vector), *add);
    } else if (const auto* new_protocol = std::get_if<Protocol>(&action)) {
      protocol = *new_protocol;
    } else if (const auto* new_metadata = std::get_if<Metadata>(&action)) {
      metadata = *new_metadata;
    } else if (const auto* transaction = std::get_if<SetTransaction>(&action)) {
      transactions[transaction->app_id] = *transaction;
    } else if (const auto* info = std::get_if<CommitInfo>(&action)) {
      in_commit_timestamp = info->in_commit_timestamp();
    } else if (const auto* domain = std::get_if<DomainMetadata>(&action)) {
      if (domain->removed) {
        domains.erase(domain->domain);
      } else {
        domains[domain->domain] = *domain;
      }
    }
  }
}

size_t TableReplay::FilesAt(const std::string& path) const {
  size_t count = 0;
  for (auto it = files.lower_bound(path); it != files.end() && StartsWith(it->first, path); ++it) {
    if (CanonicalPath(it->second.path) == path) ++count;
  }
  return count;
}

int64_t TableReplay::TotalSize() const {
  int64_t sum = 0;
  for (const auto& [name, file] : files) sum += file.size;
  return sum;
}

std::vector<std::string> Differences(const TableReplay& x, const std::string& a,
                                     const TableReplay& y, const std::string& b) {
  std::vector<std::string> out;
  if (x.protocol && y.protocol && !SameProtocol(*x.protocol, *y.protocol))
    out.push_back(fmt::format("{} has another protocol than {}", a, b));
  if (x.metadata && y.metadata && !SameMetadata(*x.metadata, *y.metadata))
    out.push_back(fmt::format("{} has another metaData than {}", a, b));
  CompareMaps(x.files, a, y.files, b, "file", DifferentPart, out);
  CompareMaps(
      x.transactions, a, y.transactions, b, "txn",
      [](const SetTransaction& p, const SetTransaction& q) {
        return p.version == q.version ? std::string() : std::string("another version");
      },
      out);
  CompareMaps(
      x.domains, a, y.domains, b, "domain",
      [](const DomainMetadata& p, const DomainMetadata& q) {
        return p.configuration == q.configuration ? std::string()
                                                  : std::string("another configuration");
      },
      out);
  return out;
}

}  // namespace weir::delta

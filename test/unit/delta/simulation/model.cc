// SPDX-License-Identifier: Apache-2.0
#include "delta/simulation/model.h"

#include <fmt/format.h>

#include <sstream>

#include "delta/changes/commit_changes.h"
#include "delta/deletion_vectors/deletion_vector.h"

namespace weir::delta {

using Kind = Intent::Kind;

std::string FormatRows(const std::vector<FileRow>& rows) {
  std::string text;
  for (const auto& row : rows) text += fmt::format("{} {} {}\n", row.key, row.value, row.id);
  return text;
}

std::vector<FileRow> ParseRows(const std::string& text) {
  std::vector<FileRow> rows;
  std::istringstream lines(text);
  FileRow row;
  while (lines >> row.key >> row.value >> row.id) rows.push_back(row);
  return rows;
}

void Model::Breach(const std::string& what) { breaches_.push_back(what); }

void Model::OnCommit(int64_t version, const std::string& text) {
  if (version != latest() + 1)
    return Breach(fmt::format("version {} was written after version {}", version, latest()));
  auto actions = ParseActions("commit", text);
  if (!actions) return Breach(actions.error().ToString());
  const Version before = versions_.empty() ? Version() : versions_.back();
  Version after = Apply(*actions, version);
  versions_.push_back(after);
  if (!committed_.emplace(after.txn_id, version).second)
    Breach(fmt::format("version {} repeats a transaction", version));
  if (version == 0) return;
  const Intent& intent = intents_[after.txn_id];
  if (after.is_blind) {
    for (const auto& row : intent.appended) blindly_added_[row.key] = version;
  }
  if (plan_.has_times && after.in_commit_ms <= before.in_commit_ms)
    Breach(fmt::format("the time of version {} is not later", version));
  CheckRows(before, after, intent);
  CheckRowIds(before, after);
  CheckNumbers(before, after, intent);
  CheckFeed(before, after, *actions);
}

Model::Version Model::Apply(const std::vector<Action>& actions, int64_t number) {
  Version version = versions_.empty() ? Version() : versions_.back();
  version.changes_metadata = false;
  for (const auto& action : actions) {
    const auto* remove = std::get_if<RemoveFile>(&action);
    if (remove && version.files.erase(remove->path) == 0)
      Breach(fmt::format("version {} removes '{}', which is not there", number, remove->path));
  }
  for (const auto& action : actions) {
    if (const auto* info = std::get_if<CommitInfo>(&action)) {
      version.txn_id = info->txn_id().value_or("");
      version.in_commit_ms = info->in_commit_timestamp().value_or(0);
      const JsonValue* blind = info->members.Find("isBlindAppend");
      version.is_blind = blind && blind->is_bool() && blind->bool_value();
    } else if (const auto* add = std::get_if<AddFile>(&action)) {
      if (!version.files.emplace(add->path, *add).second)
        Breach(fmt::format("version {} adds '{}' twice", number, add->path));
    } else if (const auto* metadata = std::get_if<Metadata>(&action)) {
      version.metadata = *metadata;
      version.changes_metadata = true;
    } else if (const auto* txn = std::get_if<SetTransaction>(&action)) {
      version.applications[txn->app_id] = txn->version;
    } else if (const auto* domain = std::get_if<DomainMetadata>(&action)) {
      version.domains[domain->domain] = domain->configuration;
    }
  }
  version.rows = ReadRows(version);
  return version;
}

const std::vector<FileRow>& Model::Content(const std::string& path) {
  auto known = contents_.find(path);
  if (known != contents_.end()) return known->second;
  auto text = objects_.Get("/t/" + path);
  if (!text) Breach("a file of a commit is not there: " + path);
  return contents_[path] = ParseRows(text.value_or(""));
}

std::optional<RowBitmap> Model::Vector(const std::optional<DeletionVectorDescriptor>& descriptor) {
  if (!descriptor) return std::nullopt;
  auto rows = ReadDeletionVector(objects_, "/t", *descriptor);
  if (!rows) Breach("a deletion vector of a commit: " + rows.error().ToString());
  return rows ? std::optional(*rows) : std::nullopt;
}

Model::Rows Model::ReadRows(const Version& version) {
  Rows rows;
  for (const auto& [path, add] : version.files) {
    const auto deleted = Vector(add.deletion_vector);
    int64_t position = -1;
    for (const auto& row : Content(path)) {
      ++position;
      if (deleted && deleted->Contains(static_cast<uint64_t>(position))) continue;
      Row live{add.partition_values.at("p").value_or(""), row.value, -1};
      if (plan_.tracks_rows) {
        if (!add.base_row_id) Breach("a file without row ids: " + path);
        live.id = row.id >= 0 ? row.id : add.base_row_id.value_or(0) + position;
      }
      if (!rows.emplace(row.key, live).second)
        Breach(fmt::format("row {} is there twice", row.key));
    }
  }
  return rows;
}

// Under write serializability blind appends since the base count as if they came later.
bool Model::WasVisible(const Intent& intent, int64_t key) const {
  auto blind = blindly_added_.find(key);
  return plan_.is_serializable || blind == blindly_added_.end() || blind->second <= intent.base;
}

void Model::CheckRows(const Version& before, const Version& after, const Intent& intent) {
  std::map<int64_t, std::pair<std::string, int64_t>> expected;
  int64_t sum = 0;
  for (const auto& [key, row] : before.rows) {
    const bool is_meant = intent.Matches(row.partition, key) && WasVisible(intent, key);
    if (is_meant) sum += row.value;
    if (is_meant && intent.kind == Kind::kDelete) continue;
    expected[key] = {row.partition,
                     row.value + (is_meant && intent.kind == Kind::kIncrement ? 1 : 0)};
  }
  for (const auto& row : intent.appended) {
    expected[row.key] = {intent.partition, intent.kind == Kind::kAppendSum ? sum : row.value};
  }
  std::map<int64_t, std::pair<std::string, int64_t>> found;
  for (const auto& [key, row] : after.rows) found[key] = {row.partition, row.value};
  if (found == expected) return;
  for (const auto& [key, row] : expected) {
    if (!found.count(key))
      Breach(fmt::format("version {}: row {} is lost", latest(), key));
    else if (found[key] != row)
      Breach(fmt::format("version {}: row {} is {}, should be {}", latest(), key, found[key].second,
                         row.second));
  }
  for (const auto& [key, row] : found) {
    if (!expected.count(key))
      Breach(fmt::format("version {}: row {} should not be there", latest(), key));
  }
}

void Model::CheckRowIds(const Version& before, const Version& after) {
  if (!plan_.tracks_rows) return;
  std::set<int64_t> ids;
  for (const auto& [key, row] : after.rows) {
    if (!ids.insert(row.id).second)
      Breach(fmt::format("version {}: row id {} is used twice", latest(), row.id));
    auto old = before.rows.find(key);
    if (old != before.rows.end()) {
      if (old->second.id != row.id)
        Breach(fmt::format("version {}: row {} has a new id", latest(), key));
    } else if (!used_ids_.insert(row.id).second) {
      Breach(fmt::format("version {}: row id {} was used before", latest(), row.id));
    }
  }
}

void Model::CheckNumbers(const Version& before, const Version& after, const Intent& intent) {
  auto number = [](const StringMap& map, const std::string& key) {
    auto it = map.find(key);
    return it == map.end() ? 0 : std::stoll(it->second);
  };
  const std::string counter = "sim.counter";
  if (number(after.metadata.configuration, counter) !=
      number(before.metadata.configuration, counter) + (intent.kind == Kind::kSetProperty ? 1 : 0))
    Breach(fmt::format("version {}: a property was lost", latest()));
  for (const auto& [app, version] : after.applications) {
    auto old = before.applications.find(app);
    const int64_t last = old == before.applications.end() ? 0 : old->second;
    const bool is_ours = intent.kind == Kind::kApplication && intent.name == app;
    if (version != last + (is_ours ? 1 : 0))
      Breach(fmt::format("version {}: application {} went from {} to {}", latest(), app, last,
                         version));
  }
  if (intent.kind == Kind::kDomain &&
      number(after.domains, intent.name) != number(before.domains, intent.name) + 1)
    Breach(fmt::format("version {}: a domain was lost", latest()));
}

// What the change feed of the commit says must be the difference of the two versions.
void Model::CheckFeed(const Version& before, const Version& after,
                      const std::vector<Action>& actions) {
  auto files = FindChanges(actions, latest());
  if (!files) return Breach(files.error().ToString());
  std::map<std::pair<int64_t, int64_t>, int> net;
  auto count = [&](int64_t key, int64_t value, int number) {
    if ((net[{key, value}] += number) == 0) net.erase({key, value});
  };
  for (const auto& file : *files) {
    const auto in = Vector(file.rows_in);
    const auto not_in = Vector(file.rows_not_in);
    uint64_t position = 0;
    for (const auto& row : Content(file.path)) {
      const bool is_change =
          (!in || in->Contains(position)) && (!not_in || !not_in->Contains(position));
      ++position;
      if (!is_change) continue;
      // Change data files say in the id what became of the row.
      const bool is_gone =
          file.kind == ChangeKind::kDelete || (file.kind == ChangeKind::kChangeData && row.id < 0);
      count(row.key, row.value, is_gone ? -1 : 1);
    }
  }
  for (const auto& [key, row] : after.rows) count(key, row.value, -1);
  for (const auto& [key, row] : before.rows) count(key, row.value, 1);
  for (const auto& [row, number] : net)
    Breach(fmt::format("version {}: the feed says {} of row {} = {}", latest(), number, row.first,
                       row.second));
}

void Model::OnTold(const std::string& txn_id, const Result<CommitResult>& result) {
  if (result) {
    told_success_[txn_id] = result->version;
  } else if (result.error().kind != ErrorKind::kStateUnknown) {
    told_failure_.insert(txn_id);
  }
}

void Model::CheckTold() {
  for (const auto& [id, version] : told_success_) {
    auto it = committed_.find(id);
    if (it == committed_.end() || it->second != version)
      Breach(fmt::format("a writer was told of version {}, which is not its own", version));
  }
  for (const auto& id : told_failure_) {
    auto it = committed_.find(id);
    if (it != committed_.end())
      Breach(fmt::format("the writer of version {} was told that it failed", it->second));
  }
}

void Model::CheckConflict(const Intent& intent, const Error& error) {
  bool is_changed = false;
  for (int64_t version = intent.base + 1; version <= latest(); ++version) {
    is_changed |= versions_[static_cast<size_t>(version)].changes_metadata;
  }
  if (error.name == "WEIR_SNAPSHOT_TOO_OLD" && plan_.jumps) return;
  if (latest() == intent.base) Breach("a conflict with nobody: " + error.ToString());
  if (intent.kind == Kind::kAppend && !is_changed)
    Breach("a blind append met a conflict: " + error.ToString());
}

void Model::CheckSnapshot(const Snapshot& snapshot) {
  if (snapshot.version() > latest())
    return Breach(fmt::format("a reader sees version {} of {}", snapshot.version(), latest()));
  const Version& version = versions_[static_cast<size_t>(snapshot.version())];
  const FileList& files = snapshot.files();
  bool is_same = files.size() == version.files.size();
  for (size_t i = 0; is_same && i < files.size(); ++i) {
    auto it = version.files.find(std::string(files.path(i)));
    is_same = it != version.files.end() && it->second.deletion_vector == files.deletion_vector(i) &&
              it->second.base_row_id == files.base_row_id(i);
  }
  if (!is_same) Breach(fmt::format("a reader sees other files at version {}", snapshot.version()));
  if (snapshot.metadata() != version.metadata)
    Breach(fmt::format("a reader sees other metadata at version {}", snapshot.version()));
  std::map<std::string, int64_t> applications;
  for (const auto& [app, txn] : snapshot.transactions()) applications[app] = txn.version;
  std::map<std::string, std::string> domains;
  for (const auto& [name, domain] : snapshot.domains()) domains[name] = domain.configuration;
  if (applications != version.applications || domains != version.domains)
    Breach(fmt::format("a reader sees other numbers at version {}", snapshot.version()));
  for (const auto& warning : snapshot.warnings()) {
    if (warning.find(".crc") != std::string::npos && plan_.faults_per_mille == 0)
      Breach("a reader is warned: " + warning);
  }
}

}  // namespace weir::delta

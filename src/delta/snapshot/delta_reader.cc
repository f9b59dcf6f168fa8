// SPDX-License-Identifier: Apache-2.0
#include "delta/snapshot/delta_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/parallel.h"

namespace weir::delta {
namespace {

namespace dom = simdjson::dom;

constexpr size_t kMinPieceBytes = size_t{1} << 20;

// The members of an add or remove action, or "not plainly one": then the line goes to ParseActions.
class FileActionParser {
 public:
  bool ParseAdd(dom::object object, AddView& add) {
    entries_.clear();
    tags_.clear();
    bool has_path = false, has_values = false, has_size = false, has_time = false,
         has_change = false;
    for (auto [key, value] : object) {
      if (value.is_null()) continue;
      if (key == "path") {
        has_path = Text(value, add.path);
        if (!has_path) return false;
      } else if (key == "partitionValues") {
        has_values = Entries(value, entries_);
        if (!has_values) return false;
      } else if (key == "size") {
        has_size = Number(value, add.size);
        if (!has_size) return false;
      } else if (key == "modificationTime") {
        has_time = Number(value, add.modification_time);
        if (!has_time) return false;
      } else if (key == "dataChange") {
        has_change = value.get(add.data_change) == simdjson::SUCCESS;
        if (!has_change) return false;
      } else if (key == "stats") {
        if (!Text(value, add.stats)) return false;
      } else if (key == "tags") {
        if (!Entries(value, tags_)) return false;
        add.tags = tags_;
      } else if (key == "deletionVector") {
        if (!Vector(value, add.deletion_vector)) return false;
      } else if (key == "baseRowId") {
        if (!OptionalNumber(value, add.base_row_id)) return false;
      } else if (key == "defaultRowCommitVersion") {
        if (!OptionalNumber(value, add.default_row_commit_version)) return false;
      } else if (key == "clusteringProvider") {
        if (!Text(value, add.clustering_provider.emplace())) return false;
      }
    }
    add.partition_values = entries_;
    return has_path && has_values && has_size && has_time && has_change;
  }

  // Statistics and tags of a remove serve nobody in a snapshot and are left out.
  bool ParseRemove(dom::object object, RemoveFile& remove) {
    std::string_view path;
    bool has_path = false, has_change = false;
    for (auto [key, value] : object) {
      if (value.is_null()) continue;
      if (key == "path") {
        has_path = Text(value, path);
        if (!has_path) return false;
        remove.path = path;
      } else if (key == "dataChange") {
        has_change = value.get(remove.data_change) == simdjson::SUCCESS;
        if (!has_change) return false;
      } else if (key == "deletionTimestamp") {
        if (!OptionalNumber(value, remove.deletion_timestamp)) return false;
      } else if (key == "extendedFileMetadata") {
        if (value.get(remove.extended_file_metadata) != simdjson::SUCCESS) return false;
      } else if (key == "partitionValues") {
        if (!Values(value, remove.partition_values)) return false;
      } else if (key == "size") {
        if (!OptionalNumber(value, remove.size)) return false;
      } else if (key == "deletionVector") {
        std::optional<DeletionVectorView> vector;
        if (!Vector(value, vector)) return false;
        remove.deletion_vector = {vector->storage_type, std::string(vector->path_or_inline_dv),
                                  vector->offset, vector->size_in_bytes, vector->cardinality};
      } else if (key == "baseRowId") {
        if (!OptionalNumber(value, remove.base_row_id)) return false;
      } else if (key == "defaultRowCommitVersion") {
        if (!OptionalNumber(value, remove.default_row_commit_version)) return false;
      }
    }
    return has_path && has_change;
  }

 private:
  static bool Text(dom::element value, std::string_view& out) {
    return value.get(out) == simdjson::SUCCESS;
  }
  static bool Number(dom::element value, int64_t& out) {
    return value.get(out) == simdjson::SUCCESS;
  }
  static bool OptionalNumber(dom::element value, std::optional<int64_t>& out) {
    return value.get(out.emplace()) == simdjson::SUCCESS;
  }

  static bool Entries(dom::element value, std::vector<MapEntryView>& out) {
    dom::object object;
    if (value.get(object) != simdjson::SUCCESS) return false;
    for (auto [key, entry] : object) {
      auto& added = out.emplace_back();
      added.key = key;
      if (entry.is_null()) continue;
      if (!Text(entry, added.value.emplace())) return false;
    }
    return true;
  }

  bool Values(dom::element value, PartitionValues& out) {
    entries_.clear();
    if (!Entries(value, entries_)) return false;
    for (const auto& entry : entries_) {
      bool is_null = !entry.value || entry.value->empty();
      out.insert_or_assign(std::string(entry.key),
                           is_null ? std::nullopt : std::optional<std::string>(*entry.value));
    }
    return true;
  }

  static bool Vector(dom::element value, std::optional<DeletionVectorView>& out) {
    dom::object object;
    std::string_view storage_type;
    int64_t size = 0;
    auto& vector = out.emplace();
    if (value.get(object) != simdjson::SUCCESS) return false;
    if (object["storageType"].get(storage_type) != simdjson::SUCCESS || storage_type.size() != 1 ||
        std::string_view("uip").find(storage_type) == std::string_view::npos ||
        object["pathOrInlineDv"].get(vector.path_or_inline_dv) != simdjson::SUCCESS ||
        object["sizeInBytes"].get(size) != simdjson::SUCCESS || size < 0 || size > INT32_MAX ||
        object["cardinality"].get(vector.cardinality) != simdjson::SUCCESS) {
      return false;
    }
    vector.storage_type = storage_type[0];
    vector.size_in_bytes = static_cast<int32_t>(size);
    dom::element offset;
    if (object["offset"].get(offset) != simdjson::SUCCESS || offset.is_null()) return true;
    int64_t number = 0;
    if (offset.get(number) != simdjson::SUCCESS || number < 0 || number > INT32_MAX) return false;
    vector.offset = static_cast<int32_t>(number);
    return true;
  }

  std::vector<MapEntryView> entries_;
  std::vector<MapEntryView> tags_;
};

// One piece of a file: whole lines of it.
class PieceReader {
 public:
  // `capacity` bytes may be read from `text.data()`, as simdjson demands some behind the text.
  void Read(std::string_view text, size_t capacity) {
    while (!text.empty() && status_) {
      size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      if (!line.empty() && !TakeFileAction(line, capacity)) {
        other_lines_.append(line);
        other_lines_ += '\n';
      }
      size_t step = std::min(end + 1, text.size());
      text.remove_prefix(step);
      capacity -= step;
    }
  }

  const Status& status() const { return status_; }
  const std::string& other_lines() const { return other_lines_; }

  FileActions Finish() {
    FileActions actions;
    if (removes_.empty()) order_.clear();
    actions.adds = adds_.Finish();
    actions.removes = std::make_shared<const std::vector<RemoveFile>>(std::move(removes_));
    actions.order = std::move(order_);
    return actions;
  }

 private:
  bool TakeFileAction(std::string_view line, size_t capacity) {
    // The name of the action is at the line's start, if not behind blanks: a cheap way past others.
    bool may_be_file = line.substr(0, 16).find("\"add\"") != std::string_view::npos ||
                       line.substr(0, 16).find("\"remove\"") != std::string_view::npos;
    if (!may_be_file || capacity < line.size() + simdjson::SIMDJSON_PADDING) return false;
    dom::element root;
    dom::object members;
    dom::object body;
    if (parser_.parse(line.data(), line.size(), false).get(root) != simdjson::SUCCESS ||
        root.get(members) != simdjson::SUCCESS || members.size() != 1) {
      return false;
    }
    auto member = *members.begin();
    if (member.value.get(body) != simdjson::SUCCESS) return false;
    if (member.key == "add") {
      AddView add;
      if (!fields_.ParseAdd(body, add)) return false;
      status_ = adds_.Append(add);
      order_.push_back(static_cast<int32_t>(adds_.size()) - 1);
      return true;
    }
    RemoveFile remove;
    if (member.key != "remove" || !fields_.ParseRemove(body, remove)) return false;
    removes_.push_back(std::move(remove));
    order_.push_back(-static_cast<int32_t>(removes_.size()));
    return true;
  }

  dom::parser parser_;
  FileActionParser fields_;
  FileSegmentBuilder adds_;
  std::vector<RemoveFile> removes_;
  std::vector<int32_t> order_;
  std::string other_lines_;
  Status status_;
};

// As many pieces as can be read at once, unless they would be small.
std::vector<std::string_view> CutAtLines(std::string_view text) {
  size_t length = std::max(kMinPieceBytes, text.size() / HardwareThreads() + 1);
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    size_t end = text.size() > length ? text.find('\n', length) : std::string_view::npos;
    size_t taken = end == std::string_view::npos ? text.size() : end + 1;
    pieces.push_back(text.substr(0, taken));
    text.remove_prefix(taken);
  }
  return pieces;
}

Error Twice(const std::string& file, std::string_view action) {
  return CorruptLog("DELTA_LOG_FILE_MALFORMED",
                    fmt::format("{}: found two {} actions, expected at most one", file, action));
}

// Sorts the actions of the lines that were not plainly file actions. Those of files among them (in
// a form that only ParseActions understands) make one more piece behind the others.
Status TakeActions(const std::string& file, std::vector<Action> actions, DeltaContent& content) {
  FileSegmentBuilder adds;
  std::vector<RemoveFile> removes;
  std::vector<int32_t> order;
  std::vector<MapEntryView> entries;
  for (auto& action : actions) {
    if (auto* add = std::get_if<AddFile>(&action)) {
      WEIR_RETURN_IF_ERROR(adds.Append(ViewOf(*add, entries)));
      order.push_back(static_cast<int32_t>(adds.size()) - 1);
    } else if (auto* remove = std::get_if<RemoveFile>(&action)) {
      removes.push_back(std::move(*remove));
      order.push_back(-static_cast<int32_t>(removes.size()));
    } else if (auto* protocol = std::get_if<Protocol>(&action)) {
      if (content.protocol) return Fail(Twice(file, "protocol"));
      content.protocol = std::move(*protocol);
    } else if (auto* metadata = std::get_if<Metadata>(&action)) {
      if (content.metadata) return Fail(Twice(file, "metaData"));
      content.metadata = std::move(*metadata);
    } else if (auto* transaction = std::get_if<SetTransaction>(&action)) {
      content.transactions.push_back(std::move(*transaction));
    } else if (auto* domain = std::get_if<DomainMetadata>(&action)) {
      content.domains.push_back(std::move(*domain));
    } else if (auto* info = std::get_if<CommitInfo>(&action)) {
      if (!content.commit_info) content.commit_info = std::move(*info);
    } else if (auto* checkpoint = std::get_if<CheckpointMetadata>(&action)) {
      content.checkpoint_metadata.push_back(std::move(*checkpoint));
    } else if (auto* sidecar = std::get_if<Sidecar>(&action)) {
      content.sidecars.push_back(std::move(*sidecar));
    }
  }
  if (!order.empty()) {
    content.files.push_back({adds.Finish(),
                             std::make_shared<const std::vector<RemoveFile>>(std::move(removes)),
                             std::move(order)});
  }
  return {};
}

}  // namespace

Result<DeltaContent> ReadDelta(const std::string& file, std::string text) {
  size_t length = text.size();
  text.resize(length + simdjson::SIMDJSON_PADDING);
  std::string_view all(text.data(), length);
  auto pieces = CutAtLines(all);
  std::vector<std::unique_ptr<PieceReader>> readers(pieces.size());
  ParallelFor(pieces.size(), HardwareThreads(), [&](size_t i) {
    readers[i] = std::make_unique<PieceReader>();
    size_t start = static_cast<size_t>(pieces[i].data() - text.data());
    readers[i]->Read(pieces[i], text.size() - start);
  });
  std::string other_lines;
  for (const auto& reader : readers) {
    if (!reader->status()) return Fail(reader->status().error().WithContext(file));
    other_lines += reader->other_lines();
  }
  auto actions = ParseActions(file, other_lines);
  if (!actions) {
    // Once more over the whole file, so that the error names the right line.
    WEIR_RETURN_IF_ERROR(ParseActions(file, all));
    return Fail(actions.error());
  }
  DeltaContent content;
  for (const auto& reader : readers) content.files.push_back(reader->Finish());
  WEIR_RETURN_IF_ERROR(TakeActions(file, std::move(*actions), content));
  return content;
}

}  // namespace weir::delta

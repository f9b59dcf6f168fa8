// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sources/checkpoint.h"

#include <algorithm>

#include "base/text.h"
#include "base/uuid.h"

namespace weir::pipeline {
namespace {

constexpr std::string_view kCompactSuffix = ".compact";

JsonValue ToJson(const BatchOffsets& offsets) {
  JsonValue json = JsonValue::Object();
  for (const auto& [key, offset] : offsets) json.Set(key, offset);
  return json;
}

Result<JsonValue> ReadJson(storage::ObjectStore& store, const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(const std::string text, store.Get(path));
  auto json = JsonValue::Parse(text);
  if (json && json->is_object()) return json;
  return Fail(CorruptLog("WEIR_CHECKPOINT_MALFORMED", path + " is no JSON object"));
}

Result<BatchOffsets> ReadOffsets(storage::ObjectStore& store, const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(const JsonValue json, ReadJson(store, path));
  BatchOffsets offsets;
  for (const auto& [key, offset] : json.members()) offsets.emplace(key, offset);
  return offsets;
}

}  // namespace

Result<Checkpoint> Checkpoint::Open(const std::string& flow_folder) {
  Checkpoint checkpoint;
  WEIR_ASSIGN_OR_RETURN(checkpoint.store_, storage::OpenStore(flow_folder));
  checkpoint.flow_folder_ = storage::NormalizeLocation(flow_folder);
  WEIR_ASSIGN_OR_RETURN(const auto entries,
                        checkpoint.store_->ListDirectory(checkpoint.flow_folder_));
  for (const storage::ObjectInfo& entry : entries) {
    const std::optional<int64_t> number = ParseInt64(storage::BaseName(entry.path));
    if (entry.is_directory && number)
      checkpoint.generation_ = std::max(checkpoint.generation_, *number);
  }
  WEIR_RETURN_IF_ERROR(checkpoint.LoadFolder());
  return checkpoint;
}

Status Checkpoint::LoadFolder() {
  folder_ = storage::JoinPath(flow_folder_, std::to_string(generation_));
  history_.clear();
  pending_.reset();
  batch_ = 0;
  const auto metadata = ReadJson(*store_, Path("metadata"));
  if (!metadata && metadata.error().kind != ErrorKind::kNotFound) return Fail(metadata.error());
  saved_ = metadata.has_value();
  if (!saved_) {
    application_ = Uuid::Random().ToString();
    return {};
  }
  const JsonValue* id = metadata->Find("id");
  if (id == nullptr)
    return Fail(CorruptLog("WEIR_CHECKPOINT_MALFORMED", Path("metadata") + " has no id"));
  application_ = id->text();

  WEIR_ASSIGN_OR_RETURN(const auto offsets, store_->List(Path("offsets")));
  WEIR_ASSIGN_OR_RETURN(const auto commits, store_->List(Path("commits")));
  int64_t committed = -1;
  for (const storage::ObjectInfo& commit : commits) {
    committed = std::max(committed, ParseInt64(storage::BaseName(commit.path)).value_or(-1));
  }
  int64_t compact = -1;
  std::vector<int64_t> batches;
  for (const storage::ObjectInfo& entry : offsets) {
    const std::string_view name = storage::BaseName(entry.path);
    if (EndsWith(name, kCompactSuffix)) {
      const int64_t number =
          ParseInt64(name.substr(0, name.size() - kCompactSuffix.size())).value_or(-1);
      if (number <= committed) compact = std::max(compact, number);
    } else if (const std::optional<int64_t> number = ParseInt64(name)) {
      batches.push_back(*number);
    }
  }
  std::ranges::sort(batches);
  if (compact >= 0) {
    WEIR_ASSIGN_OR_RETURN(BatchOffsets past,
                          ReadOffsets(*store_, Path("offsets/" + std::to_string(compact) +
                                                    std::string(kCompactSuffix))));
    history_.push_back(std::move(past));
  }
  for (int64_t number : batches) {
    if (number <= compact) continue;
    WEIR_ASSIGN_OR_RETURN(BatchOffsets taken,
                          ReadOffsets(*store_, Path("offsets/" + std::to_string(number))));
    if (number <= committed) {
      history_.push_back(std::move(taken));
    } else {
      pending_ = std::move(taken);
    }
  }
  batch_ = committed + 1;
  return {};
}

Status Checkpoint::SaveMetadata() {
  const JsonValue metadata = JsonValue::Object({{"id", JsonValue::String(application_)}});
  WEIR_RETURN_IF_ERROR(store_->Put(Path("metadata"), metadata.ToString()));
  saved_ = true;
  return {};
}

Status Checkpoint::BeginRefresh() {
  ++generation_;
  WEIR_RETURN_IF_ERROR(LoadFolder());
  return SaveMetadata();
}

Status Checkpoint::Begin(const BatchOffsets& offsets) {
  if (!saved_) WEIR_RETURN_IF_ERROR(SaveMetadata());
  WEIR_RETURN_IF_ERROR(
      store_->PutIfAbsent(Path("offsets/" + std::to_string(batch_)), ToJson(offsets).ToString()));
  pending_ = offsets;
  return {};
}

Status Checkpoint::Abandon() {
  WEIR_RETURN_IF_ERROR(store_->Delete(Path("offsets/" + std::to_string(batch_))));
  pending_.reset();
  return {};
}

Status Checkpoint::Finish(const JsonValue& summary, const std::optional<BatchOffsets>& compact) {
  const std::string number = std::to_string(batch_);
  if (compact) {
    WEIR_RETURN_IF_ERROR(store_->Put(Path("offsets/" + number + std::string(kCompactSuffix)),
                                     ToJson(*compact).ToString()));
  }
  WEIR_RETURN_IF_ERROR(store_->Put(Path("commits/" + number), summary.ToString()));
  history_.push_back(std::move(*pending_));
  pending_.reset();
  ++batch_;
  return {};
}

}  // namespace weir::pipeline

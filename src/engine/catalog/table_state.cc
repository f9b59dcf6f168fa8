// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/table_state.h"

#include <utility>
#include <variant>

namespace weir::engine {

TableStatePtr TableState::Of(delta::SnapshotPtr snapshot) {
  auto state = std::shared_ptr<TableState>(new TableState());
  state->log_ = snapshot->log();
  state->protocol_ = snapshot->protocol();
  state->metadata_ = snapshot->metadata();
  state->schema_ = snapshot->schema();
  state->snapshot_ = std::move(snapshot);
  return state;
}

Result<TableStatePtr> TableState::Over(delta::SnapshotPtr base, const delta::TableLog& log,
                                       const std::vector<delta::Action>& actions) {
  auto state = std::shared_ptr<TableState>(new TableState());
  state->log_ = log;
  if (base) {
    state->protocol_ = base->protocol();
    state->metadata_ = base->metadata();
    state->schema_ = base->schema();
    state->snapshot_ = std::move(base);
  }
  std::unordered_map<std::string, size_t> places;
  for (const auto& action : actions) state->Apply(action, places);
  std::erase_if(state->added_, [](const delta::AddFile& file) { return file.path.empty(); });
  if (!state->schema_ || state->metadata_.schema_string !=
                             (state->snapshot_ ? state->snapshot_->metadata().schema_string : "")) {
    WEIR_ASSIGN_OR_RETURN(state->schema_, delta::ParseSchema(state->metadata_.schema_string));
  }
  return state;
}

TableStatePtr TableState::OfFiles(const delta::TableLog& log, delta::Protocol protocol,
                                  delta::Metadata metadata, delta::TypePtr schema,
                                  std::vector<delta::AddFile> files) {
  auto state = std::shared_ptr<TableState>(new TableState());
  state->log_ = log;
  state->protocol_ = std::move(protocol);
  state->metadata_ = std::move(metadata);
  state->schema_ = std::move(schema);
  state->added_ = std::move(files);
  return state;
}

void TableState::Apply(const delta::Action& action,
                       std::unordered_map<std::string, size_t>& places) {
  // A file that is taken away again leaves an empty path behind, so that places stay valid.
  auto forget = [&](const std::string& path) {
    if (snapshot_) hidden_.insert(path);
    auto place = places.find(path);
    if (place == places.end()) return;
    added_[place->second] = delta::AddFile();
    places.erase(place);
  };
  if (const auto* add = std::get_if<delta::AddFile>(&action)) {
    forget(add->path);
    places[add->path] = added_.size();
    added_.push_back(*add);
  } else if (const auto* remove = std::get_if<delta::RemoveFile>(&action)) {
    forget(remove->path);
  } else if (const auto* protocol = std::get_if<delta::Protocol>(&action)) {
    protocol_ = *protocol;
  } else if (const auto* metadata = std::get_if<delta::Metadata>(&action)) {
    metadata_ = *metadata;
  }
}

const std::string* TableState::FindProperty(const std::string& key) const {
  auto it = metadata_.configuration.find(key);
  return it == metadata_.configuration.end() ? nullptr : &it->second;
}

}  // namespace weir::engine

// SPDX-License-Identifier: Apache-2.0
#include "delta/snapshot/file_replay.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace weir::delta {
namespace {

constexpr size_t kInitialSlots = 64;
constexpr size_t kMaxJoinedRows = size_t{1} << 15;
constexpr uint32_t kDead = UINT32_MAX;

// The part of `part` that nothing in `seen` supersedes; shares everything when all rows stay.
FilePart Surviving(const FilePart& part, const SeenFiles& seen) {
  const auto& hashes = part.segment->path_hashes();
  auto is_dead = [&](uint32_t row) {
    return seen.MayContain(hashes[row]) && seen.SupersedesAdd(part.segment->key(row));
  };
  size_t count = part.size();
  size_t first_dead = 0;
  while (first_dead < count && !is_dead(part.row(first_dead))) ++first_dead;
  if (first_dead == count) return part;
  auto rows = std::make_shared<std::vector<uint32_t>>();
  rows->reserve(count - 1);
  for (size_t i = 0; i < count; ++i) {
    uint32_t row = part.row(i);
    if (i < first_dead || (i > first_dead && !is_dead(row))) rows->push_back(row);
  }
  return {part.segment, std::move(rows)};
}

// Marks what `actions` says in `seen`, newest first, and returns its live adds.
FilePart Note(const FileActions& actions, SeenFiles& seen) {
  size_t count = actions.adds ? actions.adds->size() : 0;
  std::vector<uint32_t> rows(count);
  size_t dead = 0;
  auto note_add = [&](uint32_t row) {
    bool live = seen.NoteAdd(actions.adds->key(row));
    rows[row] = live ? row : kDead;
    if (!live) ++dead;
  };
  if (actions.order.empty()) {
    for (size_t row = count; row-- > 0;) note_add(static_cast<uint32_t>(row));
  }
  for (auto it = actions.order.rbegin(); it != actions.order.rend(); ++it) {
    if (*it >= 0) {
      note_add(static_cast<uint32_t>(*it));
    } else {
      seen.NoteRemove(KeyOf((*actions.removes)[static_cast<size_t>(-(*it + 1))]));
    }
  }
  if (dead == 0) return {actions.adds, nullptr};
  rows.erase(std::remove(rows.begin(), rows.end(), kDead), rows.end());
  return {actions.adds, std::make_shared<const std::vector<uint32_t>>(std::move(rows))};
}

bool CanRewrite(const FilePart& part) { return part.segment->lazy_statistics() == nullptr; }

bool ShouldJoin(const FilePart& older, const FilePart& newer) {
  return CanRewrite(older) && CanRewrite(newer) && newer.size() * 2 >= older.size() &&
         older.size() + newer.size() <= kMaxJoinedRows;
}

FilePart Rewrite(std::initializer_list<const FilePart*> parts) {
  FileSegmentBuilder builder;
  for (const FilePart* part : parts) {
    for (size_t i = 0; i < part->size(); ++i) {
      uint32_t row = part->row(i);
      // Rows of built segments name no more partition columns than those did; two together may.
      if (!builder.AppendFrom(*part->segment, row, part->segment->inline_stats(row))) return {};
    }
  }
  return {builder.Finish(), nullptr};
}

}  // namespace

SeenFiles::SeenFiles(size_t expected)
    : slots_(std::bit_ceil(std::max(kInitialSlots, expected * 2 + 1)), 0) {
  entries_.reserve(expected);
}

size_t SeenFiles::FindSlot(uint64_t hash) const {
  size_t mask = slots_.size() - 1;
  size_t slot = (hash ^ (hash >> 32)) & mask;
  while (slots_[slot] != 0 && entries_[slots_[slot] - 1].key.path_hash != hash) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void SeenFiles::Grow() {
  std::vector<uint32_t> old(slots_.size() * 2, 0);
  old.swap(slots_);
  for (uint32_t first : old) {
    if (first != 0) slots_[FindSlot(entries_[first - 1].key.path_hash)] = first;
  }
}

bool SeenFiles::Note(const FileKey& key, bool by_add) {
  size_t slot = FindSlot(key.path_hash);
  bool same_key = false;
  bool same_path_added = false;
  for (uint32_t at = slots_[slot]; at != 0; at = entries_[at - 1].next) {
    const Entry& entry = entries_[at - 1];
    if (!SamePath(entry.key.path, key.path)) continue;
    same_path_added |= entry.by_add;
    same_key |= entry.key.SameVector(key);
  }
  bool first = !same_key && !(by_add && same_path_added);
  if (same_key && !(by_add && !same_path_added)) return first;
  if (slots_[slot] == 0) ++used_;
  entries_.push_back({key, by_add, slots_[slot]});
  slots_[slot] = static_cast<uint32_t>(entries_.size());
  if (used_ * 2 > slots_.size()) Grow();
  return first;
}

bool SeenFiles::SupersedesAdd(const FileKey& key) const {
  for (uint32_t at = slots_[FindSlot(key.path_hash)]; at != 0; at = entries_[at - 1].next) {
    const Entry& entry = entries_[at - 1];
    if (!SamePath(entry.key.path, key.path)) continue;
    if (entry.by_add || entry.key.SameVector(key)) return true;
  }
  return false;
}

bool SeenFiles::Contains(const FileKey& key) const {
  for (uint32_t at = slots_[FindSlot(key.path_hash)]; at != 0; at = entries_[at - 1].next) {
    const Entry& entry = entries_[at - 1];
    if (entry.key.SameVector(key) && SamePath(entry.key.path, key.path)) return true;
  }
  return false;
}

std::vector<FilePart> ReplayFiles(const std::vector<FilePart>& base,
                                  const std::vector<FileActions>& deltas) {
  size_t named = 0;
  for (const auto& delta : deltas) {
    named += (delta.adds ? delta.adds->size() : 0) + (delta.removes ? delta.removes->size() : 0);
  }
  SeenFiles seen(named);
  std::vector<FilePart> live;
  for (auto it = deltas.rbegin(); it != deltas.rend(); ++it) {
    FilePart part = Note(*it, seen);
    if (part.segment && part.size() > 0) live.push_back(std::move(part));
  }
  std::vector<FilePart> result;
  for (const auto& part : base) {
    FilePart surviving = seen.size() == 0 ? part : Surviving(part, seen);
    if (surviving.size() > 0) result.push_back(std::move(surviving));
  }
  result.insert(result.end(), std::make_move_iterator(live.rbegin()),
                std::make_move_iterator(live.rend()));
  return result;
}

bool IsReconciled(const std::vector<FileActions>& pieces) {
  SeenFiles seen;
  for (const auto& piece : pieces) {
    for (size_t row = 0; piece.adds && row < piece.adds->size(); ++row) {
      if (!seen.NoteAdd(piece.adds->key(row))) return false;
    }
    for (size_t i = 0; piece.removes && i < piece.removes->size(); ++i) {
      if (!seen.NoteRemove(KeyOf((*piece.removes)[i]))) return false;
    }
  }
  return true;
}

std::vector<FilePart> CompactParts(std::vector<FilePart> parts) {
  std::vector<FilePart> result;
  for (auto& part : parts) {
    if (part.rows && part.size() * 2 < part.segment->size() && CanRewrite(part)) {
      FilePart dense = Rewrite({&part});
      if (dense.segment) part = std::move(dense);
    }
    result.push_back(std::move(part));
    while (result.size() >= 2 && ShouldJoin(result[result.size() - 2], result.back())) {
      FilePart joined = Rewrite({&result[result.size() - 2], &result.back()});
      if (!joined.segment) break;
      result.pop_back();
      result.back() = std::move(joined);
    }
  }
  return result;
}

std::vector<RemoveFile> ReconcileTombstones(
    const std::vector<std::shared_ptr<const std::vector<RemoveFile>>>& layers,
    const std::vector<FilePart>& live) {
  SeenFiles seen;
  std::vector<const RemoveFile*> newest;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    for (auto it = (*layer)->rbegin(); it != (*layer)->rend(); ++it) {
      if (seen.NoteRemove(KeyOf(*it))) newest.push_back(&*it);
    }
  }
  SeenFiles live_again;
  for (const auto& part : live) {
    for (size_t i = 0; i < part.size(); ++i) {
      uint32_t row = part.row(i);
      if (!seen.MayContain(part.segment->path_hash(row))) continue;
      FileKey key = part.segment->key(row);
      if (seen.Contains(key)) live_again.NoteAdd(key);
    }
  }
  std::vector<RemoveFile> result;
  result.reserve(newest.size());
  for (auto it = newest.rbegin(); it != newest.rend(); ++it) {
    if (!live_again.Contains(KeyOf(**it))) result.push_back(**it);
  }
  return result;
}

}  // namespace weir::delta

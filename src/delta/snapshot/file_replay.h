// SPDX-License-Identifier: Apache-2.0
//
// Action reconciliation of files (protocol section "Action Reconciliation"): newest first, the
// first reference to a logical file decides about it. Only the files that the deltas name are
// remembered; the rows of the base, which may be many, are merely looked up.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "delta/snapshot/file_segment.h"

namespace weir::delta {

/// The file actions of a commit (or of a piece of one) in the order of its lines.
struct FileActions {
  std::shared_ptr<const FileSegment> adds;
  std::shared_ptr<const std::vector<RemoveFile>> removes;
  /// n >= 0: row n of adds; n < 0: removes[-n - 1]. Empty when there are only adds, in row order.
  std::vector<int32_t> order;
};

/// A segment and which of its rows are live.
struct FilePart {
  std::shared_ptr<const FileSegment> segment;
  /// Ascending; null means all rows.
  std::shared_ptr<const std::vector<uint32_t>> rows;

  size_t size() const { return rows ? rows->size() : segment->size(); }
  uint32_t row(size_t i) const { return rows ? (*rows)[i] : static_cast<uint32_t>(i); }
};

/// The logical files about which something newer has been said. Keys view into segments and
/// removes, which must outlive it. Not thread-safe.
class SeenFiles {
 public:
  /// `expected`: how many notes will come, if that is known.
  explicit SeenFiles(size_t expected = 0);

  /// Notes an add; false when a newer action names its (path, vector), or a newer add its path.
  bool NoteAdd(const FileKey& key) { return Note(key, true); }
  /// Notes a remove; false when a newer action names its (path, vector).
  bool NoteRemove(const FileKey& key) { return Note(key, false); }
  /// Whether an older add is superseded.
  bool SupersedesAdd(const FileKey& key) const;
  bool Contains(const FileKey& key) const;
  /// Quick and never wrongly false: whether anything is known of a path with this hash.
  bool MayContain(uint64_t path_hash) const { return slots_[FindSlot(path_hash)] != 0; }
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    FileKey key;
    bool by_add = false;
    uint32_t next = 0;  // 1 + index of the next entry with the same hash
  };

  bool Note(const FileKey& key, bool by_add);
  size_t FindSlot(uint64_t hash) const;
  void Grow();

  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // 1 + index of the first entry of a hash; a power of two of them
  size_t used_ = 0;
};

/// Applies deltas (ascending) to a base: the base's parts without the rows that were superseded,
/// then the live rows of the deltas in their order.
std::vector<FilePart> ReplayFiles(const std::vector<FilePart>& base,
                                  const std::vector<FileActions>& deltas);

/// Whether no logical file is named twice and no path added twice: what a compaction must fulfil.
bool IsReconciled(const std::vector<FileActions>& pieces);

/// Joins small neighbours and drops dead rows where they are the most, so that a list that was
/// brought forward often stays as fast as a fresh one. Parts that read their statistics later stay
/// as they are.
std::vector<FilePart> CompactParts(std::vector<FilePart> parts);

/// The tombstones that stand: layers ascending, of each logical file the newest, without those
/// whose file is live.
std::vector<RemoveFile> ReconcileTombstones(
    const std::vector<std::shared_ptr<const std::vector<RemoveFile>>>& layers,
    const std::vector<FilePart>& live);

}  // namespace weir::delta

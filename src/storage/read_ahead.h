// SPDX-License-Identifier: Apache-2.0
//
// Who reads many small files from a store one after the other waits for one answer after the other.
// This asks for the next ones meanwhile.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "storage/object_store.h"

namespace weir::storage {

/// Reads pieces of objects on threads of its own, a window ahead of the furthest that was asked
/// for: few at first, for readers that soon stop, and up to kMaxWindow. Pieces stay for readers
/// that come twice; what lies further behind than kMaxWindow is dropped, so that at most 2 *
/// kMaxWindow are held. Nothing is read before the first Get. Thread-safe.
class ReadAhead {
 public:
  struct Piece {
    std::string path;
    int64_t offset = 0;
    int64_t length = 0;
  };
  /// The piece at a place, or none where nothing is to be read. Called by the threads that call
  /// Get, one at a time.
  using PieceAt = std::function<std::optional<Piece>(size_t place)>;

  static constexpr size_t kFirstWindow = 4;
  static constexpr size_t kMaxWindow = 64;
  static constexpr size_t kMaxThreads = 16;

  /// Places are 0 to count - 1.
  ReadAhead(std::shared_ptr<ObjectStore> store, size_t count, PieceAt piece_at);
  /// Waits for the requests that are under way.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Moves the window on; the piece, waited for if it is under way, and read if nobody has begun.
  /// Null: there is none, it was dropped, or it cannot be read; a caller that reads by itself then
  /// meets the error.
  std::shared_ptr<const std::string> Get(size_t place);

 private:
  struct Entry {
    Piece piece;
    bool is_done = false;
    std::shared_ptr<const std::string> bytes;
  };

  /// With the mutex held, which Read gives up for its time.
  void MoveTo(size_t place);
  void StartThreads();
  void Read(std::unique_lock<std::mutex>& lock, Entry& entry);
  void Work();

  const std::shared_ptr<ObjectStore> store_;
  const size_t count_;
  const PieceAt piece_at_;
  std::mutex mutex_;
  std::condition_variable wanted_;
  std::condition_variable done_;
  std::map<size_t, std::shared_ptr<Entry>> entries_;
  std::deque<size_t> queue_;  ///< Places that no thread has begun with; all are in entries_.
  size_t window_ = 0;
  size_t next_ = 0;  ///< The first place that was never queued.
  bool stops_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace weir::storage

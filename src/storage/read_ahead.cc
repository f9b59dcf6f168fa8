// SPDX-License-Identifier: Apache-2.0
#include "storage/read_ahead.h"

#include <algorithm>
#include <utility>

namespace weir::storage {

ReadAhead::ReadAhead(std::shared_ptr<ObjectStore> store, size_t count, PieceAt piece_at)
    : store_(std::move(store)), count_(count), piece_at_(std::move(piece_at)) {}

ReadAhead::~ReadAhead() {
  {
    std::lock_guard lock(mutex_);
    stops_ = true;
  }
  wanted_.notify_all();
  for (auto& thread : threads_) thread.join();
}

std::shared_ptr<const std::string> ReadAhead::Get(size_t place) {
  std::unique_lock lock(mutex_);
  MoveTo(place);
  const auto found = entries_.find(place);
  if (found == entries_.end()) return nullptr;
  const auto entry = found->second;
  if (const auto queued = std::find(queue_.begin(), queue_.end(), place); queued != queue_.end()) {
    queue_.erase(queued);
    Read(lock, *entry);
  }
  done_.wait(lock, [&] { return entry->is_done; });
  return entry->bytes;
}

void ReadAhead::MoveTo(size_t place) {
  const bool moves_on = window_ == 0 || place + window_ >= next_;
  if (!moves_on) return;
  window_ = window_ == 0 ? kFirstWindow : std::min(kMaxWindow, window_ * 2);
  next_ = std::max(next_, place);
  for (; next_ < std::min(count_, place + 1 + window_); ++next_) {
    auto piece = piece_at_(next_);
    if (!piece) continue;
    entries_[next_] = std::make_shared<Entry>(Entry{std::move(*piece), false, nullptr});
    queue_.push_back(next_);
  }
  const size_t oldest = place < kMaxWindow ? 0 : place - kMaxWindow;
  while (!queue_.empty() && queue_.front() < oldest) queue_.pop_front();
  entries_.erase(entries_.begin(), entries_.lower_bound(oldest));
  StartThreads();
}

void ReadAhead::StartThreads() {
  while (threads_.size() < std::min(kMaxThreads, queue_.size()))
    threads_.emplace_back([this] { Work(); });
  wanted_.notify_all();
}

void ReadAhead::Read(std::unique_lock<std::mutex>& lock, Entry& entry) {
  lock.unlock();
  auto bytes = store_->GetRange(entry.piece.path, entry.piece.offset, entry.piece.length);
  lock.lock();
  if (bytes) entry.bytes = std::make_shared<const std::string>(std::move(*bytes));
  entry.is_done = true;
  done_.notify_all();
}

void ReadAhead::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait(lock, [&] { return stops_ || !queue_.empty(); });
    if (stops_) return;
    const auto entry = entries_.at(queue_.front());
    queue_.pop_front();
    Read(lock, *entry);
  }
}

}  // namespace weir::storage

// SPDX-License-Identifier: Apache-2.0
#include "storage/fault_store.h"

#include "storage/errors.h"

namespace weir::storage {

void FaultStore::Inject(int64_t index, Fault fault) {
  std::lock_guard lock(mutex_);
  fault_at_ = index;
  fault_ = fault;
  was_hit_ = false;
}

void FaultStore::InjectNext(Fault fault) { Inject(calls(), fault); }

void FaultStore::Heal() {
  std::lock_guard lock(mutex_);
  fault_at_ = -1;
}

int64_t FaultStore::calls() const {
  std::lock_guard lock(mutex_);
  return static_cast<int64_t>(journal_.size());
}

bool FaultStore::was_hit() const {
  std::lock_guard lock(mutex_);
  return was_hit_;
}

std::vector<std::string> FaultStore::journal() const {
  std::lock_guard lock(mutex_);
  return journal_;
}

FaultStore::Outcome FaultStore::Enter(std::string_view call, const std::string& path) {
  std::lock_guard lock(mutex_);
  auto index = static_cast<int64_t>(journal_.size());
  journal_.push_back(std::string(call) + " " + path);
  bool strikes =
      fault_at_ >= 0 && (index == fault_at_ || (fault_ == Fault::kStopped && index > fault_at_));
  if (!strikes) return Outcome::kGood;
  was_hit_ = true;
  switch (fault_) {
    case Fault::kReplyLost:
      return Outcome::kReplyLost;
    case Fault::kRequestLost:
      return Outcome::kRequestLost;
    case Fault::kShortRead:
      return Outcome::kShort;
    case Fault::kError:
    case Fault::kStopped:
      return Outcome::kError;
  }
  return Outcome::kError;
}

template <typename Call>
auto FaultStore::Read(std::string_view name, const std::string& path, Call call)
    -> decltype(call()) {
  Outcome outcome = Enter(name, path);
  if (outcome == Outcome::kGood || outcome == Outcome::kShort) return call();
  return Fail(StoreFailed("read", path, "injected fault"));
}

template <typename Call>
Status FaultStore::Write(std::string_view name, const std::string& path, Call call) {
  switch (Enter(name, path)) {
    case Outcome::kGood:
    case Outcome::kShort:
      return call();
    case Outcome::kError:
      return Fail(StoreFailed("write", path, "injected fault"));
    case Outcome::kReplyLost:
      // Whatever the answer was, it is what gets lost.
      (void)call();
      return Fail(WriteStateUnknown(path, "injected loss of the reply"));
    case Outcome::kRequestLost:
      return Fail(WriteStateUnknown(path, "injected loss of the request"));
  }
  return {};
}

Result<std::string> FaultStore::Get(const std::string& path) {
  Outcome outcome = Enter("Get", path);
  if (outcome != Outcome::kGood && outcome != Outcome::kShort) {
    return Fail(StoreFailed("read", path, "injected fault"));
  }
  auto data = inner_->Get(path);
  if (data && outcome == Outcome::kShort) data->resize(data->size() / 2);
  return data;
}

Result<std::string> FaultStore::GetRange(const std::string& path, int64_t offset, int64_t length) {
  if (Enter("GetRange", path) != Outcome::kGood) {
    return Fail(StoreFailed("read", path, "injected fault"));
  }
  return inner_->GetRange(path, offset, length);
}

Result<ObjectInfo> FaultStore::Head(const std::string& path) {
  return Read("Head", path, [&] { return inner_->Head(path); });
}

Result<std::vector<ObjectInfo>> FaultStore::List(const std::string& directory,
                                                 std::string_view start_after) {
  return Read("List", directory, [&] { return inner_->List(directory, start_after); });
}

Result<std::vector<ObjectInfo>> FaultStore::ListDirectory(const std::string& directory) {
  return Read("ListDirectory", directory, [&] { return inner_->ListDirectory(directory); });
}

Result<std::vector<ObjectInfo>> FaultStore::ListRecursive(const std::string& directory) {
  return Read("ListRecursive", directory, [&] { return inner_->ListRecursive(directory); });
}

Status FaultStore::Put(const std::string& path, std::string_view data) {
  return Write("Put", path, [&] { return inner_->Put(path, data); });
}

Status FaultStore::PutIfAbsent(const std::string& path, std::string_view data) {
  return Write("PutIfAbsent", path, [&] { return inner_->PutIfAbsent(path, data); });
}

Status FaultStore::Delete(const std::string& path) {
  return Write("Delete", path, [&] { return inner_->Delete(path); });
}

Status FaultStore::DeleteRecursive(const std::string& directory) {
  return Write("DeleteRecursive", directory, [&] { return inner_->DeleteRecursive(directory); });
}

}  // namespace weir::storage

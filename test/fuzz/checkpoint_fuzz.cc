// SPDX-License-Identifier: Apache-2.0
//
// A log that somebody else wrote: the input, cut at NUL bytes, is a JSON checkpoint, the commit
// behind it,
// `_last_checkpoint`, a .crc and a compaction. Loading gives a snapshot or an error; what it gives
// is the same when it is loaded again, and can be asked for everything.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "delta/checkpoint/last_checkpoint.h"
#include "delta/checksum/version_checksum.h"
#include "delta/snapshot/snapshot.h"
#include "storage/memory_store.h"

namespace {

using weir::delta::Snapshot;
using weir::delta::TableLog;

void Check(bool holds) {
  if (!holds) std::abort();
}

std::string_view TakePiece(std::string_view& input) {
  size_t end = std::min(input.find('\0'), input.size());
  std::string_view piece = input.substr(0, end);
  input.remove_prefix(std::min(end + 1, input.size()));
  return piece;
}

void AskForEverything(const Snapshot& snapshot) {
  const auto& files = snapshot.files();
  int64_t bytes = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    auto add = files.Get(i);
    Check(add.path == files.path(i));
    bytes += static_cast<int64_t>(static_cast<uint64_t>(add.size) & 1);
    for (size_t k = 0; k < snapshot.metadata().partition_columns.size(); ++k)
      files.partition_value(i, k);
  }
  Check(bytes <= static_cast<int64_t>(files.size()));
  Check(snapshot.Tombstones().has_value());
  std::string checksum = weir::delta::SerializeVersionChecksum(snapshot, "t");
  auto parsed = weir::delta::ParseVersionChecksum(checksum);
  Check(parsed.has_value());
  Check(weir::delta::CompareWithChecksum(*parsed, snapshot).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  auto store = std::make_shared<weir::storage::MemoryStore>();
  auto put = [&](const std::string& name, std::string_view text) {
    if (!text.empty()) Check(store->Put("/t/_delta_log/" + name, text).has_value());
  };
  put("00000000000000000001.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json",
      TakePiece(input));
  put("00000000000000000002.json", TakePiece(input));
  std::string_view hint = TakePiece(input);
  put("_last_checkpoint", hint);
  put("00000000000000000002.crc", TakePiece(input));
  put("00000000000000000002.00000000000000000003.compacted.json", input);

  if (auto parsed = weir::delta::ParseLastCheckpoint(hint)) {
    auto again = weir::delta::ParseLastCheckpoint(weir::delta::SerializeLastCheckpoint(*parsed));
    Check(again && again->version == parsed->version && again->size == parsed->size);
  }
  TableLog log;
  log.store = store;
  log.root = "/t";
  auto snapshot = Snapshot::Load(log);
  auto again = Snapshot::Load(log);
  Check(snapshot.has_value() == again.has_value());
  if (!snapshot) return 0;
  Check((*snapshot)->files().size() == (*again)->files().size());
  AskForEverything(**snapshot);
  (void)weir::delta::ReadHistory(log, 0);
  (void)weir::delta::ResolveTimestamp(log, (*snapshot)->timestamp_ms());
  return 0;
}

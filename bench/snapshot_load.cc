// SPDX-License-Identifier: Apache-2.0
//
// Times what a reader pays before it sees a row: `snapshot_load TABLE [rounds]` loads the table's
// newest snapshot and walks its files, and prints one JSON object a round.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "delta/snapshot/snapshot.h"
#include "engine/checkpoint/parquet_checkpoint_io.h"

namespace {

double MillisSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: snapshot_load TABLE [rounds]\n");
    return 2;
  }
  int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 3;
  weir::delta::TableLog log;
  log.root = weir::storage::NormalizeLocation(argv[1]);
  auto store = weir::storage::OpenStore(log.root);
  if (!store) return 1;
  log.store = *store;
  log.checkpoint_io = weir::engine::ParquetCheckpointIo();
  for (int round = 0; round < rounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    auto snapshot = weir::delta::Snapshot::Load(log);
    double load_ms = MillisSince(start);
    if (!snapshot) {
      std::fprintf(stderr, "%s\n", snapshot.error().ToString().c_str());
      return 1;
    }
    const auto& files = (*snapshot)->files();
    start = std::chrono::steady_clock::now();
    size_t bytes = 0;
    for (size_t i = 0; i < files.size(); ++i) bytes += files.path(i).size();
    double list_ms = MillisSince(start);
    start = std::chrono::steady_clock::now();
    auto statistics = files.ReadStatistics({"col_0"});
    double stats_ms = MillisSince(start);
    start = std::chrono::steady_clock::now();
    auto again = (*snapshot)->Update();
    double update_ms = MillisSince(start);
    std::printf(
        "{\"version\":%lld,\"files\":%zu,\"path_bytes\":%zu,\"load_ms\":%.2f,\"list_ms\":%.2f,"
        "\"one_column_statistics_ms\":%.2f,\"idle_update_ms\":%.3f}\n",
        static_cast<long long>((*snapshot)->version()), files.size(), bytes, load_ms, list_ms,
        statistics ? stats_ms : -1, again ? update_ms : -1);
  }
  return 0;
}

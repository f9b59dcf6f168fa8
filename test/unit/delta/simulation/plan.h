// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "delta/memory_table.h"

namespace weir::delta {

/// What a seed decides before a simulation begins: the table and how rough the world is.
struct Plan {
  explicit Plan(uint64_t seed) : random(seed) {
    auto coin = [&] { return random() % 2 == 0; };
    clients = 2 + static_cast<int>(random() % 4);
    operations = 6 + static_cast<int>(random() % 8);
    constexpr int kFaults[] = {0, 0, 10, 40, 120};
    faults_per_mille = kFaults[random() % 5];
    is_serializable = coin();
    tracks_rows = coin();
    has_feed = coin();
    has_times = coin();
    jumps = random() % 3 == 0;
    checkpoint_interval = static_cast<int>(1 + random() % 8);
    is_v2 = coin();
  }

  Protocol MakeProtocol() const {
    Protocol protocol;
    protocol.min_reader_version = 3;
    protocol.min_writer_version = 7;
    protocol.reader_features = {"deletionVectors"};
    protocol.writer_features = {"deletionVectors", "domainMetadata", "changeDataFeed"};
    if (is_v2) {
      protocol.reader_features->push_back("v2Checkpoint");
      protocol.writer_features->push_back("v2Checkpoint");
    }
    if (tracks_rows) protocol.writer_features->push_back("rowTracking");
    if (has_times) protocol.writer_features->push_back("inCommitTimestamp");
    return protocol;
  }

  Metadata MakeMetadata() const {
    StringMap properties = {{"delta.checkpointInterval", std::to_string(checkpoint_interval)},
                            {"delta.enableDeletionVectors", "true"},
                            {"sim.counter", "0"}};
    if (!is_serializable) properties["delta.isolationLevel"] = "WriteSerializable";
    if (is_v2) properties["delta.checkpointPolicy"] = "v2";
    if (has_feed) properties["delta.enableChangeDataFeed"] = "true";
    if (has_times) properties["delta.enableInCommitTimestamps"] = "true";
    return MemoryTable::TestMetadata(properties);
  }

  mutable std::mt19937_64 random;
  int clients = 0;
  int operations = 0;  ///< Of each client.
  int faults_per_mille = 0;
  bool is_serializable = false;
  bool tracks_rows = false;
  bool has_feed = false;
  bool has_times = false;
  bool jumps = false;  ///< Whether the clock goes on by a day now and then.
  bool slips = false;  ///< Whether it is also set back by up to some hours, at any call. No seed's.
  int checkpoint_interval = 10;
  bool is_v2 = false;
};

}  // namespace weir::delta

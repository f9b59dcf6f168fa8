// SPDX-License-Identifier: Apache-2.0
//
// Random histories of a few keys, in random order of arrival, cut into random batches, some of them
// crashing between the two commits and coming again: the table must be what a small model makes of
// the sorted history.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>

#include "pipeline/auto_cdc_fixture.h"

namespace weir::pipeline::testing {
namespace {

struct Event {
  int key = 0;
  int sequence = 0;
  bool is_delete = false;
  std::string tracked;
  std::string untracked;
};

std::string Values(const std::vector<Event>& events) {
  return Join(events, ", ", [](const Event& event) {
    return "(" + std::to_string(event.key) + ", " + std::to_string(event.sequence) + ", '" +
           (event.is_delete ? "D" : "U") + "', " +
           (event.tracked.empty() ? "NULL" : "'" + event.tracked + "'") + ", '" + event.untracked +
           "')";
  });
}

class ScdModelTest : public AutoCdcTest, public ::testing::WithParamInterface<int> {
 protected:
  std::vector<Event> RandomHistory(bool ties) {
    std::vector<Event> events;
    const int count = Pick(1, 12);
    std::map<int, int> last;
    for (int i = 0; i < count; ++i) {
      Event event;
      event.key = Pick(1, 2);
      event.sequence = ties ? Pick(1, 5) : ++last[event.key];
      event.is_delete = Pick(1, 4) == 1;
      event.tracked = std::array<std::string, 3>{"", "a", "b"}[Pick(0, 2)];
      event.untracked = "u" + std::to_string(i);
      events.push_back(event);
    }
    std::ranges::shuffle(events, random_);
    return events;
  }

  int Pick(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }

  /// Feeds the events in random batches; some batches fail at their first or second commit and are
  /// replayed, and some events come again later.
  void Feed(const std::vector<Event>& events) {
    size_t at = 0;
    while (at < events.size()) {
      const size_t size = std::min<size_t>(events.size() - at, Pick(1, 5));
      std::vector<Event> batch(events.begin() + at, events.begin() + at + size);
      at += size;
      if (Pick(1, 3) == 1) store_->fail_at = store_->commits + Pick(1, 2);
      const auto counts = Apply(Values(batch));
      store_->fail_at = -1;
      if (!counts) {
        ASSERT_EQ(counts.error().name, "TEST_CRASH") << counts.error().ToString();
        const auto again = ApplyLoaded(number_ - 1);
        ASSERT_TRUE(again) << again.error().ToString();
      }
    }
  }

  std::mt19937 random_{static_cast<uint32_t>(GetParam())};
};

/// Of equal sequences an upsert beats a delete, and the later upsert the earlier.
std::vector<std::string> ModelScd1(const std::vector<Event>& arrived) {
  std::map<int, Event> winner;
  for (const Event& event : arrived) {
    const auto found = winner.find(event.key);
    const bool wins = found == winner.end() || event.sequence > found->second.sequence ||
                      (event.sequence == found->second.sequence && !event.is_delete);
    if (wins) winner[event.key] = event;
  }
  std::vector<std::string> rows;
  for (const auto& [key, event] : winner) {
    if (event.is_delete) continue;
    rows.push_back(std::to_string(key) + "|" + (event.tracked.empty() ? "-" : event.tracked) + "|" +
                   event.untracked);
  }
  return rows;
}

/// Of equal sequences a delete wins, then the first upsert. Runs of equal tracked values are one
/// row. `partial`: a tracked value of NULL leaves the one before it as it is.
std::vector<std::string> ModelScd2(const std::vector<Event>& arrived, bool partial = false) {
  std::map<int, std::map<int, Event>> history;
  for (const Event& event : arrived) {
    auto& events = history[event.key];
    const auto found = events.find(event.sequence);
    if (found == events.end() || (event.is_delete && !found->second.is_delete))
      events[event.sequence] = event;
  }
  std::vector<std::string> rows;
  for (const auto& [key, events] : history) {
    std::optional<Event> last;
    int start = 0;
    const auto close = [&](const std::string& end) {
      if (!last) return;
      rows.push_back(std::to_string(key) + "|" + std::to_string(start) + "|" + end + "|" +
                     (last->tracked.empty() ? "-" : last->tracked) + "|" + last->untracked);
    };
    for (auto [sequence, event] : events) {
      if (partial && last && event.tracked.empty()) event.tracked = last->tracked;
      if (last && !event.is_delete && last->tracked == event.tracked) {
        last = event;
        continue;
      }
      close(std::to_string(sequence));
      last.reset();
      if (event.is_delete) continue;
      last = event;
      start = sequence;
    }
    close("-");
  }
  return rows;
}

/// Each column has the value of the newest event since the last delete that wrote it: a name of
/// NULL writes none.
std::vector<std::string> ModelPartial(const std::vector<Event>& arrived) {
  std::map<int, int> last_delete;
  for (const Event& event : arrived) {
    if (event.is_delete) {
      last_delete[event.key] = std::max(last_delete[event.key], event.sequence);
    }
  }
  struct Cell {
    int sequence = -1;
    std::string value;
  };
  std::map<int, std::pair<Cell, Cell>> rows;
  for (const Event& event : arrived) {
    if (event.is_delete || event.sequence < last_delete[event.key]) continue;
    auto& [name, note] = rows[event.key];
    if (!event.tracked.empty() && event.sequence >= name.sequence) {
      name = {event.sequence, event.tracked};
    }
    if (event.sequence >= note.sequence) note = {event.sequence, event.untracked};
  }
  std::vector<std::string> lines;
  for (const auto& [key, row] : rows) {
    const std::string& name = row.first.value;
    lines.push_back(std::to_string(key) + "|" + (name.empty() ? "-" : name) + "|" +
                    row.second.value);
  }
  return lines;
}

constexpr const char* kColumns = "id INTEGER, seq INTEGER, op VARCHAR, name VARCHAR, note VARCHAR";

TEST_P(ScdModelTest, Type1EqualsTheModel) {
  Declare("KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq)",
          kColumns);
  const std::vector<Event> events = RandomHistory(GetParam() % 2 == 0);
  Feed(events);
  EXPECT_EQ(Rows("SELECT id, name, note FROM target ORDER BY id"), ModelScd1(events))
      << Values(events);
}

TEST_P(ScdModelTest, PartialUpdatesEqualTheModel) {
  Declare(
      "KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq) IGNORE "
      "NULL UPDATES ON "
      "(name)",
      kColumns);
  const std::vector<Event> events = RandomHistory(GetParam() % 2 == 0);
  Feed(events);
  EXPECT_EQ(Rows("SELECT id, name, note FROM target ORDER BY id"), ModelPartial(events))
      << Values(events);
}

TEST_P(ScdModelTest, Type2EqualsTheModel) {
  Declare(
      "KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq) STORED "
      "AS SCD TYPE 2 "
      "TRACK HISTORY ON (name)",
      kColumns);
  const std::vector<Event> events = RandomHistory(GetParam() % 2 == 0);
  Feed(events);
  EXPECT_EQ(Rows("SELECT id, __START_AT, __END_AT, name, note FROM target ORDER BY id, __START_AT"),
            ModelScd2(events))
      << Values(events);
}

/// Without TRACK HISTORY rows are compared by their hashes.
TEST_P(ScdModelTest, Type2OfWholeRowsEqualsTheModel) {
  Declare(
      "KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq) STORED "
      "AS SCD TYPE 2",
      kColumns);
  std::vector<Event> events = RandomHistory(GetParam() % 2 == 0);
  for (Event& event : events) event.untracked = "same";
  Feed(events);
  EXPECT_EQ(Rows("SELECT id, __START_AT, __END_AT, name, note FROM target ORDER BY id, __START_AT"),
            ModelScd2(events))
      << Values(events);
}

TEST_P(ScdModelTest, Type2OfPartialUpdatesEqualsTheModel) {
  Declare(
      "KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq) STORED "
      "AS SCD TYPE 2 TRACK HISTORY ON (name) IGNORE NULL UPDATES ON (name)",
      kColumns);
  const std::vector<Event> events = RandomHistory(GetParam() % 2 == 0);
  Feed(events);
  EXPECT_EQ(Rows("SELECT id, __START_AT, __END_AT, name, note FROM target ORDER BY id, __START_AT"),
            ModelScd2(events, true))
      << Values(events);
}

/// WEIR_MODEL_SEEDS makes more than the daily number of histories.
int Seeds() {
  const char* wanted = std::getenv("WEIR_MODEL_SEEDS");
  return wanted == nullptr ? 40 : std::atoi(wanted);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ScdModelTest, ::testing::Range(1, Seeds() + 1));

}  // namespace
}  // namespace weir::pipeline::testing

// SPDX-License-Identifier: Apache-2.0
//
// Says how many rows have changed in a Delta table since this program was last run:
//
//   follow_changes /data/lake/orders
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "weir/arrow_abi.h"
#include "weir/change_stream.h"

namespace {

// Reads the stream to its end and gives the number of its rows; -1 for an error.
int64_t CountRows(ArrowArrayStream* rows) {
  int64_t count = 0;
  while (true) {
    ArrowArray array;
    if (rows->get_next(rows, &array) != 0) {
      std::fprintf(stderr, "%s\n", rows->get_last_error(rows));
      return -1;
    }
    if (array.release == nullptr) return count;
    count += array.length;
    array.release(&array);
  }
}

int Fail(const weir::StreamStatus& status) {
  std::fprintf(stderr, "[%s] %s\n", status.name().c_str(), status.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: follow_changes TABLE\n");
    return 2;
  }
  weir::ChangeStreamOptions options;
  options.table = argv[1];
  options.consumer = "follow_changes";
  std::unique_ptr<weir::ChangeStream> stream;
  weir::StreamStatus status = weir::ChangeStream::Open(options, &stream);
  if (!status.ok()) return Fail(status);
  while (true) {
    weir::ChangeBatch batch;
    ArrowArrayStream rows;
    status = stream->Next(&batch, &rows);
    if (!status.ok()) return Fail(status);
    if (!batch.has_rows) return 0;
    const int64_t count = CountRows(&rows);
    rows.release(&rows);
    if (count < 0) return 1;
    std::printf("versions %" PRId64 " to %" PRId64 "%s: %" PRId64 " rows\n", batch.first_version,
                batch.last_version, batch.is_snapshot ? " (all rows)" : "", count);
    status = stream->Commit();
    if (!status.ok()) return Fail(status);
  }
}

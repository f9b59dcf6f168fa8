// SPDX-License-Identifier: Apache-2.0
#include "delta/check/check_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <vector>

#include "base/parallel.h"
#include "delta/actions/file_path.h"
#include "delta/check/parquet_beginning.h"
#include "delta/commit/pending_commit.h"
#include "delta/deletion_vectors/deletion_vector.h"
#include "delta/features/features.h"
#include "delta/partitions/partition_values.h"
#include "delta/statistics/file_statistics.h"

namespace weir::delta {
namespace {

// Requests to a store wait more than they work.
constexpr size_t kThreads = 16;

// Types whose values have one text in folders and in the log.
const std::set<TypeKind> kComparable{TypeKind::kString,  TypeKind::kByte, TypeKind::kShort,
                                     TypeKind::kInteger, TypeKind::kLong, TypeKind::kDate,
                                     TypeKind::kBoolean};

class FileCheck {
 public:
  explicit FileCheck(const Snapshot& snapshot)
      : snapshot_(snapshot),
        files_(snapshot.files()),
        root_(snapshot.log().root),
        is_mapped_(IsSupported(snapshot.protocol(), Feature::kColumnMapping)) {}

  Status Run(Findings& findings) {
    WEIR_RETURN_IF_ERROR(files_.LoadStats());
    WEIR_RETURN_IF_ERROR(TryParallelFor(files_.size(), kThreads,
                                        [this](size_t i) { return CheckFile(files_.Get(i)); }));
    std::sort(found_.begin(), found_.end(), [](const Finding& a, const Finding& b) {
      return std::tie(a.rule, a.file) < std::tie(b.rule, b.file);
    });
    for (Finding& finding : found_) findings.list().push_back(std::move(finding));
    return {};
  }

 private:
  // The error is one of the store, as whether a file is there could not be told.
  Status CheckFile(const AddFile& add) {
    CheckPartitionValues(add);
    const auto path = ResolveFilePath(root_, add.path);
    if (!path) {
      Report("file-present", add.path, path.error().message,
             "the log has a path that names no file: RESTORE a version before it");
      return {};
    }
    auto object = snapshot_.log().store->Head(*path);
    if (!object && object.error().kind != ErrorKind::kNotFound) return Fail(object.error());
    if (!object) {
      Report("file-present", add.path, fmt::format("{} is gone", *path),
             "put the file back, or RESTORE a version that does not need it; weir check --repair "
             "gives its rows up and removes the reference",
             RepairKind::kMissingFile);
      return {};
    }
    if (object->size != add.size) {
      Report("file-size", add.path,
             fmt::format("{} has {} bytes, the log says {}", *path, object->size, add.size),
             "the file was cut or replaced: put it back from a backup, or RESTORE a version that "
             "does not need it");
    }
    if (!MayBeParquet(*snapshot_.log().store, *path))
      Report("file-readable", add.path, *path + " does not begin as a Parquet file",
             "the file is damaged: put it back from a backup, or RESTORE a version that does not "
             "need it");
    CheckVector(add);
    return {};
  }

  void CheckVector(const AddFile& add) {
    if (!add.deletion_vector) return;
    const auto rows = ReadDeletionVector(*snapshot_.log().store, root_, *add.deletion_vector);
    if (!rows) {
      Report("deletion-vector", add.path, rows.error().message,
             "deleted rows cannot be told from live ones: put the vector back from a backup, or "
             "RESTORE a version before it");
      return;
    }
    const auto records = add.stats ? ReadNumRecords(*add.stats) : std::nullopt;
    if (!records) {
      Report("deletion-vector", add.path, "a file with a deletion vector has no numRecords",
             "REORG TABLE ... APPLY (PURGE) rewrites it");
    } else if (rows->CountInRange(static_cast<uint64_t>(*records), UINT64_MAX) > 0) {
      Report("deletion-vector", add.path,
             fmt::format("its vector names rows at or behind row {}, the file has {}", *records,
                         *records),
             "numRecords or the vector is wrong: REORG TABLE ... APPLY (PURGE) rewrites the file");
    }
  }

  // Writers put a file where its partition is; with column mapping names may have changed since.
  void CheckPartitionFolder(const AddFile& add, const StructField& field,
                            const std::string& value) {
    const std::string path = CanonicalPath(add.path);
    const bool is_elsewhere = path.starts_with("/") || path.find(':') != std::string::npos;
    if (is_mapped_ || is_elsewhere || !kComparable.contains(field.type->kind())) return;
    const std::string prefix = field.name + "=";
    std::string_view rest = path;
    for (size_t end = rest.find('/'); end != std::string_view::npos; end = rest.find('/')) {
      const std::string_view folder = rest.substr(0, end);
      rest.remove_prefix(end + 1);
      if (!folder.starts_with(prefix)) continue;
      const std::string told = UnescapePathName(folder.substr(prefix.size()));
      if (!SameValue(*field.type, told, value))
        Report("partition-values", add.path,
               fmt::format("its folder says {}{}, partitionValues '{}'", prefix, told, value),
               "its rows have another value than they were written with: put the commit back from "
               "a backup, or UPDATE them");
    }
  }

  static bool SameValue(const DataType& type, const std::string& folder, const std::string& value) {
    if (folder == value) return true;
    if (folder == "__HIVE_DEFAULT_PARTITION__") return value.empty();
    const auto a = ParsePartitionValue(type, folder);
    const auto b = ParsePartitionValue(type, value);
    return a && b &&
           SerializePartitionValue(type, *a).value_or(folder) ==
               SerializePartitionValue(type, *b).value_or(value);
  }

  void CheckPartitionValues(const AddFile& add) {
    for (const std::string& column : snapshot_.metadata().partition_columns) {
      const StructField* field = snapshot_.schema()->FindField(column);
      if (field == nullptr) {
        Report("partition-values", add.path, "the schema has no partition column " + column,
               "the table's metadata are broken: RESTORE");
        continue;
      }
      const auto value = add.partition_values.find(field->physical_name());
      if (value == add.partition_values.end()) {
        Report("partition-values", add.path,
               "partitionValues has no member " + field->physical_name(),
               "the rows read as NULL in that column: rewrite them with UPDATE");
      } else if (const auto parsed = ParsePartitionValue(*field->type, value->second); !parsed) {
        Report("partition-values", add.path, parsed.error().message,
               "its rows cannot be read: RESTORE a version before it");
      } else {
        CheckPartitionFolder(add, *field, value->second.value_or(""));
      }
    }
  }

  void Report(const char* rule, const std::string& file, std::string problem, const char* remedy,
              RepairKind repair = RepairKind::kNone) {
    const std::lock_guard lock(mutex_);
    found_.push_back({rule, snapshot_.version(), file, std::move(problem), remedy, repair, false});
  }

  const Snapshot& snapshot_;
  const FileList& files_;
  const std::string& root_;
  const bool is_mapped_;
  std::mutex mutex_;  // over found_
  std::vector<Finding> found_;
};

// Protocol section "Row Tracking": no id belongs to rows of two files.
void CheckRowIdRanges(const Snapshot& snapshot, Findings& findings) {
  if (!IsSupported(snapshot.protocol(), Feature::kRowTracking)) return;
  struct Range {
    int64_t first;
    int64_t last;
    size_t file;
  };
  std::vector<Range> ranges;
  const FileList& files = snapshot.files();
  for (size_t i = 0; i < files.size(); ++i) {
    const auto first = files.base_row_id(i);
    const auto records = ReadNumRecords(files.stats(i));
    if (first && records && *records > 0) ranges.push_back({*first, *first + *records - 1, i});
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first > ranges[i - 1].last) continue;
    findings.Add("row-id-ranges", snapshot.version(), std::string(files.path(ranges[i].file)),
                 fmt::format("its row ids begin with {}, those of {} end with {}", ranges[i].first,
                             files.path(ranges[i - 1].file), ranges[i - 1].last),
                 "row ids are given twice: ALTER TABLE ... DROP FEATURE rowTracking and enable it "
                 "again, which numbers all rows anew");
  }
}

}  // namespace

Status CheckFiles(const Snapshot& snapshot, Findings& findings) {
  WEIR_RETURN_IF_ERROR(FileCheck(snapshot).Run(findings));
  CheckRowIdRanges(snapshot, findings);
  return {};
}

}  // namespace weir::delta

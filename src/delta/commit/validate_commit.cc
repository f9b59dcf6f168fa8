// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/validate_commit.h"

#include <algorithm>
#include <set>

#include "delta/features/features.h"
#include "delta/schema/types.h"
#include "delta/statistics/file_statistics.h"

namespace weir::delta {
namespace {

Status CheckDuplicates(const PendingCommit& pending) {
  std::set<std::string> adds;
  std::set<std::string> removes;
  for (const auto& action : pending.actions) {
    const auto* add = std::get_if<AddFile>(&action);
    const auto* remove = std::get_if<RemoveFile>(&action);
    if (!add && !remove) continue;
    const std::string& path = add ? add->path : remove->path;
    if (!(add ? adds : removes).insert(CanonicalPath(path)).second) {
      return Fail(InvalidArgument("DELTA_DUPLICATE_ACTIONS_FOUND",
                                  "the commit " + std::string(add ? "adds" : "removes") +
                                      " the file '" + path + "' twice"));
    }
  }
  return {};
}

Status CheckAppendOnly(const PendingCommit& pending, const Protocol& protocol,
                       const Metadata& metadata) {
  if (!IsSupported(protocol, Feature::kAppendOnly) ||
      !IsPropertyTrue(metadata, "delta.appendOnly")) {
    return {};
  }
  for (const auto& action : pending.actions) {
    const auto* remove = std::get_if<RemoveFile>(&action);
    if (remove && remove->data_change) {
      return Fail(ConstraintViolated(
          "DELTA_CANNOT_MODIFY_APPEND_ONLY",
          "the table '" + metadata.name.value_or(metadata.id) +
              "' takes appends only, and the commit removes rows of '" + remove->path +
              "'. Set its property delta.appendOnly to false to allow that.",
          "42809"));
    }
  }
  return {};
}

// Physical names, as partition values have them.
std::set<std::string> PartitionNames(const Metadata& metadata, const DataType& schema) {
  std::set<std::string> names;
  for (const auto& column : metadata.partition_columns) {
    const StructField* field = schema.FindField(column);
    names.insert(field ? field->physical_name() : column);
  }
  return names;
}

Status CheckFile(const AddFile& add, const std::set<std::string>& partitions) {
  bool has_rows = add.stats && ReadNumRecords(*add.stats);
  if (add.deletion_vector && !has_rows) {
    return Fail(InvalidArgument("DELTA_ADDING_DELETION_VECTORS_WITHOUT_NUM_RECORDS",
                                "the file '" + add.path +
                                    "' gets a deletion vector, but its statistics do not say how "
                                    "many rows it has"));
  }
  bool matches = add.partition_values.size() == partitions.size() &&
                 std::all_of(add.partition_values.begin(), add.partition_values.end(),
                             [&](const auto& value) { return partitions.contains(value.first); });
  if (!matches) {
    return Fail(InvalidArgument("DELTA_ADD_FILE_PARTITIONING_MISMATCH",
                                "the partition values of the file '" + add.path +
                                    "' are not those of the table's " +
                                    std::to_string(partitions.size()) + " partition columns"));
  }
  return {};
}

}  // namespace

Status ValidateCommit(const PendingCommit& pending, const TableTip& tip) {
  const auto* new_protocol = pending.FindLast<Protocol>();
  const auto* new_metadata = pending.FindLast<Metadata>();
  if (tip.version < 0 && !(new_protocol && new_metadata)) {
    return Fail(InvalidArgument("WEIR_INCOMPLETE_TABLE",
                                "the first commit of a table must hold its protocol and metadata"));
  }
  const Protocol& protocol = new_protocol ? *new_protocol : tip.protocol;
  const Metadata& metadata = new_metadata ? *new_metadata : tip.metadata;
  WEIR_ASSIGN_OR_RETURN(TypePtr schema, ParseSchema(metadata.schema_string));
  if (new_protocol || new_metadata)
    WEIR_RETURN_IF_ERROR(CheckWritable(protocol, metadata, *schema));
  if (IsSupported(protocol, Feature::kCatalogManaged) &&
      !UsesInCommitTimestamps(protocol, metadata)) {
    return Fail(InvalidArgument("DELTA_CANNOT_MODIFY_CATALOG_MANAGED_DEPENDENCIES",
                                "the table is catalog-managed, so its commits carry their times: "
                                "delta.enableInCommitTimestamps must stay true",
                                "42616"));
  }
  WEIR_RETURN_IF_ERROR(CheckDuplicates(pending));
  WEIR_RETURN_IF_ERROR(CheckAppendOnly(pending, protocol, metadata));
  const auto partitions = PartitionNames(metadata, *schema);
  for (const auto& action : pending.actions) {
    if (const auto* add = std::get_if<AddFile>(&action)) {
      WEIR_RETURN_IF_ERROR(CheckFile(*add, partitions));
    }
  }
  return {};
}

}  // namespace weir::delta

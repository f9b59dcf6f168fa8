// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "delta/partitions/partition_values.h"
#include "delta/statistics/file_pruner.h"
#include "delta/statistics/file_statistics.h"

namespace {

using namespace weir::delta;

const std::vector<TypePtr>& Types() {
  static const std::vector<TypePtr> kTypes = {
      DataType::Primitive(TypeKind::kBoolean),
      DataType::Primitive(TypeKind::kByte),
      DataType::Primitive(TypeKind::kInteger),
      DataType::Primitive(TypeKind::kLong),
      DataType::Primitive(TypeKind::kFloat),
      DataType::Primitive(TypeKind::kDouble),
      DataType::Decimal(38, 18),
      DataType::Primitive(TypeKind::kString),
      DataType::Primitive(TypeKind::kBinary),
      DataType::Primitive(TypeKind::kDate),
      DataType::Primitive(TypeKind::kTimestamp),
      DataType::Primitive(TypeKind::kTimestampNtz),
  };
  return kTypes;
}

std::string NameOf(size_t i) { return std::string(1, static_cast<char>('a' + i)); }

TypePtr Schema() {
  std::vector<StructField> fields;
  for (size_t i = 0; i < Types().size(); ++i) {
    StructField field;
    field.name = NameOf(i);
    field.type = Types()[i];
    fields.push_back(field);
  }
  StructField nested;
  nested.name = "s";
  nested.type = DataType::Struct(fields);
  fields.push_back(nested);
  return DataType::Struct(fields);
}

// A value that was read is written in a form that is read as the same value.
void CheckValue(const DataType& type, std::string_view text) {
  auto value = ParsePartitionValue(type, text);
  if (!value || value->is_null()) return;
  auto written = SerializePartitionValue(type, *value);
  if (!written || !*written) return;
  auto again = ParsePartitionValue(type, **written);
  if (!again || Compare(*again, *value) != 0) std::abort();
}

}  // namespace

// Any text, as the statistics of a file and as a partition value, is safe.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  static const TypePtr kSchema = Schema();
  AddFile file;
  file.stats = std::string(text);
  for (size_t i = 0; i < Types().size(); ++i) {
    CheckValue(*Types()[i], text);
    auto constant = ParseValue(*Types()[i], text).value_or(Value(int64_t{1}));
    for (const ColumnPath& column : {ColumnPath{NameOf(i)}, ColumnPath{"s", NameOf(i)}}) {
      auto less = Predicate::Compare(column, CompareOp::kLess, constant);
      FilePruner pruner(*kSchema, {}, Predicate::Or({less, Predicate::IsNull(column)}));
      (void)pruner.Evaluate(file);
    }
  }
  (void)ReadNumRecords(text);
  (void)WidenBounds(text);
  auto maximum = TruncateMaximum(text);
  if (maximum && *maximum < text) std::abort();
  if (TruncateMinimum(text) > text) std::abort();
  return 0;
}

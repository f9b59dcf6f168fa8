// SPDX-License-Identifier: Apache-2.0
//
// Goal: no path in a log leads out of its table unnoticed, and no partition value is lost on its
// way into a path and back. Method: the input is taken as a file's path, as a deletion vector's
// place, as a partition's name and value; what the standard library makes of a path is the judge.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/text.h"
#include "delta/actions/file_path.h"
#include "delta/deletion_vectors/deletion_vector.h"
#include "delta/partitions/partition_values.h"

namespace {

using namespace weir::delta;

void Check(bool holds) {
  if (!holds) std::abort();
}

bool IsBelow(const std::string& folder, const std::string& path) {
  const std::string normal = std::filesystem::path(path).lexically_normal().string();
  return normal.starts_with(folder + "/");
}

void CheckPaths(const std::string& text) {
  auto path = ResolveFilePath("/w/t", text);
  if (path && IsWithinTable("/w/t", *path)) Check(IsBelow("/w/t", *path));
  DeletionVectorDescriptor vector;
  vector.storage_type = 'u';
  vector.path_or_inline_dv = text;
  auto place = DeletionVectorPath("/w/t", vector);
  if (place) Check(IsBelow("/w/t", *place));
}

void CheckPartition(const std::string& name, const std::string& value) {
  Check(UnescapePathName(EscapePathName(value)) == value);
  const std::string folder = PartitionDirectory({{name, value}});
  Check(folder.find('/') == std::string::npos);
  auto decoded = weir::PercentDecode(weir::UriEncodePath(value));
  Check(decoded && *decoded == value);
}

void CheckValue(const DataType& type, std::string_view text) {
  auto value = ParsePartitionValue(type, text);
  if (!value) return;
  auto written = SerializePartitionValue(type, *value);
  if (!written) return;
  auto again = ParsePartitionValue(type, *written);
  Check(again.has_value());
  auto twice = SerializePartitionValue(type, *again);
  Check(twice && *twice == *written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  CheckPaths(text);
  const size_t cut = text.find('=');
  if (cut != std::string::npos) CheckPartition(text.substr(0, cut), text.substr(cut + 1));
  for (auto kind :
       {TypeKind::kString, TypeKind::kLong, TypeKind::kDouble, TypeKind::kBoolean, TypeKind::kDate,
        TypeKind::kTimestamp, TypeKind::kTimestampNtz, TypeKind::kBinary}) {
    CheckValue(*DataType::Primitive(kind), text);
  }
  CheckValue(*DataType::Decimal(38, 10), text);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "engine/statements/write_mode.h"

namespace weir::engine {
namespace {

constexpr char kSeparator = '\x1f';
constexpr std::string_view kOverwrite = "overwrite";
constexpr std::string_view kReplaceWhere = "replace where ";

}  // namespace

std::string EncodeWriteTarget(const WriteTarget& target) {
  switch (target.mode) {
    case WriteMode::kAppend:
      return target.name;
    case WriteMode::kOverwrite:
      return target.name + kSeparator + std::string(kOverwrite);
    case WriteMode::kReplaceWhere:
      return target.name + kSeparator + std::string(kReplaceWhere) + target.condition;
  }
  return target.name;
}

WriteTarget DecodeWriteTarget(std::string_view name) {
  const size_t place = name.find(kSeparator);
  if (place == std::string_view::npos) return {std::string(name), WriteMode::kAppend, {}};
  const std::string table(name.substr(0, place));
  const std::string_view mode = name.substr(place + 1);
  if (mode.substr(0, kReplaceWhere.size()) == kReplaceWhere) {
    return {table, WriteMode::kReplaceWhere, std::string(mode.substr(kReplaceWhere.size()))};
  }
  return {table, WriteMode::kOverwrite, {}};
}

}  // namespace weir::engine

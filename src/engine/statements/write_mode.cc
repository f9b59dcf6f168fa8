// SPDX-License-Identifier: Apache-2.0
#include "engine/statements/write_mode.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace weir::engine {
namespace {

// Name, mode and flags, number of the prepared entry, condition, columns and values of partitions.
constexpr char kSeparator = '\x1f';
constexpr char kModes[] = {'a', 'o', 'p', 'r'};
constexpr char kEvolves = 'e';
constexpr char kPending = '?';

}  // namespace

std::string EncodeWriteTarget(const WriteTarget& target) {
  if (target.mode == WriteMode::kAppend && !target.evolves && !target.is_pending &&
      !target.prepared && target.partition.empty()) {
    return target.name;
  }
  std::string code = target.name;
  code += kSeparator;
  code += kModes[static_cast<size_t>(target.mode)];
  if (target.evolves) code += kEvolves;
  if (target.is_pending) code += kPending;
  code += kSeparator;
  if (target.prepared) code += std::to_string(*target.prepared);
  code += kSeparator;
  code += target.condition;
  for (const auto& [column, value] : target.partition) {
    code += kSeparator + column + kSeparator + value;
  }
  return code;
}

WriteTarget DecodeWriteTarget(std::string_view name) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find(kSeparator, begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  WriteTarget target;
  target.name = parts[0];
  if (parts.size() < 4 || parts[1].empty()) return target;
  for (size_t mode = 0; mode < std::size(kModes); mode++) {
    if (parts[1][0] == kModes[mode]) target.mode = static_cast<WriteMode>(mode);
  }
  target.evolves = parts[1].find(kEvolves) != std::string_view::npos;
  target.is_pending = parts[1].find(kPending) != std::string_view::npos;
  if (!parts[2].empty()) {
    uint64_t value = 0;
    std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), value);
    target.prepared = value;
  }
  target.condition = parts[3];
  for (size_t i = 4; i + 1 < parts.size(); i += 2) {
    target.partition.emplace_back(std::string(parts[i]), std::string(parts[i + 1]));
  }
  return target;
}

}  // namespace weir::engine

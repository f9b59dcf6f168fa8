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

// The end of the identifier that `at` is inside of; within one a quote is doubled.
size_t EndOfQuoted(const std::string& text, size_t at) {
  while (at < text.size() && text[at] != '\n') {
    if (text[at] == '"' && (at + 1 == text.size() || text[at + 1] != '"')) break;
    at += text[at] == '"' ? 2 : 1;
  }
  return std::min(at, text.size());
}

size_t ShownWidth(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && (byte & 0xC0) != 0x80;  // one for each character
  }));
}

// Takes `width` blanks in front of the `^` in the line behind `at`, if it has such a line.
void MoveMark(std::string& text, size_t at, size_t width) {
  const size_t begin = text.find('\n', at);
  if (begin == std::string::npos) return;
  const size_t mark = text.find_first_not_of(' ', begin + 1);
  if (mark == std::string::npos || text[mark] != '^') return;
  text.erase(begin + 1, std::min(width, mark - begin - 1));
}

}  // namespace

std::string WithoutWriteTargets(std::string message) {
  size_t begin = message.find(kSeparator);
  while (begin != std::string::npos) {
    const size_t end = EndOfQuoted(message, begin);
    const size_t width = ShownWidth(std::string_view(message).substr(begin, end - begin));
    message.erase(begin, end - begin);
    MoveMark(message, begin, width);
    begin = message.find(kSeparator, begin);
  }
  return message;
}

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

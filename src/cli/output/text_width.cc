// SPDX-License-Identifier: Apache-2.0
#include "cli/output/text_width.h"

#include <wchar.h>

#include <cstdio>

namespace weir::cli {

size_t TextWidth(std::string_view text) {
  size_t width = 0;
  std::mbstate_t state{};
  while (!text.empty()) {
    wchar_t character = 0;
    size_t length = std::mbrtowc(&character, text.data(), text.size(), &state);
    if (length == 0) length = 1;
    if (length > text.size()) {  // no UTF-8, or cut short
      state = {};
      length = 1;
      ++width;
    } else {
      const int columns = ::wcwidth(character);
      width += columns < 0 ? 1 : static_cast<size_t>(columns);
    }
    text.remove_prefix(length);
  }
  return width;
}

namespace {

void AppendVisible(char c, std::string& line) {
  const unsigned char byte = c;
  if (byte >= 0x20 && byte != 0x7f) {
    line += c;
    return;
  }
  char escape[8];
  std::snprintf(escape, sizeof escape, "\\x%02x", byte);
  line += escape;
}

}  // namespace

std::string VisibleText(std::string_view text) {
  std::string visible;
  for (const char c : text) {
    if (c == '\n' || c == '\t') {
      visible += c;
    } else {
      AppendVisible(c, visible);
    }
  }
  return visible;
}

std::vector<std::string> CellLines(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else if (c == '\t') {
      lines.back() += "\\t";
    } else {
      AppendVisible(c, lines.back());
    }
  }
  return lines;
}

}  // namespace weir::cli

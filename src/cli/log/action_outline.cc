// SPDX-License-Identifier: Apache-2.0
#include "cli/log/action_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "base/text.h"
#include "cli/output/text_width.h"
#include "cli/output/time_text.h"
#include "delta/deletion_vectors/deletion_vector.h"

namespace weir::cli {
namespace {

constexpr std::array<std::string_view, 6> kTimes{"timestamp",        "inCommitTimestamp",
                                                 "modificationTime", "deletionTimestamp",
                                                 "createdTime",      "lastUpdated"};
constexpr std::array<std::string_view, 3> kJsonTexts{"stats", "schemaString", "configuration"};

template <size_t kSize>
bool IsOneOf(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The descriptor of a `deletionVector` member, as far as it is sound.
Result<delta::RowBitmap> ReadRows(const LogFiles& log, const JsonValue& vector) {
  delta::DeletionVectorDescriptor descriptor;
  const JsonValue* type = vector.Find("storageType");
  const JsonValue* place = vector.Find("pathOrInlineDv");
  if (type == nullptr || type->text().size() != 1 || place == nullptr) {
    return Fail(
        CorruptLog("DELTA_DELETION_VECTOR_MALFORMED", "storageType or pathOrInlineDv is missing"));
  }
  const auto number = [&](const char* key) {
    const JsonValue* member = vector.Find(key);
    return member == nullptr ? std::nullopt : member->AsInt64();
  };
  descriptor.storage_type = type->text()[0];
  descriptor.path_or_inline_dv = place->text();
  if (const auto offset = number("offset")) descriptor.offset = static_cast<int32_t>(*offset);
  descriptor.size_in_bytes = static_cast<int32_t>(number("sizeInBytes").value_or(0));
  descriptor.cardinality = number("cardinality").value_or(0);
  return delta::ReadDeletionVector(log.store(), log.root(), descriptor);
}

class Outliner {
 public:
  Outliner(const LogFiles& log, bool rows_of_vectors, std::string& out)
      : log_(log), rows_of_vectors_(rows_of_vectors), out_(out) {}

  void Member(std::string_view name, const JsonValue& value, int depth) {
    if (value.is_string() && IsOneOf(kJsonTexts, name)) {
      auto unfolded = JsonValue::Parse(value.text());
      if (unfolded && (unfolded->is_object() || unfolded->is_array())) {
        Nested(name, *unfolded, depth);
        return;
      }
    }
    if ((value.is_object() && !value.members().empty()) ||
        (value.is_array() && !value.items().empty())) {
      Nested(name, value, depth);
      return;
    }
    std::string text = ScalarText(value);
    if (const auto millis = value.AsInt64(); millis && IsOneOf(kTimes, name))
      text += " (" + TimeText(*millis) + ")";
    Line(depth, std::string(name) + ": " + text);
  }

 private:
  void Nested(std::string_view name, const JsonValue& value, int depth) {
    Line(depth, std::string(name));
    for (const auto& [key, member] : value.members()) Member(key, member, depth + 1);
    for (const JsonValue& item : value.items()) Item(item, depth + 1);
    if (name == "deletionVector" && rows_of_vectors_) {
      const auto rows = ReadRows(log_, value);
      Line(depth + 1, "rows: " + (rows ? RowsText(*rows) : rows.error().ToString()));
    }
  }

  // Of an array; an object's name, where it has one, heads it.
  void Item(const JsonValue& item, int depth) {
    if (!item.is_object() && !item.is_array()) {
      Line(depth, "- " + ScalarText(item));
      return;
    }
    Line(depth, "-");
    for (const auto& [key, member] : item.members()) Member(key, member, depth + 1);
    for (const JsonValue& inner : item.items()) Item(inner, depth + 1);
  }

  static std::string ScalarText(const JsonValue& value) {
    return value.is_string() ? value.text() : value.ToString();
  }

  // Control characters are made visible: a log must not steer the terminal.
  void Line(int depth, const std::string& text) {
    out_.append(static_cast<size_t>(depth) * 2, ' ');
    const std::vector<std::string> parts = CellLines(text);
    for (size_t i = 0; i < parts.size(); ++i) out_ += (i == 0 ? "" : "\\n") + parts[i];
    out_ += '\n';
  }

  const LogFiles& log_;
  bool rows_of_vectors_;
  std::string& out_;
};

}  // namespace

std::string RowsText(const delta::RowBitmap& rows) {
  std::string text;
  rows.ForEachRange([&](uint64_t first, uint64_t end) {
    if (!text.empty()) text += ", ";
    text += end == first + 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, end - 1);
  });
  return text;
}

void AppendOutline(const LogLine& line, const LogFiles& log, bool rows_of_vectors,
                   std::string& out) {
  if (!line.is_object) {
    out += "(no JSON object) " + CellLines(line.text).front() + "\n";
    return;
  }
  Outliner outliner(log, rows_of_vectors, out);
  for (const auto& [name, action] : line.action.members()) outliner.Member(name, action, 0);
}

}  // namespace weir::cli

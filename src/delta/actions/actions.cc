// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/actions.h"

#include <algorithm>

#include "base/text.h"
#include "delta/actions/codecs.h"

namespace weir::delta {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// No action is shorter; bounds what is reserved for a file of empty lines.
constexpr size_t kLeastLineLength = 30;

template <typename T>
constexpr std::string_view kActionName = {};
template <>
constexpr std::string_view kActionName<Protocol> = "protocol";
template <>
constexpr std::string_view kActionName<Metadata> = "metaData";
template <>
constexpr std::string_view kActionName<AddFile> = "add";
template <>
constexpr std::string_view kActionName<RemoveFile> = "remove";
template <>
constexpr std::string_view kActionName<AddCdcFile> = "cdc";
template <>
constexpr std::string_view kActionName<SetTransaction> = "txn";
template <>
constexpr std::string_view kActionName<DomainMetadata> = "domainMetadata";
template <>
constexpr std::string_view kActionName<CommitInfo> = "commitInfo";
template <>
constexpr std::string_view kActionName<CheckpointMetadata> = "checkpointMetadata";
template <>
constexpr std::string_view kActionName<Sidecar> = "sidecar";

struct ActionReader {
  std::string_view name;
  /// At most one of its kind in a file.
  bool is_single;
  bool (*read)(JsonInput input, Action& action, ReadContext& context);
};

template <typename T>
constexpr ActionReader ReaderOf(bool is_single = false) {
  return {kActionName<T>, is_single, [](JsonInput input, Action& action, ReadContext& context) {
            return ReadAction(input, action.emplace<T>(), context);
          }};
}

constexpr ActionReader kReaders[] = {
    ReaderOf<AddFile>(),
    ReaderOf<RemoveFile>(),
    ReaderOf<AddCdcFile>(),
    ReaderOf<CommitInfo>(),
    ReaderOf<Protocol>(/*is_single=*/true),
    ReaderOf<Metadata>(/*is_single=*/true),
    ReaderOf<SetTransaction>(),
    ReaderOf<DomainMetadata>(),
    ReaderOf<CheckpointMetadata>(/*is_single=*/true),
    ReaderOf<Sidecar>(),
};

const ActionReader* FindReader(std::string_view name) {
  for (const auto& reader : kReaders) {
    if (reader.name == name) return &reader;
  }
  return nullptr;
}

/// Reads the lines of one file. The text must be followed by simdjson's padding.
class ActionFileReader {
 public:
  explicit ActionFileReader(std::string_view file) : file_(file) {}

  Result<std::vector<Action>> Read(std::string_view text) {
    actions_.reserve(std::min(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1,
                              text.size() / kLeastLineLength));
    std::string_view rest = text;
    while (!rest.empty()) {
      ++line_number_;
      size_t end = rest.find('\n');
      std::string_view line = Trim(rest.substr(0, end));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (line.empty()) continue;
      ReadContext context{line, {}};
      if (!ReadLine(line, context)) return Fail(Malformed(context.failure));
    }
    return std::move(actions_);
  }

 private:
  bool ReadLine(std::string_view line, ReadContext& context) {
    simdjson::ondemand::document document;
    simdjson::padded_string_view padded(line, line.size() + simdjson::SIMDJSON_PADDING);
    if (auto error = parser_.iterate(padded).get(document)) {
      return context.Fail(std::string("the JSON is broken (") + simdjson::error_message(error) +
                          ")");
    }
    simdjson::ondemand::object object;
    if (document.get_object().get(object)) {
      return context.FailAt(line.data(), "a line must be one JSON object");
    }
    std::string_view found;
    for (auto item : object) {
      simdjson::ondemand::field field;
      std::string_view name;
      if (std::move(item).get(field) || field.unescaped_key().get(name)) {
        return context.Fail("the JSON is broken");
      }
      JsonInput value = field.value();
      if (IsNull(value)) continue;
      if (!found.empty()) {
        return context.Fail("one action a line is expected, found '" + std::string(found) +
                            "' and '" + std::string(name) + "'");
      }
      found = name;
      if (!ReadOne(name, value, context)) return false;
    }
    const char* behind = nullptr;
    return document.current_location().get(behind) == simdjson::OUT_OF_BOUNDS ||
           context.Fail("there is text behind the action");
  }

  bool ReadOne(std::string_view name, JsonInput value, ReadContext& context) {
    const ActionReader* reader = FindReader(name);
    if (reader == nullptr) {
      return SkipValue(value) || context.Fail("the JSON is broken in '" + std::string(name) + "'");
    }
    Action& action = actions_.emplace_back();
    if (!reader->read(value, action, context)) {
      return context.Fail("action '" + std::string(name) + "': " + context.failure);
    }
    if (!reader->is_single) return true;
    auto is_same = [&](const Action& other) { return other.index() == action.index(); };
    if (std::count_if(actions_.begin(), actions_.end(), is_same) == 1) return true;
    return context.Fail("a second '" + std::string(name) + "' action in one file");
  }

  Error Malformed(const std::string& reason) const {
    return CorruptLog("DELTA_LOG_FILE_MALFORMED",
                      "'" + file_ + "', line " + std::to_string(line_number_) + ": " + reason);
  }

  std::string file_;
  int64_t line_number_ = 0;
  simdjson::ondemand::parser parser_;
  std::vector<Action> actions_;
};

}  // namespace

Result<std::vector<Action>> ParseActions(std::string_view file, std::string_view text) {
  if (StartsWith(text, kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  simdjson::padded_string padded(text);
  return ActionFileReader(file).Read(padded);
}

void AppendAction(const Action& action, std::string& out) {
  JsonWriter writer(out);
  std::visit(
      [&]<typename T>(const T& one) {
        writer.BeginObject().Key(kActionName<T>);
        WriteAction(writer, one);
        writer.EndObject();
      },
      action);
}

std::string SerializeAction(const Action& action) {
  std::string out;
  AppendAction(action, out);
  return out;
}

}  // namespace weir::delta

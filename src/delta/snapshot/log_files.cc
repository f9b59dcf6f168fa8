// SPDX-License-Identifier: Apache-2.0
#include "delta/snapshot/log_files.h"

#include <array>
#include <charconv>
#include <cstdio>

#include "base/text.h"
#include "base/uuid.h"

namespace weir::delta {
namespace {

constexpr size_t kVersionDigits = 20;
constexpr size_t kPartDigits = 10;
constexpr size_t kUuidLength = 36;

// A number of exactly `digits` digits at the start of `text`, which is moved behind it.
std::optional<int64_t> TakeNumber(std::string_view& text, size_t digits) {
  if (text.size() < digits) return std::nullopt;
  std::string_view number = text.substr(0, digits);
  if (number.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  int64_t value = 0;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  // The greatest number is left out so that the version behind any other is a number too.
  if (error != std::errc() || value == INT64_MAX) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!StartsWith(text, prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// What follows "{version}.checkpoint.".
std::optional<LogFileName> ParseCheckpoint(LogFileName file, std::string_view rest) {
  if (rest == "parquet") {
    file.kind = LogFileKind::kClassicCheckpoint;
    return file;
  }
  if (rest.size() > kUuidLength && Uuid::Parse(rest.substr(0, kUuidLength))) {
    std::string_view extension = rest.substr(kUuidLength);
    if (extension != ".json" && extension != ".parquet") return std::nullopt;
    file.kind = LogFileKind::kUuidCheckpoint;
    file.json = extension == ".json";
    return file;
  }
  auto part = TakeNumber(rest, kPartDigits);
  if (!part || !TakePrefix(rest, ".")) return std::nullopt;
  auto parts = TakeNumber(rest, kPartDigits);
  if (!parts || rest != ".parquet" || *part < 1 || *part > *parts) return std::nullopt;
  file.kind = LogFileKind::kMultiPartCheckpoint;
  file.part = *part;
  file.parts = *parts;
  return file;
}

}  // namespace

std::optional<LogFileName> ParseLogFileName(std::string_view name) {
  LogFileName file;
  auto version = TakeNumber(name, kVersionDigits);
  if (!version || !TakePrefix(name, ".")) return std::nullopt;
  file.version = file.end_version = *version;
  if (name == "json") return file;
  if (name == "crc") {
    file.kind = LogFileKind::kChecksum;
    return file;
  }
  if (TakePrefix(name, "checkpoint.")) return ParseCheckpoint(file, name);
  auto end = TakeNumber(name, kVersionDigits);
  if (!end || name != ".compacted.json" || *end <= *version) return std::nullopt;
  file.kind = LogFileKind::kCompaction;
  file.end_version = *end;
  return file;
}

std::string VersionPrefix(int64_t version) {
  std::array<char, 32> text{};
  int length = std::snprintf(text.data(), text.size(), "%020lld", static_cast<long long>(version));
  return std::string(text.data(), static_cast<size_t>(length));
}

std::string CommitFileName(int64_t version) { return VersionPrefix(version) + ".json"; }

std::string ChecksumFileName(int64_t version) { return VersionPrefix(version) + ".crc"; }

std::string ClassicCheckpointFileName(int64_t version) {
  return VersionPrefix(version) + ".checkpoint.parquet";
}

std::string UuidCheckpointFileName(int64_t version, std::string_view uuid) {
  return VersionPrefix(version) + ".checkpoint." + std::string(uuid) + ".parquet";
}

}  // namespace weir::delta

// SPDX-License-Identifier: Apache-2.0
#include "delta/checkpoint/last_checkpoint.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "delta/snapshot/log_files.h"

namespace weir::delta {
namespace {

using PathAndValue = std::pair<std::string, std::string>;

std::string Encode(std::string_view text) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  std::string out = "\"";
  for (char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out + "\"";
}

std::string Joined(const std::string& path, const std::string& segment) {
  return path.empty() ? segment : path + "+" + segment;
}

void Collect(const JsonValue& value, const std::string& path, std::vector<PathAndValue>& out) {
  switch (value.kind()) {
    case JsonValue::Kind::kObject:
      for (const auto& [name, member] : value.members()) {
        if (path.empty() && name == "checksum") continue;
        Collect(member, Joined(path, Encode(name)), out);
      }
      return;
    case JsonValue::Kind::kArray:
      for (size_t i = 0; i < value.items().size(); ++i) {
        Collect(value.items()[i], Joined(path, std::to_string(i)), out);
      }
      return;
    case JsonValue::Kind::kString:
      out.emplace_back(path, Encode(value.text()));
      return;
    default:
      out.emplace_back(path, value.ToString());
  }
}

std::string Md5Hex(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_md5(), nullptr);
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

std::optional<int64_t> Number(const JsonValue& document, std::string_view key) {
  const JsonValue* member = document.Find(key);
  return member ? member->AsInt64() : std::nullopt;
}

}  // namespace

std::optional<std::string> JsonChecksum(const JsonValue& document) {
  std::vector<PathAndValue> pairs;
  Collect(document, "", pairs);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string canonical;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (i > 0 && pairs[i].first == pairs[i - 1].first) return std::nullopt;
    canonical += i == 0 ? "" : ",";
    canonical += pairs[i].first + "=" + pairs[i].second;
  }
  return Md5Hex(canonical);
}

std::optional<LastCheckpoint> ParseLastCheckpoint(std::string_view text) {
  auto document = JsonValue::Parse(text);
  if (!document || !document->is_object()) return std::nullopt;
  auto version = Number(*document, "version");
  if (!version || *version < 0) return std::nullopt;
  const JsonValue* checksum = document->Find("checksum");
  if (checksum && checksum->is_string() && JsonChecksum(*document) != checksum->text()) {
    return std::nullopt;
  }
  LastCheckpoint hint;
  hint.version = *version;
  hint.size = Number(*document, "size").value_or(0);
  hint.size_in_bytes = Number(*document, "sizeInBytes");
  hint.num_of_add_files = Number(*document, "numOfAddFiles");
  hint.parts = Number(*document, "parts");
  if (hint.parts && (*hint.parts < 1 || *hint.parts > LastCheckpoint::kMaxParts))
    return std::nullopt;
  return hint;
}

std::string SerializeLastCheckpoint(const LastCheckpoint& hint) {
  JsonValue document = JsonValue::Object();
  document.Set("version", JsonValue::Int(hint.version));
  document.Set("size", JsonValue::Int(hint.size));
  if (hint.size_in_bytes) document.Set("sizeInBytes", JsonValue::Int(*hint.size_in_bytes));
  if (hint.num_of_add_files) document.Set("numOfAddFiles", JsonValue::Int(*hint.num_of_add_files));
  if (hint.parts) document.Set("parts", JsonValue::Int(*hint.parts));
  auto checksum = JsonChecksum(document);
  if (checksum) document.Set("checksum", JsonValue::String(*checksum));
  return document.ToString();
}

std::optional<LastCheckpoint> ReadLastCheckpoint(const TableLog& log) {
  auto text = log.store->Get(storage::JoinPath(log.log_dir(), kLastCheckpointName));
  if (!text) return std::nullopt;
  return ParseLastCheckpoint(*text);
}

}  // namespace weir::delta

// SPDX-License-Identifier: Apache-2.0
#include "storage/location.h"

#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "storage/object_store.h"

namespace weir::storage {
namespace {

/// The physical working directory with the leading "../" of `relative` already taken off it. Later
/// ones stay: behind a symbolic link they mean what the file system says.
std::string AbsoluteFrom(std::string_view relative) {
  std::error_code error;
  std::filesystem::path base = std::filesystem::current_path(error);
  while (true) {
    if (relative == ".." || StartsWith(relative, "../")) {
      base = base.parent_path();
      relative.remove_prefix(2);
    } else if (relative == "." || StartsWith(relative, "./")) {
      relative.remove_prefix(1);
    } else {
      break;
    }
    while (StartsWith(relative, "/")) relative.remove_prefix(1);
  }
  return JoinPath(base.string(), relative);
}

/// Without "." parts, doubled and trailing slashes.
std::string CleanAbsolutePath(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    size_t slash = path.find('/');
    std::string_view part = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (part.empty() || part == ".") continue;
    out += '/';
    out += part;
  }
  return out.empty() ? "/" : out;
}

std::string NormalizeLocalPath(std::string_view path) {
  return CleanAbsolutePath(StartsWith(path, "/") ? std::string(path) : AbsoluteFrom(path));
}

std::string NormalizeFileUrl(std::string_view rest) {
  if (!StartsWith(rest, "//")) return NormalizeLocalPath(rest);
  rest.remove_prefix(2);
  // file://HOST/path: only this machine can be meant.
  size_t slash = rest.find('/');
  rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash);
  return NormalizeLocalPath(rest.empty() ? "/" : rest);
}

}  // namespace

std::string_view SchemeOf(std::string_view url) {
  // One letter is no scheme anyone uses; a colon behind a slash belongs to a file name.
  size_t end = 0;
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  auto is_other = [](char c) { return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; };
  while (end < url.size() && (is_letter(url[end]) || (end > 0 && is_other(url[end])))) ++end;
  if (end < 2 || end == url.size() || url[end] != ':') return {};
  std::string_view scheme = url.substr(0, end);
  if (EqualsIgnoreCase(scheme, "file")) return scheme;
  return StartsWith(url.substr(end), "://") ? scheme : std::string_view();
}

std::string NormalizeLocation(std::string_view url) {
  std::string_view scheme = SchemeOf(url);
  if (scheme.empty()) return NormalizeLocalPath(url);
  std::string_view rest = url.substr(scheme.size() + 1);
  if (EqualsIgnoreCase(scheme, "file")) return NormalizeFileUrl(rest);
  size_t root = std::string_view("//").size();
  while (rest.size() > root && rest.back() == '/') rest.remove_suffix(1);
  return ToLowerAscii(scheme) + ":" + std::string(rest);
}

std::string JoinPath(std::string_view base, std::string_view relative) {
  while (!base.empty() && base.back() == '/') base.remove_suffix(1);
  while (!relative.empty() && relative.front() == '/') relative.remove_prefix(1);
  std::string out;
  out.reserve(base.size() + 1 + relative.size());
  out += base;
  out += '/';
  out += relative;
  return out;
}

std::string_view BaseName(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool IsBelow(std::string_view root, std::string_view path) {
  return StartsWith(path, root) && (path.size() == root.size() || path[root.size()] == '/');
}

std::string KeyBelow(std::string_view root, std::string_view path) {
  if (!IsBelow(root, path)) return {};
  path.remove_prefix(root.size());
  while (StartsWith(path, "/")) path.remove_prefix(1);
  return std::string(path);
}

Error NotInStore(std::string_view root, std::string_view path) {
  return InvalidArgument("WEIR_INVALID_LOCATION",
                         "'" + std::string(path) + "' is not in " + std::string(root));
}

}  // namespace weir::storage

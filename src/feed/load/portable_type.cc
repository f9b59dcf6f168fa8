// SPDX-License-Identifier: Apache-2.0
#include "feed/load/portable_type.h"

#include <algorithm>
#include <array>
#include <utility>

namespace weir::feed {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 21> kReplacements = {{
    {"UTINYINT", "SMALLINT"},     {"USMALLINT", "INTEGER"},      {"UINTEGER", "BIGINT"},
    {"UBIGINT", "DECIMAL(20,0)"}, {"HUGEINT", "DECIMAL(38,0)"},  {"UHUGEINT", "DECIMAL(38,0)"},
    {"TIMESTAMP_S", "TIMESTAMP"}, {"TIMESTAMP_MS", "TIMESTAMP"}, {"TIMESTAMP_NS", "TIMESTAMP"},
    {"TIME", "VARCHAR"},          {"TIME_NS", "VARCHAR"},        {"TIME WITH TIME ZONE", "VARCHAR"},
    {"UUID", "VARCHAR"},          {"JSON", "VARCHAR"},           {"INTERVAL", "VARCHAR"},
    {"BIT", "VARCHAR"},           {"BIGNUM", "VARCHAR"},         {"VARIANT", "VARCHAR"},
    {"ENUM", "VARCHAR"},          {"UNION", "VARCHAR"},          {"\"NULL\"", "VARCHAR"},
}};

/// Reads a type in the spelling of DESCRIBE:
///   type  = word {' ' word} ['(' inside ')'] {'[' digits ']'}
class TypeReader {
 public:
  explicit TypeReader(std::string_view text) : text_(text) {}

  std::string Type() {
    const std::string_view name = text_.substr(at_, End(",([)") - at_);
    at_ += name.size();
    std::string type = Replaced(name);
    const bool replaced = type != name;
    if (Peek() == '(') {
      const std::string inside = Inside(name);
      if (!replaced) type += inside;
    }
    while (Peek() == '[') {
      at_ = std::min(text_.find(']', at_), text_.size() - 1) + 1;
      type += "[]";
    }
    return type;
  }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  // The place of the first of `stops` outside of quotes, from here on.
  size_t End(std::string_view stops) const {
    char quote = '\0';
    for (size_t i = at_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (quote != '\0') {
        if (c == quote) quote = '\0';  // a doubled quote opens it again
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (stops.find(c) != std::string_view::npos) {
        return i;
      }
    }
    return text_.size();
  }

  static std::string Replaced(std::string_view name) {
    const auto* found = std::ranges::find(kReplacements, name,
                                          &std::pair<std::string_view, std::string_view>::first);
    return std::string(found == kReplacements.end() ? name : found->second);
  }

  // From '(' to its ')': fields of a struct, types of a map, values of an enum or numbers.
  std::string Inside(std::string_view name) {
    std::string inside;
    while (Peek() != '\0' && Peek() != ')') {
      inside += text_[at_++];  // '(' or ','
      while (Peek() == ' ') inside += text_[at_++];
      if (name == "STRUCT" || name == "UNION") {
        const size_t end = std::min(End(" ,)"), text_.size() - 1) + 1;
        inside += text_.substr(at_, end - at_);
        at_ = end;
      }
      inside += Type();
    }
    if (Peek() == ')') inside += text_[at_++];
    return inside;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::string PortableType(std::string_view type) {
  return type.empty() ? std::string() : TypeReader(type).Type();
}

}  // namespace weir::feed

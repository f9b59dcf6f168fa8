// SPDX-License-Identifier: Apache-2.0
//
// How an action's members are read and written. Each action has one table, in the order in which
// Spark writes the members:
//
//   constexpr MemberEntry<SetTransaction> kMembers[] = {
//       Member<&SetTransaction::app_id>("appId", Presence::kRequired), ...
//   };
//
// Reading takes the members in any order, skips unknown ones, takes null for absent and the last of
// two with the same name.
#pragma once

#include <simdjson.h>

#include <bitset>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json.h"
#include "delta/actions/actions.h"

namespace weir::delta {

using JsonInput = simdjson::ondemand::value;

enum class Presence { kRequired, kOptional };

/// The line that is read and why reading it stopped. Readers return false after a failure.
struct ReadContext {
  std::string_view line;
  std::string failure;

  /// Both return false.
  bool Fail(std::string what);
  /// With what was found in the line at `at`.
  bool FailAt(const char* at, std::string what);
};

/// One member of an action `T`.
template <typename T>
struct MemberEntry {
  std::string_view name;
  Presence presence;
  std::string_view expected;  ///< What its value must be, for messages.
  bool (*read)(JsonInput value, T& action, ReadContext& context);
  /// Writes key and value, or nothing when the member is absent.
  void (*write)(JsonWriter& writer, std::string_view name, const T& action);
};

// One value, read: false when it is of another type; `failure` is set only where there is more to
// say.
bool ReadValue(JsonInput input, std::string& value, ReadContext& context);
bool ReadValue(JsonInput input, int64_t& value, ReadContext& context);
bool ReadValue(JsonInput input, int32_t& value, ReadContext& context);
bool ReadValue(JsonInput input, bool& value, ReadContext& context);
bool ReadValue(JsonInput input, std::vector<std::string>& value, ReadContext& context);
/// A pair whose value is null is dropped.
bool ReadValue(JsonInput input, StringMap& value, ReadContext& context);
/// The values "" and null become nullopt.
bool ReadValue(JsonInput input, PartitionValues& value, ReadContext& context);
bool ReadValue(JsonInput input, DeletionVectorDescriptor& value, ReadContext& context);
template <typename T>
bool ReadValue(JsonInput input, std::optional<T>& value, ReadContext& context) {
  return ReadValue(input, value.emplace(), context);
}

// One value, written.
void WriteValue(JsonWriter& writer, const std::string& value);
void WriteValue(JsonWriter& writer, int64_t value);
void WriteValue(JsonWriter& writer, int32_t value);
void WriteValue(JsonWriter& writer, bool value);
void WriteValue(JsonWriter& writer, const std::vector<std::string>& value);
void WriteValue(JsonWriter& writer, const StringMap& value);
void WriteValue(JsonWriter& writer, const PartitionValues& value);
void WriteValue(JsonWriter& writer, const DeletionVectorDescriptor& value);

/// Whether the value is null; a broken literal is not.
bool IsNull(JsonInput input);

/// Walks over a value that nobody wants, so that broken JSON inside it is noticed.
bool SkipValue(JsonInput input, int depth = 0);

template <typename T>
constexpr std::string_view ExpectedText(const T*) {
  return "an object of strings";
}
constexpr std::string_view ExpectedText(const std::string*) { return "a string"; }
constexpr std::string_view ExpectedText(const int64_t*) { return "an integer"; }
constexpr std::string_view ExpectedText(const int32_t*) { return "an integer of 32 bits"; }
constexpr std::string_view ExpectedText(const bool*) { return "a boolean"; }
constexpr std::string_view ExpectedText(const std::vector<std::string>*) {
  return "an array of strings";
}
constexpr std::string_view ExpectedText(const DeletionVectorDescriptor*) { return "an object"; }
template <typename T>
constexpr std::string_view ExpectedText(const std::optional<T>*) {
  return ExpectedText(static_cast<const T*>(nullptr));
}

template <typename Pointer>
struct MemberPointerTraits;
template <typename Class, typename Type>
struct MemberPointerTraits<Type Class::*> {
  using Owner = Class;
  using Value = Type;
};

template <typename T>
void WriteMember(JsonWriter& writer, std::string_view name, const T& value) {
  WriteValue(writer.Key(name), value);
}
template <typename T>
void WriteMember(JsonWriter& writer, std::string_view name, const std::optional<T>& value) {
  if (value.has_value()) WriteMember(writer, name, *value);
}

/// The table entry of a struct's data member. An optional that is empty is not written.
template <auto kPointer>
constexpr auto Member(std::string_view name, Presence presence) {
  using Owner = typename MemberPointerTraits<decltype(kPointer)>::Owner;
  using Value = typename MemberPointerTraits<decltype(kPointer)>::Value;
  return MemberEntry<Owner>{name, presence, ExpectedText(static_cast<const Value*>(nullptr)),
                            [](JsonInput input, Owner& owner, ReadContext& context) {
                              return ReadValue(input, owner.*kPointer, context);
                            },
                            [](JsonWriter& writer, std::string_view key, const Owner& owner) {
                              WriteMember(writer, key, owner.*kPointer);
                            }};
}

/// The entry called `key`, or the table's size. Writers keep an order, mostly ours, so `guess` is
/// right more often than not.
template <typename T>
size_t FindMember(std::span<const MemberEntry<T>> table, std::string_view key, size_t guess) {
  for (size_t i = guess; i < table.size(); ++i) {
    if (table[i].name == key) return i;
  }
  for (size_t i = 0; i < guess; ++i) {
    if (table[i].name == key) return i;
  }
  return table.size();
}

/// Reads the members of an object into `target`.
template <typename T>
bool ReadMembers(JsonInput input, std::span<const MemberEntry<T>> table, T& target,
                 ReadContext& context) {
  const char* start = input.raw_json_token().data();
  simdjson::ondemand::object object;
  if (input.get_object().get(object)) return context.FailAt(start, "an object is expected");
  std::bitset<32> seen;
  size_t guess = 0;
  for (auto item : object) {
    simdjson::ondemand::field field;
    std::string_view key;
    if (std::move(item).get(field) || field.unescaped_key().get(key)) {
      return context.Fail("the JSON is broken");
    }
    JsonInput value = field.value();
    size_t index = FindMember(table, key, guess);
    if (index == table.size()) {
      if (SkipValue(value)) continue;
      return context.Fail("the JSON is broken in member '" + std::string(key) + "'");
    }
    guess = index + 1;
    if (IsNull(value)) continue;
    const char* at = value.raw_json_token().data();
    if (!table[index].read(value, target, context)) {
      if (!context.failure.empty()) return false;
      return context.FailAt(
          at, "member '" + std::string(key) + "' must be " + std::string(table[index].expected));
    }
    seen.set(index);
  }
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i].presence == Presence::kRequired && !seen[i]) {
      return context.Fail("the required member '" + std::string(table[i].name) + "' is missing");
    }
  }
  return true;
}

/// Writes an object of all members that are present.
template <typename T>
void WriteMembers(JsonWriter& writer, std::span<const MemberEntry<T>> table, const T& value) {
  writer.BeginObject();
  for (const auto& entry : table) entry.write(writer, entry.name, value);
  writer.EndObject();
}

}  // namespace weir::delta

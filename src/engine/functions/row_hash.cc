// SPDX-License-Identifier: Apache-2.0
#include "engine/functions/row_hash.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"

#include "base/text.h"
#include "engine/duckdb_errors.h"
#include "engine/functions/sha512_batch.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::string_t;

struct Field {
  std::string prefix;  ///< `<bytes of name>:<name><class>`
  char type_class;

  bool operator==(const Field&) const = default;
};

struct RowHashData final : duckdb::FunctionData {
  explicit RowHashData(std::vector<Field> fields) : fields(std::move(fields)) {}

  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<RowHashData>(fields);
  }
  bool Equals(const duckdb::FunctionData& other) const override {
    return fields == other.Cast<RowHashData>().fields;
  }

  std::vector<Field> fields;
};

char ClassOf(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::BOOLEAN:
      return 'b';
    case LogicalTypeId::DATE:
    case LogicalTypeId::TIME:
    case LogicalTypeId::TIME_NS:
    case LogicalTypeId::TIME_TZ:
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_SEC:
    case LogicalTypeId::TIMESTAMP_MS:
    case LogicalTypeId::TIMESTAMP_NS:
    case LogicalTypeId::TIMESTAMP_TZ:
      return 't';
    case LogicalTypeId::BLOB:
      return 'x';
    default:
      if (type.IsNumeric() || type.id() == LogicalTypeId::BIGNUM) return 'n';
      return type.IsNested() ? 'j' : 's';
  }
}

std::string NameOf(duckdb::ClientContext& context, duckdb::Expression& argument) {
  if (argument.IsFoldable()) {
    const auto value = duckdb::ExpressionExecutor::EvaluateScalar(context, argument);
    if (!value.IsNull() && value.type().id() == LogicalTypeId::VARCHAR)
      return ToLowerAscii(duckdb::StringValue::Get(value));
  }
  Throw(InvalidArgument("WEIR_ROW_HASH_ARGUMENTS",
                        "weir_row_hash(name, value, ...): each name must be a constant text"));
}

duckdb::unique_ptr<duckdb::FunctionData> BindRowHash(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  if (arguments.empty() || arguments.size() % 2 != 0) {
    Throw(InvalidArgument("WEIR_ROW_HASH_ARGUMENTS",
                          "weir_row_hash takes pairs of a name and a value, found " +
                              std::to_string(arguments.size()) + " arguments"));
  }
  std::vector<Field> fields;
  function.arguments.clear();
  for (size_t i = 0; i < arguments.size(); i += 2) {
    const std::string name = NameOf(context, *arguments[i]);
    const char type_class = ClassOf(arguments[i + 1]->return_type);
    fields.push_back({std::to_string(name.size()) + ":" + name + type_class, type_class});
    function.arguments.emplace_back(LogicalTypeId::VARCHAR);
    function.arguments.emplace_back(type_class == 'x' ? LogicalTypeId::BLOB
                                                      : LogicalTypeId::VARCHAR);
  }
  function.varargs = LogicalType(LogicalTypeId::INVALID);
  return duckdb::make_uniq<RowHashData>(std::move(fields));
}

void AppendSized(std::string& out, std::string_view value) {
  char digits[20];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value.size()).ptr;
  out.append(digits, end);
  out += ':';
  out += value;
}

// As CanonicalNumber writes it: most numbers are.
bool IsCanonicalInteger(std::string_view text) {
  return !text.empty() && text[0] >= '1' && text[0] <= '9' &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

void AppendField(std::string& out, const Field& field, std::string_view value) {
  out += field.prefix;
  if (field.type_class == 'n' && !IsCanonicalInteger(value)) {
    AppendSized(out, CanonicalNumber(value));
  } else if (field.type_class == 't') {
    AppendSized(out, CanonicalTime(value));
  } else {
    AppendSized(out, value);
  }
}

std::string_view View(const string_t& text) { return {text.GetData(), text.GetSize()}; }

// Hashes messages[i] into row i of `result`.
void HashRows(std::span<const std::string_view> messages, duckdb::Vector& result) {
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* rows = duckdb::FlatVector::GetData<string_t>(result);
  std::vector<char*> digests;
  digests.reserve(messages.size());
  for (size_t row = 0; row < messages.size(); ++row) {
    rows[row] = duckdb::StringVector::EmptyString(result, kSha512Bytes);
    digests.push_back(rows[row].GetDataWriteable());
  }
  if (!Sha512Batch(messages, digests)) Throw(InternalError("libcrypto refused to compute SHA-512"));
  for (size_t row = 0; row < messages.size(); ++row) rows[row].Finalize();
}

void RowHash(duckdb::DataChunk& args, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& fields =
      state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<RowHashData>().fields;
  std::vector<duckdb::UnifiedVectorFormat> values(fields.size());
  for (size_t i = 0; i < fields.size(); ++i)
    args.data[2 * i + 1].ToUnifiedFormat(args.size(), values[i]);
  const bool constant = args.AllConstant();
  const size_t count = constant ? 1 : args.size();
  std::string text;
  std::vector<size_t> ends;
  ends.reserve(count);
  for (size_t row = 0; row < count; ++row) {
    for (size_t i = 0; i < fields.size(); ++i) {
      const auto at = values[i].sel->get_index(row);
      if (!values[i].validity.RowIsValid(at)) continue;
      const auto* data = duckdb::UnifiedVectorFormat::GetData<string_t>(values[i]);
      AppendField(text, fields[i], View(data[at]));
    }
    ends.push_back(text.size());
  }
  std::vector<std::string_view> messages;
  messages.reserve(count);
  size_t begin = 0;
  for (const size_t end : ends) {
    messages.emplace_back(text.data() + begin, end - begin);
    begin = end;
  }
  HashRows(messages, result);
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

void PlainHash(duckdb::DataChunk& args, duckdb::ExpressionState&, duckdb::Vector& result) {
  duckdb::UnifiedVectorFormat input;
  args.data[0].ToUnifiedFormat(args.size(), input);
  const auto* texts = duckdb::UnifiedVectorFormat::GetData<string_t>(input);
  const bool constant = args.AllConstant();
  const size_t count = constant ? 1 : args.size();
  std::vector<std::string_view> messages(count);
  for (size_t row = 0; row < count; ++row) {
    const auto at = input.sel->get_index(row);
    if (input.validity.RowIsValid(at)) messages[row] = View(texts[at]);
  }
  HashRows(messages, result);
  auto& validity = duckdb::FlatVector::Validity(result);
  for (size_t row = 0; row < count; ++row) {
    if (!input.validity.RowIsValid(input.sel->get_index(row))) validity.SetInvalid(row);
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

bool IsPlainInteger(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string CanonicalNumber(std::string_view text) {
  const bool negative = StartsWith(text, "-");
  std::string_view rest = text.substr(negative ? 1 : 0);
  if (IsPlainInteger(rest) && !StartsWith(rest, "0")) return std::string(text);
  if (rest.find_first_not_of("0123456789.eE+-") != std::string_view::npos)
    return std::string(text);  // nan, inf
  int exponent = 0;
  if (const size_t e = rest.find_first_of("eE"); e != std::string_view::npos) {
    const std::string_view digits = rest.substr(e + (StartsWith(rest.substr(e + 1), "+") ? 2 : 1));
    std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    rest = rest.substr(0, e);
  }
  const size_t point = std::min(rest.find('.'), rest.size());
  std::string digits(rest.substr(0, point));
  if (point < rest.size()) digits += rest.substr(point + 1);
  int whole = static_cast<int>(point) + exponent;  // digits before the point
  if (whole > static_cast<int>(digits.size())) digits.append(whole - digits.size(), '0');
  if (whole < 1) {
    digits.insert(0, 1 - whole, '0');
    whole = 1;
  }
  std::string fraction = digits.substr(whole);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  digits.resize(whole);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  if (!fraction.empty()) digits += "." + fraction;
  return (negative && digits != "0" ? "-" : "") + digits;
}

std::string_view CanonicalTime(std::string_view text) {
  if (EndsWith(text, "+00")) text.remove_suffix(3);
  if (const size_t point = text.rfind('.'); point != std::string_view::npos) {
    text = text.substr(0, text.find_last_not_of('0') + 1);
    if (EndsWith(text, ".")) text.remove_suffix(1);
  }
  constexpr std::string_view kMidnight = " 00:00:00";
  if (EndsWith(text, kMidnight)) text.remove_suffix(kMidnight.size());
  return text;
}

void RegisterRowHash(duckdb::ExtensionLoader& loader) {
  const LogicalType blob(LogicalTypeId::BLOB);
  duckdb::ScalarFunction row_hash("weir_row_hash", {}, blob, RowHash, BindRowHash);
  row_hash.varargs = LogicalType(LogicalTypeId::ANY);
  row_hash.null_handling = duckdb::FunctionNullHandling::SPECIAL_HANDLING;
  loader.RegisterFunction(row_hash);

  duckdb::ScalarFunctionSet sha512("weir_sha512");
  sha512.AddFunction(
      duckdb::ScalarFunction({LogicalType(LogicalTypeId::VARCHAR)}, blob, PlainHash));
  sha512.AddFunction(duckdb::ScalarFunction({blob}, blob, PlainHash));
  loader.RegisterFunction(sha512);
}

}  // namespace weir::engine

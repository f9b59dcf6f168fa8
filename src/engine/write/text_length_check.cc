// SPDX-License-Identifier: Apache-2.0
#include "engine/write/text_length_check.h"

#include <algorithm>
#include <utility>

#include "duckdb/common/types/vector.hpp"

#include "delta/schema/text_lengths.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

using delta::TypeKind;
using Rows = std::vector<duckdb::idx_t>;

int64_t CharactersIn(const duckdb::string_t& text) {
  const char* data = text.GetData();
  return std::count_if(data, data + text.GetSize(),
                       [](char byte) { return (byte & 0xC0) != 0x80; });
}

class Walk {
 public:
  Walk(const std::string& table, const std::string& column) : table_(table), column_(column) {}

  // Of `values`, which has `size` of them, those at `rows` are looked at.
  void Check(duckdb::Vector& values, duckdb::idx_t size, Rows rows,
             const delta::DataType& type) const {
    if (!delta::HasTextLengths(type)) return;
    duckdb::Vector flat(values.GetType());
    flat.Reference(values);
    flat.Flatten(size);
    const auto& validity = duckdb::FlatVector::Validity(flat);
    std::erase_if(rows, [&](duckdb::idx_t row) { return !validity.RowIsValid(row); });
    switch (type.kind()) {
      case TypeKind::kStruct: {
        auto& members = duckdb::StructVector::GetEntries(flat);
        for (size_t i = 0; i < members.size(); i++)
          Check(*members[i], size, rows, *type.fields()[i].type);
        return;
      }
      case TypeKind::kArray:
        return Check(duckdb::ListVector::GetEntry(flat), duckdb::ListVector::GetListSize(flat),
                     ItemsOf(flat, rows), *type.element());
      case TypeKind::kMap: {
        const auto items = ItemsOf(flat, rows);
        const auto count = duckdb::ListVector::GetListSize(flat);
        Check(duckdb::MapVector::GetKeys(flat), count, items, *type.key());
        return Check(duckdb::MapVector::GetValues(flat), count, items, *type.value());
      }
      default:
        CheckTexts(flat, rows, type);
    }
  }

 private:
  static Rows ItemsOf(duckdb::Vector& lists, const Rows& rows) {
    const auto* entries = duckdb::FlatVector::GetData<duckdb::list_entry_t>(lists);
    Rows items;
    for (const auto row : rows) {
      for (duckdb::idx_t i = 0; i < entries[row].length; i++)
        items.push_back(entries[row].offset + i);
    }
    return items;
  }

  void CheckTexts(duckdb::Vector& texts, const Rows& rows, const delta::DataType& type) const {
    const int64_t limit = delta::LengthOf(type)->characters;
    const auto* data = duckdb::FlatVector::GetData<duckdb::string_t>(texts);
    for (const auto row : rows) {
      if (static_cast<int64_t>(data[row].GetSize()) <= limit) continue;
      const int64_t length = CharactersIn(data[row]);
      if (length <= limit) continue;
      Throw(ConstraintViolated("DELTA_EXCEED_CHAR_VARCHAR_LIMIT",
                               "column \"" + column_ + "\" of table " + table_ +
                                   " gets the text '" + data[row].GetString() + "' of " +
                                   std::to_string(length) + " characters, where " + type.ToSql() +
                                   " takes " + std::to_string(limit),
                               "22001"));
    }
  }

  const std::string& table_;
  const std::string& column_;
};

}  // namespace

TextLengthCheck::TextLengthCheck(const TableLayout& layout) {
  for (size_t i = 0; i < layout.columns.size(); i++) {
    const auto& field = layout.columns[i].field;
    auto type = delta::DeclaredTypeOf(field);
    if (delta::HasTextLengths(*type)) columns_.push_back({i, field.name, std::move(type)});
  }
}

void TextLengthCheck::Check(duckdb::DataChunk& rows, const std::string& table) const {
  for (const Column& column : columns_) {
    Rows all(rows.size());
    for (size_t row = 0; row < all.size(); row++) all[row] = row;
    Walk(table, column.name)
        .Check(rows.data[column.place], rows.size(), std::move(all), *column.type);
  }
}

}  // namespace weir::engine

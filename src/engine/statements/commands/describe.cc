// SPDX-License-Identifier: Apache-2.0
//
// DESCRIBE TABLE [EXTENDED]: the columns in Spark's types, then how the table is partitioned, and
// with EXTENDED what is known of it, all in Spark's three columns.
#include "duckdb.hpp"

#include "base/text.h"
#include "delta/schema/text_lengths.h"
#include "engine/catalog/resolve_table.h"
#include "engine/statements/commands/command_function.h"
#include "engine/statements/commands/shown_properties.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

duckdb::vector<Value> Row(const std::string& name, const std::string& type,
                          const std::string& comment = "") {
  return {Value(name), Value(type), Value(comment)};
}

duckdb::vector<Value> ColumnRow(const delta::StructField& field) {
  const std::string* comment = field.MetadataText("comment");
  return {Value(field.name), Value(delta::CatalogText(*delta::DeclaredTypeOf(field))),
          comment ? Value(*comment) : Value(LogicalType::VARCHAR)};
}

void AddDetails(const ResolvedTable& table, CommandRows& rows) {
  const delta::Metadata& metadata = table.state->metadata();
  rows.push_back(Row("", ""));
  rows.push_back(Row("# Detailed Table Information", ""));
  rows.push_back(Row("Catalog", table.entry->ParentCatalog().GetName()));
  rows.push_back(Row("Namespace", table.entry->ParentSchema().name));
  rows.push_back(Row("Database", table.entry->ParentSchema().name));
  rows.push_back(Row("Table", table.entry->name));
  rows.push_back(Row("Type", "MANAGED"));
  if (metadata.description) rows.push_back(Row("Comment", *metadata.description));
  rows.push_back(Row("Location", table.state->log().root));
  rows.push_back(Row("Provider", "delta"));
  std::string properties;
  for (const auto& [key, value] : ShownProperties(*table.state))
    properties += (properties.empty() ? "" : ",") + key + "=" + value;
  rows.push_back(Row("Table Properties", "[" + properties + "]"));
}

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table,
                        ResolveTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  const delta::DataType& schema = *table.state->schema();
  CommandRows rows;
  for (const auto& field : schema.fields()) rows.push_back(ColumnRow(field));
  const auto& partitions = table.state->metadata().partition_columns;
  if (!partitions.empty()) {
    rows.push_back(Row("# Partition Information", ""));
    rows.push_back(Row("# col_name", "data_type", "comment"));
    for (const std::string& name : partitions) {
      const delta::StructField* field = schema.FindField(name);
      if (field != nullptr) rows.push_back(ColumnRow(*field));
    }
  }
  if (arguments.Flag("extended")) AddDetails(table, rows);
  return rows;
}

}  // namespace

CommandFunction DescribeCommand() {
  return {"weir_describe",
          {LogicalType::VARCHAR},
          {{"extended", LogicalType::BOOLEAN}},
          {{"col_name", LogicalType::VARCHAR},
           {"data_type", LogicalType::VARCHAR},
           {"comment", LogicalType::VARCHAR}},
          Run};
}

}  // namespace weir::engine

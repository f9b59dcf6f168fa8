// SPDX-License-Identifier: Apache-2.0
//
// The parts of ALTER TABLE that DuckDB's grammar lacks, each a function. Other than the commands of
// upkeep they belong to the running transaction, as DuckDB's own ALTER TABLE does.
#include "duckdb.hpp"

#include "base/sql/token_reader.h"
#include "base/text.h"
#include "delta/schema/text_lengths.h"
#include "engine/alter/alteration.h"
#include "engine/catalog/resolve_table.h"
#include "engine/catalog/type_mapping.h"
#include "engine/duckdb_errors.h"
#include "engine/result/duckdb_result.h"
#include "engine/statements/commands/command_function.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::StringValue;
using duckdb::Value;

using Edit = std::function<void(Alteration&, const CommandArguments&)>;

// No rows: what was done is seen in the table's history.
CommandFunction AlterCommand(std::string name, duckdb::vector<LogicalType> positional,
                             duckdb::named_parameter_type_map_t named, Edit edit) {
  CommandFunction command{std::move(name),
                          std::move(positional),
                          std::move(named),
                          {{kNothingColumn, LogicalType::BOOLEAN}},
                          {}};
  command.positional.insert(command.positional.begin(), LogicalType::VARCHAR);
  command.run = [edit = std::move(edit)](duckdb::ClientContext& context,
                                         const CommandArguments& arguments) -> Result<CommandRows> {
    WEIR_ASSIGN_OR_RETURN(ResolvedTable table,
                          ResolveTable(context, StringValue::Get(arguments.positional[0])));
    try {
      Alteration change(context, *table.entry);
      edit(change, arguments);
      WriteAlteration(std::move(change));
    } catch (const duckdb::Exception& exception) {
      return Fail(FromDuckDB(exception));
    }
    return CommandRows();
  };
  return command;
}

std::vector<std::string> Texts(const Value& list) {
  std::vector<std::string> texts;
  for (const Value& item : duckdb::ListValue::GetChildren(list)) texts.push_back(item.ToString());
  return texts;
}

delta::StringMap Pairs(const Value& map) {
  delta::StringMap pairs;
  for (const Value& entry : duckdb::MapValue::GetChildren(map)) {
    const auto& pair = duckdb::StructValue::GetChildren(entry);
    pairs[pair[0].ToString()] = pair[1].ToString();
  }
  return pairs;
}

// "a"."b", as the translation of a statement writes columns.
delta::ColumnPath PathOf(const std::string& text) {
  auto tokens = OrThrow(sql::Tokenize(text));
  sql::TokenReader reader(text, std::move(tokens), "");
  auto name = OrThrow(reader.ExpectQualifiedName("a column's name"));
  if (!reader.AtEnd()) Throw(reader.SyntaxError("expected one column's name"));
  return name.parts;
}

// "first", "after NAME" or nothing.
delta::FieldPlace PlaceOf(const std::string& text) {
  constexpr std::string_view kAfter = "after ";
  if (text.empty()) return {};
  if (EqualsIgnoreCase(text, "first")) return {delta::FieldPlace::Kind::kFirst, ""};
  if (StartsWith(ToLowerAscii(text), kAfter))
    return {delta::FieldPlace::Kind::kAfter, text.substr(kAfter.size())};
  Throw(InvalidArgument("WEIR_INVALID_ARGUMENT",
                        "a column's position is 'first' or 'after NAME', found '" + text + "'"));
}

delta::TypePtr TypeOf(duckdb::ClientContext& context, const std::string& text) {
  if (delta::IsTypeDeclaration(text)) return OrThrow(delta::ParseTypeDeclaration(text));
  return OrThrow(FromDuckDB(duckdb::TransformStringToLogicalType(text, context)));
}

LogicalType ColumnType() {
  return LogicalType::STRUCT({{"name", LogicalType::VARCHAR},
                              {"type", LogicalType::VARCHAR},
                              {"comment", LogicalType::VARCHAR},
                              {"default", LogicalType::VARCHAR},
                              {"nullable", LogicalType::BOOLEAN},
                              {"position", LogicalType::VARCHAR}});
}

NewColumn ColumnOf(duckdb::ClientContext& context, const Value& described) {
  const auto& parts = duckdb::StructValue::GetChildren(described);
  NewColumn column;
  column.parent = PathOf(parts[0].ToString());
  column.field.name = column.parent.back();
  column.parent.pop_back();
  column.field.type = TypeOf(context, parts[1].ToString());
  if (!parts[2].IsNull())
    column.field.metadata.Set("comment", JsonValue::String(parts[2].ToString()));
  column.has_default = !parts[3].IsNull();
  column.field.nullable = parts[4].IsNull() || duckdb::BooleanValue::Get(parts[4]);
  column.place = PlaceOf(parts[5].IsNull() ? "" : parts[5].ToString());
  return column;
}

}  // namespace

CommandFunction SetPropertiesCommand() {
  return AlterCommand("weir_set_properties",
                      {LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR)}, {},
                      [](Alteration& change, const CommandArguments& arguments) {
                        SetProperties(change, Pairs(arguments.positional[1]));
                      });
}

CommandFunction UnsetPropertiesCommand() {
  return AlterCommand("weir_unset_properties", {LogicalType::LIST(LogicalType::VARCHAR)},
                      {{"if_exists", LogicalType::BOOLEAN}},
                      [](Alteration& change, const CommandArguments& arguments) {
                        UnsetProperties(change, Texts(arguments.positional[1]));
                      });
}

CommandFunction AddConstraintCommand() {
  return AlterCommand("weir_add_constraint", {LogicalType::VARCHAR, LogicalType::VARCHAR}, {},
                      [](Alteration& change, const CommandArguments& arguments) {
                        AddConstraint(change, StringValue::Get(arguments.positional[1]),
                                      StringValue::Get(arguments.positional[2]));
                      });
}

CommandFunction DropConstraintCommand() {
  return AlterCommand("weir_drop_constraint", {LogicalType::VARCHAR},
                      {{"if_exists", LogicalType::BOOLEAN}},
                      [](Alteration& change, const CommandArguments& arguments) {
                        DropConstraint(change, StringValue::Get(arguments.positional[1]),
                                       arguments.Flag("if_exists"));
                      });
}

CommandFunction AddColumnsCommand() {
  return AlterCommand(
      "weir_add_columns", {LogicalType::LIST(ColumnType())}, {},
      [](Alteration& change, const CommandArguments& arguments) {
        std::vector<NewColumn> columns;
        for (const Value& column : duckdb::ListValue::GetChildren(arguments.positional[1]))
          columns.push_back(ColumnOf(change.context, column));
        AddColumns(change, columns, false);
      });
}

CommandFunction DropColumnsCommand() {
  return AlterCommand("weir_drop_columns", {LogicalType::LIST(LogicalType::VARCHAR)},
                      {{"if_exists", LogicalType::BOOLEAN}},
                      [](Alteration& change, const CommandArguments& arguments) {
                        std::vector<delta::ColumnPath> paths;
                        for (const std::string& column : Texts(arguments.positional[1]))
                          paths.push_back(PathOf(column));
                        DropColumns(change, paths, arguments.Flag("if_exists"));
                      });
}

CommandFunction AlterColumnCommand() {
  return AlterCommand(
      "weir_alter_column", {LogicalType::VARCHAR},
      {{"comment", LogicalType::VARCHAR},
       {"default", LogicalType::VARCHAR},
       {"drop_default", LogicalType::BOOLEAN},
       {"nullable", LogicalType::BOOLEAN},
       {"position", LogicalType::VARCHAR},
       {"type", LogicalType::VARCHAR}},
      [](Alteration& change, const CommandArguments& arguments) {
        ColumnChange column;
        column.sets_comment = arguments.Find("comment") != nullptr;
        if (column.sets_comment) column.comment = arguments.Text("comment");
        column.sets_default = arguments.Find("default") || arguments.Flag("drop_default");
        if (arguments.Find("default")) column.default_value = arguments.Text("default");
        if (arguments.Find("nullable")) column.nullable = arguments.Flag("nullable");
        if (arguments.Find("position")) column.place = PlaceOf(arguments.Text("position"));
        if (arguments.Find("type")) column.type = TypeOf(change.context, arguments.Text("type"));
        ChangeColumn(change, PathOf(StringValue::Get(arguments.positional[1])), column);
      });
}

}  // namespace weir::engine

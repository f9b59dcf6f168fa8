// SPDX-License-Identifier: Apache-2.0
//
// weir_check('table' [, quick => true] [, repair => true]): a row for each thing that is wrong.
#include "duckdb.hpp"

#include "engine/catalog/resolve_table.h"
#include "engine/check/check_table.h"
#include "engine/statements/commands/command_function.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

Value OptionalText(const std::string& text) {
  return text.empty() ? Value(LogicalType::VARCHAR) : Value(text);
}

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const TablePlace place,
                        ResolvePlace(context, duckdb::StringValue::Get(arguments.positional[0])));
  CheckOptions options;
  options.quick = arguments.Flag("quick");
  options.repair = arguments.Flag("repair");
  if (options.repair && place.is_read_only) {
    return Fail(InvalidArgument("WEIR_READ_ONLY",
                                place.name + " is in a catalog that was attached READ_ONLY"));
  }
  WEIR_ASSIGN_OR_RETURN(const auto findings, CheckTable(context, place.log, options));
  CommandRows rows;
  for (const delta::Finding& finding : findings) {
    rows.push_back({Value(place.log.root), Value(finding.rule),
                    finding.version ? Value::BIGINT(*finding.version) : Value(LogicalType::BIGINT),
                    OptionalText(finding.file), Value(finding.problem), Value(finding.remedy),
                    Value::BOOLEAN(finding.repair != delta::RepairKind::kNone),
                    Value::BOOLEAN(finding.repaired)});
  }
  return rows;
}

}  // namespace

CommandFunction CheckCommand() {
  return {"weir_check",
          {LogicalType::VARCHAR},
          {{"quick", LogicalType::BOOLEAN}, {"repair", LogicalType::BOOLEAN}},
          {{"table", LogicalType::VARCHAR},
           {"rule", LogicalType::VARCHAR},
           {"version", LogicalType::BIGINT},
           {"file", LogicalType::VARCHAR},
           {"problem", LogicalType::VARCHAR},
           {"remedy", LogicalType::VARCHAR},
           {"repairable", LogicalType::BOOLEAN},
           {"repaired", LogicalType::BOOLEAN}},
          Run};
}

}  // namespace weir::engine

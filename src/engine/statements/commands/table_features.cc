// SPDX-License-Identifier: Apache-2.0
//
// weir_table_features(): every table feature that Weir knows and what it can do with it.
#include "delta/features/features.h"
#include "engine/statements/commands/command_function.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

std::vector<std::string> RequiredNames(delta::FeatureSet required) {
  std::vector<std::string> names;
  for (const delta::FeatureInfo& info : delta::AllFeatures()) {
    if (required.Contains(info.feature)) names.emplace_back(info.name);
  }
  return names;
}

Result<CommandRows> Run(duckdb::ClientContext&, const CommandArguments&) {
  CommandRows rows;
  for (const delta::FeatureInfo& info : delta::AllFeatures()) {
    rows.push_back({Value(std::string(info.name)),
                    Value(info.is_reader_writer() ? "reader and writer" : "writer"),
                    Value::INTEGER(info.min_reader), Value::INTEGER(info.min_writer),
                    TextListValue(RequiredNames(info.required)), Value::BOOLEAN(info.can_read),
                    Value::BOOLEAN(info.can_write), Value::BOOLEAN(info.is_droppable)});
  }
  return rows;
}

}  // namespace

CommandFunction TableFeaturesCommand() {
  return {"weir_table_features",
          {},
          {},
          {{"feature", LogicalType::VARCHAR},
           {"kind", LogicalType::VARCHAR},
           {"min_reader_version", LogicalType::INTEGER},
           {"min_writer_version", LogicalType::INTEGER},
           {"requires", LogicalType::LIST(LogicalType::VARCHAR)},
           {"can_read", LogicalType::BOOLEAN},
           {"can_write", LogicalType::BOOLEAN},
           {"can_drop", LogicalType::BOOLEAN}},
          Run};
}

}  // namespace weir::engine

// SPDX-License-Identifier: Apache-2.0
//
// The statements that change tables, refused.
#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/parser/parsed_data/alter_info.hpp"
#include "duckdb/parser/parsed_data/drop_info.hpp"
#include "duckdb/planner/operator/logical_update.hpp"
#include "duckdb/planner/parsed_data/bound_create_table_info.hpp"

#include "engine/catalog/catalog.h"
#include "engine/catalog/table_entry.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

[[noreturn]] void Refuse(const char* statement) {
  Throw(UnsupportedFeature("WEIR_UNSUPPORTED_STATEMENT",
                           std::string(statement) + " is not supported"));
}

}  // namespace

duckdb::ErrorData WeirCatalog::SupportsCreateTable(duckdb::BoundCreateTableInfo&) { return {}; }

duckdb::PhysicalOperator& WeirCatalog::PlanCreateTableAs(duckdb::ClientContext&,
                                                         duckdb::PhysicalPlanGenerator&,
                                                         duckdb::LogicalCreateTable&,
                                                         duckdb::PhysicalOperator&) {
  Refuse("CREATE TABLE AS");
}
duckdb::PhysicalOperator& WeirCatalog::PlanInsert(duckdb::ClientContext&,
                                                  duckdb::PhysicalPlanGenerator&,
                                                  duckdb::LogicalInsert&,
                                                  duckdb::optional_ptr<duckdb::PhysicalOperator>) {
  Refuse("INSERT");
}
duckdb::PhysicalOperator& WeirCatalog::PlanDelete(duckdb::ClientContext&,
                                                  duckdb::PhysicalPlanGenerator&,
                                                  duckdb::LogicalDelete&,
                                                  duckdb::PhysicalOperator&) {
  Refuse("DELETE");
}
duckdb::PhysicalOperator& WeirCatalog::PlanUpdate(duckdb::ClientContext&,
                                                  duckdb::PhysicalPlanGenerator&,
                                                  duckdb::LogicalUpdate&,
                                                  duckdb::PhysicalOperator&) {
  Refuse("UPDATE");
}
duckdb::PhysicalOperator& WeirCatalog::PlanMergeInto(duckdb::ClientContext&,
                                                     duckdb::PhysicalPlanGenerator&,
                                                     duckdb::LogicalMergeInto&,
                                                     duckdb::PhysicalOperator&) {
  Refuse("MERGE");
}

duckdb::optional_ptr<duckdb::CatalogEntry> WeirSchemaEntry::CreateTable(
    duckdb::CatalogTransaction, duckdb::BoundCreateTableInfo&) {
  Refuse("CREATE TABLE");
}
void WeirSchemaEntry::DropEntry(duckdb::ClientContext&, duckdb::DropInfo&) { Refuse("DROP"); }
void WeirSchemaEntry::Alter(duckdb::CatalogTransaction, duckdb::AlterInfo&) { Refuse("ALTER"); }

void WeirTableEntry::BindUpdateConstraints(duckdb::Binder&, duckdb::LogicalGet&,
                                           duckdb::LogicalProjection&,
                                           duckdb::LogicalUpdate& update, duckdb::ClientContext&) {
  update.update_is_del_and_insert = true;
}

}  // namespace weir::engine

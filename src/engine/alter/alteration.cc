// SPDX-License-Identifier: Apache-2.0
#include "engine/alter/alteration.h"

#include <utility>

#include "delta/commit/transaction.h"
#include "engine/catalog/create_table.h"
#include "engine/catalog/transaction.h"

namespace weir::engine {

Alteration::Alteration(duckdb::ClientContext& context, WeirTableEntry& table)
    : context(context),
      table(table),
      schema(table.state()->schema()),
      metadata(table.state()->metadata()) {}

void WriteAlteration(Alteration change) {
  if (!change.is_changed) return;
  const TableState& state = *change.table.state();
  auto& transaction = WeirTransaction::Get(change.context, change.table.ParentCatalog());
  auto& writer = transaction.WriterFor(change.table);
  delta::Protocol protocol;
  AdoptMetadata(change.schema, &state, protocol, change.metadata);
  if (!(protocol == state.protocol())) writer.Add(protocol);
  writer.Add(change.metadata);
  if (change.reads_rows) writer.reads().whole_table = true;
  const std::string root = state.log().root;
  transaction.RecordStatement(root, change.operation, std::move(change.parameters), {});
  transaction.Publish(root);
}

}  // namespace weir::engine

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/flows/sql_type.h"

namespace weir::pipeline {

Result<std::vector<Column>> DescribeQuery(engine::Session& session, const std::string& query) {
  WEIR_ASSIGN_OR_RETURN(auto rows, session.Query("DESCRIBE " + query));
  std::vector<Column> columns;
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const bool more, rows->NextBatch());
    if (!more) return columns;
    for (size_t row = 0; row < rows->batch_size(); ++row) {
      columns.push_back({rows->Text(0, row), rows->Text(1, row)});
    }
  }
}

}  // namespace weir::pipeline

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace duckdb {
class ClientContext;
}  // namespace duckdb

namespace weir::engine {

/// The condition of the UPDATE, DELETE (its WHERE) or MERGE (its ON) that is being planned, as text
/// for people in the log; empty when there is none, or when the query's text is not that statement
/// (a prepared one).
std::string PredicateOf(duckdb::ClientContext& context);

}  // namespace weir::engine

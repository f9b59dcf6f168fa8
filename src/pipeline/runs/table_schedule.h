// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <set>

#include "pipeline/graph/graph.h"

namespace weir::pipeline {

/// The tables that the flows of a table read, themselves or through temporary views.
std::set<size_t> TablesReadBy(const Graph& graph, size_t table);

/// Calls `run(worker, table)` once for each of `tables`, when all of them that it reads are done;
/// with one worker in the graph's order. Up to `workers` calls at once, from as many threads of
/// which the caller's is worker 0; a worker has one call at a time. Returns when all are done.
void RunInOrder(const Graph& graph, const std::set<size_t>& tables, size_t workers,
                const std::function<void(size_t worker, size_t table)>& run);

}  // namespace weir::pipeline

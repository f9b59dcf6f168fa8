// SPDX-License-Identifier: Apache-2.0
//
// What each file of this folder declares. See cli/command.h.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace weir::cli {

std::function<int()> DeclareCheck(CLI::App& app);
std::function<int()> DeclareGraph(CLI::App& app);
std::function<int()> DeclareInit(CLI::App& app);
std::function<int()> DeclareRun(CLI::App& app);
std::function<int()> DeclareSql(CLI::App& app);
std::function<int()> DeclareFeed(CLI::App& app);
std::function<int()> DeclareLog(CLI::App& app);
std::function<int()> DeclareChanges(CLI::App& app);

}  // namespace weir::cli

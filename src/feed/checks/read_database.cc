// SPDX-License-Identifier: Apache-2.0
#include "feed/checks/checks.h"
#include "feed/load/sql.h"
#include "feed/views/read_objects.h"

namespace weir::feed {

Result<std::vector<Finding>> CheckReadDatabase(const CheckContext& context) {
  std::vector<Finding> findings;
  const auto present = PresentReadObjects(context.session, context.project);
  if (present) return findings;
  const std::string file = context.project.read_database.string();
  findings.push_back({"2.17",
                      "",
                      file + " cannot serve the read objects: " + present.error().message,
                      ModifiedAt(file),
                      "move the file aside and make the read objects in a new one",
                      FeedScript(context.project, "check --fix"),
                      Finding::Fix::kReadObjectsAnew,
                      {}});
  return findings;
}

}  // namespace weir::feed

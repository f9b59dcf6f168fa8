// SPDX-License-Identifier: Apache-2.0
#include "feed/checks/checks.h"

namespace weir::feed {

Result<std::vector<Finding>> CheckSettings(const CheckContext& context) {
  std::vector<Finding> findings;
  bool lake_only = false;
  for (const UsedTable& table : context.project.tables) lake_only |= table.lake_only();
  if (!lake_only) return findings;
  const std::string file = context.project.file.string();
  if (context.project.schema_dl.empty()) {
    findings.push_back({"2.16",
                        "",
                        "tables are on DL alone, but SchemaDL is empty",
                        ModifiedAt(file),
                        "set SchemaDL in " + file,
                        "# in " + file + ":\n# settings:\n#   SchemaDL: DL\n",
                        {},
                        {}});
  }
  if (context.project.lake_location.empty()) {
    findings.push_back({"2.16",
                        "",
                        "tables are on DL alone, but LakeLocation is not set",
                        ModifiedAt(file),
                        "set LakeLocation in " + file,
                        "# in " + file + ":\n# settings:\n#   LakeLocation: lake-storage\n",
                        {},
                        {}});
  }
  return findings;
}

}  // namespace weir::feed

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "delta/actions/actions.h"
#include "delta/schema/types.h"

namespace weir::delta {

/// Metadata with these properties and a schema of one column `id` and, if given, one more field.
struct TestTable {
  explicit TestTable(StringMap configuration, const std::string& field = {}) {
    metadata.id = "test";
    metadata.configuration = std::move(configuration);
    metadata.schema_string =
        R"({"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}})" +
        (field.empty() ? "" : "," + field) + "]}";
    schema = *ParseSchema(metadata.schema_string);
  }

  Metadata metadata;
  TypePtr schema;
};

}  // namespace weir::delta

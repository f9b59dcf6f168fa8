// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec/definitions.h"

namespace weir::pipeline {

std::string_view ToString(DatasetKind kind) {
  switch (kind) {
    case DatasetKind::kStreamingTable:
      return "streaming table";
    case DatasetKind::kMaterializedView:
      return "materialized view";
    case DatasetKind::kTemporaryView:
      return "temporary view";
    case DatasetKind::kPersistedView:
      return "view";
  }
  return "dataset";
}

}  // namespace weir::pipeline

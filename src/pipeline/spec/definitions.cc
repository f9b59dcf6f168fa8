// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec/definitions.h"

#include "base/text.h"

namespace weir::pipeline {

std::string Origin::ToString() const { return file + ":" + std::to_string(line); }

std::string QualifiedName::ToString() const {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ".") + part;
  return text;
}

std::string QualifiedName::ToSql() const {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ".") + QuoteIdentifier(part);
  return text;
}

std::string_view ToString(DatasetKind kind) {
  switch (kind) {
    case DatasetKind::kStreamingTable:
      return "streaming table";
    case DatasetKind::kMaterializedView:
      return "materialized view";
    case DatasetKind::kTemporaryView:
      return "temporary view";
  }
  return "dataset";
}

}  // namespace weir::pipeline

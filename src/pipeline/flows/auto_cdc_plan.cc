// SPDX-License-Identifier: Apache-2.0
#include "pipeline/flows/auto_cdc_plan.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace weir::pipeline {
namespace {

class Planner {
 public:
  Planner(engine::Session& session, const GraphFlow& flow, const GraphDataset& target,
          const std::vector<Column>& source)
      : session_(session), flow_(flow.flow), query_(flow.query), target_(target), source_(source) {}

  Result<AutoCdcPlan> Run() {
    plan_.flow = flow_.name;
    plan_.target = target_.full_name;
    plan_.auxiliary = target_.full_name;
    plan_.auxiliary.parts.back() =
        std::string(kReservedPrefix) + "aux_state_" + target_.full_name.last();
    plan_.scd_type = flow_.auto_cdc.scd_type;
    plan_.from = query_.sql.substr(std::string_view("SELECT * ").size());
    WEIR_RETURN_IF_ERROR(CheckReservedNames());
    WEIR_RETURN_IF_ERROR(SelectColumns());
    WEIR_RETURN_IF_ERROR(ResolveKeys());
    WEIR_RETURN_IF_ERROR(ResolveSequence());
    WEIR_ASSIGN_OR_RETURN(plan_.delete_when,
                          Condition(flow_.auto_cdc.delete_when, "APPLY AS DELETE WHEN"));
    WEIR_ASSIGN_OR_RETURN(plan_.truncate_when,
                          Condition(flow_.auto_cdc.truncate_when, "APPLY AS TRUNCATE WHEN"));
    WEIR_RETURN_IF_ERROR(ResolveWritten());
    if (plan_.scd_type == 2) WEIR_RETURN_IF_ERROR(ResolveTracked());
    return std::move(plan_);
  }

 private:
  std::string Place() const { return flow_.origin.ToString() + ": flow `" + flow_.name + "`"; }

  static std::string Names(const std::vector<Column>& columns) {
    std::string names;
    for (const Column& column : columns) names += (names.empty() ? "" : ", ") + column.name;
    return names;
  }

  Status CheckReservedNames() const {
    for (const Column& column : source_) {
      if (StartsWith(ToLowerAscii(column.name), kReservedPrefix)) {
        return Fail(InvalidArgument(
            "AUTOCDC_RESERVED_COLUMN_NAME_PREFIX_CONFLICT",
            Place() + ": column `" + column.name + "` of the source begins with " +
                std::string(kReservedPrefix) + ", which Auto CDC keeps for itself; rename it",
            "42710"));
      }
      const bool reserved =
          EqualsIgnoreCase(column.name, kStartColumn) || EqualsIgnoreCase(column.name, kEndColumn);
      if (plan_.scd_type == 2 && reserved) {
        return Fail(InvalidArgument("AUTOCDC_RESERVED_COLUMN_NAME_CONFLICT",
                                    Place() + ": column `" + column.name +
                                        "` of the source has the name of a column " +
                                        "that SCD type 2 adds; rename it",
                                    "42710"));
      }
      if (StartsWith(ToLowerAscii(column.name), "__weir_") ||
          EqualsIgnoreCase(column.name, "rowid")) {
        return Fail(InvalidArgument("AUTOCDC_RESERVED_COLUMN_NAME_CONFLICT",
                                    Place() + ": column `" + column.name +
                                        "` of the source has a name that Weir needs while it "
                                        "applies a batch (rowid, __weir_...); rename it",
                                    "42710"));
      }
    }
    return {};
  }

  Status CheckFound(const ColumnSelection& selection, const std::vector<Column>& columns,
                    std::string_view clause) {
    for (const std::string& name : selection.names) {
      if (FindColumn(columns, name) != nullptr) continue;
      return Fail(InvalidArgument("AUTOCDC_COLUMNS_NOT_FOUND_IN_SCHEMA",
                                  Place() + ": " + std::string(clause) + " names `" + name +
                                      "`; there are " + Names(columns),
                                  "42703"));
    }
    return {};
  }

  static bool Selects(const ColumnSelection& selection, const std::string& name) {
    if (selection.kind == ColumnSelection::Kind::kAll) return true;
    const bool listed = std::ranges::any_of(
        selection.names, [&](const std::string& other) { return EqualsIgnoreCase(other, name); });
    return listed == (selection.kind == ColumnSelection::Kind::kOnly);
  }

  Status SelectColumns() {
    WEIR_RETURN_IF_ERROR(CheckFound(flow_.auto_cdc.columns, source_, "COLUMNS"));
    for (const Column& column : source_) {
      if (!Selects(flow_.auto_cdc.columns, column.name)) continue;
      WEIR_ASSIGN_OR_RETURN(const SqlType type, ParseType(column.type));
      plan_.columns.push_back({column.name, StorableType(type).ToString()});
    }
    return {};
  }

  Status ResolveKeys() {
    for (const std::string& key : flow_.auto_cdc.keys) {
      const Column* column = FindColumn(plan_.columns, key);
      if (column == nullptr) {
        const bool in_source = FindColumn(source_, key) != nullptr;
        return Fail(
            InvalidArgument("AUTOCDC_KEY_NOT_IN_SELECTED_SCHEMA",
                            Place() + ": key `" + key + "` " +
                                (in_source ? "is left out by COLUMNS; a key must be kept. Kept are "
                                           : "is no column of the source; "
                                             "there are ") +
                                Names(in_source ? plan_.columns : source_),
                            "22023"));
      }
      if (std::ranges::find(plan_.keys, column->name) != plan_.keys.end()) {
        return Fail(InvalidArgument("AUTOCDC_DUPLICATE_KEY_COLUMN",
                                    Place() + ": KEYS names `" + column->name + "` twice",
                                    "22023"));
      }
      plan_.keys.push_back(column->name);
    }
    return {};
  }

  Result<SqlType> TypeOf(const std::string& expression, std::string_view clause) {
    auto columns = DescribeQuery(session_, "SELECT (" + expression + ") " + plan_.from);
    if (!columns) return Fail(columns.error().WithContext(Place() + ": " + std::string(clause)));
    return ParseType(columns->front().type);
  }

  Status ResolveSequence() {
    if (flow_.kind == FlowKind::kSnapshotCdc) {
      plan_.sequence = "current_timestamp";
      plan_.sequence_type = SqlType{SqlType::Kind::kScalar, "TIMESTAMP WITH TIME ZONE", {}, {}};
      return {};
    }
    WEIR_ASSIGN_OR_RETURN(plan_.sequence, RewriteExpression(flow_.auto_cdc.sequence_by));
    WEIR_ASSIGN_OR_RETURN(const SqlType type, TypeOf(plan_.sequence, "SEQUENCE BY"));
    if (!IsOrderable(type)) {
      return Fail(InvalidArgument("AUTOCDC_MICROBATCH_VALIDATION.NON_ORDERABLE_SEQUENCE",
                                  Place() + ": SEQUENCE BY " + flow_.auto_cdc.sequence_by +
                                      " has type " + type.ToString() +
                                      ", whose values have no order",
                                  "22000"));
    }
    plan_.sequence_type = StorableType(type);
    return {};
  }

  Result<std::string> Condition(const std::string& written, std::string_view clause) {
    if (written.empty()) return std::string();
    WEIR_ASSIGN_OR_RETURN(std::string condition, RewriteExpression(written));
    WEIR_ASSIGN_OR_RETURN(const SqlType type, TypeOf(condition, clause));
    if (type.ToString() != "BOOLEAN") {
      return Fail(InvalidArgument("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
                                  Place() + ": " + std::string(clause) + " " + written +
                                      " has type " + type.ToString() + ", expected BOOLEAN",
                                  "42K09"));
    }
    return condition;
  }

  std::vector<Column> OtherThanKeys() const {
    std::vector<Column> others;
    for (const Column& column : plan_.columns) {
      if (std::ranges::find(plan_.keys, column.name) == plan_.keys.end()) others.push_back(column);
    }
    return others;
  }

  /// IGNORE NULL UPDATES and COLUMNS TO UPDATE, as conditions of the columns.
  Status ResolveWritten() {
    const auto& ignored = flow_.auto_cdc.ignore_null_updates;
    const std::string& listed = flow_.auto_cdc.columns_to_update;
    if (!ignored && listed.empty()) return {};
    const bool together = ignored && !listed.empty();
    if (together || !plan_.truncate_when.empty()) {
      return Fail(UnsupportedFeature("AUTOCDC_PARTIAL_UPDATE_NOT_SUPPORTED",
                                     Place() +
                                         ": IGNORE NULL UPDATES and COLUMNS TO UPDATE cannot stand "
                                         "together, nor beside APPLY AS TRUNCATE WHEN",
                                     "0A000"));
    }
    const std::vector<Column> others = OtherThanKeys();
    if (ignored) {
      WEIR_RETURN_IF_ERROR(CheckFound(*ignored, others, "IGNORE NULL UPDATES ON"));
      for (const Column& column : others) {
        if (!Selects(*ignored, column.name)) continue;
        plan_.written_when.emplace_back(column.name, QuoteIdentifier(column.name) + " IS NOT NULL");
      }
      return {};
    }
    WEIR_ASSIGN_OR_RETURN(const std::string names, RewriteExpression(listed));
    WEIR_ASSIGN_OR_RETURN(const SqlType type, TypeOf(names, "COLUMNS TO UPDATE"));
    if (type.ToString() != "VARCHAR[]") {
      return Fail(InvalidArgument("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                                  Place() + ": COLUMNS TO UPDATE " + listed + " has type " +
                                      type.ToString() + ", expected an array of column names",
                                  "42K09"));
    }
    for (const Column& column : others) {
      plan_.written_when.emplace_back(column.name, "coalesce(list_contains(list_transform(" +
                                                       names + ", lambda x: lower(x)), " +
                                                       QuoteLiteral(ToLowerAscii(column.name)) +
                                                       "), true)");
    }
    return {};
  }

  Status ResolveTracked() {
    const std::vector<Column> eligible = OtherThanKeys();
    const ColumnSelection& selection = flow_.auto_cdc.track_history;
    WEIR_RETURN_IF_ERROR(CheckFound(selection, eligible, "TRACK HISTORY ON"));
    plan_.tracks_all = selection.kind == ColumnSelection::Kind::kAll;
    for (const Column& column : eligible) {
      if (Selects(selection, column.name)) plan_.tracked.push_back(column.name);
    }
    return {};
  }

  engine::Session& session_;
  const Flow& flow_;
  const RewrittenQuery& query_;
  const GraphDataset& target_;
  const std::vector<Column>& source_;
  AutoCdcPlan plan_;
};

std::string JsonNames(const std::vector<std::string>& names) {
  std::string text;
  JsonWriter writer(text);
  writer.BeginArray();
  for (const std::string& name : names) writer.String(name);
  writer.EndArray();
  return text;
}

Column MetadataColumn(const AutoCdcPlan& plan, bool with_columns) {
  const std::string type = plan.sequence_type.ToString();
  if (with_columns && plan.scd_type == 2) {
    return {std::string(kMetadataColumn),
            "STRUCT(\"__RECORD_START_AT\" " + type + ", \"writtenColumns\" VARCHAR[])"};
  }
  if (with_columns) {
    return {std::string(kMetadataColumn), "STRUCT(deleteSequence " + type + ", upsertSequence " +
                                              type + ", columnSequences MAP(VARCHAR, " + type +
                                              "))"};
  }
  return {std::string(kMetadataColumn),
          plan.scd_type == 1 ? "STRUCT(deleteSequence " + type + ", upsertSequence " + type + ")"
                             : "STRUCT(\"__RECORD_START_AT\" " + type + ")"};
}

}  // namespace

Result<AutoCdcPlan> PlanAutoCdc(engine::Session& session, const GraphFlow& flow,
                                const GraphDataset& target, const std::vector<Column>& source) {
  return Planner(session, flow, target, source).Run();
}

std::vector<Column> TargetColumns(const AutoCdcPlan& plan) {
  std::vector<Column> columns = plan.columns;
  if (plan.scd_type == 2) {
    columns.push_back({std::string(kStartColumn), plan.sequence_type.ToString()});
    columns.push_back({std::string(kEndColumn), plan.sequence_type.ToString()});
  }
  columns.push_back(MetadataColumn(plan, !plan.written_when.empty()));
  return columns;
}

std::vector<Column> AuxiliaryColumns(const AutoCdcPlan& plan) {
  if (plan.scd_type == 2) {
    std::vector<Column> columns = TargetColumns(plan);
    columns.push_back({std::string(kReservedPrefix) + "deleted_by_batch_id", "BIGINT"});
    return columns;
  }
  std::vector<Column> columns;
  for (const std::string& key : plan.keys) columns.push_back(*FindColumn(plan.columns, key));
  columns.push_back(MetadataColumn(plan, false));
  return columns;
}

std::vector<std::pair<std::string, std::string>> AuxiliaryProperties(const AutoCdcPlan& plan) {
  std::vector<std::pair<std::string, std::string>> properties = {
      {"pipelines.autocdc.keyColumnNames", JsonNames(plan.keys)},
      {"pipelines.autocdc.scdType", plan.scd_type == 1 ? "SCD1" : "SCD2"}};
  if (plan.scd_type == 2) {
    properties.emplace_back("pipelines.autocdc.trackHistoryColumnNames", JsonNames(plan.tracked));
  }
  return properties;
}

}  // namespace weir::pipeline

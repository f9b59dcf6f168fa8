// SPDX-License-Identifier: Apache-2.0
#include "pipeline/flows/auto_cdc_tables.h"

#include <algorithm>
#include <set>

#include "base/json.h"
#include "base/text.h"

namespace weir::pipeline {
namespace {

constexpr const char* kKeysProperty = "pipelines.autocdc.keyColumnNames";
constexpr const char* kTypeProperty = "pipelines.autocdc.scdType";
constexpr const char* kWideningProperty = "delta.enableTypeWidening";
constexpr const char* kTrackedProperty = "pipelines.autocdc.trackHistoryColumnNames";

std::string List(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return "(" + text + ")";
}

std::set<std::string> LowerSet(const std::vector<std::string>& names) {
  std::set<std::string> lower;
  for (const std::string& name : names) lower.insert(ToLowerAscii(name));
  return lower;
}

class Comparison {
 public:
  Comparison(TableStore& store, AutoCdcPlan& plan, const Dataset& declared)
      : store_(store), plan_(plan), declared_(declared) {}

  Result<TableChanges> Run(bool reset) {
    WEIR_RETURN_IF_ERROR(CheckDeclared());
    WEIR_ASSIGN_OR_RETURN(const auto target, store_.Columns(plan_.target));
    WEIR_ASSIGN_OR_RETURN(const auto auxiliary, store_.Columns(plan_.auxiliary));
    if (!target) return TableChanges{true, true, {}, {}, false};
    const AutoCdcPlan wanted = plan_;
    const Status fits = Compare(*target, auxiliary);
    if (fits) return std::move(changes_);
    if (reset) {
      plan_ = wanted;
      return TableChanges{true, true, {}, {}, false};
    }
    return Fail(fits.error());
  }

 private:
  Status Compare(const std::vector<Column>& target,
                 const std::optional<std::vector<Column>>& auxiliary) {
    if (FindColumn(target, kMetadataColumn) == nullptr) {
      return Fail(Invalid("TARGET_NOT_AUTO_CDC",
                          "the table exists but has no column " + std::string(kMetadataColumn) +
                              ", so it was not made by Auto CDC; drop it or choose another name"));
    }
    if (!auxiliary) {
      return Fail(
          Invalid("AUXILIARY_TABLE_MISSING",
                  "the side table `" + plan_.auxiliary.ToString() +
                      "` is gone, and with it the deletes that late events are compared with"));
    }
    WEIR_RETURN_IF_ERROR(CheckProperties());
    WEIR_RETURN_IF_ERROR(CheckKeys(target, *auxiliary));
    WEIR_RETURN_IF_ERROR(CheckSequence(target));
    return CheckColumns(target);
  }

  Error Invalid(const std::string& kind, const std::string& message) const {
    return InvalidArgument("AUTOCDC_INVALID_STATE." + kind,
                           "flow `" + plan_.flow + "`, table `" + plan_.target.ToString() +
                               "`: " + message + ". To start over: weir run --full-refresh " +
                               declared_.name.ToString(),
                           "42000");
  }

  /// Declared columns must be those that the flow gives, the hidden ones aside.
  Status CheckDeclared() const {
    for (const ColumnDeclaration& column : declared_.columns) {
      if (FindColumn(TargetColumns(plan_), column.name) != nullptr) continue;
      return Fail(InvalidArgument("USER_SPECIFIED_AND_INFERRED_SCHEMA_NOT_COMPATIBLE",
                                  declared_.origin.ToString() + ": table `" +
                                      declared_.name.ToString() + "` declares column `" +
                                      column.name + "`, which flow `" + plan_.flow +
                                      "` does not give",
                                  "42000"));
    }
    return {};
  }

  Result<std::vector<std::string>> NameList(const std::map<std::string, std::string>& properties,
                                            const std::string& key) const {
    const auto found = properties.find(key);
    if (found == properties.end()) {
      return Fail(Invalid(
          "AUXILIARY_TABLE_PROPERTY_MISSING",
          "the side table `" + plan_.auxiliary.ToString() + "` has lost its property " + key));
    }
    std::vector<std::string> names;
    const auto json = JsonValue::Parse(found->second);
    bool well_formed = json && json->is_array();
    for (size_t i = 0; well_formed && i < json->items().size(); ++i) {
      well_formed = json->items()[i].is_string();
      names.push_back(json->items()[i].text());
    }
    if (well_formed) return names;
    return Fail(Invalid("AUXILIARY_TABLE_PROPERTY_MALFORMED",
                        "property " + key + " of `" + plan_.auxiliary.ToString() +
                            "` is no JSON array of names: " + found->second));
  }

  Status CheckProperties() {
    WEIR_ASSIGN_OR_RETURN(const auto properties, store_.Properties(plan_.auxiliary));
    const auto type = properties.find(kTypeProperty);
    if (type == properties.end()) {
      return Fail(Invalid("AUXILIARY_TABLE_PROPERTY_MISSING",
                          "the side table has lost its property " + std::string(kTypeProperty)));
    }
    const std::string wanted = "SCD" + std::to_string(plan_.scd_type);
    if (type->second != wanted) {
      return Fail(Invalid("SCD_TYPE_DRIFT",
                          "it was stored as " + type->second + " and is now asked as " + wanted));
    }
    WEIR_ASSIGN_OR_RETURN(const std::vector<std::string> keys, NameList(properties, kKeysProperty));
    if (LowerSet(keys) != LowerSet(plan_.keys)) {
      return Fail(Invalid("KEY_SCHEMA_DRIFT",
                          "its keys were " + List(keys) + " and are now " + List(plan_.keys)));
    }
    if (plan_.scd_type == 2) return CheckTracked(properties);
    return {};
  }

  /// New columns join a list that was not given; every other difference would re-cut old versions.
  Status CheckTracked(const std::map<std::string, std::string>& properties) {
    WEIR_ASSIGN_OR_RETURN(const std::vector<std::string> recorded,
                          NameList(properties, kTrackedProperty));
    const std::set<std::string> before = LowerSet(recorded);
    const std::set<std::string> now = LowerSet(plan_.tracked);
    if (before == now) return {};
    if (plan_.tracks_all && std::ranges::includes(now, before)) {
      changes_.extend_tracked = true;
      return {};
    }
    return Fail(Invalid("TRACK_HISTORY_DRIFT", "its tracked columns were " + List(recorded) +
                                                   " and are now " + List(plan_.tracked)));
  }

  Status CheckKeys(const std::vector<Column>& target, const std::vector<Column>& auxiliary) const {
    for (const std::string& key : plan_.keys) {
      const Column* recorded = FindColumn(auxiliary, key);
      if (recorded == nullptr) {
        return Fail(Invalid(
            "AUXILIARY_TABLE_KEY_COLUMN_MISSING",
            "the side table `" + plan_.auxiliary.ToString() + "` has no key column `" + key + "`"));
      }
      const std::string& now = FindColumn(plan_.columns, key)->type;
      const Column* in_target = FindColumn(target, key);
      if (recorded->type != now || in_target == nullptr || in_target->type != now) {
        return Fail(Invalid("KEY_SCHEMA_DRIFT",
                            "key `" + key + "` was " + recorded->type + " and is now " + now));
      }
    }
    return {};
  }

  Status CheckSequence(const std::vector<Column>& target) const {
    WEIR_ASSIGN_OR_RETURN(const SqlType metadata,
                          ParseType(FindColumn(target, kMetadataColumn)->type));
    if (metadata.children.empty() || !(metadata.children[0] == plan_.sequence_type)) {
      return Fail(Invalid("SEQUENCING_TYPE_DRIFT",
                          "its sequence was " +
                              (metadata.children.empty() ? "?" : metadata.children[0].ToString()) +
                              " and is now " + plan_.sequence_type.ToString()));
    }
    return {};
  }

  Status CheckColumns(const std::vector<Column>& target) {
    const std::string& metadata = FindColumn(target, kMetadataColumn)->type;
    const bool recorded_columns = metadata.find("columnSequences") != std::string::npos ||
                                  metadata.find("writtenColumns") != std::string::npos;
    if (recorded_columns == plan_.written_when.empty()) {
      return Fail(Invalid("PARTIAL_UPDATE_DRIFT",
                          recorded_columns
                              ? "its events wrote single columns and are now to write whole rows"
                              : "its events wrote whole rows and are now to write single columns"));
    }
    for (Column& column : plan_.columns) {
      const Column* there = FindColumn(target, column.name);
      if (there == nullptr) {
        changes_.new_columns.push_back(column);
        continue;
      }
      WEIR_ASSIGN_OR_RETURN(const SqlType now, ParseType(column.type));
      WEIR_ASSIGN_OR_RETURN(const SqlType recorded, ParseType(there->type));
      if (!WidensTo(now, recorded) && WidensTo(recorded, now)) {
        WEIR_ASSIGN_OR_RETURN(const bool may_widen, MayWiden());
        if (may_widen) {
          changes_.widened.push_back(column);
          continue;
        }
      }
      if (!WidensTo(now, recorded)) {
        return Fail(
            InvalidArgument("CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE",
                            "flow `" + plan_.flow + "`: column `" + column.name + "` of table `" +
                                plan_.target.ToString() + "` is " + there->type +
                                ", the source now gives " + column.type +
                                "; cast it in the source, let the table follow a wider type by "
                                "its property delta.enableTypeWidening, or start over "
                                "with weir run " +
                                "--full-refresh " + declared_.name.ToString(),
                            "42825"));
      }
      column.type = there->type;
    }
    return {};
  }

  Result<bool> MayWiden() {
    WEIR_ASSIGN_OR_RETURN(const auto properties, store_.Properties(plan_.target));
    const auto found = properties.find(kWideningProperty);
    return found != properties.end() && EqualsIgnoreCase(found->second, "true");
  }

  TableStore& store_;
  AutoCdcPlan& plan_;
  const Dataset& declared_;
  TableChanges changes_;
};

/// The side table of type 2 has the same columns, and follows. Safe to run again.
Status WidenColumns(TableStore& store, const AutoCdcPlan& plan,
                    const std::vector<Column>& columns) {
  std::vector<QualifiedName> tables = {plan.target};
  if (plan.scd_type == 2) {
    WEIR_RETURN_IF_ERROR(store.SetProperty(plan.auxiliary, kWideningProperty, "true"));
    tables.insert(tables.begin(), plan.auxiliary);
  }
  for (const QualifiedName& table : tables) {
    WEIR_ASSIGN_OR_RETURN(const auto there, store.Columns(table));
    for (const Column& column : columns) {
      const Column* old = FindColumn(*there, column.name);
      if (old != nullptr && old->type != column.type)
        WEIR_RETURN_IF_ERROR(store.WidenColumn(table, column));
    }
  }
  return {};
}

TableShape TargetShape(const AutoCdcPlan& plan, const Dataset& declared) {
  return {TargetColumns(plan), declared.properties, declared.partition_columns,
          declared.cluster_columns, declared.comment};
}

}  // namespace

Result<TableChanges> CompareTables(TableStore& store, AutoCdcPlan& plan, const Dataset& declared,
                                   bool reset) {
  return Comparison(store, plan, declared).Run(reset);
}

Status ChangeTables(TableStore& store, const AutoCdcPlan& plan, const Dataset& declared,
                    const TableChanges& changes, bool reset) {
  // The side table comes first: a target without it would be taken for one that has lost it.
  if (changes.create_auxiliary) {
    WEIR_RETURN_IF_ERROR(store.Create(
        plan.auxiliary, {AuxiliaryColumns(plan), AuxiliaryProperties(plan), {}, {}, ""}, true));
  }
  if (changes.create_target) return store.Create(plan.target, TargetShape(plan, declared), reset);
  if (!changes.new_columns.empty()) {
    if (plan.scd_type == 2) {
      WEIR_ASSIGN_OR_RETURN(const auto auxiliary, store.Columns(plan.auxiliary));
      std::vector<Column> missing;
      for (const Column& column : changes.new_columns) {
        if (FindColumn(*auxiliary, column.name) == nullptr) missing.push_back(column);
      }
      if (!missing.empty()) WEIR_RETURN_IF_ERROR(store.AddColumns(plan.auxiliary, missing));
    }
    WEIR_RETURN_IF_ERROR(store.AddColumns(plan.target, changes.new_columns));
  }
  if (!changes.widened.empty()) WEIR_RETURN_IF_ERROR(WidenColumns(store, plan, changes.widened));
  if (!changes.extend_tracked) return {};
  return store.SetProperty(plan.auxiliary, kTrackedProperty,
                           AuxiliaryProperties(plan).back().second);
}

}  // namespace weir::pipeline

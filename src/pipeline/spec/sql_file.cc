// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec/sql_file.h"

#include "base/text.h"
#include "pipeline/spec/variables.h"

namespace weir::pipeline {

using sql::Token;
using sql::Tokenize;
using sql::TokenKind;
using sql::TokenReader;
namespace {

using sql::Token;
using sql::TokenKind;

/// One statement after the other of one file.
class FileParser {
 public:
  FileParser(TokenReader reader, const PipelineSpec& spec, Definitions& out)
      : reader_(std::move(reader)), spec_(spec), out_(out) {}

  Status Run() {
    while (!reader_.AtEnd()) {
      if (reader_.TakeSymbolIf(";")) continue;
      WEIR_RETURN_IF_ERROR(Statement());
      if (!reader_.AtStatementEnd())
        return Fail(reader_.SyntaxError("expected ';' or the end of the file"));
    }
    return {};
  }

 private:
  Status Statement() {
    statement_ = reader_.origin();
    if (reader_.LooksAt({"CREATE"})) return Create();
    if (reader_.TakeIf({"SET"})) return Set();
    if (reader_.TakeIf({"USE"})) return Use();
    Flow flow;
    flow.origin = statement_;
    if (TakeAutoCdc(flow)) return AutoCdcInto(std::move(flow));
    return Fail(Unsupported());
  }

  /// SET name = value: ReplaceVariables has seen to it; to the engine it says nothing.
  Status Set() {
    WEIR_ASSIGN_OR_RETURN(
        const std::string name,
        reader_.TextUntil([](const TokenReader& r) { return r.Peek().IsSymbol("="); },
                          "a name after SET"));
    WEIR_RETURN_IF_ERROR(reader_.ExpectSymbol("=", "after SET " + name));
    return Query().has_value() ? Status()
                               : Fail(reader_.SyntaxError("expected a value of " + name));
  }

  /// USE, as long as it says what holds anyway.
  Status Use() {
    const bool catalog = reader_.TakeIf({"CATALOG"});
    if (!catalog && !reader_.TakeIf({"SCHEMA"}) && !reader_.TakeIf({"DATABASE"}))
      reader_.TakeIf({"NAMESPACE"});
    WEIR_ASSIGN_OR_RETURN(const QualifiedName name,
                          reader_.ExpectQualifiedName("a name after USE"));
    const auto is_default = [&](const std::string& schema) {
      return EqualsIgnoreCase(schema, spec_.database) ||
             (EqualsIgnoreCase(schema, "default") && spec_.database == "main");
    };
    const bool holds = catalog                  ? EqualsIgnoreCase(name.ToString(), spec_.catalog)
                       : name.parts.size() == 2 ? EqualsIgnoreCase(name.parts[0], spec_.catalog) &&
                                                      is_default(name.last())
                                                : name.parts.size() == 1 && is_default(name.last());
    if (holds) return {};
    return Fail(InvalidArgument("UNSUPPORTED_PIPELINE_SPARK_SQL_COMMAND",
                                statement_.ToString() + ": USE " + name.ToString() +
                                    ": names of this pipeline are those of `" + spec_.catalog +
                                    "`.`" + spec_.database +
                                    "`, as `catalog` and `database` of the spec say; "
                                    "write schema.table for others",
                                "0A000"));
  }

  /// APPLY CHANGES INTO table FROM ..., a flow with the table's name.
  Status AutoCdcInto(Flow flow) {
    WEIR_RETURN_IF_ERROR(reader_.ExpectWords({"INTO"}, "after AUTO CDC"));
    WEIR_ASSIGN_OR_RETURN(flow.target, reader_.ExpectQualifiedName("a table after INTO"));
    if (flow.name.empty()) flow.name = flow.target.last();
    WEIR_RETURN_IF_ERROR(ParseAutoCdc(reader_, flow));
    out_.flows.push_back(std::move(flow));
    return {};
  }

  Error Unsupported() const {
    return InvalidArgument("UNSUPPORTED_PIPELINE_SPARK_SQL_COMMAND",
                           statement_.ToString() +
                               ": a pipeline's SQL file holds CREATE STREAMING TABLE, CREATE " +
                               "MATERIALIZED VIEW, CREATE [TEMPORARY] VIEW, CREATE FLOW, AUTO CDC "
                               "INTO, SET and USE, found `" +
                               reader_.Peek().text + " " + reader_.Peek(1).text + "`",
                           "0A000");
  }

  Status Create() {
    reader_.Take();
    if (!reader_.TakeIf({"OR", "REFRESH"})) reader_.TakeIf({"OR", "REPLACE"});
    if (reader_.TakeIf({"FLOW"})) return CreateFlow();
    reader_.TakeIf({"PRIVATE"});
    if (reader_.TakeIf({"MATERIALIZED", "VIEW"})) return View(DatasetKind::kMaterializedView);
    // LIVE is how Databricks wrote it before: a STREAMING LIVE TABLE, or a LIVE TABLE for a
    // materialized view.
    const bool temporary = reader_.TakeIf({"TEMPORARY"}) || reader_.TakeIf({"TEMP"});
    const bool streaming = reader_.TakeIf({"STREAMING"});
    const bool live = reader_.TakeIf({"LIVE"});
    if ((streaming || live) && reader_.TakeIf({"TABLE"}))
      return streaming ? StreamingTable() : View(DatasetKind::kMaterializedView);
    if ((live || !streaming) && reader_.TakeIf({"VIEW"}))
      return View(temporary || live ? DatasetKind::kTemporaryView : DatasetKind::kPersistedView);
    return Fail(Unsupported());
  }

  /// The name, the columns and the clauses up to AS, FLOW or the end.
  Result<Dataset> Head(DatasetKind kind) {
    Dataset dataset;
    dataset.kind = kind;
    dataset.origin = statement_;
    reader_.TakeIf({"IF", "NOT", "EXISTS"});
    WEIR_ASSIGN_OR_RETURN(
        dataset.name, reader_.ExpectQualifiedName("a name after " + std::string(ToString(kind))));
    if (reader_.Peek().IsSymbol("(")) WEIR_RETURN_IF_ERROR(Columns(dataset));
    while (!reader_.AtStatementEnd() && !reader_.LooksAt({"AS"}) && !reader_.LooksAt({"FLOW"})) {
      WEIR_RETURN_IF_ERROR(TableClause(dataset));
    }
    return dataset;
  }

  Status Columns(Dataset& dataset) {
    reader_.Take();
    do {
      if (AtKeyConstraint()) {
        WEIR_RETURN_IF_ERROR(SkipKeyConstraint());
      } else if (reader_.LooksAt({"CONSTRAINT"})) {
        WEIR_RETURN_IF_ERROR(Constraint(dataset));
      } else {
        WEIR_RETURN_IF_ERROR(Column(dataset));
      }
    } while (reader_.TakeSymbolIf(","));
    return reader_.ExpectSymbol(")", "after the columns");
  }

  static bool AtColumnEnd(const TokenReader& reader) {
    return reader.Peek().IsSymbol(",") || reader.LooksAt({"NOT", "NULL"}) ||
           reader.LooksAt({"COMMENT"}) || reader.LooksAt({"PRIMARY", "KEY"}) ||
           reader.LooksAt({"DEFAULT"}) || reader.LooksAt({"GENERATED"}) || reader.LooksAt({"MASK"});
  }

  /// [CONSTRAINT name] PRIMARY KEY (..) or FOREIGN KEY (..) ...
  bool AtKeyConstraint() const {
    const size_t key = reader_.LooksAt({"CONSTRAINT"}) ? 2 : 0;
    return (reader_.Peek(key).IsWord("PRIMARY") || reader_.Peek(key).IsWord("FOREIGN")) &&
           reader_.Peek(key + 1).IsWord("KEY");
  }

  /// They are not enforced, neither by Delta nor by Databricks, and say nothing to the engine.
  Status SkipKeyConstraint() {
    const auto skipped = reader_.TextUntil(
        [](const TokenReader& reader) { return reader.Peek().IsSymbol(","); }, "a constraint");
    return skipped ? Status() : Fail(skipped.error());
  }

  Error NotSupported(const std::string& what) const {
    return UnsupportedFeature("UNSUPPORTED_FEATURE", reader_.origin().ToString() + ": " + what,
                              "0A000");
  }

  Status Column(Dataset& dataset) {
    ColumnDeclaration column;
    WEIR_ASSIGN_OR_RETURN(column.name, reader_.ExpectName("a column's name"));
    if (!reader_.Peek().IsSymbol(")") && !AtColumnEnd(reader_)) {
      WEIR_ASSIGN_OR_RETURN(column.type, reader_.TextUntil(AtColumnEnd, "a type"));
    }
    column.not_null = reader_.TakeIf({"NOT", "NULL"});
    if (reader_.LooksAt({"PRIMARY", "KEY"})) WEIR_RETURN_IF_ERROR(SkipKeyConstraint());
    if (reader_.LooksAt({"DEFAULT"}) || reader_.LooksAt({"GENERATED"}) ||
        reader_.LooksAt({"MASK"})) {
      return Fail(
          NotSupported("column `" + column.name + "`: " + reader_.Peek().text +
                       " is not supported in a pipeline's table; let the query give the value"));
    }
    if (reader_.TakeIf({"COMMENT"})) {
      WEIR_ASSIGN_OR_RETURN(column.comment, reader_.ExpectString("a comment"));
    }
    dataset.columns.push_back(std::move(column));
    return {};
  }

  /// CONSTRAINT name EXPECT (condition) [ON VIOLATION DROP ROW | FAIL UPDATE]
  Status Constraint(Dataset& dataset) {
    reader_.Take();
    Expectation expectation;
    WEIR_ASSIGN_OR_RETURN(expectation.name, reader_.ExpectName("a name after CONSTRAINT"));
    WEIR_RETURN_IF_ERROR(reader_.ExpectWords({"EXPECT"}, "after the constraint's name"));
    WEIR_RETURN_IF_ERROR(reader_.ExpectSymbol("(", "after EXPECT"));
    WEIR_ASSIGN_OR_RETURN(
        expectation.condition,
        reader_.TextUntil([](const TokenReader&) { return false; }, "a condition"));
    WEIR_RETURN_IF_ERROR(reader_.ExpectSymbol(")", "after the condition"));
    if (reader_.TakeIf({"ON", "VIOLATION"})) {
      if (reader_.TakeIf({"DROP", "ROW"})) {
        expectation.violation = Violation::kDropRow;
      } else if (reader_.TakeIf({"FAIL", "UPDATE"})) {
        expectation.violation = Violation::kFailUpdate;
      } else {
        return Fail(reader_.SyntaxError("expected DROP ROW or FAIL UPDATE after ON VIOLATION"));
      }
    }
    dataset.expectations.push_back(std::move(expectation));
    return {};
  }

  Status TableClause(Dataset& dataset) {
    if (reader_.TakeIf({"COMMENT"})) {
      WEIR_ASSIGN_OR_RETURN(dataset.comment, reader_.ExpectString("a comment"));
      return {};
    }
    if (reader_.TakeIf({"USING"})) {
      if (reader_.TakeIf({"DELTA"})) return {};
      return Fail(
          reader_.SyntaxError("Weir's tables are Delta tables: expected DELTA after USING"));
    }
    if (reader_.TakeIf({"PARTITIONED", "BY"})) {
      WEIR_ASSIGN_OR_RETURN(dataset.partition_columns, ParseColumnList(reader_, "PARTITIONED BY"));
      return {};
    }
    if (reader_.TakeIf({"CLUSTER", "BY", "AUTO"}) || reader_.TakeIf({"CLUSTER", "BY", "NONE"}))
      return {};
    if (reader_.LooksAt({"SCHEDULE"}) || reader_.LooksAt({"TRIGGER"})) {
      return Fail(NotSupported(reader_.Peek().text +
                               " is not supported: tables are brought up to "
                               "date when `weir run` runs; see --continuous"));
    }
    if (reader_.LooksAt({"WITH", "ROW", "FILTER"}))
      return Fail(NotSupported("row filters are not supported"));
    if (reader_.TakeIf({"CLUSTER", "BY"})) {
      WEIR_ASSIGN_OR_RETURN(dataset.cluster_columns, ParseColumnList(reader_, "CLUSTER BY"));
      return {};
    }
    if (reader_.TakeIf({"TBLPROPERTIES"})) return Properties(dataset);
    return Fail(reader_.SyntaxError("expected a clause of the table, AS or FLOW"));
  }

  Status Properties(Dataset& dataset) {
    WEIR_RETURN_IF_ERROR(reader_.ExpectSymbol("(", "after TBLPROPERTIES"));
    do {
      std::string key;
      if (reader_.Peek().kind == TokenKind::kString) {
        key = reader_.Take().text;
      } else {
        WEIR_ASSIGN_OR_RETURN(QualifiedName name, LongName());
        key = name.ToString();
      }
      WEIR_RETURN_IF_ERROR(reader_.ExpectSymbol("=", "after the property's name"));
      const Token& value = reader_.Take();
      if (value.kind == TokenKind::kSymbol || value.kind == TokenKind::kEnd) {
        return Fail(reader_.SyntaxError("expected a value of property " + key));
      }
      dataset.properties.emplace_back(std::move(key), value.text);
    } while (reader_.TakeSymbolIf(","));
    return reader_.ExpectSymbol(")", "after the properties");
  }

  Result<QualifiedName> LongName() {
    QualifiedName name;
    do {
      WEIR_ASSIGN_OR_RETURN(std::string part, reader_.ExpectName("a property's name"));
      name.parts.push_back(std::move(part));
    } while (reader_.TakeSymbolIf("."));
    return name;
  }

  Result<std::string> Query() {
    return reader_.TextUntil([](const TokenReader&) { return false; }, "a query");
  }

  Flow FlowInto(FlowKind kind, const QualifiedName& target) const {
    Flow flow;
    flow.kind = kind;
    flow.name = target.last();
    flow.target = target;
    flow.origin = statement_;
    return flow;
  }

  Status StreamingTable() {
    WEIR_ASSIGN_OR_RETURN(Dataset table, Head(DatasetKind::kStreamingTable));
    if (reader_.TakeIf({"AS"})) {
      Flow flow = FlowInto(FlowKind::kAppend, table.name);
      WEIR_ASSIGN_OR_RETURN(flow.query, Query());
      out_.flows.push_back(std::move(flow));
    } else if (reader_.TakeIf({"FLOW"})) {
      Flow flow = FlowInto(FlowKind::kAutoCdc, table.name);
      if (!TakeAutoCdc(flow)) return Fail(reader_.SyntaxError("expected AUTO CDC after FLOW"));
      if (!table.columns.empty()) {
        return Fail(InvalidArgument(
            "PIPELINE_SQL_GRAPH_ELEMENT_REGISTRATION_ERROR",
            statement_.ToString() + ": table `" + table.name.ToString() +
                "` has a column list beside FLOW AUTO CDC; leave it out, the schema follows "
                "from the source",
            "42601"));
      }
      WEIR_RETURN_IF_ERROR(ParseAutoCdc(reader_, flow));
      out_.flows.push_back(std::move(flow));
    }
    out_.datasets.push_back(std::move(table));
    return {};
  }

  Status View(DatasetKind kind) {
    WEIR_ASSIGN_OR_RETURN(Dataset view, Head(kind));
    WEIR_RETURN_IF_ERROR(reader_.ExpectWords({"AS"}, "and a query"));
    const bool materialized = kind == DatasetKind::kMaterializedView;
    Flow flow = FlowInto(materialized ? FlowKind::kRecompute : FlowKind::kView, view.name);
    WEIR_ASSIGN_OR_RETURN(flow.query, Query());
    out_.flows.push_back(std::move(flow));
    out_.datasets.push_back(std::move(view));
    return {};
  }

  /// AUTO CDC, or APPLY CHANGES as it was called before.
  bool TakeAutoCdc(Flow& flow) {
    if (!reader_.TakeIf({"AUTO", "CDC"}) && !reader_.TakeIf({"APPLY", "CHANGES"})) return false;
    flow.kind = FlowKind::kAutoCdc;
    flow.once = reader_.TakeIf({"ONCE"});
    return true;
  }

  Status CreateFlow() {
    WEIR_ASSIGN_OR_RETURN(QualifiedName name,
                          reader_.ExpectQualifiedName("a name after CREATE FLOW"));
    if (name.parts.size() > 1) {
      return Fail(InvalidArgument(
          "MULTIPART_FLOW_NAME_NOT_SUPPORTED",
          statement_.ToString() + ": flow `" + name.ToString() + "`: a flow's name has one part",
          "0A000"));
    }
    Flow flow = FlowInto(FlowKind::kAppend, name);
    if (reader_.TakeIf({"COMMENT"})) {
      WEIR_ASSIGN_OR_RETURN(flow.comment, reader_.ExpectString("a comment"));
    }
    WEIR_RETURN_IF_ERROR(reader_.ExpectWords({"AS"}, "after the flow's name"));
    if (TakeAutoCdc(flow)) return AutoCdcInto(std::move(flow));
    WEIR_RETURN_IF_ERROR(reader_.ExpectWords({"INSERT", "INTO"}, "or AUTO CDC INTO after AS"));
    flow.once = reader_.TakeIf({"ONCE"});
    WEIR_ASSIGN_OR_RETURN(flow.target, reader_.ExpectQualifiedName("a table after INSERT INTO"));
    reader_.TakeIf({"BY", "NAME"});
    WEIR_ASSIGN_OR_RETURN(flow.query, Query());
    out_.flows.push_back(std::move(flow));
    return {};
  }

  TokenReader reader_;
  const PipelineSpec& spec_;
  Definitions& out_;
  Origin statement_;
};

}  // namespace

Status ParseSqlFile(std::string_view sql, const std::string& file, const PipelineSpec& spec,
                    Definitions& out) {
  const auto text = ReplaceVariables(sql, spec.configuration);
  if (!text) return Fail(text.error().WithContext(file));
  auto tokens = sql::Tokenize(*text);
  if (!tokens) return Fail(tokens.error().WithContext(file));
  return FileParser(TokenReader(*text, std::move(*tokens), file), spec, out).Run();
}

}  // namespace weir::pipeline

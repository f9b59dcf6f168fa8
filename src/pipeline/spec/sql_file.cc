// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec/sql_file.h"

#include "base/text.h"

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
  FileParser(TokenReader reader, Definitions& out) : reader_(std::move(reader)), out_(out) {}

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
    return Fail(Unsupported());
  }

  Error Unsupported() const {
    return InvalidArgument("UNSUPPORTED_PIPELINE_SPARK_SQL_COMMAND",
                           statement_.ToString() +
                               ": a pipeline's SQL file holds CREATE STREAMING TABLE, CREATE " +
                               "MATERIALIZED VIEW, CREATE TEMPORARY VIEW and CREATE FLOW, found `" +
                               reader_.Peek().text + " " + reader_.Peek(1).text + "`",
                           "0A000");
  }

  Status Create() {
    reader_.Take();
    if (!reader_.TakeIf({"OR", "REFRESH"})) reader_.TakeIf({"OR", "REPLACE"});
    if (reader_.TakeIf({"STREAMING", "TABLE"})) return StreamingTable();
    if (reader_.TakeIf({"MATERIALIZED", "VIEW"})) return View(DatasetKind::kMaterializedView);
    if (reader_.TakeIf({"TEMPORARY", "VIEW"}) || reader_.TakeIf({"TEMP", "VIEW"})) {
      return View(DatasetKind::kTemporaryView);
    }
    if (reader_.TakeIf({"FLOW"})) return CreateFlow();
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
      if (reader_.LooksAt({"CONSTRAINT"})) {
        WEIR_RETURN_IF_ERROR(Constraint(dataset));
      } else {
        WEIR_RETURN_IF_ERROR(Column(dataset));
      }
    } while (reader_.TakeSymbolIf(","));
    return reader_.ExpectSymbol(")", "after the columns");
  }

  static bool AtColumnEnd(const TokenReader& reader) {
    return reader.Peek().IsSymbol(",") || reader.LooksAt({"NOT", "NULL"}) ||
           reader.LooksAt({"COMMENT"});
  }

  Status Column(Dataset& dataset) {
    ColumnDeclaration column;
    WEIR_ASSIGN_OR_RETURN(column.name, reader_.ExpectName("a column's name"));
    if (!reader_.Peek().IsSymbol(")") && !AtColumnEnd(reader_)) {
      WEIR_ASSIGN_OR_RETURN(column.type, reader_.TextUntil(AtColumnEnd, "a type"));
    }
    column.not_null = reader_.TakeIf({"NOT", "NULL"});
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
    const bool temporary = kind == DatasetKind::kTemporaryView;
    Flow flow = FlowInto(temporary ? FlowKind::kView : FlowKind::kRecompute, view.name);
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
    if (TakeAutoCdc(flow)) {
      WEIR_RETURN_IF_ERROR(reader_.ExpectWords({"INTO"}, "after AUTO CDC"));
      WEIR_ASSIGN_OR_RETURN(flow.target, reader_.ExpectQualifiedName("a table after INTO"));
      WEIR_RETURN_IF_ERROR(ParseAutoCdc(reader_, flow));
    } else {
      WEIR_RETURN_IF_ERROR(reader_.ExpectWords({"INSERT", "INTO"}, "or AUTO CDC INTO after AS"));
      flow.once = reader_.TakeIf({"ONCE"});
      WEIR_ASSIGN_OR_RETURN(flow.target, reader_.ExpectQualifiedName("a table after INSERT INTO"));
      reader_.TakeIf({"BY", "NAME"});
      WEIR_ASSIGN_OR_RETURN(flow.query, Query());
    }
    out_.flows.push_back(std::move(flow));
    return {};
  }

  TokenReader reader_;
  Definitions& out_;
  Origin statement_;
};

}  // namespace

Status ParseSqlFile(std::string_view sql, const std::string& file, Definitions& out) {
  auto tokens = sql::Tokenize(sql);
  if (!tokens) return Fail(tokens.error().WithContext(file));
  return FileParser(TokenReader(sql, std::move(*tokens), file), out).Run();
}

}  // namespace weir::pipeline

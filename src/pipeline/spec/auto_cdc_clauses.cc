// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "base/text.h"
#include "pipeline/spec/sql_file.h"

namespace weir::pipeline {

using sql::Token;
using sql::TokenKind;
using sql::TokenReader;
namespace {

using sql::Token;
using sql::TokenKind;

bool AtClause(const TokenReader& reader) {
  return reader.LooksAt({"KEYS"}) || reader.LooksAt({"SEQUENCE", "BY"}) ||
         reader.LooksAt({"SYSTEM", "SEQUENCE", "BY"}) || reader.LooksAt({"APPLY", "AS"}) ||
         reader.LooksAt({"IGNORE", "NULL", "UPDATES"}) || reader.LooksAt({"STORED", "AS"}) ||
         reader.LooksAt({"TRACK", "HISTORY"}) || reader.LooksAt({"COLUMNS", "TO", "UPDATE"}) ||
         (reader.LooksAt({"COLUMNS"}) &&
          (reader.Peek(1).IsSymbol("(") || reader.Peek(1).IsSymbol("*")));
}

Result<std::string> Expression(TokenReader& reader, std::string_view what) {
  return reader.TextUntil(AtClause, what);
}

/// (a, b) or * EXCEPT (a, b).
Result<ColumnSelection> Selection(TokenReader& reader, std::string_view clause) {
  ColumnSelection selection;
  selection.kind = ColumnSelection::Kind::kOnly;
  if (reader.TakeSymbolIf("*")) {
    WEIR_RETURN_IF_ERROR(reader.ExpectWords({"EXCEPT"}, "after * in " + std::string(clause)));
    selection.kind = ColumnSelection::Kind::kExcept;
  }
  WEIR_ASSIGN_OR_RETURN(selection.names, ParseColumnList(reader, clause));
  return selection;
}

Error Bitemporal(const TokenReader& reader) {
  return UnsupportedFeature("UNSUPPORTED_FEATURE",
                            reader.origin().ToString() +
                                ": bitemporal tables (SYSTEM SEQUENCE BY, STORED AS BITEMPORAL) "
                                "are not supported; STORED AS SCD TYPE 1 or 2",
                            "0A000");
}

Status StoredAs(TokenReader& reader, AutoCdcClauses& clauses) {
  if (reader.LooksAt({"BITEMPORAL"})) return Fail(Bitemporal(reader));
  WEIR_RETURN_IF_ERROR(reader.ExpectWords({"SCD", "TYPE"}, "after STORED AS"));
  const Token& type = reader.Peek();
  if (type.kind != TokenKind::kNumber || (type.text != "1" && type.text != "2")) {
    return Fail(reader.SyntaxError("expected SCD type 1 or 2"));
  }
  clauses.scd_type = type.text == "2" ? 2 : 1;
  reader.Take();
  return {};
}

Status ApplyAs(TokenReader& reader, AutoCdcClauses& clauses) {
  const bool truncate = reader.LooksAt({"TRUNCATE"});
  if (!truncate && !reader.LooksAt({"DELETE"})) {
    return Fail(reader.SyntaxError("expected DELETE WHEN or TRUNCATE WHEN after APPLY AS"));
  }
  reader.Take();
  WEIR_RETURN_IF_ERROR(reader.ExpectWords({"WHEN"}, truncate ? "after TRUNCATE" : "after DELETE"));
  std::string& target = truncate ? clauses.truncate_when : clauses.delete_when;
  if (!target.empty()) return Fail(reader.SyntaxError("APPLY AS is said twice"));
  WEIR_ASSIGN_OR_RETURN(target, Expression(reader, "a condition after WHEN"));
  return {};
}

Status Clause(TokenReader& reader, AutoCdcClauses& clauses, std::set<std::string>& seen) {
  const std::string first =
      ToLowerAscii(reader.Peek().text) + (reader.LooksAt({"COLUMNS", "TO"}) ? " to" : "");
  if (first != "apply" && !seen.insert(first).second) {
    return Fail(reader.SyntaxError("the clause is said twice"));
  }
  if (reader.TakeIf({"SEQUENCE", "BY"})) {
    WEIR_ASSIGN_OR_RETURN(clauses.sequence_by,
                          Expression(reader, "an expression after SEQUENCE BY"));
    return {};
  }
  if (reader.LooksAt({"SYSTEM"})) return Fail(Bitemporal(reader));
  if (reader.TakeIf({"APPLY", "AS"})) return ApplyAs(reader, clauses);
  if (reader.TakeIf({"STORED", "AS"})) return StoredAs(reader, clauses);
  if (reader.TakeIf({"COLUMNS", "TO", "UPDATE"})) {
    WEIR_ASSIGN_OR_RETURN(clauses.columns_to_update,
                          Expression(reader, "a column after COLUMNS TO UPDATE"));
    return {};
  }
  if (reader.TakeIf({"COLUMNS"})) {
    WEIR_ASSIGN_OR_RETURN(clauses.columns, Selection(reader, "COLUMNS"));
    return {};
  }
  if (reader.TakeIf({"TRACK", "HISTORY", "ON"})) {
    WEIR_ASSIGN_OR_RETURN(clauses.track_history, Selection(reader, "TRACK HISTORY ON"));
    return {};
  }
  if (reader.TakeIf({"IGNORE", "NULL", "UPDATES"})) {
    clauses.ignore_null_updates = ColumnSelection{};
    if (!reader.TakeIf({"ON"})) return {};
    WEIR_ASSIGN_OR_RETURN(clauses.ignore_null_updates, Selection(reader, "IGNORE NULL UPDATES ON"));
    return {};
  }
  if (reader.LooksAt({"KEYS"}))
    return Fail(reader.SyntaxError("KEYS comes first, right after the source"));
  return Fail(reader.SyntaxError("expected a clause of AUTO CDC"));
}

Status Source(TokenReader& reader, Flow& flow) {
  const bool snapshot = reader.TakeIf({"SNAPSHOT"});
  flow.kind = snapshot ? FlowKind::kSnapshotCdc : FlowKind::kAutoCdc;
  if (!snapshot && !flow.once && !reader.LooksAt({"STREAM"})) {
    return Fail(reader.SyntaxError("the source of AUTO CDC must be a stream: FROM STREAM(name)"));
  }
  WEIR_ASSIGN_OR_RETURN(std::string source, reader.TextUntil(AtClause, "a source after FROM"));
  flow.query = "SELECT * FROM " + source;
  return {};
}

}  // namespace

Result<std::vector<std::string>> ParseColumnList(TokenReader& reader, std::string_view what) {
  const std::string where(what);
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol("(", "after " + where));
  std::vector<std::string> names;
  while (!reader.Peek().IsSymbol(")")) {
    const std::string place = reader.origin().ToString() + ": " + where;
    if (!reader.Peek().IsName()) {
      return Fail(InvalidArgument(
          "AUTOCDC_NON_COLUMN_IDENTIFIER",
          place + " takes bare column names, found `" + reader.Peek().text + "`", "22023"));
    }
    names.push_back(reader.Take().text);
    if (reader.Peek().IsSymbol(".")) {
      return Fail(InvalidArgument("AUTOCDC_MULTIPART_COLUMN_IDENTIFIER",
                                  place + " takes unqualified columns, found `" + names.back() +
                                      "." + reader.Peek(1).text + "`; leave the qualifier out",
                                  "22023"));
    }
    if (reader.Peek().IsSymbol(")")) break;
    if (!reader.TakeSymbolIf(",")) {
      return Fail(InvalidArgument("AUTOCDC_NON_COLUMN_IDENTIFIER",
                                  place + " takes bare column names, found an expression at `" +
                                      names.back() + " " + reader.Peek().text + "`",
                                  "22023"));
    }
  }
  reader.Take();
  return names;
}

Status ParseAutoCdc(TokenReader& reader, Flow& flow) {
  const Origin start = reader.origin();
  WEIR_RETURN_IF_ERROR(reader.ExpectWords({"FROM"}, "in AUTO CDC"));
  WEIR_RETURN_IF_ERROR(Source(reader, flow));
  WEIR_RETURN_IF_ERROR(reader.ExpectWords({"KEYS"}, "after the source of AUTO CDC"));
  WEIR_ASSIGN_OR_RETURN(flow.auto_cdc.keys, ParseColumnList(reader, "KEYS"));
  if (flow.auto_cdc.keys.empty()) {
    return Fail(InvalidArgument(
        "AUTOCDC_EMPTY_KEYS",
        start.ToString() + ": KEYS () of flow `" + flow.name + "` names no column", "22023"));
  }
  std::set<std::string> seen;
  while (!reader.AtStatementEnd()) WEIR_RETURN_IF_ERROR(Clause(reader, flow.auto_cdc, seen));
  if (flow.auto_cdc.sequence_by.empty() && flow.kind == FlowKind::kAutoCdc) {
    return Fail(
        InvalidArgument("MISSING_CLAUSES_FOR_OPERATION",
                        start.ToString() + ": AUTO CDC of flow `" + flow.name +
                            "` needs SEQUENCE BY expression, which orders the events of a key",
                        "42601"));
  }
  return {};
}

}  // namespace weir::pipeline

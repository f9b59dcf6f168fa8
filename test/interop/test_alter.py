# SPDX-License-Identifier: Apache-2.0
"""ALTER TABLE: the same statements on twin tables, one altered by Spark and one by Weir, must end the same: refused by
the same name, or with the same schema, properties and protocol; and each reads the other's table."""
import json
import re

import pytest

from peers import PEERS, WeirError, assert_same_rows

CREATE, INSERT = "CREATE TABLE {t} ", "INSERT INTO {t} VALUES "

# Statements without a mark succeed on both; behind "!" stands the error that both give.
CONSTRAINTS = [
    CREATE + "(id INT, v STRING) USING DELTA",
    INSERT + "(1, 'a'), (2, 'b')",
    "ALTER TABLE {t} ADD CONSTRAINT Pos CHECK (id > 0)",
    "ALTER TABLE {t} ADD CONSTRAINT pos CHECK (id > -1) !DELTA_CONSTRAINT_ALREADY_EXISTS",
    "ALTER TABLE {t} ADD CONSTRAINT big CHECK (id > 1) !DELTA_NEW_CHECK_CONSTRAINT_VIOLATION",
    "ALTER TABLE {t} ADD CONSTRAINT bad CHECK (id + 1) !DELTA_NON_BOOLEAN_CHECK_CONSTRAINT",
    "ALTER TABLE {t} ADD CONSTRAINT bad CHECK (nope > 1) !UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "ALTER TABLE {t} ADD CONSTRAINT bad CHECK (v < ) !PARSE_SYNTAX_ERROR",
    "ALTER TABLE {t} ADD CONSTRAINT bad CHECK (sum(id) > 1) !INVALID_WHERE_CONDITION",
    INSERT + "(-1, 'x') !DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
    "ALTER TABLE {t} DROP CONSTRAINT nope !DELTA_CONSTRAINT_DOES_NOT_EXIST",
    "ALTER TABLE {t} DROP CONSTRAINT IF EXISTS nope",
    "ALTER TABLE {t} ADD CONSTRAINT `two words` CHECK (length(v) < 10 AND `v` <> 'z')",
    INSERT + "(5, 'z') !DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
    "ALTER TABLE {t} DROP CONSTRAINT POS",
    "ALTER TABLE {t} DROP CONSTRAINT `two words`",
    INSERT + "(-7, NULL)",
    "ALTER TABLE {t} ADD CONSTRAINT known CHECK (v <> 'z') !DELTA_NEW_CHECK_CONSTRAINT_VIOLATION",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.constraints.x' = 'id > 0') !DELTA_ADD_CONSTRAINTS",
]

PROPERTIES = [
    CREATE + "(id INT, v STRING) USING DELTA",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.foo' = 'x') !DELTA_UNKNOWN_CONFIGURATION",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.appendOnly' = 'maybe') !UNSUPPORTED_TABLE_CHANGE",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.checkpointInterval' = '-1') !UNSUPPORTED_TABLE_CHANGE",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.logRetentionDuration' = '1 month') !UNSUPPORTED_TABLE_CHANGE",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.logRetentionDuration' = 'blah') !DELTA_INVALID_INTERVAL",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'nope') !DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.maxColumnId' = '5') !DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.checkpointPolicy' = 'x') !UNSUPPORTED_TABLE_CHANGE",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.isolationLevel' = 'SnapshotIsolation') !UNSUPPORTED_TABLE_CHANGE",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.feature.nope' = 'supported') !DELTA_UNSUPPORTED_FEATURES_IN_CONFIG",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.feature.deletionVectors' = 'no') !DELTA_UNSUPPORTED_FEATURE_STATUS",
    "ALTER TABLE {t} SET TBLPROPERTIES ('owner' = 'x') !UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY",
    "ALTER TABLE {t} SET TBLPROPERTIES ('Foo.Bar' = 'x', 'other' = 'y', 'DELTA.APPENDONLY' = 'true')",
    "ALTER TABLE {t} SET TBLPROPERTIES ('comment' = 'said')",
    "ALTER TABLE {t} UNSET TBLPROPERTIES ('delta.appendOnly', 'comment', 'nope')",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.minWriterVersion' = '4')",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableRowTracking' = 'true', 'delta.rowTrackingSuspended' = 'true') "
    "!DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION",
    "COMMENT ON TABLE {t} IS 'it''s a table'",
]

MAPPING = [
    CREATE + "(id INT, v STRING, s STRUCT<a: INT, b: STRING>, arr ARRAY<STRUCT<x: INT, y: INT>>, "
    "m MAP<STRING, STRUCT<p: INT, q: INT>>) USING DELTA",
    INSERT + "(1, 'a', {s: a 1, b 'x'}, {l: {s: x 1, y 2}}, {m: 'k' {s: p 1, q 2}})",
    "ALTER TABLE {t} RENAME COLUMN v TO w !DELTA_UNSUPPORTED_RENAME_COLUMN",
    "ALTER TABLE {t} DROP COLUMN v !DELTA_UNSUPPORTED_DROP_COLUMN",
    "ALTER TABLE {t} ADD COLUMN `a b` INT !DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'id') !DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
    "ALTER TABLE {t} RENAME COLUMN v TO w",
    "ALTER TABLE {t} RENAME COLUMN nope TO x !UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "ALTER TABLE {t} RENAME COLUMN w TO ID !FIELD_ALREADY_EXISTS",
    "ALTER TABLE {t} RENAME COLUMN s.a TO b !FIELD_ALREADY_EXISTS",
    "ALTER TABLE {t} RENAME COLUMN s.a TO aa",
    "ALTER TABLE {t} RENAME COLUMN arr.element.x TO xx",
    "ALTER TABLE {t} RENAME COLUMN m.value.p TO pp",
    "ALTER TABLE {t} RENAME COLUMN arr.element TO xx !INVALID_FIELD_NAME",
    "ALTER TABLE {t} DROP COLUMN nope !UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "ALTER TABLE {t} DROP COLUMN IF EXISTS nope",
    "ALTER TABLE {t} DROP COLUMNS (w, nope) !UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "ALTER TABLE {t} DROP COLUMN s.b",
    "ALTER TABLE {t} DROP COLUMN s.aa !DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA",
    "ALTER TABLE {t} DROP COLUMN arr.element.y",
    "ALTER TABLE {t} DROP COLUMN m.key !DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE",
    "ALTER TABLE {t} DROP COLUMNS (W, arr)",
    INSERT + "(2, {s: aa 5}, {m: 'z' {s: pp 7, q 8}})",
    "ALTER TABLE {t} ADD COLUMNS (w STRING, `a b,c` INT)",
    "ALTER TABLE {t} ADD COLUMN s.b STRING",
    "UPDATE {t} SET w = 'new' WHERE id = 1",
]

DEPENDENTS = [
    CREATE + "(id INT, g INT GENERATED ALWAYS AS (id + 1), p STRING, c INT, s STRUCT<a: INT, b: INT>) USING DELTA "
    "PARTITIONED BY (p) TBLPROPERTIES ('delta.columnMapping.mode' = 'name', "
    "'delta.dataSkippingStatsColumns' = 'id,c,s.a')",
    "ALTER TABLE {t} ADD CONSTRAINT cc CHECK (c > 0)",
    "ALTER TABLE {t} ADD CONSTRAINT sc CHECK (s.a > 0)",
    "INSERT INTO {t} (id, p, c, s) VALUES (1, 'x', 5, {s: a 1, b 2})",
    "ALTER TABLE {t} RENAME COLUMN id TO idd !DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE",
    "ALTER TABLE {t} DROP COLUMN c !DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
    "ALTER TABLE {t} DROP COLUMN s.a !DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
    "ALTER TABLE {t} RENAME COLUMN s TO ss !DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
    "ALTER TABLE {t} RENAME COLUMN s.b TO bb",
    "ALTER TABLE {t} RENAME COLUMN p TO part",
    "INSERT INTO {t} (id, part, c, s) VALUES (2, 'y', 6, {s: a 1, bb 2})",
    "ALTER TABLE {t} DROP COLUMN part !DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN",
    "ALTER TABLE {t} DROP COLUMN g",
    "ALTER TABLE {t} DROP CONSTRAINT cc",
    "ALTER TABLE {t} RENAME COLUMN c TO ccc",
    "ALTER TABLE {t} DROP COLUMN id",
]

ADD = [
    CREATE + "(id INT NOT NULL COMMENT 'the key', v STRING, s STRUCT<a: INT, b: INT>, arr ARRAY<STRUCT<x: INT>>, "
    "m MAP<STRING, STRUCT<p: INT>>) USING DELTA COMMENT 'about t'",
    INSERT + "(1, 'a', {s: a 1, b 2}, {l: {s: x 1}}, {m: 'k' {s: p 1}})",
    "ALTER TABLE {t} ADD COLUMNS (n1 INT COMMENT 'first one' FIRST, n2 STRING AFTER id)",
    "ALTER TABLE {t} ADD COLUMN n3 DOUBLE",
    "ALTER TABLE {t} ADD COLUMN ID INT !FIELD_ALREADY_EXISTS",
    "ALTER TABLE {t} ADD COLUMNS (d1 INT, D1 INT) !COLUMN_ALREADY_EXISTS",
    "ALTER TABLE {t} ADD COLUMN n4 INT NOT NULL !DELTA_OPERATION_NOT_ALLOWED",
    "ALTER TABLE {t} ADD COLUMN n4 INT AFTER nope !FIELD_NOT_FOUND",
    "ALTER TABLE {t} ADD COLUMN n4 INT DEFAULT 5 !WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED",
    "ALTER TABLE {t} ADD COLUMN s.c INT COMMENT 'nested' AFTER a",
    "ALTER TABLE {t} ADD COLUMN s.d INT FIRST",
    "ALTER TABLE {t} ADD COLUMN arr.element.y INT",
    "ALTER TABLE {t} ADD COLUMN m.value.q INT",
    "ALTER TABLE {t} ADD COLUMN m.key.q INT !INVALID_FIELD_NAME",
    "ALTER TABLE {t} ADD COLUMN nope.q INT !UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "ALTER TABLE {t} ADD COLUMN ts TIMESTAMP_NTZ !DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT",
    "INSERT INTO {t} (id, v) VALUES (2, 'b')",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')",
    "ALTER TABLE {t} ADD COLUMN _change_type STRING !RESERVED_CDC_COLUMNS_ON_WRITE",
]

CHANGE = [
    CREATE + "(id INT, v STRING, nn INT NOT NULL, s STRUCT<a: INT, b: INT>, m MAP<STRING, INT>) USING DELTA "
    "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')",
    INSERT + "(1, 'a', 1, {s: a 1, b 2}, {m: 'k' 1})",
    "ALTER TABLE {t} ALTER COLUMN v COMMENT 'new'",
    "ALTER TABLE {t} CHANGE COLUMN id id INT COMMENT 'it''s'",
    "ALTER TABLE {t} ALTER COLUMN s.a COMMENT 'nested'",
    "ALTER TABLE {t} ALTER COLUMN m.key COMMENT 'nested' !DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY",
    "ALTER TABLE {t} ALTER COLUMN nope COMMENT 'x' !UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "ALTER TABLE {t} ALTER COLUMN nn DROP NOT NULL",
    "ALTER TABLE {t} ALTER COLUMN v FIRST",
    "ALTER TABLE {t} ALTER COLUMN v AFTER nn",
    "ALTER TABLE {t} ALTER COLUMN s.b FIRST",
    "ALTER TABLE {t} ALTER COLUMN v AFTER nope !UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "ALTER TABLE {t} ALTER COLUMN id TYPE STRING !DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
    "ALTER TABLE {t} ALTER COLUMN id TYPE BIGINT !DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
    "ALTER TABLE {t} ALTER COLUMN id TYPE INT",
    "ALTER TABLE {t} ALTER COLUMN v SET DEFAULT 'y'",
    "ALTER TABLE {t} ALTER COLUMN id SET DEFAULT 'abc' !INVALID_DEFAULT_VALUE.DATA_TYPE",
    "ALTER TABLE {t} ALTER COLUMN id SET DEFAULT (select 1) !INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION",
    "ALTER TABLE {t} ALTER COLUMN id SET DEFAULT nn !INVALID_DEFAULT_VALUE.NOT_CONSTANT",
    "ALTER TABLE {t} ALTER COLUMN id SET DEFAULT 42",
    "INSERT INTO {t} (nn) VALUES (2)",
    "ALTER TABLE {t} ALTER COLUMN id DROP DEFAULT",
    "INSERT INTO {t} (nn) VALUES (NULL)",
]

WIDEN = [
    CREATE + "(b TINYINT, s SMALLINT, i INT, f FLOAT, d DATE, dec DECIMAL(10,2), l BIGINT, st STRUCT<a: TINYINT>, "
    "arr ARRAY<TINYINT>, m MAP<SMALLINT, STRUCT<x: INT>>, b2 TINYINT, i2 INT, i3 INT, c INT, p INT) USING DELTA "
    "PARTITIONED BY (p) TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported')",
    "ALTER TABLE {t} ADD CONSTRAINT cc CHECK (c > 0)",
    INSERT + "(1, 2, 3, 1.5, DATE '2020-01-02', 1.25, 7, {s: a 1}, {l: 1, 2}, {m: 1 {s: x 5}}, 1, 3, 4, 5, 6)",
    "ALTER TABLE {t} ALTER COLUMN b TYPE SMALLINT",
    "ALTER TABLE {t} ALTER COLUMN b TYPE BIGINT",
    "ALTER TABLE {t} ALTER COLUMN b TYPE INT !NOT_SUPPORTED_CHANGE_COLUMN",
    "ALTER TABLE {t} ALTER COLUMN b TYPE DOUBLE !DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
    "ALTER TABLE {t} ALTER COLUMN s TYPE DOUBLE",
    "ALTER TABLE {t} ALTER COLUMN i TYPE DOUBLE",
    "ALTER TABLE {t} ALTER COLUMN f TYPE DOUBLE",
    "ALTER TABLE {t} ALTER COLUMN d TYPE TIMESTAMP_NTZ",
    "ALTER TABLE {t} ALTER COLUMN dec TYPE DECIMAL(11,4) !NOT_SUPPORTED_CHANGE_COLUMN",
    "ALTER TABLE {t} ALTER COLUMN dec TYPE DECIMAL(14,3)",
    "ALTER TABLE {t} ALTER COLUMN l TYPE DECIMAL(19,0) !NOT_SUPPORTED_CHANGE_COLUMN",
    "ALTER TABLE {t} ALTER COLUMN l TYPE DECIMAL(20,0)",
    "ALTER TABLE {t} ALTER COLUMN st.a TYPE INT",
    "ALTER TABLE {t} ALTER COLUMN arr.element TYPE SMALLINT",
    "ALTER TABLE {t} ALTER COLUMN m.key TYPE INT",
    "ALTER TABLE {t} ALTER COLUMN m.value.x TYPE BIGINT",
    "ALTER TABLE {t} ALTER COLUMN b2 TYPE DECIMAL(3,0) !DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
    "ALTER TABLE {t} ALTER COLUMN b2 TYPE DECIMAL(10,0)",
    "ALTER TABLE {t} ALTER COLUMN i2 TYPE DECIMAL(38,28)",
    "ALTER TABLE {t} ALTER COLUMN i3 TYPE FLOAT !DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
    "ALTER TABLE {t} ALTER COLUMN i3 TYPE STRING !DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
    "ALTER TABLE {t} ALTER COLUMN i3 TYPE SMALLINT !NOT_SUPPORTED_CHANGE_COLUMN",
    "ALTER TABLE {t} ALTER COLUMN st TYPE STRUCT<a: BIGINT> !CANNOT_UPDATE_FIELD.STRUCT_TYPE",
    "ALTER TABLE {t} ALTER COLUMN arr TYPE ARRAY<INT> !CANNOT_UPDATE_FIELD.ARRAY_TYPE",
    "ALTER TABLE {t} ALTER COLUMN c TYPE BIGINT !DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
    "ALTER TABLE {t} ALTER COLUMN p TYPE BIGINT",
    INSERT + "(3000000000, 2.5, 3.5, 1.1, CAST('2020-01-02 03:04:05.123456' AS TIMESTAMP_NTZ), 12345678901.123, "
    "18446744073709551615, {s: a 100000}, {l: 300}, {m: 70000 {s: x 5000000000}}, 9999999999, 1.5, 9, 5, 3000000000)",
    "UPDATE {t} SET i3 = i3 + 1 WHERE b < 5",
]

TRACKING = [
    CREATE + "(id INT) USING DELTA",
    INSERT + "(1), (2)",
    INSERT + "(3)",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
    "UPDATE {t} SET id = 30 WHERE id = 3",
]

SCENARIOS = {
    "constraints": CONSTRAINTS,
    "properties": PROPERTIES,
    "mapping": MAPPING,
    "dependents": DEPENDENTS,
    "add": ADD,
    "change": CHANGE,
    "widen": WIDEN,
    "tracking": TRACKING,
}

# Values of nested types, which the two write differently: {s: a 1} is a struct, {l: 1, 2} a list, {m: 'k' 1} a map.
_NESTED = re.compile(r"\{([slm]): ([^{}]*)\}")


def _spell(sql, dialect):
    spark = dialect == "spark"

    def value(match):
        items = [item.strip() for item in match[2].split(",")]
        if match[1] == "l":
            return f"array({', '.join(items)})" if spark else f"[{', '.join(items)}]"
        pairs = [item.split(" ", 1) for item in items]
        if match[1] == "m":
            return f"map({', '.join(f'{k}, {v}' for k, v in pairs)})" if spark else (
                "MAP(" + ", ".join(f"[{k}], [{v}]" for k, v in pairs) + ")")
        return f"named_struct({', '.join(repr(k) + ', ' + v for k, v in pairs)})" if spark else (
            "row(" + ", ".join(v for _, v in pairs) + ")")

    # Inner values first; commas inside them must not cut the outer ones.
    while (match := _NESTED.search(sql)) is not None:
        sql = sql[: match.start()] + value(match).replace(",", "\0") + sql[match.end() :]
    sql = sql.replace("\0", ",")
    return sql if spark else sql.replace("AS TIMESTAMP_NTZ)", "AS TIMESTAMP)")


def _name_of(error):
    condition = getattr(error, "getCondition", lambda: None)()
    found = condition or next(iter(re.findall(r"\[([A-Z]+_[A-Z_.]+)\]", str(error))), str(error))
    return found


def _outcome(run, sql):
    """The name of the error, or None."""
    try:
        run(sql)
    except WeirError as error:
        return _name_of(error)
    except Exception as error:  # noqa: BLE001 of Py4J, of many kinds
        return _name_of(error)
    return None


BLURRED = ("delta.constraints.", "delta.rowTracking.materialized")


def _state(lake, table):
    """What the log says the table is, in a form that does not depend on who wrote it."""
    state = {}
    for name in lake.log_files(table):
        if not (name.endswith(".json") and len(name) == 25):
            continue
        for line in (lake.path(table) / "_delta_log" / name).read_text().splitlines():
            action = json.loads(line)
            if "metaData" in action:
                metadata = action["metaData"]
                schema = re.sub(r"col-[0-9a-f-]{36}", "col", metadata["schemaString"])
                schema = re.sub(r'(generationExpression":")\((.*?)\)"', r'\1\2"', schema)
                state["schema"] = json.loads(schema)
                state["partitions"] = metadata["partitionColumns"]
                # Spark puts blanks between the words of a condition; names of hidden columns are random.
                state["properties"] = {
                    key: re.sub(r" |[0-9a-f]{8}-[0-9a-f-]{27}", "", value) if key.startswith(BLURRED) else value
                    for key, value in metadata["configuration"].items()
                }
                state["comment"] = metadata.get("description")
            if "protocol" in action:
                protocol = action["protocol"]
                state["protocol"] = {k: sorted(v) if isinstance(v, list) else v for k, v in protocol.items()}
            if "commitInfo" in action:
                state["operation"] = action["commitInfo"]["operation"]
    return state


@pytest.mark.parametrize("name", SCENARIOS)
def test_twin_tables(lake, spark, name):
    for statement in SCENARIOS[name]:
        sql, _, expected = statement.partition(" !")
        spark_sql = _spell(sql, "spark").replace("{t}", f"delta.`{lake.path('s')}`")
        weir_sql = _spell(sql, "weir").replace("{t}", "w")
        assert (_outcome(spark.sql, spark_sql) or "") == expected, f"Spark: {statement}"
        assert (_outcome(lake.weir, weir_sql) or "") == expected, f"Weir: {statement}"
        assert _state(lake, "w") == _state(lake, "s"), statement
    if name == "tracking":
        # Spark counts the rows in other files first; each row has an id of its own in both.
        for table in "ws":
            found = lake.spark(f"SELECT id, _metadata.row_id AS r FROM {{{table}}} ORDER BY id")
            assert [row["id"] for row in found] == [1, 2, 30] and sorted(row["r"] for row in found) == [0, 1, 2]
    rows = lake.rows("w")
    for table, peer in (("s", "weir"), ("w", "spark"), ("s", "spark")):
        assert_same_rows(PEERS[peer].rows(lake.path(table)), rows, f"{name}: {table} read by {peer}")


def test_describe(lake, spark):
    """DESCRIBE TABLE and SHOW TBLPROPERTIES say the same of one table."""
    lake.spark(
        "CREATE TABLE {t} (id INT NOT NULL COMMENT 'key', S STRUCT<A: DECIMAL(5,1), b: ARRAY<MAP<STRING, TIMESTAMP>>>, p DATE) "
        "USING DELTA PARTITIONED BY (p) COMMENT 'about' TBLPROPERTIES ('a' = 'b', 'delta.enableDeletionVectors' = 'true')"
    )
    path = lake.path("t")
    assert lake.weir("DESCRIBE TABLE t") == lake.spark("DESCRIBE TABLE {t}")
    assert lake.weir("SHOW TBLPROPERTIES t") == lake.spark("SHOW TBLPROPERTIES {t}")
    # The two have other names for a catalog, and Spark calls a table that it names by path by that path.
    skip = {"Catalog", "Namespace", "Database", "Table", "Location", "Table Properties"}
    extended = [lake.weir("DESCRIBE TABLE EXTENDED t"), lake.spark("DESCRIBE EXTENDED {t}")]
    weir, theirs = [[row for row in rows if row["col_name"] not in skip] for rows in extended]
    assert weir == theirs
    assert {"col_name": "Location", "data_type": str(path), "comment": ""} in extended[0]

# SPDX-License-Identifier: Apache-2.0
"""Partition values that are hard to write into a path, by each writer and read by all."""
import pyarrow as pa
import pytest

# Values whose text needs escaping in a folder's name, in a URI, or in both.
TEXTS = [
    "a b", "a/b", "a=b", "a:b", "a%b", "a%20b", "a%2Fb", "a+b&c", "a?b#c", 'a"b', "a'b", "a\\b", "[a]", "{1}", "a^b", "a`b", "a|b",
    "<a>", "*", "~", "é", "日本", "\U0001f600", "..", ".", "a\tb", "a\nb", " leading", "trailing ", "A", "a", "_x", "NULL", "null",
]
# Delta has no way to tell these from NULL in a partition column.
NULL_LIKE = ["", "__HIVE_DEFAULT_PARTITION__"]

TYPED = [
    ("INT", "INTEGER", ["-2147483648", "0", "2147483647"]),
    ("BIGINT", "BIGINT", ["-9223372036854775808", "9223372036854775807"]),
    ("TINYINT", "TINYINT", ["-128", "127"]),
    ("BOOLEAN", "BOOLEAN", ["true", "false"]),
    ("DATE", "DATE", ["0001-01-01", "1969-12-31", "9999-12-31"]),
    ("DECIMAL(10,2)", "DECIMAL(10,2)", ["1.10", "-99999999.99", "0.00"]),
    ("DECIMAL(38,18)", "DECIMAL(38,18)", ["0.000000000000000001", "-99999999999999999999.999999999999999999"]),
    ("TIMESTAMP", "TIMESTAMPTZ", ["2020-01-01 00:00:00.123456", "1969-12-31 23:59:59.999999", "2024-02-29 12:00:00"]),
    ("TIMESTAMP_NTZ", "TIMESTAMP", ["2020-01-01 00:00:00.1", "1969-12-31 23:59:59.999999"]),
    ("DOUBLE", "DOUBLE", ["1.5", "-3.25", "NaN", "Infinity"]),
    ("FLOAT", "FLOAT", ["1.5", "-3.25"]),
]


def sql_text(text, dialect):
    if dialect == "spark":
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return "'" + text.replace("'", "''") + "'"


def text_rows(first):
    rows = [{"p": text, "id": first + n} for n, text in enumerate(TEXTS)]
    return rows + [{"p": None, "id": first + len(TEXTS)}]


def values_sql(rows, dialect):
    return ", ".join(f"({'NULL' if row['p'] is None else sql_text(row['p'], dialect)}, {row['id']})" for row in rows)


def test_texts(lake):
    lake.weir("CREATE TABLE t (p VARCHAR, id INTEGER) PARTITIONED BY (p)")
    weir = text_rows(0)
    lake.weir(f"INSERT INTO t VALUES {values_sql(weir, 'duckdb')}")
    lake.check("t", weir)
    spark = text_rows(1000)
    lake.spark(f"INSERT INTO {{t}} VALUES {values_sql(spark, 'spark')}")
    lake.check("t", weir + spark)
    rs = text_rows(2000)
    lake.delta_rs_append("t", pa.table({"p": [row["p"] for row in rs], "id": pa.array([row["id"] for row in rs], pa.int32())}))
    everything = lake.check("t", weir + spark + rs)
    for row in weir:
        condition = "p IS NULL" if row["p"] is None else f"p = {sql_text(row['p'], 'duckdb')}"
        found = lake.weir(f"SELECT id % 1000 AS n FROM t WHERE {condition}")
        assert found == [{"n": row["id"]}] * 3, row
    assert len(everything) == 3 * len(weir)


def test_what_counts_as_null(lake):
    lake.spark("CREATE TABLE {t} (p STRING, id INT) USING DELTA PARTITIONED BY (p)")
    for n, text in enumerate(NULL_LIKE):
        lake.spark(f"INSERT INTO {{t}} VALUES ('{text}', {n})")
        lake.weir(f"INSERT INTO t VALUES ('{text}', {10 + n})")
    lake.check("t", [{"p": None, "id": n} for n in (0, 1, 10, 11)])


@pytest.mark.parametrize("spark_type, duckdb_type, values", TYPED, ids=[row[0] for row in TYPED])
def test_types(lake, spark_type, duckdb_type, values):
    """Weir and Spark write the same folders and values, and all read the same."""
    for table in ("a", "b"):
        lake.spark(f"CREATE TABLE {{{table}}} (id INT, p {spark_type}) USING DELTA PARTITIONED BY (p)")
    rows = list(enumerate([*values, None]))

    def literals(type_):
        return ", ".join(f"({n}, CAST({'NULL' if value is None else sql_text(value, 'duckdb')} AS {type_}))" for n, value in rows)

    lake.spark(f"INSERT INTO {{a}} VALUES {literals(spark_type)}")
    lake.weir(f"INSERT INTO b VALUES {literals(duckdb_type)}")

    def partitions(table):
        return sorted(repr((add["partitionValues"], add["path"].split("/")[0])) for add in lake.last_actions(table, "add"))

    assert partitions("b") == partitions("a")
    lake.check("b", lake.check("a"))


def test_several_columns_in_their_own_order(lake):
    lake.weir("CREATE TABLE t (a VARCHAR, id INTEGER, b INTEGER, c DATE) PARTITIONED BY (c, a)")
    lake.weir("INSERT INTO t VALUES ('x', 1, 7, '2024-01-31'), ('y', 2, NULL, NULL), (NULL, 3, 9, '2024-01-31')")
    lake.spark("INSERT INTO {t} (id, c, a, b) VALUES (4, DATE'2024-01-31', 'x', 8)")
    lake.check("t", [
        {"a": "x", "id": 1, "b": 7, "c": "2024-01-31"}, {"a": "y", "id": 2, "b": None, "c": None},
        {"a": None, "id": 3, "b": 9, "c": "2024-01-31"}, {"a": "x", "id": 4, "b": 8, "c": "2024-01-31"},
    ])

# SPDX-License-Identifier: Apache-2.0
"""DELETE, UPDATE and MERGE by Weir and by Spark in turn, on tables with different features. A table of DuckDB's own, to which the
same statements are done, is the model."""
from collections import Counter

import pytest

from canonical import assert_same_rows, multiset
from peers import weir_sql

FEATURES = {
    "plain": {},
    "deletion vectors": {"delta.enableDeletionVectors": "true"},
    "change data feed": {"delta.enableChangeDataFeed": "true"},
    "change data feed and deletion vectors": {"delta.enableChangeDataFeed": "true", "delta.enableDeletionVectors": "true"},
    "column mapping by name": {"delta.columnMapping.mode": "name"},
    "column mapping by id": {"delta.columnMapping.mode": "id"},
    "row tracking": {"delta.enableRowTracking": "true"},
    "row tracking and deletion vectors": {"delta.enableRowTracking": "true", "delta.enableDeletionVectors": "true"},
    "in-commit timestamps": {"delta.enableInCommitTimestamps": "true"},
}

SOURCE = "(SELECT * FROM (VALUES (3, 'a', 30.00), (8, 'b', 80.00), (50, 'c', 5.50), (51, 'a', NULL)) AS x(id, p, v))"

# In words that Spark and DuckDB share; {t} is the table.
STEPS = [
    "INSERT INTO {t} VALUES (21, 'd', 2.50), (22, NULL, NULL)",
    "DELETE FROM {t} WHERE id % 5 = 0",
    "UPDATE {t} SET v = v + 1 WHERE id < 7 OR p IS NULL",
    "UPDATE {t} SET p = 'b' WHERE id IN (1, 2)",
    f"""MERGE INTO {{t}} AS t USING {SOURCE} AS s ON t.id = s.id
        WHEN MATCHED AND s.v > 50 THEN DELETE
        WHEN MATCHED THEN UPDATE SET v = s.v
        WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, s.p, s.v)
        WHEN NOT MATCHED BY SOURCE AND t.id > 18 THEN DELETE""",
    "DELETE FROM {t} WHERE p = 'c'",
    "DELETE FROM {t} WHERE id = 999",
    "UPDATE {t} SET v = 0",
    "DELETE FROM {t}",
    "INSERT INTO {t} VALUES (1, 'again', 1.00)",
]

CREATE_MODEL = "CREATE TABLE t AS SELECT i::INT AS id, chr((97 + i % 3)::INT) AS p, (i / 2)::DECIMAL(10,2) AS v FROM range(1, 21) r(i)"


class Model:
    def __init__(self):
        self.script = [CREATE_MODEL]

    def apply(self, step):
        self.script.append(step.format(t="t"))
        return self.rows()

    def rows(self):
        return weir_sql("; ".join([*self.script, "FROM t"]))


def create(lake, properties):
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    lake.spark(f"CREATE TABLE {{t}} (id INT, p STRING, v DECIMAL(10,2)) USING DELTA PARTITIONED BY (p)"
               + (f" TBLPROPERTIES ({listed})" if listed else ""))
    lake.spark("INSERT INTO {t} SELECT CAST(id AS INT), chr(97 + id % 3), CAST(id / 2 AS DECIMAL(10,2)) FROM range(1, 21)")


def net_change(lake, version):
    """What Spark says that a version changed: rows that came less rows that went."""
    changes = lake.spark(f"SELECT * FROM table_changes_by_path('{lake.path('t')}', {version}, {version})")
    net = Counter()
    for change in changes:
        kind = change.pop("_change_type")
        del change["_commit_version"], change["_commit_timestamp"]
        sign = 1 if kind in ("insert", "update_postimage") else -1
        net.update({row: sign * count for row, count in Counter(multiset([change])).items()})
    return {row: count for row, count in net.items() if count}


def row_ids(lake):
    rows = lake.spark("SELECT id, _metadata.row_id AS row_id FROM {t}")
    return {row["id"]: row["row_id"] for row in rows}


@pytest.mark.parametrize("first", ["weir", "spark"])
@pytest.mark.parametrize("features", FEATURES)
def test_statements_in_turn(lake, features, first):
    properties = FEATURES[features]
    create(lake, properties)
    model = Model()
    before = lake.check("t", model.rows())
    tracked = "delta.enableRowTracking" in properties
    ids = row_ids(lake) if tracked else {}
    for n, step in enumerate(STEPS):
        by_weir = (n % 2 == 0) == (first == "weir")
        if by_weir:
            lake.weir(step.format(t="t"))
        else:
            lake.spark(step)
        after = lake.check("t", model.apply(step))
        if tracked:
            now = row_ids(lake)
            assert len(set(now.values())) == len(now), step
            assert {key: now[key] for key in now if key in ids} == {key: ids[key] for key in ids if key in now}, step
            ids = now
        if "delta.enableChangeDataFeed" in properties:
            version = max(row["version"] for row in lake.spark("DESCRIBE HISTORY {t}"))
            expected = multiset(after)
            expected.subtract(multiset(before))
            if after != before:
                assert net_change(lake, version) == {row: count for row, count in expected.items() if count}, step
        before = after


def test_weir_creates_with_each_feature(lake):
    """The properties of a table that Weir makes mean to the peers what they mean on one that Spark makes."""
    for n, (name, properties) in enumerate(FEATURES.items()):
        table = f"t{n}"
        listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
        lake.weir(f"CREATE TABLE {table} (id INTEGER NOT NULL, s VARCHAR) " + (f"WITH ({listed})" if listed else ""))
        lake.weir(f"INSERT INTO {table} VALUES (1, 'x'), (2, NULL)")
        lake.spark(f"INSERT INTO {{{table}}} VALUES (3, 'y')")
        lake.spark(f"UPDATE {{{table}}} SET s = 'z' WHERE id = 1")
        rows = [{"id": 1, "s": "z"}, {"id": 2, "s": None}, {"id": 3, "s": "y"}]
        assert_same_rows(lake.check(table), rows, name)
        lake.weir(f"UPDATE {table} SET s = 'w' WHERE id = 3")
        lake.check(table, rows[:2] + [{"id": 3, "s": "w"}])


def test_functions_of_generated_columns_mean_what_spark_means(lake):
    """Spark computes the values itself and refuses any that differ."""
    expressions = {"STRING": ["concat(s, u)", "concat(s, n)", "dayname(d)", "monthname(d)", "substring(s, 2, 2)", "trim(s)"],
                   "INT": ["dayofweek(d)", "weekday(d)", "extract(DOW FROM d)", "extract(WEEK FROM d)", "length(s)"],
                   "DOUBLE": ["log(n)", "log(2, n)", "round(n / 3, 2)"],
                   "DECIMAL(8,6)": ["extract(SECOND FROM t)"]}
    columns = [f"g{n} {kind} GENERATED ALWAYS AS ({text})" for n, (kind, text) in
               enumerate((kind, text) for kind, texts in expressions.items() for text in texts)]
    lake.weir(f"CREATE TABLE t (s STRING, u STRING, n INT, d DATE, t TIMESTAMP, {', '.join(columns)}) USING DELTA")
    lake.weir("""INSERT INTO t (s, u, n, d, t) VALUES (' Ab', 'c', 8, DATE '2024-05-05', '2024-05-05 07:08:09.25'),
                 ('d', NULL, 1, DATE '2024-09-07', '2024-09-07 00:00:59'), (NULL, 'e', NULL, NULL, NULL)""")
    before = lake.check("t", peers=("weir", "spark"))
    lake.spark("INSERT INTO {t} SELECT * FROM {t}")
    assert len(lake.check("t", peers=("weir", "spark"))) == 2 * len(before)

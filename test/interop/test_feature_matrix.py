# SPDX-License-Identifier: Apache-2.0
"""Every table feature that Weir writes, by its own table of features: created by Weir and by Spark, written by the other, read by both,
dropped where it can be. WEIR_SOAK=1 adds dropping by Spark, and all pairs of features."""
import itertools
import json
import os

import pytest

from canonical import assert_same_rows
from peers import WeirError, weir_sql

SOAK = bool(os.environ.get("WEIR_SOAK"))

# How a feature gets into a table: properties, the columns beside id and v, a clause behind the columns.
RECIPES = {
    "appendOnly": {"properties": {"delta.appendOnly": "true"}, "appends_only": True},
    "invariants": {"columns": "n INT NOT NULL"},
    "changeDataFeed": {"properties": {"delta.enableChangeDataFeed": "true"}},
    "columnMapping": {"properties": {"delta.columnMapping.mode": "name"}},
    "identityColumns": {"columns": "g BIGINT GENERATED ALWAYS AS IDENTITY", "hidden": "g"},
    "domainMetadata": {"properties": {"delta.feature.domainMetadata": "supported"}},
    "rowTracking": {"properties": {"delta.enableRowTracking": "true"}, "also_drops": ["domainMetadata"]},
    "inCommitTimestamp": {"properties": {"delta.enableInCommitTimestamps": "true"}},
    "clustering": {"clause": "CLUSTER BY (id)"},
    "icebergCompatV1": {"properties": {"delta.enableIcebergCompatV1": "true"}, "iceberg": True},
    "icebergCompatV2": {"properties": {"delta.enableIcebergCompatV2": "true"}, "iceberg": True},
    "deletionVectors": {"properties": {"delta.enableDeletionVectors": "true"}},
    "timestampNtz": {"columns": "z TIMESTAMP_NTZ"},
    "v2Checkpoint": {"properties": {"delta.checkpointPolicy": "v2", "delta.checkpointInterval": "2"}},
    "typeWidening": {"properties": {"delta.enableTypeWidening": "true"}},
    "vacuumProtocolCheck": {"properties": {"delta.feature.vacuumProtocolCheck": "supported"}},
    "checkpointProtection": {"properties": {"delta.feature.checkpointProtection": "supported"}, "drops": False},
    "materializePartitionColumns": {"properties": {"delta.enableMaterializePartitionColumnsFeature": "true"},
                                    "columns": "p INT", "clause": "PARTITIONED BY (p)"},
    "variantType": {"columns": "w VARIANT", "hidden": "w"},
    "variantShredding": {"columns": "w VARIANT", "hidden": "w", "properties": {"delta.enableVariantShredding": "true"}},
    "allowColumnDefaults": {"properties": {"delta.feature.allowColumnDefaults": "supported"}, "columns": "d INT DEFAULT 7"},
}

# Features whose statements have tests of their own, and no spelling that both sides share.
ELSEWHERE = {
    "checkConstraints": "Spark's CREATE TABLE has no CHECK before ADD CONSTRAINT; test_statements.py",
    "generatedColumns": "test_statements.py",
    "typeWidening-preview": "a preview; as typeWidening",
    "variantType-preview": "a preview; as variantType",
    "variantShredding-preview": "a preview; as variantShredding",
}

ORDER = [name for name in RECIPES]


def weir_features():
    return {row["feature"]: row for row in weir_sql("SELECT feature, can_write, can_drop FROM weir_table_features()")}


def test_every_feature_that_is_written_has_a_recipe():
    written = {name for name, row in weir_features().items() if row["can_write"]}
    assert written == set(RECIPES) | set(ELSEWHERE)


def newest_protocol(lake, table):
    found = None
    for name in lake.log_files(table):
        if name.endswith(".json") and len(name) == 25:
            for line in (lake.path(table) / "_delta_log" / name).read_text().splitlines():
                found = json.loads(line).get("protocol", found)
    return {key: sorted(value) if isinstance(value, list) else value for key, value in found.items()}


def create(names):
    recipes = [RECIPES[name] for name in names]
    columns = ["id BIGINT", "v STRING"] + [recipe["columns"] for recipe in recipes if "columns" in recipe]
    properties = {key: value for recipe in recipes for key, value in recipe.get("properties", {}).items()}
    clause = " ".join(recipe["clause"] for recipe in recipes if "clause" in recipe)
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    return f"CREATE TABLE {{t}} ({', '.join(columns)}) USING DELTA {clause}" + (f" TBLPROPERTIES ({listed})" if listed else "")


def statements(names):
    """What is done to a table, the creator's statements and the other's in turn."""
    recipes = [RECIPES[name] for name in names]
    n = any("NOT NULL" in recipe.get("columns", "") for recipe in recipes)
    insert = "INSERT INTO {t} (id, v" + (", n" if n else "") + ") VALUES "
    row = (lambda i, v: f"({i}, '{v}', {i})") if n else (lambda i, v: f"({i}, '{v}')")
    yield insert + ", ".join(row(i, "new") for i in range(1, 7))
    yield insert + row(7, "other")
    if not any(recipe.get("appends_only") for recipe in recipes):
        yield "UPDATE {t} SET v = 'changed' WHERE id IN (2, 7)"
        yield "DELETE FROM {t} WHERE id = 3"


def run(lake, who, table, sql):
    if who == "weir":
        return lake.weir(sql.replace("{t}", table))
    return lake.spark(sql.replace("{t}", "{" + table + "}"))


def visible(rows, names):
    hidden = {RECIPES[name].get("hidden") for name in names}
    return [{key: value for key, value in row.items() if key not in hidden} for row in rows]


def check(lake, names, tables):
    """Both read each table alike, and all tables have the same rows."""
    expected = None
    for table in tables:
        rows = lake.check(table, peers=("weir", "spark"))
        expected = expected or visible(rows, names)
        assert_same_rows(visible(rows, names), expected, f"{names}: {table} beside the others")


def drop(lake, who, table, name):
    for feature in [name, *RECIPES[name].get("also_drops", [])]:
        run(lake, who, table, f"ALTER TABLE {{t}} DROP FEATURE {feature}")


def go_through(lake, names):
    pairs = [("weir", "spark", "by_weir"), ("spark", "weir", "by_spark")]
    for creator, other, table in pairs:
        run(lake, creator, table, create(names))
        for who, statement in zip(itertools.cycle((creator, other)), statements(names)):
            run(lake, who, table, statement)
    tables = [table for _, _, table in pairs]
    check(lake, names, tables)
    assert newest_protocol(lake, "by_weir") == newest_protocol(lake, "by_spark")
    features = weir_features()
    droppable = [name for name in names if features[name]["can_drop"] and RECIPES[name].get("drops", True)]
    if not droppable:
        return
    for name in droppable:
        drop(lake, "weir", "by_spark", name)
        if SOAK:
            drop(lake, "spark", "by_weir", name)
            assert newest_protocol(lake, "by_weir") == newest_protocol(lake, "by_spark")
        else:
            drop(lake, "weir", "by_weir", name)
    for statement in list(statements(names))[1:2]:
        run(lake, "spark", "by_spark", statement)
        run(lake, "weir", "by_weir", statement)
    check(lake, names, tables)


@pytest.mark.parametrize("name", ORDER)
def test_feature(lake, name):
    go_through(lake, [name])


def test_traces_of_spark_are_removed(lake):
    """A widened, renamed and vectored table loses its features by Weir, and Spark goes on with it."""
    lake.spark("""CREATE TABLE {t} (id INT, v STRING, old INT) USING DELTA TBLPROPERTIES ('delta.enableTypeWidening' = 'true',
        'delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true', 'delta.enableRowTracking' = 'true')""")
    lake.spark("INSERT INTO {t} SELECT CAST(id AS INT), 'v', CAST(id AS INT) FROM range(0, 8, 1, 1)")
    lake.spark("ALTER TABLE {t} ALTER COLUMN id TYPE BIGINT")
    lake.spark("ALTER TABLE {t} RENAME COLUMN old TO fresh")
    lake.spark("INSERT INTO {t} VALUES (5000000000, 'big', 1)")
    lake.spark("DELETE FROM {t} WHERE id = 3")
    expected = lake.check("t", peers=("weir", "spark"))
    for feature in ("typeWidening", "columnMapping", "deletionVectors", "rowTracking", "domainMetadata"):
        lake.weir(f"ALTER TABLE t DROP FEATURE {feature}")
        lake.check("t", expected, peers=("weir", "spark"))
    assert newest_protocol(lake, "t") == {"minReaderVersion": 1, "minWriterVersion": 7,
                                          "writerFeatures": ["appendOnly", "checkpointProtection", "invariants"]}
    lake.spark("UPDATE {t} SET fresh = 9 WHERE id = 1")
    lake.weir("DELETE FROM t WHERE id = 2")
    assert len(lake.check("t", peers=("weir", "spark"))) == 7
    lake.spark("VACUUM {t}")
    lake.check("t", peers=("weir", "spark"))


@pytest.mark.skipif(not SOAK, reason="all pairs take long: WEIR_SOAK=1")
@pytest.mark.parametrize("pair", itertools.combinations(ORDER, 2), ids="+".join)
def test_pair(lake, pair):
    if any("iceberg" in RECIPES[name] for name in pair):
        pytest.skip("Iceberg compatibility excludes many; by itself it is above")
    columns = [RECIPES[name].get("columns") for name in pair]
    if columns[0] == columns[1] and columns[0] or sum("clause" in RECIPES[name] for name in pair) > 1:
        pytest.skip("one table cannot have both")
    go_through(lake, list(pair))


def test_refusals_have_the_names_that_spark_gives(lake):
    lake.weir("CREATE TABLE t (id BIGINT, v VARCHAR) WITH ('delta.enableRowTracking' = true, 'delta.appendOnly' = true)")
    for statement in ["ALTER TABLE {t} DROP FEATURE domainMetadata", "ALTER TABLE {t} DROP FEATURE appendOnly",
                      "ALTER TABLE {t} DROP FEATURE nonsense", "ALTER TABLE {t} DROP FEATURE v2Checkpoint",
                      "ALTER TABLE {t} DROP FEATURE rowTracking TRUNCATE HISTORY",
                      "ALTER TABLE {t} SET TBLPROPERTIES ('delta.nonsense' = '1')",
                      "ALTER TABLE {t} SET TBLPROPERTIES ('delta.feature.nonsense' = 'supported')",
                      "DELETE FROM {t}", "ALTER TABLE {t} CLUSTER BY (nope)"]:
        with pytest.raises(WeirError) as ours:
            run(lake, "weir", "t", statement)
        with pytest.raises(Exception) as theirs:
            run(lake, "spark", "t", statement)
        name = str(ours.value).split("[")[1].split("]")[0]
        assert f"[{name}" in str(theirs.value), statement

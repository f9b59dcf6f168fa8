# SPDX-License-Identifier: Apache-2.0
"""Every table feature that Weir writes, by its own table of features: created by Weir and by Spark, written by the other, read by both,
dropped where it can be. WEIR_SOAK=1 adds dropping by Spark, and all pairs of features."""
import itertools
import json
import os

import pytest

from canonical import assert_same_rows
from peers import WeirError, weir_process, weir_sql

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
    "icebergCompatV3": {"properties": {"delta.enableIcebergCompatV3": "true"}, "iceberg": True},
    "deletionVectors": {"properties": {"delta.enableDeletionVectors": "true"}},
    "timestampNtz": {"columns": "z TIMESTAMP_NTZ"},
    "v2Checkpoint": {"properties": {"delta.checkpointPolicy": "v2", "delta.checkpointInterval": "2"}},
    "typeWidening": {"properties": {"delta.enableTypeWidening": "true"}},
    "vacuumProtocolCheck": {"properties": {"delta.feature.vacuumProtocolCheck": "supported"}},
    "checkpointProtection": {"properties": {"delta.feature.checkpointProtection": "supported"}, "drops": False},
    "materializePartitionColumns": {"properties": {"delta.enableMaterializePartitionColumnsFeature": "true"},
                                    "columns": "p INT", "clause": "PARTITIONED BY (p)"},
    "allowColumnDefaults": {"properties": {"delta.feature.allowColumnDefaults": "supported"}, "columns": "d INT DEFAULT 7"},
}

# Features whose statements have tests of their own, and no spelling that both sides share.
ELSEWHERE = {
    "checkConstraints": "Spark's CREATE TABLE has no CHECK before ADD CONSTRAINT; test_statements.py",
    "generatedColumns": "test_statements.py",
    "typeWidening-preview": "a preview; as typeWidening",
    "variantType": "test_variant.py",
    "variantShredding": "test_declarations.py",
    "catalogManaged": "Spark cannot ask the catalog; test_declarations.py",
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


def columns(names, with_hidden):
    """Names of a table's columns. Variants are left out: Arrow gives no values of them; test_variant.py."""
    listed = ["id", "v"]
    for recipe in map(RECIPES.get, names):
        name, kind, *_ = recipe.get("columns", "w VARIANT").split(" ")
        if kind != "VARIANT" and (with_hidden or recipe.get("hidden") != name):
            listed.append(name)
    return listed


def check(lake, names, tables):
    """Both read each table alike, and all tables have the same rows."""
    selected = ", ".join(columns(names, with_hidden=True))
    expected = None
    for table in tables:
        ours = lake.weir(f"SELECT {selected} FROM {table}")
        assert_same_rows(lake.spark(f"SELECT {selected} FROM {{{table}}}"), ours, f"{names}: {table} by Spark beside Weir")
        visible = [{name: row[name] for name in columns(names, with_hidden=False)} for row in ours]
        expected = expected or visible
        assert_same_rows(visible, expected, f"{names}: {table} beside the others")


def drop(lake, who, table, name):
    for feature in [name, *RECIPES[name].get("also_drops", [])]:
        run(lake, who, table, f"ALTER TABLE {{t}} DROP FEATURE {feature}")


def droppable(names, features):
    """Those of a table's features that DROP FEATURE takes, as far as nothing that stays needs them."""
    needs = {"domainMetadata": {"rowTracking", "clustering", "icebergCompatV3"}, "rowTracking": {"icebergCompatV3"},
             "columnMapping": {"icebergCompatV1", "icebergCompatV2", "icebergCompatV3"}}
    return [name for name in names
            if features[name]["can_drop"] and RECIPES[name].get("drops", True) and not needs.get(name, set()) & set(names)]


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
    dropped = droppable(names, features)
    if not dropped:
        return
    for name in dropped:
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


LATER = [name for name, recipe in RECIPES.items() if "properties" in recipe and not {"columns", "clause", "iceberg"} & set(recipe)]


@pytest.mark.parametrize("name", LATER)
def test_feature_of_an_existing_table(lake, name):
    """A property set later brings the same protocol that it brings in Spark, and both go on."""
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in RECIPES[name]["properties"].items())
    for who, other, table in [("weir", "spark", "by_weir"), ("spark", "weir", "by_spark")]:
        run(lake, who, table, "CREATE TABLE {t} (id BIGINT, v STRING) USING DELTA")
        first, *rest = statements([name])
        run(lake, who, table, first)
        run(lake, who, table, f"ALTER TABLE {{t}} SET TBLPROPERTIES ({listed})")
        for statement in rest:
            run(lake, other, table, statement)
    check(lake, [name], ["by_weir", "by_spark"])
    assert newest_protocol(lake, "by_weir") == newest_protocol(lake, "by_spark")
    if name == "rowTracking":
        ids = [row["row_id"] for row in lake.spark("SELECT _metadata.row_id FROM {by_weir}")]
        assert None not in ids and len(set(ids)) == len(ids)


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


def pairs():
    """All pairs that one table can have."""
    versions = {"icebergCompatV1", "icebergCompatV2", "icebergCompatV3"}
    for a, b in itertools.combinations(ORDER, 2):
        same_columns = RECIPES[a].get("columns") and RECIPES[a].get("columns") == RECIPES[b].get("columns")
        both_clauses = "clause" in RECIPES[a] and "clause" in RECIPES[b]
        iceberg = {a, b} <= versions or {a, b} - versions == {"deletionVectors"} and "icebergCompatV3" not in (a, b)
        if not (same_columns or both_clauses or iceberg):
            yield a, b


@pytest.mark.parametrize("first", ORDER)
def test_pairs_by_weir_alone(tmp_path, first):
    """Each pair in one table: created, written, dropped, written again and optimised, and the rows are right."""
    features = weir_features()
    for number, pair in enumerate(pair for pair in pairs() if pair[0] == first):
        appends_only = any(RECIPES[name].get("appends_only") for name in pair)
        script = [create(pair), *statements(pair)]
        script += [f"ALTER TABLE {{t}} DROP FEATURE {name}" for name in droppable(pair, features)]
        script.append(list(statements(pair))[1].replace("(7,", "(8,"))
        if not appends_only:
            script += ["DELETE FROM {t} WHERE id = 1", "OPTIMIZE {t}"]
        done = weir_process("; ".join(script).replace("{t}", f"t{number}"), tmp_path)
        assert done.returncode == 0, f"{pair}: {done.stderr}"
        rows = weir_sql(f"SELECT id, v FROM t{number}", tmp_path)
        ids = set(range(1, 9)) - (set() if appends_only else {1, 3})
        changed = set() if appends_only else {2, 7}
        assert_same_rows(rows, [{"id": i, "v": "changed" if i in changed else "other" if i > 6 else "new"} for i in ids], str(pair))


if SOAK:  # All pairs beside Spark take long.

    @pytest.mark.parametrize("pair", list(pairs()), ids="+".join)
    def test_pair(lake, pair):
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

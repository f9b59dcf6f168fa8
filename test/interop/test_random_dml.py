# SPDX-License-Identifier: Apache-2.0
"""Random statements on twin tables: each is run by Weir on the one and by Spark on the other, by turns, so that each engine goes on where
the other stopped. After each step the rows agree, what is the same row still, the schema and the protocol; at the end what Spark reads
and the change rows do. A statement that one engine refuses the other refuses too.

WEIR_DML_SEQUENCES: how many sequences (scripts/soak.sh runs hundreds). WEIR_DML_SEED: the first one's number. WEIR_DML_STEPS: the
statements in each.
"""
import json
import os
import random
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from canonical import assert_same_rows, rows_of_arrow
from peers import PEERS

SEQUENCES = int(os.environ.get("WEIR_DML_SEQUENCES", "2"))
FIRST_SEED = int(os.environ.get("WEIR_DML_SEED", "30"))
STEPS = int(os.environ.get("WEIR_DML_STEPS", "6"))

# Statements are in the SQL that both understand. What they spell differently is written <<Spark's|Weir's>>, and names "quoted".
PARTITION_TYPES = ["INT", "STRING", "DATE", "BOOLEAN", "DECIMAL(6,2)", "TIMESTAMP", "DOUBLE", "BIGINT"]
FEATURES = {
    "vectors": {"delta.enableDeletionVectors": "true"},
    "feed": {"delta.enableChangeDataFeed": "true"},
    "mapping": {"delta.columnMapping.mode": "name"},
    "tracking": {"delta.enableRowTracking": "true"},
    "widening": {"delta.enableTypeWidening": "true"},
    "v2": {"delta.checkpointPolicy": "v2", "delta.checkpointInterval": "3"},
}
COLUMNS = {"id": "BIGINT", "v": "STRING", "n": "INT", "d": "DECIMAL(10,2)", "ts": "TIMESTAMP", "f": "DOUBLE"}
MORE_COLUMNS = {
    "s": "STRUCT<a: INT, b: STRING>", "list": "ARRAY<INT>", "bin": "BINARY", "day": "DATE", "huge": "DECIMAL(38,10)", "small": "SMALLINT",
    "single": "FLOAT", "dash-ed.name": "STRING", "ünï'code": "TINYINT", "SELECT": "BOOLEAN", "local": "TIMESTAMP_NTZ",
    "nested": "STRUCT<x: STRUCT<y: DATE>, z: ARRAY<STRING>>",
}
WEIR_TYPES = {"STRUCT<a: INT, b: STRING>": "STRUCT(a INT, b VARCHAR)", "ARRAY<INT>": "INT[]", "TIMESTAMP_NTZ": "TIMESTAMP",
              "TIMESTAMP": "TIMESTAMPTZ", "STRUCT<x: STRUCT<y: DATE>, z: ARRAY<STRING>>": "STRUCT(x STRUCT(y DATE), z VARCHAR[])"}
GENERATED = [f"{type_} GENERATED ALWAYS AS ({expression})" for type_, expression in [
    ("STRING", "substring(v, 1, 2)"), ("STRING", "CAST(id AS STRING)"), ("BOOLEAN", "v LIKE 'a%'"), ("BIGINT", "id % 10"),
    ("STRING", "coalesce(v, '-')"), ("DATE", "CAST(ts AS DATE)")]]
# What rests on the rows alone, not on how they lie in files.
METRICS = ["numDeletedRows", "numUpdatedRows", "numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted",
           "numTargetRowsMatchedUpdated", "numTargetRowsMatchedDeleted", "numTargetRowsNotMatchedBySourceUpdated",
           "numTargetRowsNotMatchedBySourceDeleted"]
TEXTS = ["a", "b", "a b", "x=1/y", "%20", "ü", "it''s", "", " ", "NULL", "__HIVE_DEFAULT_PARTITION__", "A"]


def quoted(name):
    return f'"{name}"'


class Table:
    """The columns of both twins, and statements upon them. {t} is the table."""

    def __init__(self, random_):
        self.random = random_
        self.features = [name for name in FEATURES if random_.random() < 0.4]
        self.is_partitioned = random_.random() < 0.5
        self.columns = {"id": "BIGINT", "p": random_.choice(PARTITION_TYPES)} | COLUMNS
        for name in random_.sample(sorted(MORE_COLUMNS), random_.randrange(4)):
            self.columns[name] = MORE_COLUMNS[name]
        # Columns that no statement sets: what is in them comes from the table.
        self.made = {name: text for name, text in
                     {"made": random_.choice(GENERATED), "usual": "INT DEFAULT 42"}.items() if random_.random() < 0.15}
        self.next_id = 0
        self.added = 0

    def has(self, feature):
        return feature in self.features

    def create(self):
        columns = [f"{quoted(name)} {type_}" for name, type_ in (self.columns | self.made).items()]
        partition = " PARTITIONED BY (p)" if self.is_partitioned else ""
        properties = {"delta.feature.allowColumnDefaults": "supported"} if "usual" in self.made else {}
        for feature in self.features:
            properties |= FEATURES[feature]
        options = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
        yield f"CREATE TABLE {{t}} ({', '.join(columns)}) USING DELTA{partition}" + (f" TBLPROPERTIES ({options})" if options else "")
        if self.random.random() < 0.2:
            yield "ALTER TABLE {t} ADD CONSTRAINT small_n CHECK (n IS NULL OR n < 100)"
        yield self.insert(20)

    def value(self, type_):
        r = self.random
        if r.random() < 0.15:
            return f"CAST(NULL AS <<{type_}|{WEIR_TYPES.get(type_, type_)}>>)"
        if type_ == "STRING":
            return r.choice([f"'{text}'" for text in TEXTS] + [f"'{'long' * r.randrange(1, 20)}'"])
        if type_.startswith("STRUCT<a"):
            a, b = self.value("INT"), self.value("STRING")
            return f"<<named_struct('a', |{{'a': >>{a}<<, 'b', |, 'b': >>{b}<<)|}}>>"
        if type_.startswith("STRUCT<x"):
            y, z = self.value("DATE"), self.value("STRING")
            return f"<<named_struct('x', named_struct('y', |{{'x': {{'y': >>{y}<<), 'z', array(|}}, 'z': [>>{z}<<))|]}}>>"
        if type_ == "ARRAY<INT>":
            items = ", ".join(self.value("INT") for _ in range(r.randrange(1, 3)))
            return f"<<array(|[>>{items}<<)|]>>"
        if type_ == "BINARY":
            return r.choice(["unhex('00ff')", "unhex('')", "unhex('c3bc20')"])
        texts = {
            "TINYINT": lambda: r.choice(["-128", "127", "0"]), "SMALLINT": lambda: r.choice(["-32768", "32767", "7"]),
            "INT": lambda: str(r.randrange(-3, 4)), "BIGINT": lambda: str(r.choice([r.randrange(-2**40, 2**40), 2**63 - 1, -2**63, 5])),
            "DATE": lambda: r.choice(["2024-01-15", "2024-02-15", "0001-01-01", "9999-12-31", "1600-02-29", "1969-12-31"]),
            "BOOLEAN": lambda: r.choice(["true", "false"]),
            "DECIMAL(6,2)": lambda: r.choice(["1.10", "-0.05", "1000.00", "0"]),
            "DECIMAL(10,2)": lambda: f"{r.randrange(-9999, 9999) / 100:.2f}",
            "DECIMAL(38,10)": lambda: r.choice(["1234567890123456789012345678.0123456789", "-0.0000000001", "0"]),
            "TIMESTAMP": lambda: r.choice([f"2024-01-0{r.randrange(1, 4)} 10:00:00.{r.randrange(3):06}", "1900-01-01 00:00:00",
                                           "9999-12-31 23:59:59.999999", "2024-01-01 00:00:00"]),
            "TIMESTAMP_NTZ": lambda: r.choice(["0001-01-01 00:00:00", "2024-03-31 02:30:00.5"]),
            "DOUBLE": lambda: r.choice(["1.5", "-0.25", "1e100", "0.1", "0.0", "NaN"]),
            "FLOAT": lambda: r.choice(["1.5", "-0.1", "3.4028235e38", "NaN"]),
        }
        return f"CAST('{texts[type_]()}' AS <<{type_}|{WEIR_TYPES.get(type_, type_)}>>)"

    def new_ids(self, count):
        self.next_id += count
        return range(self.next_id - count, self.next_id)

    def rows(self, ids, columns=None):
        columns = columns or self.columns
        lines = []
        for id_ in ids:
            values = [f"CAST({id_} AS BIGINT) AS id" if name == "id" else f"{self.value(columns[name])} AS {quoted(name)}"
                      for name in columns]
            lines.append("SELECT " + ", ".join(values))
        return " UNION ALL ".join(lines)

    def some_ids(self):
        first = self.random.randrange(max(1, self.next_id))
        return f"id BETWEEN {first} AND {first + self.random.randrange(6)}"

    def condition(self):
        type_ = self.columns["p"]
        p = self.value(type_)
        other = self.random.choice([name for name in self.columns if not self.columns[name].startswith(("STRUCT", "ARRAY"))])
        return self.random.choice([
            self.some_ids(), self.some_ids(), f"p = {p}", f"p IS NULL OR {self.some_ids()}", f"v = {self.value('STRING')}",
            f"n > {self.random.randrange(-3, 3)} AND {self.some_ids()}", "id % 5 = 2", f"p > {p} AND id % 2 = 0",
            f"p IN ({p}, {self.value(type_)})", f"NOT (p = {p}) AND {self.some_ids()}",
            f"{quoted(other)} <= {self.value(self.columns[other])} AND id % 3 = 1", f"{quoted(other)} IS NOT NULL AND {self.some_ids()}"])

    def source(self, columns=None):
        """Rows of which each id comes once: some of the table's, some new, now and then one without."""
        ids = self.random.sample(range(self.next_id), min(self.next_id, self.random.randrange(4))) + list(self.new_ids(2))
        if self.random.random() < 0.1:
            ids.append("NULL")
        return self.rows(ids, columns)

    def names(self):
        return ", ".join(map(quoted, self.columns))

    def stars(self):
        """What UPDATE SET * and INSERT * say; in words where the source lacks columns that the table makes itself."""
        if not self.made:
            return "UPDATE SET *", "INSERT *"
        sets = ", ".join(f"{quoted(name)} = s.{quoted(name)}" for name in self.columns)
        values = ", ".join(f"s.{quoted(name)}" for name in self.columns)
        return f"UPDATE SET {sets}", f"INSERT ({self.names()}) VALUES ({values})"

    def statement(self):
        kinds = {"insert": 3, "by_name": 1, "again": 1, "update": 4, "update_any": 3, "move": 2, "member": 1, "delete": 4, "merge": 4,
                 "merge_all": 3, "merge_partition": 2, "merge_delete": 1, "merge_insert": 1, "replace": 2, "replace_partition": 1,
                 "overwrite": 1, "dynamic": 1, "evolve": 2, "evolve_struct": 1, "widen": 1, "optimize": 1, "refused": 2, "truncate": 0.3}
        name = self.random.choices(list(kinds), list(kinds.values()))[0]
        return getattr(self, name)()

    def insert(self, count=None):
        rows = self.rows(self.new_ids(count or self.random.randrange(1, 4)))
        return f"INSERT INTO {{t}} ({self.names()}) {rows}" if self.made else "INSERT INTO {t} " + rows

    def by_name(self):
        names = ["id"] + self.random.sample([name for name in self.columns if name != "id"], 3)
        return "INSERT INTO {t} BY NAME " + self.rows(self.new_ids(2), {name: self.columns[name] for name in names})

    def again(self):
        """Rows of the table come once more, under new ids."""
        self.next_id += 1000
        others = ", ".join(quoted(name) for name in self.columns if name != "id")
        return (f"INSERT INTO {{t}} ({self.names()}) SELECT id + {self.next_id - 1000}, {others} FROM {{t}} "
                f"WHERE id < 10 AND {self.condition()}")

    def update(self):
        return f"UPDATE {{t}} SET v = concat(coalesce(v, ''), '!'), n = {self.value('INT')} WHERE {self.condition()}"

    def update_any(self):
        names = self.random.sample([name for name in self.columns if name != "id"], 2)
        sets = ", ".join(f"{quoted(name)} = {self.value(self.columns[name])}" for name in names)
        return f"UPDATE {{t}} SET {sets} WHERE {self.condition()}"

    def member(self):
        if "s" not in self.columns:
            return self.update()
        return f"UPDATE {{t}} SET s.b = {self.value('STRING')} WHERE {self.condition()}"

    def move(self):
        return f"UPDATE {{t}} SET p = {self.value(self.columns['p'])} WHERE {self.condition()}"

    def delete(self):
        return f"DELETE FROM {{t}} WHERE {self.condition()}"

    def truncate(self):
        return "<<DELETE FROM|TRUNCATE>> {t}"

    def merge(self):
        update, insert = self.stars()
        return (f"MERGE INTO {{t}} AS t USING ({self.source()}) AS s ON t.id = s.id "
                f"WHEN MATCHED AND s.n > 1 THEN DELETE WHEN MATCHED AND s.n IS NULL THEN UPDATE SET t.v = s.v, p = s.p "
                f"WHEN MATCHED THEN {update} WHEN NOT MATCHED AND s.n < 2 THEN {insert} "
                f"WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, 'partial', s.p)")

    def merge_all(self):
        return (f"MERGE INTO {{t}} AS t USING ({self.source()}) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v "
                f"WHEN NOT MATCHED THEN {self.stars()[1]} WHEN NOT MATCHED BY SOURCE AND t.id % 4 = 1 THEN DELETE "
                f"WHEN NOT MATCHED BY SOURCE AND t.id % 4 = 2 THEN UPDATE SET v = 'by source', n = n + 1")

    def merge_partition(self):
        p = self.value(self.columns["p"])
        return (f"MERGE INTO {{t}} AS t USING ({self.source()}) AS s ON t.id = s.id AND (t.p = {p} OR t.p <=> s.p) "
                f"WHEN MATCHED AND t.n <> 0 THEN UPDATE SET n = t.n + coalesce(s.n, 0), v = t.v || s.v WHEN MATCHED THEN DELETE "
                f"WHEN NOT MATCHED AND s.id % 2 = 0 THEN {self.stars()[1]}").replace("t.p <=> s.p", "t.p <<<=>|IS NOT DISTINCT FROM>> s.p")

    def merge_insert(self):
        return f"MERGE INTO {{t}} AS t USING ({self.source()}) AS s ON t.id = s.id AND t.v = s.v WHEN NOT MATCHED THEN {self.stars()[1]}"

    def merge_delete(self):
        return (f"MERGE INTO {{t}} AS t USING (SELECT id FROM {{t}} WHERE {self.some_ids()}) AS s ON t.id = s.id "
                "WHEN MATCHED THEN DELETE")

    def refused(self):
        """Statements that fail, unless they meet no row."""
        two = f"{self.rows([self.random.randrange(20)])} UNION ALL {self.rows([self.random.randrange(20)])}"
        same = f"SELECT * FROM ({self.rows([self.random.randrange(20)])}) AS x CROSS JOIN (SELECT 1 AS k UNION ALL SELECT 2 AS k) AS y"
        return self.random.choice([
            f"MERGE INTO {{t}} AS t USING ({same}) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'twice'",
            f"MERGE INTO {{t}} AS t USING ({same}) AS s ON t.id = s.id WHEN MATCHED THEN DELETE",
            f"MERGE INTO {{t}} AS t USING ({same}) AS s ON t.id = s.id WHEN MATCHED AND s.k = 1 THEN UPDATE SET v = 'once'",
            f"MERGE INTO {{t}} AS t USING ({two}) AS s ON t.id <= s.id AND t.id > s.id - 1 WHEN MATCHED THEN UPDATE SET v = s.v",
            f"UPDATE {{t}} SET n = n + 3000000000 WHERE {self.condition()}",
            f"UPDATE {{t}} SET n = 5000 WHERE {self.condition()}",
            f"UPDATE {{t}} SET d = 123456789.125 WHERE {self.condition()}",
            f"UPDATE {{t}} SET n = v WHERE {self.condition()}",
            f"UPDATE {{t}} SET n = 1, n = 2 WHERE {self.condition()}",
            f"INSERT INTO {{t}} BY NAME SELECT CAST({self.new_ids(1)[0]} AS BIGINT) AS id, 5000000000 AS n",
            "INSERT INTO {t} BY NAME SELECT 1 AS id, 2 AS nowhere",
            f"INSERT INTO {{t}} REPLACE WHERE id = -1 ({self.names()}) {self.rows([-2])}" if self.made else
            f"INSERT INTO {{t}} REPLACE WHERE id = -1 {self.rows([-2])}",
        ])

    def replace(self):
        if self.made:
            return self.delete()
        ids = self.new_ids(2)
        return f"INSERT INTO {{t}} REPLACE WHERE id >= {ids[0]} OR id = 3 {self.rows(ids)}"

    def replace_partition(self):
        if self.made:
            return self.delete()
        p = self.value(self.columns["p"])
        names = ", ".join(f"{p} AS p" if name == "p" else quoted(name) for name in self.columns)
        return f"INSERT INTO {{t}} REPLACE WHERE p = {p} SELECT {names} FROM ({self.rows(self.new_ids(2))}) AS x"

    def overwrite(self):
        if self.made:
            return self.delete()
        return f"INSERT OVERWRITE {{t}} SELECT * FROM {{t}} WHERE id % 3 <> 0"

    def dynamic(self):
        if self.made or not self.is_partitioned:
            return self.delete()
        return f"DYNAMIC INSERT OVERWRITE {{t}} {self.rows(self.new_ids(2))}"

    def evolve(self):
        self.added += 1
        name = f"added {self.added}" if self.has("mapping") else f"added_{self.added}"
        columns = {"id": "BIGINT", "v": "STRING", name: self.random.choice(["INT", "STRING", "DATE", "STRUCT<a: INT, b: STRING>"]),
                   "p": self.columns["p"]}
        statement = (f"MERGE WITH SCHEMA EVOLUTION INTO {{t}} AS t USING ({self.source(columns)}) AS s ON t.id = s.id "
                     "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
        self.columns[name] = columns[name]
        return statement

    def evolve_struct(self):
        """A struct comes without a member, and the next time with all."""
        struct, self.columns["deep"] = self.columns.get("deep"), "STRUCT<a: INT, b: STRING>"
        value = "<<named_struct('a', 1)|{'a': 1}>>" if struct is None else self.value(struct)
        return f"INSERT WITH SCHEMA EVOLUTION INTO {{t}} BY NAME SELECT CAST({self.new_ids(1)[0]} AS BIGINT) AS id, {value} AS deep"

    def widen(self):
        statement = (f"INSERT WITH SCHEMA EVOLUTION INTO {{t}} BY NAME SELECT CAST({self.new_ids(1)[0]} AS BIGINT) AS id, "
                     "CAST(5 AS BIGINT) AS n")
        if self.has("widening"):
            self.columns["n"] = "BIGINT"
        return statement

    def optimize(self):
        return "OPTIMIZE {t}"


class Twins:
    def __init__(self, lake):
        self.lake = lake
        self.pool = ThreadPoolExecutor(2)
        self.fed = {"a": 0, "b": 0}

    def run(self, engine, twin, statement):
        """The error, or None."""
        dynamic = statement.startswith("DYNAMIC ")
        statement = re.sub(r"<<(.*?)\|(.*?)>>", r"\1" if engine == "spark" else r"\2", statement.removeprefix("DYNAMIC "), flags=re.DOTALL)
        try:
            (self.run_spark if engine == "spark" else self.run_weir)(twin, statement, dynamic)
        except Exception as error:
            return error
        return None

    def run_weir(self, twin, statement, dynamic):
        mode = "SET weir_partition_overwrite_mode = 'dynamic'; " if dynamic else ""
        self.lake.weir("SET TimeZone = 'UTC'; " + mode + statement.replace("{t}", twin))

    def run_spark(self, twin, statement, dynamic):
        session = PEERS["spark"].session
        statement = re.sub(r'"([^"]*)"', r"`\1`", statement)
        if dynamic:
            session.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
        try:
            session.sql(statement.replace("{t}", f"delta.`{self.lake.path(twin)}`")).collect()
        finally:
            session.conf.unset("spark.sql.sources.partitionOverwriteMode")

    def both(self, engines, statement, what):
        """Runs a statement on both at once; whether it went through."""
        errors = dict(zip(engines, self.pool.map(lambda item: self.run(item[1], item[0], statement), engines.items())))
        failed = {twin: error for twin, error in errors.items() if error}
        if len(failed) == 1:
            (twin, error), = failed.items()
            raise AssertionError(f"only {engines[twin]}, on {twin}, refuses: {str(error):.1500}\n{what}")
        return not failed

    def read(self, query):
        """What Weir gives for both twins, each row with its _twin."""
        return self.lake.weir("SET TimeZone = 'UTC'; " + " UNION ALL BY NAME ".join(
            query.replace("{t}", twin).replace("SELECT", f"SELECT '{twin}' AS _twin,", 1) for twin in "ab"))

    def read_spark(self, queries):
        frame = PEERS["spark"].session.sql(" UNION ALL ".join(
            f"SELECT '{twin}' AS _twin, * FROM ({query})" for twin, query in queries.items()))
        return rows_of_arrow(frame.toArrow())

    def last_version(self, twin):
        return max(int(name[:20]) for name in self.lake.log_files(twin) if name.endswith(".json") and len(name) == 25)

    def newest(self, twin, kind):
        for version in range(self.last_version(twin), -1, -1):
            commit = self.lake.path(twin) / "_delta_log" / f"{version:020}.json"
            for line in commit.read_text().splitlines():
                if kind in (action := json.loads(line)):
                    return action[kind]
        return None

    def schema(self, twin):
        fields = json.loads(self.newest(twin, "metaData")["schemaString"])["fields"]
        return [without_mapping(field) for field in fields]

    def protocol(self, twin):
        protocol = self.newest(twin, "protocol")
        return {key: sorted(value) if isinstance(value, list) else value for key, value in protocol.items()}

    def operation(self, twin):
        """What the newest commit says that it has done."""
        info = self.newest(twin, "commitInfo")
        metrics = info.get("operationMetrics", {})
        return info["operation"], {name: metrics[name] for name in METRICS if name in metrics}

    def feeds(self):
        """The change rows of both since the last call."""
        queries = {}
        for twin in "ab":
            last = self.last_version(twin)
            if self.fed[twin] == last:
                return None
            queries[twin] = (f"SELECT * EXCEPT (_commit_timestamp, _commit_version) FROM "
                             f"table_changes_by_path('{self.lake.path(twin)}', {self.fed[twin] + 1}, {last})")
            self.fed[twin] = last
        return split(self.read_spark(queries))


def without_mapping(value):
    """A schema without what column mapping gives by chance, and with expressions as both spell them."""
    if isinstance(value, dict):
        return {key: re.sub(r"[()\s]", "", item).lower() if key == "delta.generationExpression" else without_mapping(item)
                for key, item in value.items() if not key.startswith("delta.columnMapping.")}
    return [without_mapping(item) for item in value] if isinstance(value, list) else value


def split(rows):
    twins = {"a": [], "b": []}
    for row in rows:
        twins[row.pop("_twin")].append(row)
    return twins


def row_ids(rows, what):
    """Takes the row ids out of rows; the id of each key, of keys that come once."""
    ids = [row.pop("_row_id") for row in rows]
    assert None not in ids and len(set(ids)) == len(ids), f"every row has an id of its own\n{what}"
    keys = [row["id"] for row in rows]
    return {key: id_ for key, id_ in zip(keys, ids) if keys.count(key) == 1}


def kept_ids(before, after):
    """The keys whose row is still the same one."""
    return {key for key in before.keys() & after.keys() if before[key] == after[key]}


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + SEQUENCES))
def test_random_statements(lake, seed):
    random_ = random.Random(f"dml {seed}")
    table = Table(random_)
    twins = Twins(lake)
    tracks = table.has("tracking")
    query = "SELECT *, _metadata.row_id AS _row_id FROM {t}" if tracks else "SELECT * FROM {t}"
    history = []
    before = None
    statements = list(table.create()) + [None] * STEPS
    for statement in statements:
        engines = {"a": "weir", "b": "spark"}
        if statement is None:
            statement = table.statement()
            engines = dict(zip("ab", random_.sample(["weir", "spark"], 2)))
        history.append(f"{engines['a']}, {engines['b']}: {statement}")
        what = f"seed {seed} {table.features}\n" + "\n".join(history)
        if table.has("feed") and "SCHEMA EVOLUTION" in statement:
            check_feeds(twins, what)
        versions = {twin: twins.last_version(twin) if history[1:] else -1 for twin in "ab"}
        went = twins.both(engines, statement, what)
        changed = {twin: twins.last_version(twin) > versions[twin] for twin in "ab"}
        assert changed["a"] == changed["b"] or "OPTIMIZE" in statement, f"only one has made a commit: {changed}\n{what}"
        assert went or not changed["a"], what
        rows = split(twins.read(query))
        ids = {twin: row_ids(rows[twin], what) for twin in "ab"} if tracks else None
        assert_same_rows(rows["a"], rows["b"], f"a beside b of\n{what}")
        assert twins.schema("a") == twins.schema("b"), what
        assert twins.protocol("a") == twins.protocol("b"), what
        if changed["a"] and changed["b"] and "OPTIMIZE" not in statement:
            assert twins.operation("a") == twins.operation("b"), f"{twins.operation('a')} and {twins.operation('b')}\n{what}"
        if tracks and before:
            kept = {twin: kept_ids(before[twin], ids[twin]) for twin in "ab"}
            assert kept["a"] == kept["b"], f"rows that are the same ones: {kept}\n{what}"
        before = ids
    in_spark = split(twins.read_spark({twin: f"SELECT * FROM delta.`{lake.path(twin)}`" for twin in "ab"}))
    for twin in "ab":
        assert_same_rows(in_spark[twin], rows[twin], f"{twin} read by Spark after\n{what}")
    if table.has("feed"):
        check_feeds(twins, what)


def check_feeds(twins, what):
    feeds = twins.feeds()
    if feeds:
        assert_same_rows(feeds["a"], feeds["b"], f"change rows of\n{what}")

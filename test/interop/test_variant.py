# SPDX-License-Identifier: Apache-2.0
"""Variants that Weir writes, as Spark reads them: as Parquet groups of metadata and value, never shredded."""
import pyarrow.parquet as pq

VALUES = {
    1: ("{'a': 1, 'b': ['x', NULL], 'c': {'d': 1.5::DOUBLE}}::VARIANT", '{"a":1,"b":["x",null],"c":{"d":1.5}}'),
    2: ("5::VARIANT", "5"),
    3: ("NULL", None),
    4: ("[1, 2, 3]::VARIANT", "[1,2,3]"),
    5: ("DATE '2020-02-29'::VARIANT", '"2020-02-29"'),
    6: ("'text'::VARIANT", '"text"'),
    7: ("true::VARIANT", "true"),
    8: ("12.34::DECIMAL(10,2)::VARIANT", "12.34"),
    9: ("9007199254740993::BIGINT::VARIANT", "9007199254740993"),
}


def seen_by_spark(lake, table):
    return {row["id"]: row["j"] for row in lake.spark(f"SELECT id, to_json(w) AS j FROM {{{table}}}")}


def test_variants(lake):
    lake.weir("CREATE TABLE t (id INT, w VARIANT)")
    lake.weir("INSERT INTO t " + " UNION ALL ".join(f"SELECT {i}, {sql}" for i, (sql, _) in VALUES.items()))
    assert seen_by_spark(lake, "t") == {i: json for i, (_, json) in VALUES.items()}
    files = list(lake.path("t").glob("*.parquet"))
    assert all({column.path for column in pq.read_metadata(file).schema if column.path.startswith("w")} ==
               {"w.metadata", "w.value"} for file in files)
    lake.spark("UPDATE {t} SET w = parse_json('{\"by\": \"spark\"}') WHERE id = 2")
    lake.weir("UPDATE t SET w = {'by': 'weir'}::VARIANT WHERE id = 7")
    lake.weir("DELETE FROM t WHERE id = 9")
    expected = {i: json for i, (_, json) in VALUES.items() if i != 9}
    assert seen_by_spark(lake, "t") == {**expected, 2: '{"by":"spark"}', 7: '{"by":"weir"}'}
    lake.weir("OPTIMIZE t")
    assert seen_by_spark(lake, "t") == {**expected, 2: '{"by":"spark"}', 7: '{"by":"weir"}'}
    stats = lake.last_actions("t", "add")[0]["stats"]
    assert '"w":1' in stats.split("nullCount")[1]


def test_variants_inside_of_other_types(lake):
    lake.weir("CREATE TABLE t (id INT, s STRUCT(a INT, w VARIANT), l VARIANT[])")
    lake.weir("INSERT INTO t VALUES (1, {'a': 1, 'w': 5::VARIANT}, ['x'::VARIANT, NULL]), (2, NULL, NULL), (3, {'a': 3, 'w': NULL}, [])")
    rows = lake.spark("SELECT id, s.a AS a, to_json(s.w) AS w, size(l) AS n, to_json(get(l, 0)) AS x FROM {t} ORDER BY id")
    assert [tuple(row.values()) for row in rows] == [(1, 1, "5", 2, '"x"'), (2, None, None, None, None), (3, 3, None, 0, None)]

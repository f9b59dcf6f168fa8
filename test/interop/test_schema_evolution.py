# SPDX-License-Identifier: Apache-2.0
"""The same evolving statements by Weir and by Spark on twin tables give the same schemas and rows, and each reads the other's."""
import json
import re

from canonical import assert_same_rows

STAR = " ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"

# Columns of the table, its rows, and the statements. {T} is the table; {struct} and {array} differ in the two dialects.
CASES = {
    "new columns": ("id INT, v STRING", "(1, 'a'), (2, 'b')", [
        "MERGE WITH SCHEMA EVOLUTION INTO {T} t USING (SELECT 10 AS Extra, 'x' AS V, 1 AS ID UNION ALL SELECT 30, 'y', 3) s" + STAR,
        "MERGE WITH SCHEMA EVOLUTION INTO {T} t USING (SELECT 1 AS id, true AS flag UNION ALL SELECT 4, false) s" + STAR,
        "MERGE WITH SCHEMA EVOLUTION INTO {T} t USING (SELECT 1 AS id, 5 AS assigned, 6 AS other) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET assigned = s.assigned + 1",
        "MERGE WITH SCHEMA EVOLUTION INTO {T} t USING (SELECT 7 AS id, 5 AS fresh, 6 AS other) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT (id, fresh) VALUES (s.id, s.fresh)",
        "MERGE WITH SCHEMA EVOLUTION INTO {T} t USING (SELECT 99 AS id, 1 AS unmatched) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *",
        "INSERT WITH SCHEMA EVOLUTION INTO {T} BY NAME SELECT 9 AS id, 'z' AS v, CAST(1 AS BIGINT) AS more",
    ]),
    "members of structs": ("id INT, s STRUCT<a: INT, b: STRING>", "(1, {struct}(1 AS a, 'x' AS b)), (2, NULL), (4, {struct}(4 AS a, '4' AS b))", [
        "MERGE WITH SCHEMA EVOLUTION INTO {T} t USING (SELECT 1 AS id, {struct}(5 AS c, 'y' AS B, 10 AS a) AS s UNION ALL SELECT 3, NULL) s" + STAR,
        "MERGE WITH SCHEMA EVOLUTION INTO {T} t USING (SELECT 1 AS id, {struct}(20 AS a) AS s UNION ALL SELECT 2, {struct}(21 AS a)) s" + STAR,
        "MERGE INTO {T} t USING (SELECT 1 AS id UNION ALL SELECT 2) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET s.a = 77, t.s.b = 'n'",
        "INSERT WITH SCHEMA EVOLUTION INTO {T} BY NAME SELECT 5 AS id, {struct}(5 AS a, 'b' AS b, 1 AS c, 2 AS d) AS s",
    ]),
    "within arrays": ("id INT, l ARRAY<STRUCT<a: INT>>", "(1, {array}({struct}(1 AS a)))", [
        "MERGE WITH SCHEMA EVOLUTION INTO {T} t USING (SELECT 1 AS id, {array}({struct}(2 AS a, 'n' AS n)) AS l) s" + STAR,
        "INSERT WITH SCHEMA EVOLUTION INTO {T} BY NAME SELECT 2 AS id, {array}({struct}(3 AS a, 'o' AS n, 1 AS o)) AS l",
    ]),
    "wider types": ("id INT, n INT, f FLOAT, d DECIMAL(5,2), s STRUCT<a: INT>, l ARRAY<INT>", "(1, 1, 1.5, 1.25, {struct}(1 AS a), {array}(1))", [
        "MERGE WITH SCHEMA EVOLUTION INTO {T} t USING (SELECT 1 AS id, CAST(5000000000 AS BIGINT) AS n, CAST(2.5 AS DOUBLE) AS f, "
        "CAST(12345.678 AS DECIMAL(10,3)) AS d, {struct}(CAST(5000000000 AS BIGINT) AS a) AS s, {array}(CAST(5 AS BIGINT)) AS l) s" + STAR,
        "INSERT WITH SCHEMA EVOLUTION INTO {T} BY NAME SELECT 2 AS id, CAST(1.25 AS DECIMAL(12,4)) AS d, CAST(7 AS SMALLINT) AS n",
    ]),
    "partitioned, mapped, tracked, with feed": ("id INT, p STRING", "(1, 'a'), (2, 'b')", [
        "MERGE WITH SCHEMA EVOLUTION INTO {T} t USING (SELECT 1 AS id, 'b' AS p, 1 AS extra UNION ALL SELECT 3, 'c', 3) s" + STAR,
        "INSERT WITH SCHEMA EVOLUTION INTO {T} BY NAME SELECT 9 AS id, 'a' AS p, 1 AS more",
    ]),
}

PROPERTIES = {
    "wider types": {"delta.enableTypeWidening": "true"},
    "partitioned, mapped, tracked, with feed": {
        "delta.columnMapping.mode": "name", "delta.enableRowTracking": "true", "delta.enableChangeDataFeed": "true"},
}


def in_dialect(text, table, is_weir):
    """The statement for one engine: {struct}(1 AS a) is struct_pack(a := 1) in Weir."""
    text = text.replace("{T}", table).replace("{array}", "list_value" if is_weir else "array")
    if not is_weir:
        return text.replace("{struct}", "struct")
    while "{struct}(" in text:
        begin = text.rindex("{struct}(")
        start = begin + len("{struct}(")
        end, depth = start, 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        members = [re.fullmatch(r"(.*) AS (\w+)", member).groups() for member in re.split(r", (?![^(]*\))", text[start:end - 1])]
        packed = ", ".join(f"{name} := {value}" for value, name in members)
        text = f"{text[:begin]}struct_pack({packed}){text[end:]}"
    return text


def schema(lake, table):
    """The columns of the table's newest metadata, without the ids and physical names of column mapping."""
    newest = None
    for name in lake.log_files(table):
        if name.endswith(".json"):
            for line in (lake.path(table) / "_delta_log" / name).read_text().splitlines():
                newest = json.loads(line).get("metaData", newest)

    def clean(type_):
        if isinstance(type_, dict):
            if type_.get("type") == "struct":
                return [(field["name"], clean(field["type"]), field["nullable"], field["metadata"].get("delta.typeChanges"))
                        for field in type_["fields"]]
            return {key: clean(value) for key, value in type_.items()}
        return type_

    return clean(json.loads(newest["schemaString"]))


def test_schema_evolution_is_sparks(lake):
    for number, (name, (columns, rows, statements)) in enumerate(CASES.items()):
        weir, spark = f"w{number}", f"s{number}"
        properties = PROPERTIES.get(name, {})
        options = " TBLPROPERTIES (" + ", ".join(f"'{k}' = '{v}'" for k, v in properties.items()) + ")" if properties else ""
        partition = " PARTITIONED BY (p)" if "p STRING" in columns else ""
        for table, run in ((weir, lake.weir), (spark, lake.spark)):
            is_weir = table == weir
            target = table if is_weir else "{" + table + "}"
            run(f"CREATE TABLE {target} ({columns}) USING DELTA{partition}{options}")
            run(in_dialect(f"INSERT INTO {{T}} VALUES {rows}", target, is_weir))
        for statement in statements:
            lake.weir(in_dialect(statement, weir, True))
            lake.spark(in_dialect(statement, "{" + spark + "}", False))
            assert schema(lake, weir) == schema(lake, spark), f"{name}: {statement}"
            expected = lake.rows(spark, "spark")
            assert_same_rows(lake.rows(weir, "weir"), expected, f"{name}: {statement}")
            assert_same_rows(lake.rows(weir, "spark"), expected, f"{name}, Weir's table read by Spark: {statement}")
            assert_same_rows(lake.rows(spark, "weir"), expected, f"{name}, Spark's table read by Weir: {statement}")
        # Each goes on where the other stopped.
        more = "MERGE WITH SCHEMA EVOLUTION INTO {T} t USING (SELECT 1 AS id, 1 AS last UNION ALL SELECT 1000, 2) s" + STAR
        lake.weir(in_dialect(more, spark, True))
        lake.spark(in_dialect(more, "{" + weir + "}", False))
        assert schema(lake, weir) == schema(lake, spark)
        assert_same_rows(lake.rows(weir, "weir"), lake.rows(spark, "spark"), f"{name}, by the other")

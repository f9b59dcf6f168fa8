# SPDX-License-Identifier: Apache-2.0
"""Data files as other writers leave them: INT96, timestamps with the other flag, text without annotation, odd names of list
elements. The logs are written by hand, the files by pyarrow; what a column is, the table's schema decides."""
import datetime
import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from peers import weir_sql

INSTANT = datetime.datetime(2020, 1, 2, 3, 4, 5, 123456)
TEXT = "2020-01-02 03:04:05.123456"


def field(name, type_):
    return {"name": name, "type": type_, "nullable": True, "metadata": {}}


def struct(*fields):
    return {"type": "struct", "fields": list(fields)}


def array(element):
    return {"type": "array", "elementType": element, "containsNull": True}


def map_of(key, value):
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}


def write_table(folder, fields, data, **options):
    """A table of one file."""
    (folder / "_delta_log").mkdir(parents=True)
    pq.write_table(data, folder / "a.parquet", **options)
    features = ["timestampNtz"]
    actions = [
        {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": features, "writerFeatures": features}},
        {
            "metaData": {
                "id": "t",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": json.dumps(struct(*fields)),
                "partitionColumns": [],
                "configuration": {},
            }
        },
        {"add": {"path": "a.parquet", "partitionValues": {}, "size": 1, "modificationTime": 0, "dataChange": True}},
    ]
    log = folder / "_delta_log" / "00000000000000000000.json"
    log.write_text("".join(json.dumps(action) + "\n" for action in actions))
    return folder


def read(folder, columns="*", where="TRUE", zone="America/Los_Angeles"):
    """In a session far from UTC, where a cast through local time would show."""
    rows = weir_sql(f"SET TimeZone = '{zone}'; SELECT {columns} FROM weir_scan('{folder}') WHERE {where}")
    assert len(rows) == 1
    return rows[0]


@pytest.mark.parametrize("int96", [True, False])
def test_timestamps_are_what_the_table_says(tmp_path, int96):
    kinds = [pa.timestamp("us"), pa.timestamp("us", "UTC"), pa.timestamp("ns"), pa.timestamp("ns", "UTC"), pa.timestamp("ms")]
    fields, columns = [], {}
    for i, kind in enumerate(kinds):
        value = pa.array([INSTANT.replace(microsecond=123000 if kind.unit == "ms" else 123456)]).cast(kind)
        for type_ in ("timestamp", "timestamp_ntz"):
            fields.append(field(f"{type_}_{i}", type_))
            columns[f"{type_}_{i}"] = value
    table = write_table(tmp_path / "t", fields, pa.table(columns), use_deprecated_int96_timestamps=int96)
    row = read(table)
    for name, value in row.items():
        assert value == (TEXT if not name.endswith("_4") else "2020-01-02 03:04:05.123000"), name
    found = read(table, "count(*) AS n", f"timestamp_0 = TIMESTAMPTZ '{TEXT}+00' AND timestamp_ntz_1 = TIMESTAMP '{TEXT}'")
    assert found == {"n": 1}


def test_nested_timestamps_and_names_of_elements(tmp_path):
    instant = pa.timestamp("us")
    fields = [
        field("list", array("timestamp")),
        field("structs", array(struct(field("t", "timestamp"), field("new", "long")))),
        field("map", map_of("string", struct(field("t", "timestamp")))),
    ]
    data = pa.table(
        {
            "list": pa.array([[INSTANT, None]], pa.list_(pa.field("array", instant))),
            "structs": pa.array([[{"t": INSTANT}, None]], pa.list_(pa.field("item", pa.struct([("t", instant)])))),
            "map": pa.array([[("k", {"t": INSTANT})]], pa.map_(pa.string(), pa.struct([("t", instant)]))),
        }
    )
    table = write_table(tmp_path / "t", fields, data, use_compliant_nested_type=False)
    assert read(table) == {"list": [TEXT, None], "structs": [{"t": TEXT, "new": None}, None], "map": {"k": {"t": TEXT}}}


def test_bytes_and_text(tmp_path):
    fields = [field("text", "string"), field("bytes", "binary"), field("inner", struct(field("text", "string")))]
    data = pa.table(
        {
            "text": pa.array(["é\n".encode()], pa.binary()),
            "bytes": pa.array(["é"]),
            "inner": pa.array([{"text": "é".encode()}], pa.struct([("text", pa.binary())])),
        }
    )
    table = write_table(tmp_path / "t", fields, data)
    assert read(table, where="text = E'é\\n'") == {"text": "é\n", "bytes": "c3a9", "inner": {"text": "é"}}


def test_dictionaries_large_types_and_decimals_in_bytes(tmp_path):
    fields = [field("d", "string"), field("big", "string"), field("n", "decimal(38,2)"), field("day", "date")]
    digits = "123456789012345678901234567890123456.78"
    data = pa.table(
        {
            "d": pa.array(["x"]).dictionary_encode(),
            "big": pa.array(["y"], pa.large_string()),
            "n": pa.array([Decimal(digits)], pa.decimal128(38, 2)),
            "day": pa.array([datetime.date(9999, 12, 31)]),
        }
    )
    assert read(write_table(tmp_path / "t", fields, data)) == {"d": "x", "big": "y", "n": digits, "day": "9999-12-31"}


def test_nan_is_above_every_number_whatever_the_footer_says(tmp_path):
    data = pa.table({"d": pa.array([float("nan"), 1.0]), "f": pa.array([float("nan"), 1.0], pa.float32())})
    table = write_table(tmp_path / "t", [field("d", "double"), field("f", "float")], data)
    for column in ("d", "f"):
        assert read(table, column, f"{column} > 5") == {column: "NaN"}

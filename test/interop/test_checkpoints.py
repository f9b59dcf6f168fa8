# SPDX-License-Identifier: Apache-2.0
"""Weir, Spark and delta-rs write to one table in turn, each with a checkpoint behind it, classic and V2: after every step all
three read the same rows, also when nothing is left of the log but that checkpoint."""
import pyarrow as pa
import pytest

from all_types import ROWS, columns_sql, insert_sql, renumbered
from canonical import assert_same_rows
from test_other_readers import by_duckdb


def append(lake, writer, rows):
    if writer == "weir":
        lake.weir(insert_sql("t", rows, "duckdb"))
    elif writer == "spark":
        lake.spark(insert_sql("{t}", rows, "spark"))
    else:
        ids = pa.array([row["id"] for row in rows], pa.int32())
        lake.delta_rs_append("t", lake.spark_arrow("t", "id < 10").sort_by("id").set_column(0, "id", ids))


def forget_commits_before(lake, version):
    log = lake.path("t") / "_delta_log"
    for path in list(log.iterdir()):
        is_commit = path.suffix == ".json" and path.stem.isdigit()
        if path.suffix == ".crc" or (is_commit and int(path.stem) < version):
            path.unlink()


@pytest.mark.parametrize("policy, writers", [
    ("classic", ["weir", "spark", "delta-rs", "weir", "delta-rs", "spark"]),
    ("v2", ["weir", "spark", "spark", "weir"]),  # delta-rs refuses such tables; DuckDB's extension reads them
])
def test_checkpoints_in_turn(lake, policy, writers):
    lake.weir(f"CREATE TABLE t ({columns_sql('duckdb')}) WITH ('delta.checkpoint.writeStatsAsStruct' = true, "
              f"'delta.checkpointPolicy' = '{policy}')")
    expected = []
    for version, writer in enumerate(writers, 1):
        rows = renumbered(ROWS, 10 * version - 9)
        append(lake, writer, rows)
        expected += rows
        lake.checkpoint("t", writer)
        forget_commits_before(lake, version)
        lake.check("t", expected, [*dict.fromkeys(writers)])
        if policy == "v2":
            assert_same_rows(by_duckdb(lake.path("t")), expected, f"t after {writer}, read by DuckDB's extension")
    # statistics have come through every checkpoint whole
    for row in expected:
        assert lake.weir(f"SELECT id FROM t WHERE id = {row['id']}") == [{"id": row["id"]}]
    checkpoints = [name for name in lake.log_files("t") if name.endswith((".parquet", ".json")) and ".checkpoint." in name]
    assert [int(name[:20]) for name in checkpoints] == list(range(1, len(writers) + 1))
    assert all((len(name.split(".")) == 3) == (policy == "classic") for name in checkpoints), checkpoints

# SPDX-License-Identifier: Apache-2.0
"""Every type at its limits, written by each and read by all."""
from all_types import ROWS, columns_sql, insert_sql, renumbered


def test_spark_writes_all_types(lake):
    lake.spark(f"CREATE TABLE {{t}} ({columns_sql('spark')}) USING DELTA")
    lake.check("t", [])
    lake.spark(insert_sql("{t}", ROWS, "spark"))
    lake.check("t", ROWS)


def test_int96_timestamps_of_spark(lake, spark):
    """Spark's own default for TIMESTAMP. delta-rs overflows on these beyond 1677..2262 and is not asked."""
    spark.conf.set("spark.sql.parquet.outputTimestampType", "INT96")
    try:
        lake.spark(f"CREATE TABLE {{t}} ({columns_sql('spark')}) USING DELTA")
        lake.spark(insert_sql("{t}", ROWS, "spark"))
    finally:
        spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    lake.check("t", ROWS, ["weir", "spark"])


def test_weir_appends_to_a_table_of_spark(lake):
    lake.spark(f"CREATE TABLE {{t}} ({columns_sql('spark')}) USING DELTA")
    lake.weir(insert_sql("t", ROWS, "duckdb"))
    lake.check("t", ROWS)


def test_all_write_to_a_table_of_weir(lake):
    lake.weir(f"CREATE TABLE t ({columns_sql('duckdb')})")
    lake.check("t", [])
    lake.weir(insert_sql("t", ROWS, "duckdb"))
    lake.check("t", ROWS)
    second = renumbered(ROWS, 101)
    lake.spark(insert_sql("{t}", second, "spark"))
    lake.check("t", ROWS + second)
    lake.delta_rs_append("t", lake.spark_arrow("t", "id < 100"))
    lake.check("t", ROWS + second + ROWS)

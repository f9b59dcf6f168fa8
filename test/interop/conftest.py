# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests with real peers: one Spark with Delta for the whole run, started by the first test that asks."""
import glob
import os
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

# Every process of a test, and Spark's Python side, tells time in UTC.
os.environ["TZ"] = "UTC"
time.tzset()

from peers import DEPS, SparkPeer, Lake, PEERS  # noqa: E402

SPARK_SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    # Spark's default, INT96, overflows in delta-rs beyond 2262; test_types.py has a table of that kind.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Small tables: without these a test of one second takes twenty.
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """The one Spark session."""
    from pyspark.sql import SparkSession

    jars = glob.glob(str(DEPS / "jars" / "*.jar"))
    if not jars:
        pytest.fail(f"no Delta jars in {DEPS / 'jars'}: run scripts/setup.sh test")
    home = tmp_path_factory.mktemp("spark")
    builder = SparkSession.builder.master("local[2]").appName("weir-interop").config("spark.jars", ",".join(jars))
    for key, value in SPARK_SETTINGS.items():
        builder = builder.config(key, value)
    session = builder.config("spark.sql.warehouse.dir", str(home / "warehouse")).getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def lake(tmp_path, spark):
    """An empty warehouse that Weir, Spark and delta-rs read and write."""
    PEERS["spark"] = SparkPeer(spark)
    return Lake(tmp_path)

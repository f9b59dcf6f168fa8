# SPDX-License-Identifier: Apache-2.0
"""The names of Databricks' module `dlt`: those of weir.pipelines, and older ones."""
from weir._spark.dataframe import SparkSession
from weir.pipelines import *  # noqa: F403
from weir.pipelines import _api, create_streaming_table


def table(query_function=None, **options):
    """A streaming table when the function's query reads a stream, else a materialized view."""
    return _api.table(query_function, _either=True, **options)


def read(name):
    return SparkSession().read.table(name)


def read_stream(name):
    return SparkSession().readStream.table(name)


create_target_table = create_streaming_table
create_streaming_live_table = create_streaming_table

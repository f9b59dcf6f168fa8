# SPDX-License-Identifier: Apache-2.0
"""The definitions of a pipeline in Python: the functions and parameters of pyspark.pipelines.

    from weir import pipelines as dp

    @dp.temporary_view
    def events():
        return "SELECT * FROM STREAM read_files('events', format => 'json')"

    dp.create_streaming_table("customers")
    dp.create_auto_cdc_flow(target="customers", source="events", keys=["id"], sequence_by="version")

A query function returns SQL text, a DuckDB relation, or what `spark` (readStream, read, sql, table) gives it. The
functions only note what is asked for; `weir run` checks and runs it.
"""
from weir.pipelines._api import (
    append_flow,
    create_auto_cdc_flow,
    create_auto_cdc_from_snapshot_flow,
    create_sink,
    create_streaming_table,
    expect,
    expect_all,
    expect_all_or_drop,
    expect_all_or_fail,
    expect_or_drop,
    expect_or_fail,
    materialized_view,
    table,
    temporary_view,
)

# The names under which Databricks knows some of them.
apply_changes = create_auto_cdc_flow
apply_changes_from_snapshot = create_auto_cdc_from_snapshot_flow
view = temporary_view

__all__ = [
    "append_flow",
    "apply_changes",
    "apply_changes_from_snapshot",
    "create_auto_cdc_flow",
    "create_auto_cdc_from_snapshot_flow",
    "create_sink",
    "create_streaming_table",
    "expect",
    "expect_all",
    "expect_all_or_drop",
    "expect_all_or_fail",
    "expect_or_drop",
    "expect_or_fail",
    "materialized_view",
    "table",
    "temporary_view",
    "view",
]

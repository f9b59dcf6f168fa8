# SPDX-License-Identifier: Apache-2.0
from weir import pipelines as dp


# Debezium's envelopes (before, after, op, ts_ms, source), flattened: the row's columns, and __op, __ts_ms and
# __source of its change.
@dp.temporary_view
@dp.expect("known_status", "status IN ('open', 'paid', 'shipped') OR __op = 'd'")
@dp.expect_or_drop("has_amount", "amount > 0 OR __op = 'd'")
def order_changes():
    return "SELECT *, __source.lsn AS lsn FROM STREAM read_files('events', format => 'debezium')"


dp.create_streaming_table("orders")

dp.create_auto_cdc_flow(
    target="orders",
    source="order_changes",
    keys=["order_id"],
    sequence_by="lsn",
    apply_as_deletes="__op = 'd'",
    except_column_list=["__op", "__ts_ms", "__source", "lsn"],
)


@dp.materialized_view
def revenue_per_status():
    return "SELECT status, count(*) AS orders, sum(amount) AS amount FROM orders GROUP BY status"

# SPDX-License-Identifier: Apache-2.0
"""Applies the batches of `weir run --engine spark` by Spark, to the same tables and by the same rules as Weir itself.

Weir plans a batch and makes the tables; each request on the standard input is one batch (src/pipeline/spark/spark_requests.h),
each answer on the standard output its counts or its error.
"""

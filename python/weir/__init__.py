# SPDX-License-Identifier: Apache-2.0
"""Weir: Delta Lake tables kept in step with changing sources."""

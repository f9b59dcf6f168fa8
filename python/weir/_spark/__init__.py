# SPDX-License-Identifier: Apache-2.0
"""As much of PySpark as definition files need: expressions and queries that are written down as SQL, never run."""

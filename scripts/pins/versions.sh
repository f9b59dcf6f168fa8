# SPDX-License-Identifier: Apache-2.0
# The DuckDB that Weir is built against: library and headers are of one release and change together.
DUCKDB_VERSION=1.5.5
DUCKDB_LIBRARY_PACKAGE=@duckdb/node-bindings-linux-x64@1.5.5-r.5
DUCKDB_LIBRARY_SHA256=86d2bda909785550e8a14a57a8a4584827aff0e268d8f1a58c3fd48559f7020e
DUCKDB_HEADERS_CRATE=libduckdb-sys-1.10505.0
DUCKDB_HEADERS_SHA256=6cb514dab5e271e849235c1cb98bd65a2ae107fbd619a6740219319c54a71d95

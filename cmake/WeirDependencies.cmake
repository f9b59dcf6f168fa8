# SPDX-License-Identifier: Apache-2.0
# The libraries we stand on. scripts/setup.sh installs all of them.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(simdjson REQUIRED)
find_package(roaring REQUIRED)
find_package(CLI11 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(pugixml REQUIRED)
find_package(ZLIB REQUIRED)
find_package(GTest REQUIRED)

if(DEFINED ENV{WEIR_DEPS})
  set(WEIR_DEPS "$ENV{WEIR_DEPS}")
else()
  set(WEIR_DEPS "${CMAKE_SOURCE_DIR}/build/deps")
endif()
if(DEFINED ENV{WEIR_DUCKDB_ROOT})
  set(WEIR_DUCKDB_ROOT "$ENV{WEIR_DUCKDB_ROOT}")
else()
  set(WEIR_DUCKDB_ROOT "${WEIR_DEPS}/duckdb")
endif()

if(NOT WEIR_ENGINE)
  return()
endif()

set(WEIR_DUCKDB_LIBRARY "${WEIR_DUCKDB_ROOT}/lib/libduckdb.so")
if(NOT EXISTS "${WEIR_DUCKDB_LIBRARY}" OR NOT EXISTS "${WEIR_DUCKDB_ROOT}/include/duckdb.hpp")
  message(FATAL_ERROR "No DuckDB under ${WEIR_DUCKDB_ROOT}: run scripts/setup.sh, "
                      "or set WEIR_DUCKDB_ROOT to a folder with include/duckdb.hpp and lib/libduckdb.so")
endif()

# A release build: DEBUG and DuckDB's own debug macros change class layouts and must never be defined with it.
add_library(weir_duckdb SHARED IMPORTED)
set_target_properties(weir_duckdb PROPERTIES
  IMPORTED_LOCATION "${WEIR_DUCKDB_LIBRARY}"
  IMPORTED_SONAME libduckdb.so
  # The Parquet reader's headers include those under third_party.
  INTERFACE_INCLUDE_DIRECTORIES
    "${WEIR_DUCKDB_ROOT}/include;${WEIR_DUCKDB_ROOT}/parquet;${WEIR_DUCKDB_ROOT}/third_party/parquet;\
${WEIR_DUCKDB_ROOT}/third_party/thrift;${WEIR_DUCKDB_ROOT}/third_party/fastpforlib")

# Everything we build looks for libduckdb.so beside itself first.
file(CREATE_LINK "${WEIR_DUCKDB_LIBRARY}" "${CMAKE_BINARY_DIR}/libduckdb.so" SYMBOLIC COPY_ON_ERROR)
set(CMAKE_BUILD_RPATH "$ORIGIN")

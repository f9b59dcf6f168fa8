# SPDX-License-Identifier: Apache-2.0
# One static library per layer, one test executable per layer.

# The layers that cannot be built without DuckDB.
set(WEIR_DUCKDB_LAYERS engine changes pipeline feed cli)

# weir_add_layer(NAME [DEPENDS layer...] [LIBRARIES target...] [PRIVATE_LIBRARIES target...])
#
# Makes target weir_NAME of all src/NAME/**/*.cc, but for the files that belong to a program or a module of their own
# (main.cc, extension_entry.cc). DEPENDS are layers to the right; LIBRARIES are seen by those that use this
# layer, PRIVATE_LIBRARIES (DuckDB) only by its own sources. A layer without sources is an interface target.
function(weir_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;LIBRARIES;PRIVATE_LIBRARIES")
  if(NOT WEIR_ENGINE AND name IN_LIST WEIR_DUCKDB_LAYERS)
    return()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${name}/*.cc")
  list(FILTER sources EXCLUDE REGEX "/(main|extension_entry)\\.cc$")
  list(TRANSFORM arg_DEPENDS PREPEND weir_)
  if(NOT sources)
    add_library(weir_${name} INTERFACE)
    target_link_libraries(weir_${name} INTERFACE ${arg_DEPENDS} ${arg_LIBRARIES} ${arg_PRIVATE_LIBRARIES} weir_options)
    return()
  endif()
  add_library(weir_${name} STATIC ${sources})
  target_link_libraries(weir_${name} PUBLIC ${arg_DEPENDS} ${arg_LIBRARIES} weir_options PRIVATE ${arg_PRIVATE_LIBRARIES})
endfunction()

# Makes build/test_NAME of test/unit/NAME/**/*.cc; it links that layer alone and what that layer is built on.
function(weir_add_layer_test name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/test/unit/${name}/*.cc")
  if(NOT sources OR NOT TARGET weir_${name})
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_include_directories(test_${name} PRIVATE "${CMAKE_SOURCE_DIR}/test/unit")
  target_link_libraries(test_${name} PRIVATE weir_${name} GTest::gmock GTest::gtest_main)
  if(name STREQUAL engine)
    target_link_libraries(test_engine PRIVATE weir_duckdb)
    weir_precompile_duckdb(test_engine REUSE_FROM weir_engine)
  endif()
  include(GoogleTest)
  gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${name} TIMEOUT 300
                       WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
endfunction()

# build/weir, when there is a main.cc.
function(weir_add_program)
  set(main "${CMAKE_SOURCE_DIR}/src/cli/main.cc")
  if(WEIR_ENGINE AND EXISTS "${main}")
    add_executable(weir "${main}")
    target_link_libraries(weir PRIVATE weir_cli)
  endif()
endfunction()

# What reads text in the layers above, and needs no DuckDB.
set(WEIR_READERS engine/statement_splitter.cc engine/statements/write_mode.cc engine/statements/spark/*.cc
                 pipeline/spec/*.cc pipeline/flows/sql_text.cc pipeline/flows/sql_type.cc
                 pipeline/sources/debezium.cc feed/config/feed_project.cc)

# One libFuzzer program for each test/fuzz/*_fuzz.cc, linked to the layers without DuckDB and to these readers.
function(weir_add_fuzzers)
  if(NOT WEIR_FUZZ)
    return()
  endif()
  list(TRANSFORM WEIR_READERS PREPEND "${CMAKE_SOURCE_DIR}/src/" OUTPUT_VARIABLE readers)
  file(GLOB readers CONFIGURE_DEPENDS ${readers})
  add_library(weir_readers STATIC EXCLUDE_FROM_ALL ${readers})
  target_link_libraries(weir_readers PUBLIC weir_delta PRIVATE yaml-cpp)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/test/fuzz/*_fuzz.cc")
  foreach(source ${sources})
    get_filename_component(program "${source}" NAME_WE)
    add_executable(${program} "${source}")
    target_link_libraries(${program} PRIVATE weir_readers)
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
  endforeach()
endfunction()

# build/weir_sqltest, which runs test/sql.
function(weir_add_sqltest)
  if(NOT WEIR_ENGINE)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/test/sql/runner/*.cc")
  add_executable(weir_sqltest ${sources})
  target_include_directories(weir_sqltest PRIVATE "${CMAKE_SOURCE_DIR}/test/sql")
  target_compile_definitions(weir_sqltest PRIVATE WEIR_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(weir_sqltest PRIVATE weir_engine)
  add_test(NAME sql COMMAND weir_sqltest)
  set_tests_properties(sql PROPERTIES LABELS sql TIMEOUT 1200)
endfunction()

# build/NAME of each bench/NAME.cc, built on demand only.
function(weir_add_benchmarks)
  if(NOT WEIR_ENGINE)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/bench/*.cc")
  foreach(source ${sources})
    get_filename_component(program "${source}" NAME_WE)
    add_executable(${program} EXCLUDE_FROM_ALL "${source}")
    target_link_libraries(${program} PRIVATE weir_engine)
  endforeach()
endfunction()

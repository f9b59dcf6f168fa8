# SPDX-License-Identifier: Apache-2.0
# DuckDB's headers cost seconds in every source: those that nearly all of engine's sources read are compiled once.
# Headers of ours do not belong here, or each change to one would compile the whole layer again.

set(WEIR_DUCKDB_PRECOMPILED
  <duckdb.hpp>
  <duckdb/catalog/catalog.hpp>
  <duckdb/catalog/catalog_entry/schema_catalog_entry.hpp>
  <duckdb/catalog/catalog_entry/table_catalog_entry.hpp>
  <duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp>
  <duckdb/common/multi_file/multi_file_reader.hpp>
  <duckdb/execution/physical_operator.hpp>
  <duckdb/execution/physical_plan_generator.hpp>
  <duckdb/function/table_function.hpp>
  <duckdb/main/extension/extension_loader.hpp>
  <duckdb/parser/parsed_data/create_table_info.hpp>
  <duckdb/planner/binder.hpp>
  <duckdb/planner/expression/bound_reference_expression.hpp>
  <duckdb/planner/operator/logical_get.hpp>
  <duckdb/storage/storage_extension.hpp>
  <duckdb/transaction/transaction_manager.hpp>)

# weir_precompile_duckdb(TARGET [REUSE_FROM other]): a target that uses another's file is compiled with that one's
# code generation flags, as a precompiled header demands.
function(weir_precompile_duckdb target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "REUSE_FROM" "")
  if(NOT TARGET ${target})
    return()
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
  if(arg_REUSE_FROM)
    get_target_property(other_type ${arg_REUSE_FROM} TYPE)
    if(other_type STREQUAL INTERFACE_LIBRARY)
      return()
    endif()
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
    target_precompile_headers(${target} REUSE_FROM ${arg_REUSE_FROM})
  else()
    target_precompile_headers(${target} PRIVATE ${WEIR_DUCKDB_PRECOMPILED})
  endif()
endfunction()

# SPDX-License-Identifier: Apache-2.0
# build/weir.duckdb_extension: the engine as an extension that a DuckDB of the same version loads.

# The module is linked from the engine's own objects; only its entry point is visible. DuckDB takes it only with a
# footer that names its platform and version, which scripts/append_extension_footer.py appends.
function(weir_add_extension)
  set(entry "${CMAKE_SOURCE_DIR}/src/engine/extension_entry.cc")
  if(NOT WEIR_ENGINE OR NOT EXISTS "${entry}")
    return()
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  file(STRINGS "${CMAKE_SOURCE_DIR}/scripts/pins/versions.sh" pin REGEX "^DUCKDB_VERSION=")
  string(REPLACE "DUCKDB_VERSION=" "v" duckdb_version "${pin}")

  add_library(weir_extension MODULE "${entry}")
  target_link_libraries(weir_extension PRIVATE weir_engine weir_duckdb)
  weir_precompile_duckdb(weir_extension REUSE_FROM weir_engine)
  target_link_options(weir_extension PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
  set(footer "${CMAKE_SOURCE_DIR}/scripts/append_extension_footer.py")
  set_target_properties(weir_extension PROPERTIES PREFIX "" OUTPUT_NAME weir_extension
                        BUILD_RPATH "$ORIGIN;${WEIR_DUCKDB_ROOT}/lib" LINK_DEPENDS "${footer}")
  add_custom_command(TARGET weir_extension POST_BUILD VERBATIM
    COMMAND Python3::Interpreter "${footer}" $<TARGET_FILE:weir_extension>
            "${CMAKE_BINARY_DIR}/weir.duckdb_extension" --duckdb-version ${duckdb_version}
            --extension-version v${PROJECT_VERSION})
endfunction()

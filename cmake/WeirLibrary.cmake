# SPDX-License-Identifier: Apache-2.0
# build/libweir.so: the C++ API of include/weir for other programs. `cmake --install build --component library
# --prefix DIR` puts it there with its headers and DuckDB's library; find_package(weir) then finds the target weir::weir.

# The classes of include/weir are implemented here and nowhere else; everything else stays hidden.
set(WEIR_PUBLIC_SOURCES src/changes/public_change_stream.cc)

function(weir_add_library)
  if(NOT WEIR_ENGINE)
    return()
  endif()
  list(TRANSFORM WEIR_PUBLIC_SOURCES PREPEND "${CMAKE_SOURCE_DIR}/")
  add_library(weir_library SHARED ${WEIR_PUBLIC_SOURCES})
  target_link_libraries(weir_library PRIVATE weir_changes)
  target_link_options(weir_library PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
  target_include_directories(weir_library INTERFACE $<INSTALL_INTERFACE:include>)
  target_compile_features(weir_library INTERFACE cxx_std_17)
  set_target_properties(weir_library PROPERTIES OUTPUT_NAME weir EXPORT_NAME weir INSTALL_RPATH "$ORIGIN"
                        LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")

  install(TARGETS weir_library EXPORT weir LIBRARY DESTINATION lib COMPONENT library)
  install(EXPORT weir NAMESPACE weir:: FILE weirConfig.cmake DESTINATION lib/cmake/weir COMPONENT library)
  install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/weir" DESTINATION include COMPONENT library)
  install(FILES "${WEIR_DUCKDB_LIBRARY}" DESTINATION lib COMPONENT library)
endfunction()

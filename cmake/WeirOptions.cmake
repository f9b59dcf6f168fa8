# SPDX-License-Identifier: Apache-2.0
# Language level, warnings, sanitizers and the compiler cache.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# The loadable extension must not share symbols with the process that loads it.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")

set(WEIR_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=: address,undefined or thread")
option(WEIR_ENGINE "Build the layers that need DuckDB (engine and all left of it)" ON)
option(WEIR_FUZZ "Build test/fuzz with libFuzzer (needs clang)" OFF)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

# What every target of ours is compiled with.
add_library(weir_options INTERFACE)
target_compile_options(weir_options INTERFACE -Wall -Wextra -Werror)
# simdjson's results must be asked for their error: what would throw on its own does not compile.
target_compile_definitions(weir_options INTERFACE WEIR_VERSION="${PROJECT_VERSION}" _GLIBCXX_USE_CXX11_ABI=1
                           SIMDJSON_EXCEPTIONS=0)
target_include_directories(weir_options INTERFACE "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}/include")
if(WEIR_SANITIZE)
  target_compile_options(weir_options INTERFACE -fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(weir_options INTERFACE -fsanitize=${WEIR_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC warns of <regex> itself once it is instrumented.
    target_compile_options(weir_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(WEIR_FUZZ)
  target_compile_options(weir_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# ccache: settings that make precompiled headers and other worktrees hit; the cache stays inside build/
# unless CCACHE_DIR says otherwise.
find_program(WEIR_CCACHE ccache)
if(WEIR_CCACHE)
  set(ccache_settings CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_NOHASHDIR=1
                      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR})
  if(NOT DEFINED ENV{CCACHE_DIR})
    list(APPEND ccache_settings CCACHE_DIR=${CMAKE_SOURCE_DIR}/build/ccache)
  endif()
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env ${ccache_settings} ${WEIR_CCACHE})
endif()

# Headers that most files include, compiled once for all: it saves a quarter of a clean
# build. Every file still includes what it uses, which tools/check_includes.py sees to.
#
# Large components name further headers, of ours, that most of their files include. The preset
# `debug` does without, so that a change of such a header compiles no more than it has to.

set(TOFU_COMMON_HEADERS <algorithm> <array> <fmt/format.h> <functional> <map> <memory>
    <optional> <span> <string> <string_view> <unordered_map> <variant> <vector>)

# Makes the target <name>, whose headers tofu_use_precompiled(<target> <name>) takes over.
function(tofu_precompile name)
  cmake_parse_arguments(arg "" "" "HEADERS;LINK;OPTIONS" ${ARGN})
  file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/generated/${name}.cc" CONTENT "")
  add_library(${name} OBJECT "${CMAKE_BINARY_DIR}/generated/${name}.cc")
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  tofu_cache_precompiled(${name})
  # ccache takes the old result for an input when GCC makes it anew, and then gives back
  # one that was made of other headers.
  set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
endfunction()

function(tofu_use_precompiled target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
    tofu_cache_precompiled(${target})
  endif()
endfunction()

# What ccache asks for, to cache what is compiled with such headers.
function(tofu_cache_precompiled target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)  # ccache asks for it
  # GCC 12 forgets that a precompiled header is the system's, and warns of what may
  # happen in it if a size were wrong.
  add_compile_options(-Wno-stringop-overread)
endif()
if(TOFU_PRECOMPILE)
  tofu_precompile(tofu_common HEADERS ${TOFU_COMMON_HEADERS} LINK tofu::fmt)
  if(TOFU_QUICK_OPTIONS)
    tofu_precompile(tofu_common_waiting
      HEADERS ${TOFU_COMMON_HEADERS} LINK tofu::fmt OPTIONS ${TOFU_QUICK_OPTIONS})
  endif()
endif()

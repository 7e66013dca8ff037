# Misuse that the types must refuse: every tests/must_not_compile/*.cc has to be
# rejected by the compiler, for the reason its first line gives:
#
#     // expect: <text that the compiler's message contains>
#
# or `// expect of clang:` for what GCC does not refuse: it ignores [[nodiscard]] at co_await.
#
# Each file is one ctest entry that runs the compiler on it (syntax only). The
# file must also contain `#ifdef MISUSE … #endif` around the misuse: the same
# file without it has to compile, or the test would pass because of a typo.

file(GLOB misuses CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/must_not_compile/*.cc")
foreach(file IN LISTS misuses)
  get_filename_component(name "${file}" NAME_WE)
  file(STRINGS "${file}" first LIMIT_COUNT 1)
  if(first MATCHES "^// expect of clang:" AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    continue()
  endif()
  add_test(NAME must_not_compile/${name}
    COMMAND "${CMAKE_COMMAND}" "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DFILE=${file}"
            "-DINCLUDE=${CMAKE_SOURCE_DIR}/src"
            -P "${CMAKE_SOURCE_DIR}/cmake/must_not_compile.cmake")
endforeach()

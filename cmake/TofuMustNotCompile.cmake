# Misuse that the types must refuse: every tests/must_not_compile/*.cc has to be
# rejected by the compiler, for the reason its first line gives:
#
#     // expect: <text that the compiler's message contains>
#
# Each file is one ctest entry that runs the compiler on it (syntax only). The
# file must also contain `#ifdef MISUSE … #endif` around the misuse: the same
# file without it has to compile, or the test would pass because of a typo.

file(GLOB misuses CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/must_not_compile/*.cc")
foreach(file IN LISTS misuses)
  get_filename_component(name "${file}" NAME_WE)
  add_test(NAME must_not_compile/${name}
    COMMAND "${CMAKE_COMMAND}" "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DFILE=${file}"
            "-DINCLUDE=${CMAKE_SOURCE_DIR}/src"
            -P "${CMAKE_SOURCE_DIR}/cmake/must_not_compile.cmake")
endforeach()

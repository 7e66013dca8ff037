# Fuzz targets: one libFuzzer program per entry of fuzz/CMakeLists.txt. With
# TOFU_FUZZ everything is compiled with coverage, so that the fuzzer sees which
# inputs reach new code in the components, not only in the target.

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "Fuzzing needs clang; use the preset 'asan'")
endif()

# tofu_fuzzer(<name> SOURCE <file> COMPONENT <components>...)
#
# Seeds are the files of fuzz/corpus/<name>/; `./dev fuzz` runs every target.
function(tofu_fuzzer name)
  cmake_parse_arguments(arg "" "SOURCE" "COMPONENT" ${ARGN})
  add_executable(fuzz_${name} ${arg_SOURCE})
  list(TRANSFORM arg_COMPONENT PREPEND tofu_)
  target_include_directories(fuzz_${name} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_link_libraries(fuzz_${name} PRIVATE ${arg_COMPONENT})
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(fuzz_${name} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzzers")
  add_dependencies(fuzzers fuzz_${name})
endfunction()

add_custom_target(fuzzers)
if(EXISTS "${CMAKE_SOURCE_DIR}/fuzz/CMakeLists.txt")
  add_subdirectory(fuzz)
endif()

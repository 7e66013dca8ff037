# Files that are compiled several at a time, as one: parsing headers and making the same
# templates again for each file is a third of the work in components and two thirds in tests.
#
# A change recompiles a whole batch, so the preset `debug` has none. That every file includes what
# it uses and lives on nothing of its neighbors, tools/check_includes.py sees to.

option(TOFU_BATCH_COMPONENTS "Compile the files of a component in batches" OFF)
option(TOFU_BATCH_TESTS "Compile the files of a component's tests in batches" OFF)
# Tests are not optimized: their batches can be larger before one is all that is left to wait for.
set(TOFU_BATCH_COMPONENT_FILES 8)
set(TOFU_BATCH_TEST_FILES 16)

find_package(Python3 REQUIRED COMPONENTS Interpreter)

# tofu_batch(<target> <most> <files>...): files of one batch must not use each other's own names,
# which tools/batches.py sees to. Where a later change makes them, configure again.
function(tofu_batch target most)
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/tools/batches.py" ${most} ${ARGN}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    OUTPUT_VARIABLE lines
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9]+) (.+)$" line "${line}")
    set_source_files_properties("${CMAKE_MATCH_2}" PROPERTIES UNITY_GROUP "batch_${CMAKE_MATCH_1}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # What a file keeps to itself may be part of its other types; GCC takes the files of a
  # batch for headers, where it must not. And the more GCC 12 inlines, the more often it takes
  # one alternative of a variant for another, which it then finds too small.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage -Wno-array-bounds)
  endif()
endfunction()

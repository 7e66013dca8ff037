# Components: the libraries of src/, their tests, and the program on top.
#
# src/LAYERS says which components there are and which may use which; a component's own
# CMakeLists.txt only lists its files.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/LAYERS")
file(STRINGS "${CMAKE_SOURCE_DIR}/src/LAYERS" lines REGEX "^[a-z]")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([a-z_]+):(.*)$" matched "${line}")
  if(NOT matched)
    message(FATAL_ERROR "src/LAYERS: cannot read the line '${line}'")
  endif()
  set(component "${CMAKE_MATCH_1}")
  string(REGEX MATCHALL "[a-z_]+" TOFU_BELOW_${component} "${CMAKE_MATCH_2}")
  list(APPEND TOFU_COMPONENTS ${component})
endforeach()

# Components with TOFU_QUICK_OPTIONS.
set(TOFU_WAITING_COMPONENTS net identity archive fetch backends encryption providers provisioners install cloud testing cli workdir runs commands)
# Optimizing coroutines takes longest where every access is checked, and their tests little longer
# without. Under the thread sanitizer it is the tests that take long.
if(TOFU_SANITIZE MATCHES "address")
  list(APPEND TOFU_WAITING_COMPONENTS tasks engine)
endif()

# tofu_component(<name> FILES file.cc... [LINK targets...] [COMMON headers...])
#
# Makes the library tofu_<name>, which links the components that src/LAYERS allows.
# Headers need not be listed. Every header compiles alone: one that has a source of its
# name is the first that this source includes; the others are compiled by
# all_verify_interface_header_sets. COMMON are headers of ours that most files of the component
# include (cmake/TofuPrecompiled.cmake).
function(tofu_component name)
  cmake_parse_arguments(arg "" "" "FILES;LINK;COMMON" ${ARGN})
  if(NOT name IN_LIST TOFU_COMPONENTS)
    message(FATAL_ERROR "The component ${name} is not in src/LAYERS")
  endif()
  list(FILTER arg_FILES EXCLUDE REGEX "\\.h$")
  set(used tofu::fmt ${arg_LINK})
  foreach(below IN LISTS TOFU_BELOW_${name})
    if(TARGET tofu_${below})
      list(APPEND used tofu_${below})
    endif()
  endforeach()
  set(common tofu_common)
  set(options)
  if(name IN_LIST TOFU_WAITING_COMPONENTS AND TOFU_QUICK_OPTIONS)
    set(common tofu_common_waiting)
    set(options ${TOFU_QUICK_OPTIONS})
  endif()
  if(arg_FILES)
    add_library(tofu_${name} STATIC ${arg_FILES})
    target_compile_options(tofu_${name} PRIVATE ${options})
    if(TOFU_PRECOMPILE_COMPONENTS AND arg_COMMON)
      list(TRANSFORM arg_COMMON PREPEND "${CMAKE_SOURCE_DIR}/src/")
      tofu_precompile(tofu_${name}_common
        HEADERS ${TOFU_COMMON_HEADERS} ${arg_COMMON} LINK ${used} OPTIONS ${options})
      target_include_directories(tofu_${name}_common PRIVATE "${CMAKE_SOURCE_DIR}/src")
      tofu_use_precompiled(tofu_${name} tofu_${name}_common)
    else()
      tofu_use_precompiled(tofu_${name} ${common})
    endif()
    if(TOFU_BATCH_COMPONENTS)
      tofu_batch(tofu_${name} ${TOFU_BATCH_COMPONENT_FILES} ${arg_FILES})
    endif()
    set(scope PUBLIC)
  else()
    add_library(tofu_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(tofu::component_${name} ALIAS tofu_${name})

  file(GLOB headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  set(lone_headers)
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "\\.h$" ".cc" source "${header}")
    if(NOT EXISTS "${source}")
      list(APPEND lone_headers "${header}")
    endif()
  endforeach()
  target_sources(tofu_${name} ${scope}
    FILE_SET lone_headers TYPE HEADERS BASE_DIRS "${CMAKE_SOURCE_DIR}/src" FILES ${lone_headers})
  set_property(TARGET tofu_${name} PROPERTY VERIFY_INTERFACE_HEADER_SETS ON)
  target_include_directories(tofu_${name} ${scope} "${CMAKE_SOURCE_DIR}/src")

  target_link_libraries(tofu_${name} ${scope} ${used})
endfunction()

# Compiling the tests takes longer than running them: they are not optimized, of the sanitizers
# they have only those that must see every access, and reports of these name the functions of a
# test, not its lines. That more than halves it. What they test is compiled in full.
function(tofu_compile_test target)
  target_compile_options(${target} PRIVATE -O0)
  if(TOFU_SANITIZE)
    target_compile_options(${target} PRIVATE -g0)
  endif()
  if(TOFU_SANITIZE MATCHES "undefined")
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  endif()
endfunction()

# tofu_component_tests(<name> FILES file_test.cc... [LINK targets...])
#
# Makes the one test program <name>_test, linked with that component alone: an
# include that LAYERS does not allow then fails to link as well.
function(tofu_component_tests name)
  cmake_parse_arguments(arg "" "" "FILES;LINK" ${ARGN})
  list(FILTER arg_FILES EXCLUDE REGEX "\\.h$")
  add_executable(${name}_test ${arg_FILES})
  target_include_directories(${name}_test PRIVATE "${CMAKE_SOURCE_DIR}")
  target_link_libraries(${name}_test PRIVATE tofu_${name} GTest::gtest_main GTest::gmock ${arg_LINK})
  tofu_use_precompiled(${name}_test tofu_common_tests)
  tofu_compile_test(${name}_test)
  if(TOFU_BATCH_TESTS)
    tofu_batch(${name}_test ${TOFU_BATCH_TEST_FILES} ${arg_FILES})
  endif()
  set_target_properties(${name}_test PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  # One entry for the whole program, not one per test: starting a process for
  # each of thousands of tests costs more than the tests. The counts are summed
  # from the XML files, which also have the reasons of skipped tests.
  add_test(NAME ${name}
    COMMAND ${name}_test --gtest_brief=1
            "--gtest_output=xml:${CMAKE_BINARY_DIR}/test-results/${name}.xml")
endfunction()

# tofu_program(<name> MAIN <file> COMPONENT <component>)
function(tofu_program name)
  cmake_parse_arguments(arg "" "MAIN;COMPONENT" "" ${ARGN})
  add_executable(${name} ${arg_MAIN})
  target_link_libraries(${name} PRIVATE tofu_${arg_COMPONENT})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
  # The sanitizers have to see the run-time library, so they keep it shared.
  if(NOT TOFU_SANITIZE AND NOT TOFU_SHARED AND NOT TOFU_STATIC)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  if(TOFU_LINK_MAP)
    target_link_options(${name} PRIVATE "-Wl,-Map=${TOFU_LINK_MAP}")
  endif()
  if(TOFU_BOLT)
    tofu_bolt(${name})
  endif()
endfunction()

# A macro, so that the components' targets belong to the top directory's scope.
macro(tofu_add_components)
  foreach(component IN LISTS TOFU_COMPONENTS)
    if(EXISTS "${CMAKE_SOURCE_DIR}/src/${component}/CMakeLists.txt")
      add_subdirectory("src/${component}")
    endif()
  endforeach()
endmacro()

macro(tofu_add_component_tests)
  find_package(GTest REQUIRED)
  if(TOFU_PRECOMPILE_TESTS)
    tofu_precompile(tofu_common_tests
      HEADERS ${TOFU_COMMON_HEADERS} <gmock/gmock.h> <gtest/gtest.h>
      LINK tofu::fmt GTest::gtest GTest::gmock)
    tofu_compile_test(tofu_common_tests)
  endif()
  foreach(component IN LISTS TOFU_COMPONENTS)
    if(TARGET tofu_${component} AND EXISTS "${CMAKE_SOURCE_DIR}/tests/${component}/CMakeLists.txt")
      add_subdirectory("tests/${component}")
    endif()
  endforeach()
endmacro()

# Tests of the whole program, for those who call ctest. `./dev test` runs them itself, with its own
# counts, and passes over these entries by their label.
function(tofu_add_program_tests)
  set(run "${Python3_EXECUTABLE}")
  add_test(NAME scripts
    COMMAND ${run} tools/run_scripts.py --tofu $<TARGET_FILE:tofu> tests/scripts
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  add_test(NAME programs
    COMMAND ${run} tools/run_programs.py --tofu $<TARGET_FILE:tofu> tests/programs
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  add_test(NAME conformance
    COMMAND ${run} tools/run_conformance.py --tofu $<TARGET_FILE:tofu> --floor .ci/conformance-floor
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  set_tests_properties(scripts programs conformance PROPERTIES
    LABELS whole_program RUN_SERIAL ON TIMEOUT 3600)
endfunction()

# Rooms: the libraries of src/, their tests, and the program on top.
#
# src/LAYERS says which rooms there are and which may use which; a room's own
# CMakeLists.txt only lists its files.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/LAYERS")
file(STRINGS "${CMAKE_SOURCE_DIR}/src/LAYERS" lines REGEX "^[a-z]")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([a-z_]+):(.*)$" matched "${line}")
  if(NOT matched)
    message(FATAL_ERROR "src/LAYERS: cannot read the line '${line}'")
  endif()
  set(room "${CMAKE_MATCH_1}")
  string(REGEX MATCHALL "[a-z_]+" TOFU_BELOW_${room} "${CMAKE_MATCH_2}")
  list(APPEND TOFU_ROOMS ${room})
endforeach()

# Rooms with TOFU_QUICK_OPTIONS.
set(TOFU_WAITING_ROOMS transport backends encryption providers install cloud testing commands)
# Optimising coroutines takes longest where every access is checked, and their tests little longer
# without. Under the thread sanitizer it is the tests that take long.
if(TOFU_SANITIZE MATCHES "address")
  list(APPEND TOFU_WAITING_ROOMS engine)
endif()

# tofu_room(<name> FILES file.cc... [LINK targets...] [COMMON headers...])
#
# Makes the library tofu_<name>, which links the rooms that src/LAYERS allows.
# Headers need not be listed. Every header compiles alone: one that has a source of its
# name is the first that this source includes; the others are compiled by
# all_verify_interface_header_sets. COMMON are headers of ours that most files of the room
# include (cmake/TofuPrecompiled.cmake).
function(tofu_room name)
  cmake_parse_arguments(arg "" "" "FILES;LINK;COMMON" ${ARGN})
  if(NOT name IN_LIST TOFU_ROOMS)
    message(FATAL_ERROR "The room ${name} is not in src/LAYERS")
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
  if(name IN_LIST TOFU_WAITING_ROOMS AND TOFU_QUICK_OPTIONS)
    set(common tofu_common_waiting)
    set(options ${TOFU_QUICK_OPTIONS})
  endif()
  if(arg_FILES)
    add_library(tofu_${name} STATIC ${arg_FILES})
    target_compile_options(tofu_${name} PRIVATE ${options})
    if(TOFU_PRECOMPILE_ROOMS AND arg_COMMON)
      list(TRANSFORM arg_COMMON PREPEND "${CMAKE_SOURCE_DIR}/src/")
      tofu_precompile(tofu_${name}_common
        HEADERS ${TOFU_COMMON_HEADERS} ${arg_COMMON} LINK ${used} OPTIONS ${options})
      target_include_directories(tofu_${name}_common PRIVATE "${CMAKE_SOURCE_DIR}/src")
      tofu_use_precompiled(tofu_${name} tofu_${name}_common)
    else()
      tofu_use_precompiled(tofu_${name} ${common})
    endif()
    if(TOFU_BATCH_ROOMS)
      tofu_batch(tofu_${name} ${TOFU_BATCH_ROOM_FILES} ${arg_FILES})
    endif()
    set(scope PUBLIC)
  else()
    add_library(tofu_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(tofu::room_${name} ALIAS tofu_${name})

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

# Compiling the tests takes longer than running them: they are not optimised, of the sanitizers
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

# tofu_room_tests(<name> FILES file_test.cc... [LINK targets...])
#
# Makes the one test program <name>_test, linked with that room alone: an
# include that LAYERS does not allow then fails to link as well.
function(tofu_room_tests name)
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
  # from the JSON files.
  add_test(NAME ${name}
    COMMAND ${name}_test --gtest_brief=1
            "--gtest_output=json:${CMAKE_BINARY_DIR}/test-results/${name}.json")
endfunction()

# tofu_program(<name> MAIN <file> ROOM <room>)
function(tofu_program name)
  cmake_parse_arguments(arg "" "MAIN;ROOM" "" ${ARGN})
  add_executable(${name} ${arg_MAIN})
  target_link_libraries(${name} PRIVATE tofu_${arg_ROOM})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
  # The sanitizers have to see the run-time library, so they keep it shared.
  if(NOT TOFU_SANITIZE)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  if(TOFU_BOLT)
    tofu_bolt(${name})
  endif()
endfunction()

# A macro, so that the rooms' targets belong to the top directory's scope.
macro(tofu_add_rooms)
  foreach(room IN LISTS TOFU_ROOMS)
    if(EXISTS "${CMAKE_SOURCE_DIR}/src/${room}/CMakeLists.txt")
      add_subdirectory("src/${room}")
    endif()
  endforeach()
endmacro()

macro(tofu_add_room_tests)
  find_package(GTest REQUIRED)
  if(TOFU_PRECOMPILE_TESTS)
    tofu_precompile(tofu_common_tests
      HEADERS ${TOFU_COMMON_HEADERS} <gmock/gmock.h> <gtest/gtest.h>
      LINK tofu::fmt GTest::gtest GTest::gmock)
    tofu_compile_test(tofu_common_tests)
  endif()
  foreach(room IN LISTS TOFU_ROOMS)
    if(TARGET tofu_${room} AND EXISTS "${CMAKE_SOURCE_DIR}/tests/${room}/CMakeLists.txt")
      add_subdirectory("tests/${room}")
    endif()
  endforeach()
endmacro()

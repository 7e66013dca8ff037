# The file VERSION is the only place that knows a version number. This module
# reads it, and tofu_version_info() hands it to the program as a header.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/VERSION")
file(STRINGS "${CMAKE_SOURCE_DIR}/VERSION" lines)
foreach(line IN LISTS lines)
  if(line MATCHES "^release ([0-9]+\\.[0-9]+\\.[0-9]+)$")
    set(TOFU_RELEASE "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^opentofu ([0-9]+\\.[0-9]+\\.[0-9]+)$")
    set(TOFU_OPENTOFU_RELEASE "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^terraform ([0-9]+\\.[0-9]+)$")
    set(TOFU_TERRAFORM_LINE "${CMAKE_MATCH_1}")
  else()
    message(FATAL_ERROR "VERSION: cannot read the line '${line}'")
  endif()
endforeach()
if(NOT TOFU_RELEASE OR NOT TOFU_OPENTOFU_RELEASE OR NOT TOFU_TERRAFORM_LINE)
  message(FATAL_ERROR
    "VERSION needs the lines 'release X.Y.Z', 'opentofu X.Y.Z' and 'terraform X.Y'")
endif()

set(TOFU_COMMIT "" CACHE STRING "Commit that `tofu version` names, for sources without git")

# Makes the target tofu_version_info, whose users may include "cli/version_info.h". Every build asks
# git for the commit, and compiles one small file if it is another one.
function(tofu_version_info)
  set(TOFU_COMPILER "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  set(TOFU_BUILD_TYPE "${CMAKE_BUILD_TYPE}")
  if(TOFU_SANITIZE)
    string(APPEND TOFU_BUILD_TYPE " with sanitizers")
  endif()
  string(REPLACE "." ";" parts "${TOFU_TERRAFORM_LINE}")
  list(GET parts 0 TOFU_TERRAFORM_MAJOR)
  list(GET parts 1 TOFU_TERRAFORM_MINOR)
  configure_file("${CMAKE_SOURCE_DIR}/cmake/version_info.h.in"
                 "${CMAKE_BINARY_DIR}/generated/cli/version_info.h" @ONLY)
  list(SORT TOFU_LIBRARY_VERSIONS)
  list(REMOVE_DUPLICATES TOFU_LIBRARY_VERSIONS)
  list(TRANSFORM TOFU_LIBRARY_VERSIONS REPLACE "^(.+)$" "    \"\\1\",")
  list(LENGTH TOFU_LIBRARY_VERSIONS TOFU_LIBRARY_COUNT)
  list(JOIN TOFU_LIBRARY_VERSIONS "\n" TOFU_LIBRARY_LINES)
  configure_file("${CMAKE_SOURCE_DIR}/cmake/library_versions.h.in"
                 "${CMAKE_BINARY_DIR}/generated/cli/library_versions.h" @ONLY)
  set(commit_source "${CMAKE_BINARY_DIR}/generated/cli/build_commit.cc")
  add_custom_target(tofu_build_commit
    COMMAND "${CMAKE_COMMAND}" "-DSOURCE_DIR=${CMAKE_SOURCE_DIR}" "-DCOMMIT=${TOFU_COMMIT}"
            "-DMADE=${commit_source}" -P "${CMAKE_SOURCE_DIR}/cmake/build_commit.cmake"
    BYPRODUCTS "${commit_source}"
    COMMENT "Looking at the commit"
    VERBATIM)
  add_library(tofu_version_info STATIC "${commit_source}")
  add_dependencies(tofu_version_info tofu_build_commit)
  target_include_directories(tofu_version_info PUBLIC "${CMAKE_BINARY_DIR}/generated")
endfunction()

# The file VERSION is the only place that knows a version number. This module
# reads it, and tofu_version_info() hands it to the program as a header.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/VERSION")
file(STRINGS "${CMAKE_SOURCE_DIR}/VERSION" lines)
foreach(line IN LISTS lines)
  if(line MATCHES "^tofu ([0-9]+\\.[0-9]+\\.[0-9]+)$")
    set(TOFU_VERSION "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^terraform ([0-9]+\\.[0-9]+)$")
    set(TOFU_TERRAFORM_LINE "${CMAKE_MATCH_1}")
  else()
    message(FATAL_ERROR "VERSION: cannot read the line '${line}'")
  endif()
endforeach()
if(NOT TOFU_VERSION OR NOT TOFU_TERRAFORM_LINE)
  message(FATAL_ERROR "VERSION needs a line 'tofu X.Y.Z' and a line 'terraform X.Y'")
endif()

# Makes the target tofu_version_info, whose users may include
# "commands/version_info.h". A tree without git (a release archive) has no commit.
function(tofu_version_info)
  execute_process(
    COMMAND git -C "${CMAKE_SOURCE_DIR}" rev-parse --short=12 HEAD
    OUTPUT_VARIABLE TOFU_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(TOFU_COMMIT "")
  endif()
  set(TOFU_COMPILER "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  string(REPLACE "." ";" parts "${TOFU_TERRAFORM_LINE}")
  list(GET parts 0 TOFU_TERRAFORM_MAJOR)
  list(GET parts 1 TOFU_TERRAFORM_MINOR)
  configure_file("${CMAKE_SOURCE_DIR}/cmake/version_info.h.in"
                 "${CMAKE_BINARY_DIR}/generated/commands/version_info.h" @ONLY)
  add_library(tofu_version_info INTERFACE)
  target_include_directories(tofu_version_info INTERFACE "${CMAKE_BINARY_DIR}/generated")
endfunction()

# The code of the program, laid out by how it runs (tools/bolt_program.py). It takes a minute after
# each link and two more packages, so only those who make packages of the program turn it on.

option(TOFU_BOLT "Lay the code of the program out by a profile, for packages" OFF)

set(TOFU_BOLT_TOOLS "/usr/lib/llvm-16/bin" CACHE PATH "Where llvm-bolt and merge-fdata are")
if(TOFU_BOLT AND NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  message(STATUS "BOLT cannot count what runs on ${CMAKE_SYSTEM_PROCESSOR}: the code stays as linked")
  set(TOFU_BOLT OFF)
elseif(TOFU_BOLT AND NOT EXISTS "${TOFU_BOLT_TOOLS}/llvm-bolt")
  message(FATAL_ERROR "The program llvm-bolt is missing; 'TOFU_BOLT=1 ./dev build' installs it.")
endif()

function(tofu_bolt target)
  # Not with mold, which fails when it is to keep the relocations of this program. The names in
  # archives become local ones: libbsd has two versions of some, which BOLT refuses.
  target_link_options(${target} PRIVATE -fuse-ld=lld -Wl,--emit-relocs -Wl,--exclude-libs=ALL)
  set(tools bolt_program.py training.py random_configuration.py)
  list(TRANSFORM tools PREPEND "${CMAKE_SOURCE_DIR}/tools/")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${tools})
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND "${Python3_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/tools/bolt_program.py"
            --tools "${TOFU_BOLT_TOOLS}" "$<TARGET_FILE:${target}>"
    VERBATIM)
endfunction()

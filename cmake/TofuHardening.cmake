# Defenses that the compiler, the linker and the kernel have against memory errors, for the program
# that users run. The sanitizers find such errors by themselves and do not work with some of these.
#
# - PIE (TofuCompiler.cmake), RELRO and BIND_NOW: code has a random address, and no table of
#   function pointers can be written once the program runs.
# - FORTIFY, stack protector, stack clash protection: buffers of known size, return addresses and
#   the guard page below the stack are checked.
# - CET: indirect calls and returns lead to marked places only. The kernel requires it of a process
#   only if all linked libraries are marked, which Debian's static archives are not yet.
#
# tests/programs/hardening_test.py reads from the program that it has them.

if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT TOFU_SANITIZE)
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong
                      -fstack-clash-protection)
  add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    add_compile_options(-fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    add_compile_options(-mbranch-protection=standard)
  endif()
endif()

# The compiler of the portable program and of the libraries in it: clang for the architecture
# TOFU_TRIPLE, with nothing but what is unpacked in TOFU_SYSROOT (tools/release/).

set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TOFU_SYSROOT TOFU_TRIPLE)
if(NOT TOFU_SYSROOT OR NOT TOFU_TRIPLE)
  message(FATAL_ERROR "./dev release sets TOFU_SYSROOT and TOFU_TRIPLE")
endif()

set(CMAKE_SYSTEM_NAME Linux)
string(REGEX MATCH "^[a-z0-9_]+" CMAKE_SYSTEM_PROCESSOR "${TOFU_TRIPLE}")
set(CMAKE_C_COMPILER clang-16)
set(CMAKE_CXX_COMPILER clang++-16)
set(CMAKE_C_COMPILER_TARGET "${TOFU_TRIPLE}")
set(CMAKE_CXX_COMPILER_TARGET "${TOFU_TRIPLE}")
set(CMAKE_LIBRARY_ARCHITECTURE "${TOFU_TRIPLE}")
set(CMAKE_SYSROOT "${TOFU_SYSROOT}")
set(CMAKE_AR llvm-ar-16)
set(CMAKE_RANLIB llvm-ranlib-16)
set(CMAKE_OBJCOPY llvm-objcopy-16)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-fuse-ld=lld -static-pie")

# A program of this kind runs as it is where the architecture is that of the machine.
cmake_host_system_information(RESULT host QUERY OS_PLATFORM)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL host)
  set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/env)
else()
  find_program(TOFU_EMULATOR "qemu-${CMAKE_SYSTEM_PROCESSOR}-static")
  mark_as_advanced(TOFU_EMULATOR)
  if(TOFU_EMULATOR)
    set(CMAKE_CROSSCOMPILING_EMULATOR "${TOFU_EMULATOR}")
  endif()
endif()

set(CMAKE_FIND_ROOT_PATH "${TOFU_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${TOFU_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR}
    "${TOFU_SYSROOT}/usr/lib/${TOFU_TRIPLE}/pkgconfig:${TOFU_SYSROOT}/usr/share/pkgconfig")

# Outside libraries, each as one target tofu::<name>.
#
# TOFU_SHARED links the shared libraries of the system, as distributions want it
# (TofuSharedPackages.cmake). TOFU_STATIC links everything, the C library too, from archives
# (TofuStaticPackages.cmake, for ./dev release). Otherwise the program is made to start fast on
# Debian (TofuDebianPackages.cmake).
#
# In the names of sources, TOFU_LINKED is "_linked" for builds that link every library, and
# TOFU_ALONE is "_alone" for the one that needs no shared library.

option(TOFU_SHARED "Link the shared libraries of the system" OFF)
option(TOFU_STATIC "Link everything from archives, for a program that runs anywhere" OFF)
set(TOFU_LINKED "")
set(TOFU_ALONE "")
set(TOFU_LIBRARY_VERSIONS "")

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

if(TOFU_SHARED AND TOFU_STATIC)
  message(FATAL_ERROR "TOFU_SHARED and TOFU_STATIC exclude each other")
elseif(TOFU_SHARED)
  set(TOFU_LINKED _linked)
  include(TofuSharedPackages)
elseif(TOFU_STATIC)
  set(TOFU_LINKED _linked)
  set(TOFU_ALONE _alone)
  include(TofuStaticPackages)
else()
  include(TofuDebianPackages)
endif()

# Makes code of what is in src/providers/proto.
find_program(TOFU_PROTOC protoc)
mark_as_advanced(TOFU_PROTOC)
if(NOT TOFU_PROTOC)
  message(FATAL_ERROR "The program protoc is missing; './dev build' installs what is needed.")
endif()

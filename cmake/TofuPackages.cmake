# Outside libraries, each as one target tofu::<name>.
#
# TOFU_SHARED links the shared libraries of the system, as distributions want it
# (TofuSharedPackages.cmake). Otherwise the program is made to start fast on Debian
# (TofuDebianPackages.cmake). TOFU_LINKED is "_linked" in the names of sources that are
# for builds that link every library.

option(TOFU_SHARED "Link the shared libraries of the system" OFF)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

if(TOFU_SHARED)
  set(TOFU_LINKED _linked)
  include(TofuSharedPackages)
else()
  set(TOFU_LINKED "")
  include(TofuDebianPackages)
endif()

# Makes code of what is in src/providers/proto.
find_program(TOFU_PROTOC protoc)
mark_as_advanced(TOFU_PROTOC)
if(NOT TOFU_PROTOC)
  message(FATAL_ERROR "The program protoc is missing; './dev build' installs what is needed.")
endif()

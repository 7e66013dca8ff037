# How everything is compiled and linked, in one place.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
# No NDEBUG: a standard-library or library assertion that fails is a finding.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")

# Our presets turn this on (and had it before it was an option, when they had batches already). Other
# compilers than those of the continuous build may warn of more.
option(TOFU_WERROR "Treat warnings of clang 16 and GCC 12 as errors" "${TOFU_BATCH_COMPONENTS}")
set(werror)
string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
if(TOFU_WERROR AND "${CMAKE_CXX_COMPILER_ID} ${major}" MATCHES "^(Clang 16|GNU 12)$")
  set(werror -Werror)
endif()
add_compile_options(-Wall -Wextra ${werror} -Wpedantic -Wshadow -Wswitch-enum
                    -ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC collects its garbage once it has some 100 MB, which precompiled headers alone take
  # up: a tenth of its time. A file or a batch of files needs 1 GB at most.
  add_compile_options(--param=ggc-min-heapsize=1048576)
  # It inlines less in a unit that it takes for large, and every batch of files is that.
  add_compile_options(--param=large-unit-insns=1000000)
endif()

# Everything ends up in programs, so functions are never replaced by those of another
# library: unlike with -fPIC, they may be inlined into each other.
add_compile_options(-fPIE)
if(TOFU_STATIC)
  # What is in the program tells nothing of the machine that made it: two builds in different
  # folders are equal. The debug information becomes a file of its own (tools/release/).
  add_compile_options(-g1 "-ffile-prefix-map=${CMAKE_BINARY_DIR}=/usr/src/build"
                      "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=/usr/src/tofu"
                      "-ffile-prefix-map=${TOFU_SYSROOT}=")
  add_link_options(-static-pie -Wl,--build-id=sha1)
  # By this map, the bill of materials names what was linked.
  set(TOFU_LINK_MAP "${CMAKE_BINARY_DIR}/tofu.map")
else()
  add_link_options(-pie)
endif()

if(TOFU_SANITIZE)
  add_compile_options(-fsanitize=${TOFU_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TOFU_SANITIZE})
  # What the standard library does with values is checked where it is ours to do wrong;
  # half of all such checks would stand in its headers.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND TOFU_SANITIZE MATCHES "undefined")
    add_compile_options("-fsanitize-ignorelist=${CMAKE_SOURCE_DIR}/cmake/sanitizers.ignore")
  endif()
  # With the sanitizers' own code in between, GCC 12 takes empty optionals for
  # uninitialized. The release build looks for those, without such code.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

# Under a sanitizer, compiling takes longer than all tests. What waits for servers, programs and
# disks more than it computes, or is not ours, is not optimized there, which halves what it takes.
set(TOFU_QUICK_OPTIONS)
if(TOFU_SANITIZE)
  set(TOFU_QUICK_OPTIONS -O0)
endif()

if(TOFU_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

if(TOFU_COVERAGE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "Coverage is counted by clang; use the preset 'coverage'")
  endif()
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()

if(TOFU_LTO)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()

find_program(TOFU_CCACHE ccache)
if(TOFU_CCACHE)
  # With less care about precompiled headers it would not cache what includes them.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros "${TOFU_CCACHE}")
endif()

find_program(TOFU_MOLD mold)
if(TOFU_MOLD AND NOT TOFU_STATIC)
  # Code for errors goes to one place, as with other linkers.
  add_link_options(-fuse-ld=mold -Wl,-z,keep-text-section-prefix)
endif()

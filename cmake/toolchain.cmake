# The compiler of our presets: the first that is installed of those that compile the sources, unless
# the environment variable CXX or a setting names one. clang makes what users run (CONTRIBUTING.md).
if(NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  find_program(TOFU_COMPILER_FOUND
    NAMES clang++-16 clang++-19 clang++-18 clang++-17 clang++ g++)
  mark_as_advanced(TOFU_COMPILER_FOUND)
  if(TOFU_COMPILER_FOUND)
    set(CMAKE_CXX_COMPILER "${TOFU_COMPILER_FOUND}")
  endif()
endif()

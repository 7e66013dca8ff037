# Run as a script by one ctest entry; see TofuMustNotCompile.cmake.

file(STRINGS "${FILE}" first LIMIT_COUNT 1)
if(NOT first MATCHES "^// expect( of clang)?: (.+)$")
  message(FATAL_ERROR "${FILE}: the first line must be '// expect: <compiler message>'")
endif()
set(expected "${CMAKE_MATCH_2}")

set(compile "${COMPILER}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror "-I${INCLUDE}")
execute_process(COMMAND ${compile} "${FILE}"
  RESULT_VARIABLE broken OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(broken)
  message(FATAL_ERROR "${FILE} must compile without MISUSE:\n${text}")
endif()

execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${compile} -DMISUSE "${FILE}"
  RESULT_VARIABLE refused OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(NOT refused)
  message(FATAL_ERROR "${FILE}: the compiler accepts the misuse")
endif()
string(FIND "${text}" "${expected}" place)
if(place EQUAL -1)
  message(FATAL_ERROR "${FILE}: refused, but without '${expected}':\n${text}")
endif()

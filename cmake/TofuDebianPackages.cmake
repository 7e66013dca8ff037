# The libraries of a build for Debian: static archives where there are any, and the others are
# loaded when they are first needed.
#
# A program that the dynamic loader has little to do for starts several times faster, and this
# program is often started only to print one line. glibc itself stays dynamic.

# tofu_package(<name> ARCHIVE <file> HEADER <file> [LINK targets...])
function(tofu_package name)
  cmake_parse_arguments(arg "" "ARCHIVE;HEADER" "LINK" ${ARGN})
  find_library(TOFU_${name}_LIBRARY NAMES ${arg_ARCHIVE})
  find_path(TOFU_${name}_INCLUDE ${arg_HEADER})
  mark_as_advanced(TOFU_${name}_LIBRARY TOFU_${name}_INCLUDE)
  if(NOT TOFU_${name}_LIBRARY OR NOT TOFU_${name}_INCLUDE)
    message(FATAL_ERROR "The library ${name} is missing; './dev build' installs what is needed.")
  endif()
  add_library(tofu::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(tofu::${name} PROPERTIES
    IMPORTED_LOCATION "${TOFU_${name}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${TOFU_${name}_INCLUDE}")
  target_link_libraries(tofu::${name} INTERFACE ${arg_LINK})
endfunction()

tofu_package(gmp      ARCHIVE libgmp.a      HEADER gmp.h)
tofu_package(mpfr     ARCHIVE libmpfr.a     HEADER mpfr.h LINK tofu::gmp)
tofu_package(re2      ARCHIVE libre2.a      HEADER re2/re2.h LINK Threads::Threads)
# From Debian 13 on it needs a few dozen archives of Abseil, which need each other.
find_package(PkgConfig REQUIRED)
pkg_check_modules(TOFU_RE2_MODULE QUIET re2)
set(abseil ${TOFU_RE2_MODULE_STATIC_LIBRARIES})
list(FILTER abseil INCLUDE REGEX "^absl_")
if(abseil)
  list(REMOVE_DUPLICATES abseil)
  list(TRANSFORM abseil REPLACE "^(.+)$" "lib\\1.a")
  list(JOIN abseil "," abseil)
  target_link_libraries(tofu::re2 INTERFACE "$<LINK_GROUP:RESCAN,${abseil}>")
endif()
tofu_package(yaml     ARCHIVE libyaml.a     HEADER yaml.h)
tofu_package(nghttp2  ARCHIVE libnghttp2.a  HEADER nghttp2/nghttp2.h)
tofu_package(protobuf ARCHIVE libprotobuf-lite.a HEADER google/protobuf/message_lite.h
             LINK Threads::Threads)
tofu_package(zlib     ARCHIVE libz.a        HEADER zlib.h)
tofu_package(crypt    ARCHIVE libcrypt.a    HEADER crypt.h)
tofu_package(utf8proc ARCHIVE libutf8proc.a HEADER utf8proc.h)
tofu_package(md       ARCHIVE libmd.a       HEADER md5.h)
tofu_package(bsd      ARCHIVE libbsd.a      HEADER bsd/bsd.h LINK tofu::md)
tofu_package(tinfo    ARCHIVE libtinfo.a    HEADER term.h)
tofu_package(edit     ARCHIVE libedit.a     HEADER histedit.h LINK tofu::tinfo tofu::bsd)

# These are not linked but loaded when they are first needed, so that only their headers
# count here: see src/base/dynamic_library.h.
#
# tofu_loaded_package(<name> HEADER <file> [SUFFIX <folder>])
function(tofu_loaded_package name)
  cmake_parse_arguments(arg "" "HEADER;SUFFIX" "" ${ARGN})
  find_path(TOFU_${name}_INCLUDE ${arg_HEADER} PATH_SUFFIXES ${arg_SUFFIX})
  mark_as_advanced(TOFU_${name}_INCLUDE)
  if(NOT TOFU_${name}_INCLUDE)
    message(FATAL_ERROR "The headers of ${name} are missing; './dev build' installs what is needed.")
  endif()
  add_library(tofu::${name} INTERFACE IMPORTED GLOBAL)
  set_target_properties(tofu::${name} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${TOFU_${name}_INCLUDE}")
  target_link_libraries(tofu::${name} INTERFACE ${CMAKE_DL_LIBS})
endfunction()

tofu_loaded_package(archive HEADER archive.h)
tofu_loaded_package(crypto  HEADER openssl/evp.h)
tofu_loaded_package(curl    HEADER curl/curl.h)
tofu_loaded_package(idn2    HEADER idn2.h)
tofu_loaded_package(pq      HEADER libpq-fe.h SUFFIX postgresql)
tofu_loaded_package(rnp     HEADER rnp/rnp.h)
tofu_loaded_package(xml2    HEADER libxml/parser.h SUFFIX libxml2)

# Only test programs make archives and certificates themselves.
tofu_package(bz2      ARCHIVE libbz2.a      HEADER bzlib.h)
tofu_package(lzma     ARCHIVE liblzma.a     HEADER lzma.h LINK Threads::Threads)
tofu_package(openssl  ARCHIVE libcrypto.so  HEADER openssl/evp.h LINK Threads::Threads)
tofu_package(ssl      ARCHIVE libssl.so     HEADER openssl/ssl.h LINK tofu::openssl)

# The copyright notices of the packages that are in the program, for `cmake --install`.
find_program(TOFU_DPKG_QUERY dpkg-query)
mark_as_advanced(TOFU_DPKG_QUERY)
if(TOFU_DPKG_QUERY)
  set(TOFU_COPYRIGHTS "${CMAKE_BINARY_DIR}/copyrights")
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libstdc++.a
    OUTPUT_VARIABLE parts OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND parts */include/fmt/format.h)
  foreach(name gmp mpfr re2 yaml nghttp2 protobuf zlib crypt utf8proc md bsd tinfo edit)
    list(APPEND parts "${TOFU_${name}_LIBRARY}")
  endforeach()
  # The same file has one path in the package and another one through the link /lib.
  list(TRANSFORM parts REPLACE "^.*/(lib[^/]*)$" "*/\\1")
  execute_process(COMMAND "${TOFU_DPKG_QUERY}" --search ${parts}
    OUTPUT_VARIABLE owners ERROR_QUIET)
  string(REGEX MATCHALL "(^|\n)[^:,\n]+" owners "${owners}")
  list(TRANSFORM owners STRIP)
  list(REMOVE_DUPLICATES owners)
  execute_process(
    COMMAND "${TOFU_DPKG_QUERY}" --show "--showformat=\${source:Package} \${source:Version}\\n" ${owners}
    OUTPUT_VARIABLE versions ERROR_QUIET)
  string(REGEX MATCHALL "[^\n]+" TOFU_LIBRARY_VERSIONS "${versions}")
  foreach(owner IN LISTS owners)
    if(EXISTS "/usr/share/doc/${owner}/copyright")
      configure_file("/usr/share/doc/${owner}/copyright" "${TOFU_COPYRIGHTS}/${owner}" COPYONLY)
    endif()
  endforeach()
endif()

# Debian has {fmt} only as a shared library, but with everything needed to make
# the archive ourselves: one file.
add_library(tofu_fmt STATIC "${CMAKE_SOURCE_DIR}/cmake/fmt_archive.cc")
target_compile_options(tofu_fmt PRIVATE ${TOFU_QUICK_OPTIONS})
add_library(tofu::fmt ALIAS tofu_fmt)

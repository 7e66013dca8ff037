# Outside libraries, each as one target tofu::<name>.
#
# Debian's static archives are preferred: a program that the dynamic loader has
# little to do for starts several times faster, and this program is often started
# only to print one line. glibc itself stays dynamic.

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

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

tofu_package(gmp      ARCHIVE libgmp.a      HEADER gmp.h)
tofu_package(mpfr     ARCHIVE libmpfr.a     HEADER mpfr.h LINK tofu::gmp)
tofu_package(re2      ARCHIVE libre2.a      HEADER re2/re2.h LINK Threads::Threads)
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

# Makes code of what is in src/providers/proto.
find_program(TOFU_PROTOC protoc)
mark_as_advanced(TOFU_PROTOC)
if(NOT TOFU_PROTOC)
  message(FATAL_ERROR "The program protoc is missing; './dev build' installs what is needed.")
endif()

# Debian has {fmt} only as a shared library, but with everything needed to make
# the archive ourselves: one file.
add_library(tofu_fmt STATIC "${CMAKE_SOURCE_DIR}/cmake/fmt_archive.cc")
target_compile_options(tofu_fmt PRIVATE ${TOFU_QUICK_OPTIONS})
add_library(tofu::fmt ALIAS tofu_fmt)

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
tofu_package(crypto   ARCHIVE libcrypto.a   HEADER openssl/evp.h LINK Threads::Threads)
tofu_package(ssl      ARCHIVE libssl.a      HEADER openssl/ssl.h LINK tofu::crypto)
tofu_package(zlib     ARCHIVE libz.a        HEADER zlib.h)
tofu_package(crypt    ARCHIVE libcrypt.a    HEADER crypt.h)
tofu_package(utf8proc ARCHIVE libutf8proc.a HEADER utf8proc.h)
tofu_package(md       ARCHIVE libmd.a       HEADER md5.h)
tofu_package(bsd      ARCHIVE libbsd.a      HEADER bsd/bsd.h LINK tofu::md)
tofu_package(tinfo    ARCHIVE libtinfo.a    HEADER term.h)
tofu_package(edit     ARCHIVE libedit.a     HEADER histedit.h LINK tofu::tinfo tofu::bsd)

# libcurl is not linked but loaded when it is first needed, and only its headers
# count here: see src/transport/curl_library.h.
find_path(TOFU_curl_INCLUDE curl/curl.h)
mark_as_advanced(TOFU_curl_INCLUDE)
if(NOT TOFU_curl_INCLUDE)
  message(FATAL_ERROR "The headers of libcurl are missing; './dev build' installs what is needed.")
endif()
add_library(tofu::curl INTERFACE IMPORTED GLOBAL)
set_target_properties(tofu::curl PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${TOFU_curl_INCLUDE}")
target_link_libraries(tofu::curl INTERFACE ${CMAKE_DL_LIBS})
tofu_package(bz2      ARCHIVE libbz2.a      HEADER bzlib.h)
tofu_package(lzma     ARCHIVE liblzma.a     HEADER lzma.h LINK Threads::Threads)
tofu_package(nettle   ARCHIVE libnettle.a   HEADER nettle/aes.h)
tofu_package(zstd     ARCHIVE libzstd.a     HEADER zstd.h LINK Threads::Threads)
tofu_package(archive  ARCHIVE libarchive.a  HEADER archive.h
             LINK tofu::zlib tofu::bz2 tofu::lzma tofu::nettle tofu::zstd)

# Debian has {fmt} only as a shared library, but with everything needed to make
# the archive ourselves: one file.
add_library(tofu_fmt STATIC "${CMAKE_SOURCE_DIR}/cmake/fmt_archive.cc")
add_library(tofu::fmt ALIAS tofu_fmt)

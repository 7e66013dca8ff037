# The libraries of the portable program (TOFU_STATIC): archives only, all in TOFU_SYSROOT, where
# tools/release/ unpacks and builds them. The program needs no file of the system it runs on.

if(NOT TOFU_SYSROOT)
  message(FATAL_ERROR "TOFU_STATIC needs the folder that ./dev release makes (docs/release.md)")
endif()

# tofu_static_package(<name> ARCHIVES <names without lib and .a>... [LINK targets...] [INCLUDE <folder>])
function(tofu_static_package name)
  cmake_parse_arguments(arg "" "INCLUDE" "ARCHIVES;LINK" ${ARGN})
  add_library(tofu::${name} INTERFACE IMPORTED GLOBAL)
  foreach(archive IN LISTS arg_ARCHIVES)
    find_library(TOFU_${archive}_LIBRARY NAMES lib${archive}.a REQUIRED)
    mark_as_advanced(TOFU_${archive}_LIBRARY)
    target_link_libraries(tofu::${name} INTERFACE "${TOFU_${archive}_LIBRARY}")
  endforeach()
  target_link_libraries(tofu::${name} INTERFACE ${arg_LINK})
  if(arg_INCLUDE)
    set_target_properties(tofu::${name} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${TOFU_SYSROOT}/usr/include/${arg_INCLUDE}")
  endif()
endfunction()

tofu_static_package(gmp      ARCHIVES gmp)
tofu_static_package(mpfr     ARCHIVES mpfr LINK tofu::gmp)
tofu_static_package(re2      ARCHIVES re2 LINK Threads::Threads)
tofu_static_package(yaml     ARCHIVES yaml)
tofu_static_package(nghttp2  ARCHIVES nghttp2)
tofu_static_package(protobuf ARCHIVES protobuf-lite LINK Threads::Threads)
tofu_static_package(zlib     ARCHIVES z)
tofu_static_package(crypt    ARCHIVES crypt)
tofu_static_package(utf8proc ARCHIVES utf8proc)
tofu_static_package(edit     ARCHIVES edit tinfo bsd md)
tofu_static_package(crypto   ARCHIVES ssl crypto LINK Threads::Threads)
tofu_static_package(idn2     ARCHIVES idn2 unistring)
tofu_static_package(curl     ARCHIVES curl LINK tofu::nghttp2 tofu::idn2 tofu::crypto tofu::zlib)
tofu_static_package(pq       ARCHIVES pq pgcommon_shlib pgport_shlib LINK tofu::crypto)
tofu_static_package(bz2      ARCHIVES bz2)
tofu_static_package(lzma     ARCHIVES lzma LINK Threads::Threads)
tofu_static_package(xml2     ARCHIVES xml2 INCLUDE libxml2)
tofu_static_package(rnp      ARCHIVES rnp json-c LINK tofu::crypto tofu::bz2 tofu::zlib)
tofu_static_package(archive  ARCHIVES archive nettle acl zstd
                    LINK tofu::crypto tofu::bz2 tofu::lzma tofu::zlib)
add_library(tofu::openssl ALIAS tofu::crypto)
add_library(tofu::ssl ALIAS tofu::crypto)

# As for Debian: the package has {fmt} as a shared library only.
add_library(tofu_fmt STATIC "${CMAKE_SOURCE_DIR}/cmake/fmt_archive.cc")
add_library(tofu::fmt ALIAS tofu_fmt)

# The notices of everything unpacked or built, for `cmake --install`, and its versions, for
# `tofu version -verbose`.
set(TOFU_COPYRIGHTS "${TOFU_SYSROOT}/copyrights")
file(STRINGS "${TOFU_SYSROOT}/versions" TOFU_LIBRARY_VERSIONS)

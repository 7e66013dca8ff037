# The libraries of a build for a distribution (TOFU_SHARED): what CMake and pkg-config find.

find_package(PkgConfig REQUIRED)

# tofu_shared_package(<name> <pkg-config module, with a version>)
function(tofu_shared_package name module)
  pkg_check_modules(TOFU_${name} REQUIRED IMPORTED_TARGET GLOBAL "${module}")
  add_library(tofu::${name} ALIAS PkgConfig::TOFU_${name})
  string(REGEX MATCH "^[^<>=]+" module "${module}")
  list(APPEND TOFU_LIBRARY_VERSIONS "${module} ${TOFU_${name}_VERSION}")
  set(TOFU_LIBRARY_VERSIONS "${TOFU_LIBRARY_VERSIONS}" PARENT_SCOPE)
endfunction()

tofu_shared_package(archive  libarchive)
tofu_shared_package(crypt    libcrypt)
tofu_shared_package(crypto   openssl>=3.0)    # libssl, too
tofu_shared_package(curl     libcurl>=7.87)  # see src/net/curl_library.cc
tofu_shared_package(edit     libedit)
tofu_shared_package(gmp      gmp)
tofu_shared_package(idn2     libidn2)
tofu_shared_package(mpfr     mpfr)
tofu_shared_package(nghttp2  libnghttp2)
tofu_shared_package(pq       libpq)
tofu_shared_package(protobuf protobuf-lite)
tofu_shared_package(re2      re2)
tofu_shared_package(rnp      librnp)
tofu_shared_package(utf8proc libutf8proc)
tofu_shared_package(xml2     libxml-2.0)
tofu_shared_package(yaml     yaml-0.1)
tofu_shared_package(zlib     zlib)
add_library(tofu::openssl ALIAS PkgConfig::TOFU_crypto)
add_library(tofu::ssl ALIAS PkgConfig::TOFU_crypto)

find_package(fmt REQUIRED)
add_library(tofu::fmt ALIAS fmt::fmt)
list(APPEND TOFU_LIBRARY_VERSIONS "fmt ${fmt_VERSION}")

# Tests make archives themselves.
if(TOFU_TESTS)
  find_package(BZip2 REQUIRED)
  find_package(LibLZMA REQUIRED)
  add_library(tofu::bz2 ALIAS BZip2::BZip2)
  add_library(tofu::lzma ALIAS LibLZMA::LibLZMA)
endif()

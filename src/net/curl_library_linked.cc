// libcurl of a build that links it (TOFU_SHARED).
#include "net/curl_library.h"

#include <fmt/format.h>

namespace tofu::net {

namespace {

// Signs what x-amz-content-sha256 says, for bodies that it does not see at once.
constexpr unsigned kOldest = 0x075700;  // 7.87

base::Result<CurlLibrary> start() {
  const curl_version_info_data* info = ::curl_version_info(CURLVERSION_NOW);
  if (info->version_num < kOldest) {
    return base::Error{
        fmt::format("the library libcurl is {}; 7.87 or newer is needed", info->version)};
  }
  if (::curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return base::Error{"the library libcurl cannot be started"};
  }
  return CurlLibrary{
      .easy_init = &::curl_easy_init,
      .easy_cleanup = &::curl_easy_cleanup,
      .easy_reset = &::curl_easy_reset,
      .easy_setopt = &::curl_easy_setopt,
      .easy_perform = &::curl_easy_perform,
      .easy_getinfo = &::curl_easy_getinfo,
      .easy_strerror = &::curl_easy_strerror,
      .slist_append = &::curl_slist_append,
      .slist_free_all = &::curl_slist_free_all,
  };
}

}  // namespace

const base::Result<CurlLibrary>& curl_library() {
  static const base::Result<CurlLibrary> library = start();
  return library;
}

}  // namespace tofu::net

#include "net/curl_library.h"

#include <fmt/format.h>
#include <utility>

#include "base/dynamic_library.h"

namespace tofu::net {

namespace {

constexpr const char* kFile = "libcurl.so.4";
// Signs what x-amz-content-sha256 says, for bodies that it does not see at once.
constexpr unsigned kOldest = 0x075700;  // 7.87

base::Result<CurlLibrary> load() {
  auto library = base::DynamicLibrary::load(kFile, "libcurl4");
  if (!library) return std::move(library).error();
  CurlLibrary curl{};
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_version_info) version_info = nullptr;
  library->find("curl_global_init", global_init);
  library->find("curl_version_info", version_info);
  library->find("curl_easy_init", curl.easy_init);
  library->find("curl_easy_cleanup", curl.easy_cleanup);
  library->find("curl_easy_reset", curl.easy_reset);
  library->find("curl_easy_setopt", curl.easy_setopt);
  library->find("curl_easy_perform", curl.easy_perform);
  library->find("curl_easy_getinfo", curl.easy_getinfo);
  library->find("curl_easy_strerror", curl.easy_strerror);
  library->find("curl_slist_append", curl.slist_append);
  library->find("curl_slist_free_all", curl.slist_free_all);
  if (auto found = library->check(); !found) return found.error();
  const curl_version_info_data* info = version_info(CURLVERSION_NOW);
  if (info->version_num < kOldest) {
    return base::Error{
        fmt::format("the library {} is {}; 7.87 or newer is needed", kFile, info->version)};
  }
  if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return base::Error{fmt::format("the library {} cannot be started", kFile)};
  }
  return curl;
}

}  // namespace

const base::Result<CurlLibrary>& curl_library() {
  static const base::Result<CurlLibrary> library = load();
  return library;
}

}  // namespace tofu::net

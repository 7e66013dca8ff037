#include "transport/curl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <string>

namespace tofu::transport {

namespace {

constexpr const char* kFile = "libcurl.so.4";
constexpr unsigned kOldest = 0x075500;  // 7.85: CURLOPT_PROTOCOLS_STR

// Looks functions up, and remembers the first that is missing.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <class Function>
  void find(const char* name, Function& function) {
    void* found = ::dlsym(library_, name);
    if (found == nullptr && missing_.empty()) missing_ = name;
    function = reinterpret_cast<Function>(found);
  }
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

base::Result<CurlLibrary> load() {
  void* library = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return base::Error{
        fmt::format("the network needs the library {}, which cannot be loaded (Debian has it in "
                    "the package libcurl4)",
                    kFile)};
  }
  CurlLibrary curl{};
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_version_info) version_info = nullptr;
  Symbols symbols(library);
  symbols.find("curl_global_init", global_init);
  symbols.find("curl_version_info", version_info);
  symbols.find("curl_easy_init", curl.easy_init);
  symbols.find("curl_easy_cleanup", curl.easy_cleanup);
  symbols.find("curl_easy_reset", curl.easy_reset);
  symbols.find("curl_easy_setopt", curl.easy_setopt);
  symbols.find("curl_easy_perform", curl.easy_perform);
  symbols.find("curl_easy_getinfo", curl.easy_getinfo);
  symbols.find("curl_easy_strerror", curl.easy_strerror);
  symbols.find("curl_slist_append", curl.slist_append);
  symbols.find("curl_slist_free_all", curl.slist_free_all);
  if (!symbols.missing().empty()) {
    return base::Error{fmt::format("the library {} has no {}", kFile, symbols.missing())};
  }
  const curl_version_info_data* info = version_info(CURLVERSION_NOW);
  if (info->version_num < kOldest) {
    return base::Error{
        fmt::format("the library {} is {}; 7.85 or newer is needed", kFile, info->version)};
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

}  // namespace tofu::transport

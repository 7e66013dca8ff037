#include "transport/web_url.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "transport/curl_library.h"

namespace tofu::transport {

namespace {

// A URL of libcurl's, freed at the end.
class CurlUrl {
 public:
  explicit CurlUrl(const CurlLibrary& curl) : curl_(curl), url_(curl.url()) {}
  CurlUrl(const CurlUrl&) = delete;
  CurlUrl& operator=(const CurlUrl&) = delete;
  ~CurlUrl() { curl_.url_cleanup(url_); }

  // If there is an address already, a relative one is resolved against it.
  bool set(std::string_view text) {
    return curl_.url_set(url_, CURLUPART_URL, std::string(text).c_str(), 0) == CURLUE_OK;
  }
  void clear(CURLUPart part) { curl_.url_set(url_, part, nullptr, 0); }
  // Empty if there is no such part.
  std::string get(CURLUPart part, unsigned flags = 0) const {
    char* found = nullptr;
    if (curl_.url_get(url_, part, &found, flags) != CURLUE_OK || found == nullptr) return {};
    std::string text = found;
    curl_.free(found);
    return text;
  }
  bool has(CURLUPart part) const {
    char* found = nullptr;
    if (curl_.url_get(url_, part, &found, 0) != CURLUE_OK) return false;
    curl_.free(found);
    return true;
  }

 private:
  const CurlLibrary& curl_;
  CURLU* url_;
};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

base::Result<WebUrl> taken_apart(CurlUrl& url) {
  url.clear(CURLUPART_FRAGMENT);
  WebUrl out;
  out.scheme = lower(url.get(CURLUPART_SCHEME));
  if (out.scheme != "http" && out.scheme != "https") {
    return base::Error{fmt::format("only http and https addresses can be fetched, not {:?}",
                                   out.scheme.substr(0, 20))};
  }
  out.host = lower(url.get(CURLUPART_HOST));
  out.port = url.get(CURLUPART_PORT, CURLU_DEFAULT_PORT);
  out.path = url.get(CURLUPART_PATH);
  out.query = url.get(CURLUPART_QUERY);
  out.text = url.get(CURLUPART_URL);
  out.has_login = url.has(CURLUPART_USER) || url.has(CURLUPART_PASSWORD);
  if (out.host.empty() || out.text.empty()) return base::Error{"the address has no host"};
  if (out.text.size() > kLongestUrl ||
      static_cast<std::size_t>(std::ranges::count(out.path, '/')) > kMostPathParts) {
    return base::Error{"the address is too long"};
  }
  return out;
}

// Checked before libcurl sees it, so that the work is bounded.
base::Result<void> check(std::string_view text) {
  if (text.size() > kLongestUrl) return base::Error{"the address is too long"};
  if (static_cast<std::size_t>(std::ranges::count(text.substr(0, text.find('?')), '/')) >
      kMostPathParts) {
    return base::Error{"the path of the address has too many parts"};
  }
  if (std::ranges::any_of(text, [](unsigned char c) { return c <= 0x20 || c == 0x7F; })) {
    return base::Error{"the address has a blank or a control character in it"};
  }
  return {};
}

}  // namespace

std::string WebUrl::authority() const {
  const bool usual = port == (scheme == "https" ? "443" : "80");
  return usual ? host : fmt::format("{}:{}", host, port);
}

base::Result<WebUrl> parse_url(std::string_view text) {
  const auto right = check(text);
  if (!right) return right.error();
  const auto& curl = curl_library();
  if (!curl) return curl.error();
  CurlUrl url(*curl);
  if (!url.set(text)) return base::Error{"the address is not a URL"};
  return taken_apart(url);
}

base::Result<WebUrl> resolve_url(const WebUrl& base, std::string_view reference) {
  const auto right = check(reference);
  if (!right) return right.error();
  const auto& curl = curl_library();
  if (!curl) return curl.error();
  CurlUrl url(*curl);
  if (!url.set(base.text) || !url.set(reference)) return base::Error{"the address is not a URL"};
  return taken_apart(url);
}

std::string escape_for_url(std::string_view text, std::string_view kept) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~").find(c) != std::string_view::npos ||
                       kept.find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

base::Result<WebUrl> redirect_url(const WebUrl& from, std::string_view location) {
  auto to = resolve_url(from, location);
  if (!to) {
    return base::Error{fmt::format("{} redirects to an address that cannot be used: {}",
                                   from.authority(), to.error().what)};
  }
  if (from.scheme == "https" && to->scheme != "https") {
    return base::Error{
        fmt::format("{} redirects from https to http ({}), where what is sent can be read and "
                    "changed by others",
                    from.authority(), to->authority())};
  }
  return to;
}

}  // namespace tofu::transport

#include "transport/http_fetch.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>

#include "transport/archive_source.h"
#include "transport/markup.h"
#include "transport/source_query.h"
#include "transport/web_url.h"

namespace tofu::transport {

namespace {

constexpr std::uint64_t kLongestPage = std::uint64_t{4} << 20;

// A login that is part of the address becomes a header that is not passed on; others
// may be in the user's netrc file.
base::Result<WebRequest> request_for(const Fetching& fetching, const FetchRequest& package,
                                     const base::Url& address) {
  WebRequest request;
  auto url = parse_web_url(address.to_string());
  if (!url) return std::move(url).error();
  if (!url->userinfo.empty()) {
    const Secret password(url->password(), Origin(*url));
    request.private_headers.push_back({"Authorization", basic_login(url->user(), password)});
    url->userinfo.clear();
  } else {
    const std::string_view own = fetching.environment("NETRC");
    const std::string_view home = fetching.environment("HOME");
    request.netrc = own.empty() && !home.empty() ? std::string(home) + "/.netrc" : std::string(own);
    // A host that somebody else named is not one that the user meant by it.
    if (package.from_elsewhere) request.netrc_default = NetrcDefault::Ignored;
  }
  request.url = url->to_string();
  return request;
}

std::string status_problem(const WebReply& reply) {
  const char* hint = reply.status == 401 || reply.status == 403 ? ", which asks for a login"
                     : reply.status == 404 ? ", which means that it is not there"
                                           : "";
  return fmt::format("the server answered with status {}{}", reply.status, hint);
}

base::Result<HttpAnswer> fetch_archive(const Fetching& fetching, const FetchRequest& request,
                                       const ArchiveSource& archive, const base::Url& url) {
  const std::string file = request.into + ".archive";
  auto asked = request_for(fetching, request, url);
  if (!asked) return std::move(asked).error();
  asked->limit = fetching.limits.download_bytes;
  const auto reply = fetching.web.download(*asked, file);
  base::Result<FetchedPackage> package = base::Error{"it was not downloaded"};
  if (!reply) {
    package = reply.error();
  } else if (reply->status != 200) {
    package = base::Error{status_problem(*reply)};
  } else {
    package = unpack_fetched(fetching, request, archive, url, file);
  }
  ::unlink(file.c_str());
  if (!package) return package.error();
  return HttpAnswer(std::move(*package));
}

// What the answer to terraform-get=1 names, made absolute.
base::Result<Detour> read_detour(const std::string& text, const std::string& page) {
  if (text.empty()) {
    return base::Error{
        "it is not a supported archive, and neither the header X-Terraform-Get nor a page "
        "names another source"};
  }
  if (!text.starts_with('/') && !text.starts_with("./") && !text.starts_with("../")) {
    return Detour{text};
  }
  const auto base_url = parse_web_url(page);
  if (!base_url) return base_url.error();
  auto resolved = resolve_web_url(*base_url, text);
  if (!resolved) return resolved.error();
  return Detour{resolved->to_string()};
}

}  // namespace

base::Result<HttpAnswer> fetch_http(const Fetching& fetching, const FetchRequest& request) {
  auto url = parse_package_url(request.address);
  if (!url) return url.error();
  if (url->scheme != "http" && url->scheme != "https") {
    return base::Error{"the address is neither http nor https"};
  }
  const auto archive = take_archive_source(*url);
  if (!archive) return archive.error();
  if (archive->kind) return fetch_archive(fetching, request, *archive, *url);
  if (!archive->checksum.empty()) {
    return base::Error{"a checksum needs an archive, and this is not a supported archive"};
  }
  base::UrlArguments arguments = base::parse_url_query(url->query);
  arguments.emplace_back("terraform-get", "1");
  url->query = base::format_url_query(std::move(arguments));
  auto asked = request_for(fetching, request, *url);
  if (!asked) return std::move(asked).error();
  asked->limit = kLongestPage;
  const auto reply = fetching.web.ask(*asked);
  if (!reply) return reply.error();
  if (reply->status < 200 || reply->status >= 300) return base::Error{status_problem(*reply)};
  const std::string_view header = reply->header("X-Terraform-Get");
  const auto named = header.empty() ? find_meta_content(reply->body, "terraform-get")
                                    : base::Result<std::string>(std::string(header));
  if (!named) return named.error();
  auto detour = read_detour(*named, reply->url);
  if (!detour) return detour.error();
  return HttpAnswer(std::move(*detour));
}

}  // namespace tofu::transport

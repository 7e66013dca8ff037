#include "fetch/http_fetch.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>

#include "fetch/archive_source.h"
#include "fetch/source_query.h"
#include "net/markup.h"
#include "net/web_url.h"

namespace tofu::fetch {

namespace {

constexpr std::uint64_t kMaxPageLength = std::uint64_t{4} << 20;

// A login that is part of the address becomes a header that is not passed on; others
// may be in the user's netrc file.
base::Result<net::WebRequest> request_for(const Fetching& fetching, const FetchRequest& package,
                                          const base::Url& address) {
  net::WebRequest request;
  auto url = net::parse_web_url(address.to_string());
  if (!url) return std::move(url).error();
  if (!url->userinfo.empty()) {
    const net::Secret password(url->password(), net::Origin(*url));
    request.private_headers.push_back({"Authorization", net::basic_login(url->user(), password)});
    url->userinfo.clear();
  } else {
    const std::string_view own = fetching.environment("NETRC");
    const std::string_view home = fetching.environment("HOME");
    request.netrc = own.empty() && !home.empty() ? std::string(home) + "/.netrc" : std::string(own);
    // A host named by a server is not one that the user has chosen.
    if (package.untrusted) request.netrc_default = net::NetrcDefault::Ignored;
  }
  request.url = url->to_string();
  return request;
}

std::string status_problem(const net::WebReply& reply) {
  const char* hint = reply.status == 401 || reply.status == 403 ? ", which asks for a login"
                     : reply.status == 404                      ? " (not found)"
                                                                : "";
  return fmt::format("the server responded with status {}{}", reply.status, hint);
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

// The absolute source in the response to terraform-get=1.
base::Result<SourceRedirect> read_detour(const std::string& text, const std::string& page) {
  if (text.empty()) {
    return base::Error{
        "it is not a supported archive, and neither the header X-Terraform-Get nor a page "
        "names another source"};
  }
  if (!text.starts_with('/') && !text.starts_with("./") && !text.starts_with("../")) {
    return SourceRedirect{text};
  }
  const auto base_url = net::parse_web_url(page);
  if (!base_url) return base_url.error();
  auto resolved = net::resolve_web_url(*base_url, text);
  if (!resolved) return resolved.error();
  return SourceRedirect{resolved->to_string()};
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
  asked->limit = kMaxPageLength;
  const auto reply = fetching.web.ask(*asked);
  if (!reply) return reply.error();
  if (reply->status < 200 || reply->status >= 300) return base::Error{status_problem(*reply)};
  const std::string_view header = reply->header("X-Terraform-Get");
  const auto named = header.empty() ? net::find_meta_content(reply->body, "terraform-get")
                                    : base::Result<std::string>(std::string(header));
  if (!named) return named.error();
  auto detour = read_detour(*named, reply->url);
  if (!detour) return detour.error();
  return HttpAnswer(std::move(*detour));
}

}  // namespace tofu::fetch

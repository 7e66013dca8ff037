#include "transport/http_fetch.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>

#include "base/overloaded.h"
#include "base/unicode.h"
#include "transport/archive_source.h"
#include "transport/source_query.h"
#include "transport/web_url.h"

namespace tofu::transport {

namespace {

constexpr std::uint64_t kLongestPage = std::uint64_t{4} << 20;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

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
        "it is no archive of a known kind, and neither the header X-Terraform-Get nor a page "
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

// Attributes of an HTML tag, without regard to how carefully they are quoted.
class TagReader {
 public:
  explicit TagReader(std::string_view text) : text_(text) {}

  bool next(std::string& name, std::string& value) {
    const std::size_t start = text_.find_first_not_of(" \t\r\n/");
    if (start == std::string_view::npos) return false;
    text_.remove_prefix(start);
    const std::size_t end = std::min(text_.find_first_of("= \t\r\n/"), text_.size());
    name = lower(text_.substr(0, end));
    text_.remove_prefix(end);
    value.clear();
    const std::size_t equal = text_.find_first_not_of(" \t\r\n");
    if (equal == std::string_view::npos || text_[equal] != '=') return true;
    text_.remove_prefix(equal + 1);
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size()));
    if (text_.empty()) return true;
    const char quote = text_.front() == '"' || text_.front() == '\'' ? text_.front() : '\0';
    if (quote != '\0') text_.remove_prefix(1);
    const std::size_t stop =
        std::min(quote != '\0' ? text_.find(quote) : text_.find_first_of(" \t\r\n"), text_.size());
    value = text_.substr(0, stop);
    text_.remove_prefix(std::min(stop + (quote != '\0' ? 1 : 0), text_.size()));
    return true;
  }

 private:
  std::string_view text_;
};

std::string without_entities(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
      {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}};
  std::string out;
  while (!text.empty()) {
    const auto named = std::ranges::find_if(
        kNamed, [&](const auto& entity) { return text.starts_with(entity.first); });
    if (named != std::end(kNamed)) {
      out += named->second;
      text.remove_prefix(named->first.size());
      continue;
    }
    const std::size_t end = text.starts_with("&#") ? text.find(';') : std::string_view::npos;
    if (end != std::string_view::npos && end < 10) {
      const bool hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
      std::uint32_t code = 0;
      const char* first = text.data() + (hex ? 3 : 2);
      const auto read = std::from_chars(first, text.data() + end, code, hex ? 16 : 10);
      if (read.ec == std::errc() && read.ptr == text.data() + end && code <= 0x10FFFF) {
        base::append_utf8(out, code);
        text.remove_prefix(end + 1);
        continue;
      }
    }
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace

std::string find_meta_source(std::string_view page) {
  while (true) {
    const std::size_t open = page.find('<');
    if (open == std::string_view::npos) return {};
    page.remove_prefix(open + 1);
    if (page.starts_with("!--")) {
      const std::size_t end = page.find("-->");
      if (end == std::string_view::npos) return {};
      page.remove_prefix(end + 3);
      continue;
    }
    const std::size_t close = std::min(page.find('>'), page.size());
    const std::string_view tag = page.substr(0, close);
    page.remove_prefix(close);
    const std::size_t name_end = std::min(tag.find_first_of(" \t\r\n/", 1), tag.size());
    const std::string name = lower(tag.substr(0, name_end));
    if (name == "body" || name == "/head") return {};
    if (name != "meta") continue;
    TagReader attributes(tag.substr(name_end));
    std::string attribute;
    std::string value;
    std::string meta;
    std::string content;
    while (attributes.next(attribute, value)) {
      if (attribute == "name") meta = value;
      if (attribute == "content") content = value;
    }
    if (meta == "terraform-get" && !content.empty()) return without_entities(content);
  }
}

base::Result<HttpAnswer> fetch_http(const Fetching& fetching, const FetchRequest& request) {
  auto url = parse_package_url(request.address);
  if (!url) return url.error();
  if (url->scheme != "http" && url->scheme != "https") {
    return base::Error{"the address is neither of http nor of https"};
  }
  const auto archive = take_archive_source(*url);
  if (!archive) return archive.error();
  if (archive->kind) return fetch_archive(fetching, request, *archive, *url);
  if (!archive->checksum.empty()) {
    return base::Error{"a checksum needs an archive, and this is none of a known kind"};
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
  auto detour =
      read_detour(header.empty() ? find_meta_source(reply->body) : std::string(header), reply->url);
  if (!detour) return detour.error();
  return HttpAnswer(std::move(*detour));
}

}  // namespace tofu::transport

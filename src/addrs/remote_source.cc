// Shorthands of remote module sources, turned into URLs.
//
// The order in which they are tried, and what each accepts, are go-getter's as
// OpenTofu sets it up. One difference: for bitbucket.org it asks a server
// whether the repository is one of Git; all of them are since 2020.
#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <variant>
#include <vector>

#include "addrs/source_text.h"
#include "base/ascii.h"
#include "base/trim.h"
#include "base/url.h"

namespace tofu::addrs {

namespace {

// The meaning of a shorthand. `force` is the method that goes before `::`.
struct Detected {
  std::string_view force;
  std::string url;
  std::string subdir = {};
};
struct OfAnotherKind {};
using Detection = std::variant<OfAnotherKind, Detected, base::Error>;

struct Forced {
  std::string_view method;  // empty if none is given
  std::string_view source;
};

// git::https://… names its method.
Forced split_method(std::string_view source) {
  const std::size_t colons = source.find("::");
  if (colons == std::string_view::npos || colons == 0 || colons + 2 == source.size()) {
    return {{}, source};
  }
  const std::string_view method = source.substr(0, colons);
  const bool plain = std::ranges::all_of(method, base::is_ascii_alphanumeric);
  return plain ? Forced{method, source.substr(colons + 2)} : Forced{{}, source};
}

struct PathAndQuery {
  std::string_view path;
  std::string_view query;  // with its question mark; empty if there is nothing after it
};

PathAndQuery split_query(std::string_view source) {
  const std::size_t mark = std::min(source.find('?'), source.size());
  std::string_view query = source.substr(mark);
  if (query == "?") query = {};
  return {source.substr(0, mark), query};
}

// Escapes what a URL cannot hold and leaves alone what is escaped already.
base::Result<std::string> normal_path(std::string_view path) {
  const auto plain = base::unescape_url(path, false);
  if (!plain) return base::Error{fmt::format("\"{}\" has a broken % escape", path)};
  return base::escape_url_path(*plain);
}

Detection detect_github(std::string_view source) {
  if (!source.starts_with("github.com/")) return OfAnotherKind{};
  const auto [path, query] = split_query(source);
  const auto parts = base::split(path, '/');
  if (parts.size() < 3) {
    return base::Error{"a source at GitHub has the form github.com/OWNER/REPOSITORY"};
  }
  auto repository = normal_path(fmt::format("/{}/{}", parts[1], parts[2]));
  if (!repository) return std::move(repository).error();
  if (!repository->ends_with(".git")) *repository += ".git";
  Detected found{"git", fmt::format("https://github.com{}{}", *repository, query)};
  if (parts.size() > 3) {
    found.subdir = path.substr(static_cast<std::size_t>(parts[3].data() - path.data()));
  }
  return found;
}

// The query with its arguments sorted by name and escaped anew.
base::Result<std::string> normal_query(std::string_view query) {
  query.remove_prefix(std::min<std::size_t>(1, query.size()));
  if (!base::unescape_url(query, true)) {
    return base::Error{fmt::format("\"{}\" has a broken % escape", query)};
  }
  const std::string sorted = base::format_url_query(base::parse_url_query(query));
  return sorted.empty() ? sorted : "?" + sorted;
}

// git@HOST:PATH, the form that ssh and git share.
Detection detect_ssh(std::string_view source) {
  constexpr std::string_view kUser = "git@";
  if (!source.starts_with(kUser)) return OfAnotherKind{};
  source.remove_prefix(kUser.size());
  const std::size_t colon = source.find(':');
  if (colon == 0 || colon == std::string_view::npos) return OfAnotherKind{};
  const std::string_view host = source.substr(0, colon);
  source.remove_prefix(colon + 1);
  if (source.size() > 1 && source.starts_with('/')) source.remove_prefix(1);
  if (source.empty()) return OfAnotherKind{};
  const auto [path, query] = split_query(source);
  auto arguments = normal_query(query);
  if (!arguments) return std::move(arguments).error();
  return Detected{"git", fmt::format("ssh://git@{}{}{}{}", host, path.starts_with('/') ? "" : "/",
                                     base::escape_url_path(path), *arguments)};
}

Detection detect_bitbucket(std::string_view source) {
  constexpr std::string_view kHost = "bitbucket.org";
  if (!source.starts_with("bitbucket.org/")) return OfAnotherKind{};
  const auto [path, query] = split_query(source);
  auto repository = normal_path(path.substr(kHost.size()));
  if (!repository) return std::move(repository).error();
  if (!repository->ends_with(".git")) *repository += ".git";
  return Detected{"git", fmt::format("https://{}{}{}", kHost, *repository, query)};
}

Detection detect_gcs(std::string_view source) {
  if (source.find(".googleapis.com/") == std::string_view::npos) return OfAnotherKind{};
  const auto parts = base::split(source, '/');
  if (parts.size() < 5) {
    return base::Error{
        "a source in Google Cloud Storage has the form "
        "www.googleapis.com/storage/VERSION/BUCKET/PATH"};
  }
  return Detected{
      "gcs", fmt::format("https://www.googleapis.com/storage/{}",
                         source.substr(static_cast<std::size_t>(parts[2].data() - source.data())))};
}

// The bucket may be the first part of the path or of the host name.
Detection detect_s3(std::string_view source) {
  constexpr std::string_view kDomain = ".amazonaws.com/";
  if (source.find(kDomain) == std::string_view::npos) return OfAnotherKind{};
  const std::size_t slash = source.find('/');
  const std::string_view host = source.substr(0, slash);
  const std::string_view path = source.substr(slash + 1);
  std::vector<std::string_view> labels;
  for (std::string_view rest = host;;) {
    const std::size_t dot = rest.find('.');
    labels.push_back(rest.substr(0, dot));
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (labels.size() == 3) {
    return Detected{"s3", fmt::format("https://{}.amazonaws.com/{}", labels[0], path)};
  }
  if (labels.size() == 4) {
    return Detected{"s3",
                    fmt::format("https://{}.amazonaws.com/{}/{}", labels[1], labels[0], path)};
  }
  if (labels.size() == 5 && labels[1] == "s3") {
    return Detected{"s3",
                    fmt::format("https://s3.{}.amazonaws.com/{}/{}", labels[2], labels[0], path)};
  }
  return base::Error{fmt::format("\"{}\" is no host of an S3 bucket", host)};
}

Detection detect_file(std::string_view source) {
  if (source.starts_with('/')) return Detected{{}, fmt::format("file://{}", source)};
  return base::Error{fmt::format(
      "\"{0}\" is no source of a kind that is known; a directory beside the calling module is "
      "written with a leading \"./\", as in \"./{0}\"",
      source)};
}

}  // namespace

base::Result<RemoteSource> normalize_package(std::string_view source) {
  if (source.empty()) return base::Error{"it cannot be empty"};
  const auto [method, address] = split_method(source);
  if (base::parse_url(address)) return RemoteSource{std::string(source)};
  for (const auto detect :
       {&detect_github, &detect_ssh, &detect_bitbucket, &detect_gcs, &detect_s3, &detect_file}) {
    const Detection detected = detect(address);
    if (const auto* error = std::get_if<base::Error>(&detected)) return *error;
    const auto* found = std::get_if<Detected>(&detected);
    if (found == nullptr) continue;
    const std::string_view force = method.empty() ? found->force : method;
    std::string package(force);
    if (!force.empty()) package += "::";
    package += found->url;
    return RemoteSource{std::move(package),
                        found->subdir.empty() ? std::string() : clean_path(found->subdir)};
  }
  base::broken_promise("the last detection accepts or refuses every source");
}

RemoteKind kind_of(const RemoteSource& source) {
  const auto [method, address] = split_method(source.package);
  const auto url = base::parse_url(address);
  const std::string scheme = url ? url->scheme : std::string();
  const std::string_view by = method.empty() ? std::string_view(scheme) : method;
  if (by == "git") return RemoteKind::Git;
  if (by == "hg") return RemoteKind::Mercurial;
  if (by == "http" || by == "https") return RemoteKind::Http;
  if (by == "oci") return RemoteKind::Oci;
  if (by == "s3") return RemoteKind::S3;
  if (by == "gcs") return RemoteKind::Gcs;
  if (by == "file") return RemoteKind::File;
  return RemoteKind::Unsupported;
}

}  // namespace tofu::addrs

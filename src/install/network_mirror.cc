#include "install/network_mirror.h"

#include <fmt/format.h>
#include <utility>

#include "base/hostname.h"
#include "install/provider_registry_reply.h"
#include "install/registry_reply.h"

namespace tofu::install {

namespace {

using Kind = MethodProblem::Kind;

constexpr std::uint64_t kMaxDocumentSize = 16 << 20;

}  // namespace

base::Result<base::Url> parse_mirror_url(std::string_view text) {
  auto url = net::parse_web_url(text);
  if (!url) return url;
  if (url->scheme != "https") return base::Error{"a network mirror must have an https URL"};
  if (!url->userinfo.empty()) {
    return base::Error{"the address of a network mirror cannot have a password in it"};
  }
  if (url->path.ends_with('/')) return url;
  return net::parse_web_url(fmt::format("{}://{}{}/", url->scheme, url->authority(), url->path));
}

NetworkMirror::NetworkMirror(net::Web& web, const net::Credentials& credentials,
                             NetworkMirrorSettings settings)
    : web_(web), credentials_(credentials), settings_(std::move(settings)) {}

std::string NetworkMirror::for_display(const addrs::Provider&) const {
  return fmt::format("the mirror {}", settings_.url.to_string());
}

NetworkMirror::Document NetworkMirror::get(const addrs::Provider& provider,
                                           const std::string& name) {
  const std::string path =
      fmt::format("{}/{}/{}/{}", provider.host.ascii, provider.space, provider.type, name);
  return documents_.get(path, [&]() -> Document {
    // The port of a host would be read as the end of a scheme.
    auto url = net::resolve_web_url(settings_.url, "./" + path);
    if (!url) return std::move(url).error();
    net::WebRequest request{.url = url->to_string(), .limit = kMaxDocumentSize};
    if (!settings_.program_version.empty()) {
      request.headers.push_back({"X-Terraform-Version", settings_.program_version});
    }
    const auto host = base::parse_hostname(settings_.url.authority());
    if (const auto token = host ? credentials_.token(*host) : std::nullopt) {
      const net::Secret here = token->rescoped_to(net::Origin(*url));
      request.private_headers = {{"Authorization", net::bearer_token(here)}};
    }
    auto reply = web_.ask(request);
    if (!reply || reply->status != 200) return reply;
    const std::string type = media_type(reply->header("Content-Type"));
    if (type == "application/json") return reply;
    return base::Error{
        fmt::format("its document is of type {:?}, not application/json", type.substr(0, 60))};
  });
}

MethodProblem NetworkMirror::refusal(std::string_view about, const Document& document) const {
  const std::string mirror = settings_.url.to_string();
  if (!document) {
    return {Kind::Failed, fmt::format("request to the mirror {} for {} failed: {}", mirror, about,
                                      document.error().what)};
  }
  if (document->status == 401 || document->status == 403) {
    return {Kind::Failed,
            fmt::format("the mirror {} refuses access to {} with status {}; a credentials block of "
                        "the CLI configuration or a TF_TOKEN_ variable gives a token for its host",
                        mirror, about, document->status)};
  }
  return {Kind::Failed, fmt::format("the mirror {} answers the question for {} with status {}",
                                    mirror, about, document->status)};
}

base::Result<OfferedVersions, MethodProblem> NetworkMirror::versions(
    const addrs::Provider& provider) {
  const auto document = get(provider, "index.json");
  if (document && document->status == 404) return MethodProblem{Kind::NotFound};
  const std::string about = fmt::format("the versions of {}", provider.for_display());
  if (!document || document->status != 200) return refusal(about, document);
  auto offered = mirror_versions_in(document->body);
  if (offered) return std::move(*offered);
  return MethodProblem{Kind::Failed,
                       fmt::format("the mirror {} is not understood: asked for {}, {}",
                                   settings_.url.to_string(), about, offered.error().what)};
}

base::Result<PackageOffer, MethodProblem> NetworkMirror::package(const addrs::Provider& provider,
                                                                 const addrs::Version& version,
                                                                 const Platform& platform) {
  const std::string about =
      fmt::format("the packages of {} {}", provider.for_display(), version.to_string());
  const auto document = get(provider, version.to_string() + ".json");
  // Another mirror or the registry may have this version: only they can say so.
  if (document && document->status == 404) {
    return MethodProblem{Kind::NoPackage, fmt::format("the mirror {} does not have {}",
                                                      settings_.url.to_string(), about)};
  }
  if (!document || document->status != 200) return refusal(about, document);
  const auto unclear = [&](std::string_view why) {
    return MethodProblem{Kind::Failed,
                         fmt::format("the mirror {} is not understood: asked for {}, {}",
                                     settings_.url.to_string(), about, why)};
  };
  auto archives = mirror_archives_in(document->body);
  if (!archives) return unclear(archives.error().what);
  const auto own = archives->find(platform.to_string());
  if (own == archives->end()) {
    return MethodProblem{Kind::NoPackage,
                         fmt::format("the mirror {} has no package of it for {}",
                                     settings_.url.to_string(), platform.to_string())};
  }
  const auto at = net::parse_web_url(document->url);
  if (!at) return unclear(at.error().what);
  const auto url = net::resolve_web_url(*at, own->second.url);
  if (!url) return unclear(url.error().what);
  PackageOffer offer{.location = PackageUrl{url->to_string(), settings_.retries},
                     .hashes = own->second.hashes,
                     .trusts_all_hashes = settings_.trusts_all_hashes};
  if (!settings_.trusts_all_hashes) return offer;
  for (auto& [name, archive] : *archives) {
    if (name == platform.to_string()) continue;
    std::ranges::move(archive.hashes, std::back_inserter(offer.hashes));
  }
  return offer;
}

}  // namespace tofu::install

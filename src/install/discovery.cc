#include "install/discovery.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "install/registry_reply.h"
#include "net/json_fields.h"

namespace tofu::install {

namespace {

constexpr std::string_view kDocument = "/.well-known/terraform.json";
constexpr std::uint64_t kMaxDocumentSize = 1 << 20;

}  // namespace

std::vector<net::SecretHeader> Discovery::authorization(const base::Hostname& host,
                                                        const base::Url& url) const {
  const auto token = credentials_.token(host);
  if (!token) return {};
  const net::Secret here = token->rescoped_to(net::Origin(url));
  return {{"Authorization", net::bearer_token(here)}};
}

base::Result<Discovery::Document> Discovery::ask(const base::Hostname& host) const {
  auto url = net::parse_web_url(fmt::format("https://{}{}", host.ascii, kDocument));
  if (!url) return std::move(url).error();
  if (const net::HostServices* known = credentials_.services(host)) {
    return Document{std::move(*url), *known, true};
  }
  const auto failed = [&](const std::string& why) {
    return base::Error{
        fmt::format("finding the services of {} failed: {}", host.for_display(), why)};
  };
  const auto reply = web_.ask({.url = url->to_string(),
                               .headers = {{"Accept", "application/json"}},
                               .private_headers = authorization(host, *url),
                               .limit = kMaxDocumentSize});
  if (!reply) return failed(reply.error().what);
  if (reply->status == 404) return Document{std::move(*url), {}, false};
  if (reply->status != 200)
    return failed(fmt::format("it responded with status {}", reply->status));
  auto services = services_in(*reply);
  if (!services) return failed(services.error().what);
  auto found_at = net::parse_web_url(reply->url);
  if (!found_at) return failed(found_at.error().what);
  return Document{std::move(*found_at), std::move(*services), false, reply->body};
}

base::Result<std::optional<Discovery::Description>> Discovery::describe(const base::Hostname& host,
                                                                        std::string_view service) {
  const auto document = documents_.get(host.ascii, [&] { return ask(host); });
  if (!document) return document.error();
  const auto all = net::parse_json_object(document->text);
  const value::Value* found = all ? net::object_at(*all, service) : nullptr;
  if (found == nullptr) return std::optional<Description>();
  auto text = value::to_json(*found);
  if (!text) return base::Error{"its document cannot be read"};
  return std::optional(Description{std::move(*text), document->url});
}

base::Result<Service> Discovery::find(const base::Hostname& host, std::string_view service) {
  const auto document = documents_.get(host.ascii, [&] { return ask(host); });
  if (!document) return document.error();
  const auto found = document->services.find(service);
  if (found == document->services.end() || found->second.empty()) {
    const std::string_view name = service.substr(0, service.find('.') + 1);
    const bool other_version = std::ranges::any_of(
        document->services, [&](const auto& each) { return each.first.starts_with(name); });
    return base::Error{
        other_version
            ? fmt::format("{} offers the service {:?} only in other versions", host.for_display(),
                          service)
            : fmt::format("{} does not offer the service {:?}", host.for_display(), service)};
  }
  auto url = net::resolve_web_url(document->url, found->second);
  if (!url) {
    return base::Error{fmt::format("the address of the service {:?} at {} cannot be used: {}",
                                   service, host.for_display(), url.error().what)};
  }
  if (!url->userinfo.empty()) {
    return base::Error{fmt::format("the address of the service {:?} at {} has a password in it",
                                   service, host.for_display())};
  }
  const bool takes_token = document->overridden || url->scheme == "https";
  if (!url->path.ends_with('/')) {
    // A query has no place in the address of a service.
    auto with_slash =
        net::parse_web_url(fmt::format("{}://{}{}/", url->scheme, url->authority(), url->path));
    if (!with_slash) return std::move(with_slash).error();
    url = std::move(with_slash);
  }
  return Service{std::move(*url), takes_token};
}

}  // namespace tofu::install

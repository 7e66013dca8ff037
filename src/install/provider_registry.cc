#include "install/provider_registry.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "install/provider_registry_reply.h"

namespace tofu::install {

namespace {

using Kind = MethodProblem::Kind;

constexpr std::string_view kService = "providers.v1";
constexpr std::uint64_t kMaxFileSize = 4 << 20;  // checksums of all platforms are some kB
constexpr unsigned kOldestProtocol = 5;
constexpr unsigned kNewestProtocol = 6;

MethodProblem failed(std::string what) { return {Kind::Failed, std::move(what)}; }

// "5.1" and "6" are spoken here.
bool speaks(const std::string& protocol) {
  const auto version = addrs::Version::parse(protocol);
  return version && version->major() >= kOldestProtocol && version->major() <= kNewestProtocol;
}

}  // namespace

ProviderRegistry::ProviderRegistry(net::Web& web, const net::Credentials& credentials,
                                   std::string program_version, unsigned retries)
    : web_(web),
      client_(web, credentials, kService, std::move(program_version)),
      retries_(retries) {}

std::string ProviderRegistry::for_display(const addrs::Provider& provider) const {
  return "the registry " + provider.host.for_display();
}

ProviderRegistry::Versions ProviderRegistry::versions(const addrs::Provider& provider) {
  return versions_.get(provider.to_string(), [&] { return ask_versions(provider); });
}

ProviderRegistry::Package ProviderRegistry::package(const addrs::Provider& provider,
                                                    const addrs::Version& version,
                                                    const Platform& platform) {
  const std::string question =
      fmt::format("{} {} {}", provider.to_string(), version.to_string(), platform.to_string());
  return packages_.get(question, [&] { return ask_package(provider, version, platform); });
}

ProviderRegistry::Versions ProviderRegistry::ask_versions(const addrs::Provider& provider) {
  const std::string about = fmt::format("provider {}/{}", provider.space, provider.type);
  const auto answer = client_.ask(
      provider.host, fmt::format("{}/{}/versions", provider.space, provider.type), about);
  if (!answer) return failed(answer.error().what);
  if (answer->reply.status != 200) {
    const Kind kind = answer->reply.status == 404 ? Kind::NotKnown : Kind::Failed;
    return MethodProblem{kind, refusal(provider.host, about, *answer).what};
  }
  auto offered = provider_versions_in(answer->reply.body);
  if (offered) return std::move(*offered);
  return failed(fmt::format(
      "the registry at {} is not understood: asked for the versions of {}/{}, "
      "{}",
      provider.host.for_display(), provider.space, provider.type, offered.error().what));
}

base::Result<std::string> ProviderRegistry::get_file(const base::Url& at,
                                                     std::string_view reference) {
  auto url = net::resolve_web_url(at, reference);
  if (!url) return std::move(url).error();
  auto reply = web_.ask({.url = url->to_string(), .limit = kMaxFileSize});
  if (!reply) return reply.error();
  if (reply->status != 200) {
    return base::Error{fmt::format("{} responded with status {}", url->authority(), reply->status)};
  }
  return std::move(reply->body);
}

ProviderRegistry::Package ProviderRegistry::ask_package(const addrs::Provider& provider,
                                                        const addrs::Version& version,
                                                        const Platform& platform) {
  const std::string number = version.to_string();
  const std::string about = fmt::format("version {} of {}/{} for {}", number, provider.space,
                                        provider.type, platform.to_string());
  const auto answer = client_.ask(provider.host,
                                  fmt::format("{}/{}/{}/download/{}/{}", provider.space,
                                              provider.type, number, platform.os, platform.arch),
                                  about);
  if (!answer) return failed(answer.error().what);
  if (answer->reply.status != 200) {
    const Kind kind = answer->reply.status == 404 ? Kind::NoPackage : Kind::Failed;
    return MethodProblem{kind, refusal(provider.host, about, *answer).what};
  }
  const auto unclear = [&](std::string_view why) {
    return failed(fmt::format("the registry at {} is not understood: asked for {}, {}",
                              provider.host.for_display(), about, why));
  };
  auto package = provider_package_in(answer->reply.body);
  if (!package) return unclear(package.error().what);
  if (!package->protocols.empty() && !std::ranges::any_of(package->protocols, speaks)) {
    return failed(fmt::format(
        "it speaks only the plugin protocols {}, and this program speaks 5 and 6; choose another "
        "version",
        fmt::join(package->protocols, ", ")));
  }
  const auto at = net::parse_web_url(answer->reply.url);
  if (!at) return unclear(at.error().what);
  const auto url = net::resolve_web_url(*at, package->download_url);
  if (!url) return unclear(url.error().what);
  SigningMetadata& evidence = package->evidence;
  auto checksums = get_file(*at, package->checksums_url);
  if (!checksums) {
    return failed("the list of its checksums was not found: " + checksums.error().what);
  }
  auto signature = get_file(*at, package->signature_url);
  if (!signature) {
    return failed("the signature of its checksums was not found: " + signature.error().what);
  }
  evidence.checksums = std::move(*checksums);
  evidence.signature = std::move(*signature);
  return PackageOffer{.location = PackageUrl{url->to_string(), retries_},
                      .evidence = std::move(evidence)};
}

}  // namespace tofu::install

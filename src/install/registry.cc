#include "install/registry.h"

#include <fmt/format.h>
#include <utility>

#include "install/discovery.h"
#include "install/registry_reply.h"
#include "transport/asked_once.h"
#include "transport/web_url.h"

namespace tofu::install {

namespace {

using addrs::RegistrySource;

constexpr std::string_view kService = "modules.v1";
constexpr std::uint64_t kLargestReply = 16 << 20;

// "hashicorp/consul/aws", as people know it.
std::string module_name(const RegistrySource& module) {
  return fmt::format("{}/{}/{}", module.space, module.name, module.system);
}

// Why there is no answer, and what to do about it.
base::Error refusal(std::string_view host, std::string_view about, int status, bool had_token) {
  if (status == 404) {
    return {fmt::format("the registry at {} has no {} (not found)", host, about)};
  }
  if (status == 401 || status == 403) {
    return {fmt::format("the registry at {} refuses access to {} with status {}; {}", host, about,
                        status,
                        had_token ? "the token that is known for it is not good for this"
                                  : "no token is known for it: a credentials block of the CLI "
                                    "configuration or a TF_TOKEN_ variable gives one")};
  }
  if (status == 429 || status >= 500) {
    return {fmt::format("the registry at {} cannot answer about {} now (status {})", host, about,
                        status)};
  }
  return {fmt::format("the registry at {} answers about {} with status {}", host, about, status)};
}

}  // namespace

struct Registry::Inside {
  Inside(transport::Web& the_web, const transport::Credentials& credentials, std::string version)
      : web(the_web), discovery(the_web, credentials), program_version(std::move(version)) {}

  transport::Web& web;
  Discovery discovery;
  std::string program_version;
  transport::AskedOnce<base::Result<std::vector<config::Version>>> versions;
  transport::AskedOnce<base::Result<ModuleLocation>> locations;

  struct Answer {
    base::Url asked;
    transport::WebReply reply;
  };
  // What the registry says to `question`, a path below the module's; `about` is what
  // people call it.
  base::Result<Answer> ask(const RegistrySource& module, std::string_view question,
                           std::string_view about);
};

base::Result<Registry::Inside::Answer> Registry::Inside::ask(const RegistrySource& module,
                                                             std::string_view question,
                                                             std::string_view about) {
  const auto service = discovery.find(module.host, kService);
  if (!service) return service.error();
  auto url =
      transport::resolve_web_url(service->url, fmt::format("{}/{}", module_name(module), question));
  if (!url) return std::move(url).error();
  transport::WebRequest request{.url = url->to_string(), .limit = kLargestReply};
  if (!program_version.empty()) request.headers.push_back({"X-Terraform-Version", program_version});
  if (service->takes_token) request.private_headers = discovery.authorization(module.host, *url);
  const bool had_token = !request.private_headers.empty();
  auto reply = web.ask(request);
  if (!reply) {
    return base::Error{fmt::format("asking the registry at {} about {} failed: {}",
                                   module.host.for_display(), about, reply.error().what)};
  }
  if (reply->status != 200 && reply->status != 204) {
    return refusal(module.host.for_display(), about, reply->status, had_token);
  }
  return Answer{std::move(*url), std::move(*reply)};
}

Registry::Registry(transport::Web& web, const transport::Credentials& credentials,
                   std::string program_version)
    : inside_(std::make_unique<Inside>(web, credentials, std::move(program_version))) {}
Registry::~Registry() = default;

base::Result<std::vector<config::Version>> Registry::versions(const RegistrySource& module) {
  return inside_->versions.get(
      module.package(), [&]() -> base::Result<std::vector<config::Version>> {
        const std::string about = "module " + module_name(module);
        const auto answer = inside_->ask(module, "versions", about);
        if (!answer) return answer.error();
        auto versions = versions_in(answer->reply.body);
        if (versions) return versions;
        return base::Error{
            fmt::format("the registry at {} is not understood: asked for the "
                        "versions of {}, {}",
                        module.host.for_display(), module_name(module), versions.error().what)};
      });
}

base::Result<ModuleLocation> Registry::location(const RegistrySource& module,
                                                const config::Version& version) {
  const std::string number = version.to_string();
  return inside_->locations.get(
      module.package() + " " + number, [&]() -> base::Result<ModuleLocation> {
        const std::string about = fmt::format("version {} of {}", number, module_name(module));
        const auto answer = inside_->ask(module, number + "/download", about);
        if (!answer) return answer.error();
        auto location = location_in(answer->reply, answer->asked);
        if (location) return location;
        return base::Error{fmt::format(
            "the registry at {} is not understood: asked for version "
            "{} of {}, {}",
            module.host.for_display(), number, module_name(module), location.error().what)};
      });
}

}  // namespace tofu::install

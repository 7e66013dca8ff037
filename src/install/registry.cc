#include "install/registry.h"

#include <fmt/format.h>
#include <utility>

#include "install/registry_client.h"
#include "install/registry_reply.h"
#include "transport/asked_once.h"

namespace tofu::install {

namespace {

using addrs::RegistrySource;

constexpr std::string_view kService = "modules.v1";

// "hashicorp/consul/aws", as people know it.
std::string module_name(const RegistrySource& module) {
  return fmt::format("{}/{}/{}", module.space, module.name, module.system);
}

}  // namespace

struct Registry::Inside {
  Inside(transport::Web& web, const transport::Credentials& credentials, std::string version)
      : client(web, credentials, kService, std::move(version)) {}

  RegistryClient client;
  transport::AskedOnce<base::Result<std::vector<config::Version>>> versions;
  transport::AskedOnce<base::Result<ModuleLocation>> locations;

  // What the registry says to `question`, a path below the module's; `about` is what
  // people call it.
  base::Result<RegistryAnswer> ask(const RegistrySource& module, std::string_view question,
                                   std::string_view about);
};

base::Result<RegistryAnswer> Registry::Inside::ask(const RegistrySource& module,
                                                   std::string_view question,
                                                   std::string_view about) {
  auto answer = client.ask(module.host, fmt::format("{}/{}", module_name(module), question), about);
  if (answer && answer->reply.status != 200 && answer->reply.status != 204) {
    return refusal(module.host, about, *answer);
  }
  return answer;
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

#include "install/registry.h"

#include <fmt/format.h>
#include <utility>

#include "install/registry_client.h"
#include "install/registry_reply.h"
#include "net/memoized.h"

namespace tofu::install {

namespace {

using addrs::RegistrySource;

constexpr std::string_view kService = "modules.v1";

// "hashicorp/consul/aws", as people know it.
std::string module_name(const RegistrySource& module) {
  return fmt::format("{}/{}/{}", module.space, module.name, module.system);
}

}  // namespace

struct Registry::Impl {
  Impl(net::Web& web, const net::Credentials& credentials, std::string version)
      : client(web, credentials, kService, std::move(version)) {}

  RegistryClient client;
  net::Memoized<base::Result<std::vector<addrs::Version>>> versions;
  net::Memoized<base::Result<ModuleLocation>> locations;

  // The registry's response to `question`, a path below the module's; `about` is what people call
  // it.
  base::Result<RegistryAnswer> ask(const RegistrySource& module, std::string_view question,
                                   std::string_view about);
};

base::Result<RegistryAnswer> Registry::Impl::ask(const RegistrySource& module,
                                                 std::string_view question,
                                                 std::string_view about) {
  auto answer = client.ask(module.host, fmt::format("{}/{}", module_name(module), question), about);
  if (answer && answer->reply.status != 200 && answer->reply.status != 204) {
    return refusal(module.host, about, *answer);
  }
  return answer;
}

Registry::Registry(net::Web& web, const net::Credentials& credentials, std::string program_version)
    : impl_(std::make_unique<Impl>(web, credentials, std::move(program_version))) {}
Registry::~Registry() = default;

base::Result<std::vector<addrs::Version>> Registry::versions(const RegistrySource& module) {
  return impl_->versions.get(module.package(), [&]() -> base::Result<std::vector<addrs::Version>> {
    const std::string about = "module " + module_name(module);
    const auto answer = impl_->ask(module, "versions", about);
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
                                                const addrs::Version& version) {
  const std::string number = version.to_string();
  return impl_->locations.get(
      module.package() + " " + number, [&]() -> base::Result<ModuleLocation> {
        const std::string about = fmt::format("version {} of {}", number, module_name(module));
        const auto answer = impl_->ask(module, number + "/download", about);
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

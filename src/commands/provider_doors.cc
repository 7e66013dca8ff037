#include "commands/provider_doors.h"

#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "base/file.h"
#include "commands/version_mode.h"
#include "install/filesystem_mirror.h"
#include "install/method_list.h"
#include "install/network_mirror.h"
#include "install/oci_mirror.h"
#include "install/provider_registry.h"
#include "value/json.h"

namespace tofu::commands {

namespace {

using MethodKind = InstallationMethod::Kind;

// OpenTofu's own number.
constexpr unsigned kDownloadRetries = 2;

unsigned download_retries(const World& world, const std::optional<unsigned>& configured) {
  if (configured) return *configured;
  const std::string_view text = world.environment.variable("TF_PROVIDER_DOWNLOAD_RETRY");
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return is_number ? number : kDownloadRetries;
}

install::SignaturePolicy signature_policy(const World& world) {
  const auto is_set = [&](std::string_view name) {
    return world.environment.variable(name) == "true";
  };
  return {.always_required = is_set("OPENTOFU_ENFORCE_GPG_VALIDATION"),
          .refuses_expired = is_set("OPENTOFU_ENFORCE_GPG_EXPIRATION")};
}

std::string program_version() { return own_versions().tofu.to_string(); }

// Directories that are mirrors without being configured, as far as they exist.
std::vector<std::string> implied_directories(const World& world) {
  const Environment& environment = world.environment;
  const std::string home(environment.variable("HOME"));
  const std::string_view data = environment.variable("XDG_DATA_HOME");
  std::vector<std::string> places = {environment.working_directory + "/terraform.d/plugins",
                                     home + "/.terraform.d/plugins"};
  if (!data.empty()) places.push_back(fmt::format("{}/opentofu/plugins", data));
  places.push_back(data.empty() ? home + "/.local/share/terraform/plugins"
                                : fmt::format("{}/terraform/plugins", data));
  std::string_view shared = environment.variable("XDG_DATA_DIRS");
  if (shared.empty()) shared = "/usr/local/share:/usr/share";
  while (!shared.empty()) {
    const std::size_t colon = std::min(shared.find(':'), shared.size());
    if (colon > 0) places.push_back(fmt::format("{}/terraform/plugins", shared.substr(0, colon)));
    shared.remove_prefix(std::min(colon + 1, shared.size()));
  }
  std::erase_if(places, [](const std::string& path) {
    const auto kind = base::file_kind(path);
    return !kind || *kind != base::FileKind::Directory;
  });
  return places;
}

std::unique_ptr<install::InstallMethod> network_mirror(base::Url url,
                                                       const InstallationMethod& method,
                                                       const World& world, ProviderDoors& doors) {
  return std::make_unique<install::NetworkMirror>(
      doors.packages.web, doors.packages.credentials,
      install::NetworkMirrorSettings{.url = std::move(url),
                                     .retries = download_retries(world, method.download_retries),
                                     .trusts_all_hashes = method.trusts_all_hashes,
                                     .program_version = program_version()});
}

std::unique_ptr<install::InstallMethod> registry(const std::optional<unsigned>& retries,
                                                 const World& world, ProviderDoors& doors) {
  return std::make_unique<install::ProviderRegistry>(doors.packages.web, doors.packages.credentials,
                                                     program_version(),
                                                     download_retries(world, retries));
}

std::unique_ptr<install::InstallMethod> make_method(const InstallationMethod& method,
                                                    const World& world, ProviderDoors& doors) {
  switch (method.kind) {
    case MethodKind::Direct: return registry(method.download_retries, world, doors);
    case MethodKind::FilesystemMirror:
      return std::make_unique<install::FilesystemMirror>(method.place);
    case MethodKind::NetworkMirror: {
      auto url = install::parse_mirror_url(method.place);  // checked when it was read
      return url ? network_mirror(std::move(*url), method, world, doors) : nullptr;
    }
    case MethodKind::OciMirror:
      return std::make_unique<install::OciMirror>(doors.packages.web, doors.packages.credentials,
                                                  variables_of(world), doors.stop, method.place);
  }
  return nullptr;
}

}  // namespace

ProviderDoors::ProviderDoors(const World& world, const std::stop_token& with_stop)
    : packages(world, with_stop),
      stop(with_stop),
      fetcher(packages.web, packages.credentials, variables_of(world), signature_policy(world),
              with_stop) {}

std::unique_ptr<install::InstallMethod> direct_method(const World& world, ProviderDoors& doors) {
  return registry(std::nullopt, world, doors);
}

std::unique_ptr<install::InstallMethod> configured_methods(const World& world,
                                                           ProviderDoors& doors) {
  auto list = std::make_unique<install::MethodList>();
  const auto& installation = world.cli_config.installation;
  if (!installation) {
    list->add_implied(implied_directories(world), direct_method(world, doors));
    return list;
  }
  for (const InstallationMethod& method : installation->methods) {
    if (auto made = make_method(method, world, doors)) {
      list->add({std::move(made), method.include, method.exclude});
    }
  }
  return list;
}

std::unique_ptr<install::InstallMethod> directory_methods(
    const std::vector<std::string>& directories) {
  auto list = std::make_unique<install::MethodList>();
  for (const std::string& directory : directories) {
    list->add({std::make_unique<install::FilesystemMirror>(directory)});
  }
  return list;
}

std::unique_ptr<install::InstallMethod> mirror_method(std::string_view url, const World& world,
                                                      ProviderDoors& doors,
                                                      diag::Diagnostics& diags) {
  auto parsed = install::parse_mirror_url(url);
  if (parsed) return network_mirror(std::move(*parsed), {}, world, doors);
  diags.error("Invalid network mirror URL")
      .detail(fmt::format("{:?} cannot be used: {}.", url, parsed.error().what));
  return nullptr;
}

install::Platform current_platform(const World& world) {
  auto platform = install::Platform::parse(world.environment.platform);
  TOFU_CHECK(platform.ok(), "the platform of this machine has a name");
  return std::move(*platform);
}

std::optional<std::vector<install::Platform>> read_platforms(const std::vector<std::string>& names,
                                                             const World& world,
                                                             diag::Diagnostics& diags) {
  std::vector<install::Platform> platforms;
  const std::size_t errors = diags.error_count();
  for (const std::string& name : names) {
    auto platform = install::Platform::parse(name);
    if (platform) {
      platforms.push_back(std::move(*platform));
    } else {
      diags.error("Invalid platform").detail(fmt::format("-platform: {}.", platform.error().what));
    }
  }
  if (diags.error_count() != errors) return std::nullopt;
  if (platforms.empty()) platforms.push_back(current_platform(world));
  return platforms;
}

std::set<addrs::Provider> unmanaged_providers(const World& world) {
  std::set<addrs::Provider> unmanaged;
  const auto document = value::parse_json(world.environment.variable("TF_REATTACH_PROVIDERS"));
  if (!document || document->kind() != value::Kind::Object) return unmanaged;
  for (const auto& attribute : document->type().attributes()) {
    diag::Diagnostics unread;  // whoever connects to it reports what is wrong
    auto provider = addrs::parse_provider_source(attribute.name, std::nullopt, unread);
    if (provider) unmanaged.insert(std::move(*provider));
  }
  return unmanaged;
}

}  // namespace tofu::commands

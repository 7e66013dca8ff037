#include "workdir/provider_clients.h"

#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "base/file.h"
#include "cli/environment.h"
#include "cli/settings.h"
#include "install/filesystem_mirror.h"
#include "install/method_list.h"
#include "install/network_mirror.h"
#include "install/oci_mirror.h"
#include "install/provider_registry.h"
#include "value/json.h"
#include "workdir/version_mode.h"

namespace tofu::workdir {

namespace {

using MethodKind = cli::InstallationMethod::Kind;

// OpenTofu's own number.
constexpr unsigned kDownloadRetries = 2;

unsigned download_retries(const cli::Environment& environment,
                          const std::optional<unsigned>& configured) {
  if (configured) return *configured;
  const std::string_view text = environment.variable("TF_PROVIDER_DOWNLOAD_RETRY");
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return is_number ? number : kDownloadRetries;
}

install::SignaturePolicy signature_policy(const cli::Environment& environment) {
  const auto is_set = [&](std::string_view name) { return environment.variable(name) == "true"; };
  return {.always_required = is_set("OPENTOFU_ENFORCE_GPG_VALIDATION"),
          .refuses_expired = is_set("OPENTOFU_ENFORCE_GPG_EXPIRATION")};
}

std::string program_version() { return own_versions().tofu.to_string(); }

// Directories that are mirrors without being configured, as far as they exist.
std::vector<std::string> implied_directories(const cli::Environment& environment) {
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
                                                       const cli::InstallationMethod& method,
                                                       const cli::Settings& settings,
                                                       ProviderClients& clients) {
  return std::make_unique<install::NetworkMirror>(
      clients.packages.web, clients.packages.credentials,
      install::NetworkMirrorSettings{
          .url = std::move(url),
          .retries = download_retries(settings.environment, method.download_retries),
          .trusts_all_hashes = method.trusts_all_hashes,
          .program_version = program_version()});
}

std::unique_ptr<install::InstallMethod> registry(const std::optional<unsigned>& retries,
                                                 const cli::Settings& settings,
                                                 ProviderClients& clients) {
  return std::make_unique<install::ProviderRegistry>(
      clients.packages.web, clients.packages.credentials, program_version(),
      download_retries(settings.environment, retries));
}

// Stands for a method that would use the network.
class NoNetwork final : public install::InstallMethod {
 public:
  base::Result<install::OfferedVersions, install::MethodProblem> versions(
      const addrs::Provider&) override {
    return problem();
  }
  base::Result<install::PackageOffer, install::MethodProblem> package(
      const addrs::Provider&, const addrs::Version&, const install::Platform&) override {
    return problem();
  }
  std::string for_display(const addrs::Provider&) const override {
    return "a local mirror (-offline forbids network requests)";
  }

 private:
  static install::MethodProblem problem() {
    return {install::MethodProblem::Kind::NotFound,
            "it is not on this machine, and -offline forbids network requests"};
  }
};

std::unique_ptr<install::InstallMethod> no_network() { return std::make_unique<NoNetwork>(); }

std::unique_ptr<install::InstallMethod> make_method(const cli::InstallationMethod& method,
                                                    const cli::Settings& settings,
                                                    ProviderClients& clients) {
  switch (method.kind) {
    case MethodKind::Direct: return registry(method.download_retries, settings, clients);
    case MethodKind::FilesystemMirror:
      return std::make_unique<install::FilesystemMirror>(method.place);
    case MethodKind::NetworkMirror: {
      auto url = install::parse_mirror_url(method.place);  // checked when it was read
      return url ? network_mirror(std::move(*url), method, settings, clients) : nullptr;
    }
    case MethodKind::OciMirror:
      return std::make_unique<install::OciMirror>(
          clients.packages.web, clients.packages.credentials, variables_of(settings.environment),
          clients.stop, method.place);
  }
  return nullptr;
}

}  // namespace

ProviderClients::ProviderClients(const cli::Settings& settings, const std::stop_token& with_stop)
    : packages(settings, with_stop),
      stop(with_stop),
      fetcher(packages.web, packages.credentials, variables_of(settings.environment),
              signature_policy(settings.environment), with_stop) {}

std::unique_ptr<install::InstallMethod> direct_method(const cli::Settings& settings,
                                                      ProviderClients& clients) {
  return registry(std::nullopt, settings, clients);
}

std::unique_ptr<install::InstallMethod> configured_methods(const cli::Settings& settings,
                                                           ProviderClients& clients, bool offline) {
  auto list = std::make_unique<install::MethodList>();
  const auto& installation = settings.cli_config.installation;
  if (!installation) {
    list->add_implied(implied_directories(settings.environment),
                      offline ? no_network() : direct_method(settings, clients));
    return list;
  }
  for (const cli::InstallationMethod& method : installation->methods) {
    const bool is_left_out = offline && method.kind != MethodKind::FilesystemMirror;
    if (auto made = is_left_out ? no_network() : make_method(method, settings, clients)) {
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

diag::Checked<std::unique_ptr<install::InstallMethod>> oci_mirror_method(
    std::string_view uri_template, const cli::Settings& settings, ProviderClients& clients,
    diag::Diagnostics& diags) {
  auto converted = install::oci_template_of_uri(uri_template);
  if (converted) {
    // Repositories are checked when they are used; this finds what no provider could have.
    const addrs::Provider example{{"example.com"}, "namespace", "type"};
    const auto address = install::oci_repository(*converted, example);
    if (address) {
      return make_method({.kind = MethodKind::OciMirror, .place = std::move(*converted)}, settings,
                         clients);
    }
    converted = address.error();
  }
  diags.error("Invalid OCI mirror URI template")
      .detail(
          fmt::format("The value {:?} of -oci-mirror is not a template of OCI repositories, such "
                      "as \"example.com/mirror/{{namespace}}-{{type}}\": {}.",
                      uri_template, converted.error().what));
  return nullptr;
}

diag::Checked<std::unique_ptr<install::InstallMethod>> mirror_method(std::string_view url,
                                                                     const cli::Settings& settings,
                                                                     ProviderClients& clients,
                                                                     diag::Diagnostics& diags) {
  auto parsed = install::parse_mirror_url(url);
  if (parsed) return network_mirror(std::move(*parsed), {}, settings, clients);
  diags.error("Invalid network mirror URL")
      .detail(fmt::format("Invalid URL {:?}: {}.", url, parsed.error().what));
  return nullptr;
}

install::Platform current_platform(const cli::Environment& environment) {
  auto platform = install::Platform::parse(environment.platform);
  TOFU_CHECK(platform.ok(), "the platform of this machine has a name");
  return std::move(*platform);
}

diag::Checked<std::vector<install::Platform>> read_platforms(const std::vector<std::string>& names,
                                                             const cli::Environment& environment,
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
  if (platforms.empty()) platforms.push_back(current_platform(environment));
  return platforms;
}

std::set<addrs::Provider> unmanaged_providers(const cli::Environment& environment) {
  std::set<addrs::Provider> unmanaged;
  const auto document = value::parse_json(environment.variable("TF_REATTACH_PROVIDERS"));
  if (!document || document->kind() != value::Kind::Object) return unmanaged;
  for (const auto& attribute : document->type().attributes()) {
    diag::Diagnostics unread;  // reported when a client connects to it
    auto provider = addrs::parse_provider_source(attribute.name, std::nullopt, unread);
    if (provider) unmanaged.insert(std::move(*provider));
  }
  return unmanaged;
}

}  // namespace tofu::workdir

#include "cli/cli_config.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "cli/cli_credentials.h"
#include "cli/hcl1.h"

namespace tofu::cli {

namespace {

bool exists(const std::string& path) {
  const auto kind = base::file_kind(path);
  return kind && *kind != base::FileKind::Missing;
}

// The default place of the file: the old name is used if only that file exists.
std::string default_file(const Environment& environment) {
  const std::string home(environment.variable("HOME"));
  const std::string current = home + "/.tofurc";
  const std::string legacy = home + "/.terraformrc";
  if (exists(current)) return current;
  if (exists(legacy)) return legacy;
  const std::string_view xdg = environment.variable("XDG_CONFIG_HOME");
  return xdg.empty() ? current : std::string(xdg) + "/opentofu/tofurc";
}

std::string default_directory(const Environment& environment) {
  const std::string legacy = std::string(environment.variable("HOME")) + "/.terraform.d";
  const std::string_view xdg = environment.variable("XDG_CONFIG_HOME");
  return xdg.empty() || exists(legacy) ? legacy : std::string(xdg) + "/opentofu";
}

std::optional<unsigned> whole_number(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class Reader {
 public:
  Reader(const Environment& environment, diag::SourceMap& sources, diag::Diagnostics& diags)
      : environment_(environment),
        sources_(sources),
        diags_(diags),
        credentials_(environment, sources, diags) {}

  CliConfig read();

 private:
  void read_files();
  void read_file(const std::string& path);
  void read_directory(const std::string& path);
  void read_item(const Hcl1Item& item, const std::string& path);
  void read_plugin_cache(const Hcl1Item& item);
  void read_registry_protocols(const Hcl1Item& item);
  void read_registry_variables();
  void read_plugin_cache_variables();
  void allow_once(const Hcl1Item& item);
  std::string with_environment(std::string_view text) const;
  void refuse(std::string_view detail, diag::SourceRange place) {
    diags_.error("Invalid CLI configuration")
        .detail(fmt::format("{}: {}", shown_place(place, sources_), detail));
  }

  const Environment& environment_;
  diag::SourceMap& sources_;
  diag::Diagnostics& diags_;
  CredentialReader credentials_;
  CliConfig config_;
  std::set<std::string> once_;  // blocks met that may stand only once
};

CliConfig Reader::read() {
  read_files();
  read_registry_variables();
  read_plugin_cache_variables();
  config_.directory = default_directory(environment_);
  config_.credentials = credentials_.finish();
  return std::move(config_);
}

void Reader::read_files() {
  std::string_view variable = "TF_CLI_CONFIG_FILE";
  if (environment_.variable(variable).empty()) variable = "TERRAFORM_CONFIG";
  const std::string_view chosen = environment_.variable(variable);
  if (!chosen.empty()) {
    if (exists(std::string(chosen))) {
      read_file(std::string(chosen));
    } else {
      diags_.warning("CLI configuration file not found")
          .detail(fmt::format("The file {:?}, set by {}, does not exist. No CLI settings were "
                              "read. Create the file, or unset the variable.",
                              chosen, variable));
    }
    return;
  }
  const std::string file = default_file(environment_);
  if (exists(file)) read_file(file);
  read_directory(default_directory(environment_));
}

void Reader::read_directory(const std::string& path) {
  const auto entries = base::list_directory(path);
  if (!entries) {
    const auto kind = base::file_kind(path);
    if (kind && *kind != base::FileKind::Directory) return;
    diags_.error("Cannot read the CLI configuration")
        .detail(fmt::format("Listing the directory {} failed: {}.", path, entries.error().what));
    return;
  }
  for (const base::DirectoryEntry& entry : *entries) {
    const std::string_view name = entry.name;
    if (name.ends_with(".tfrc") || name.ends_with(".tfrc.json")) read_file(path + "/" + entry.name);
  }
}

void Reader::read_file(const std::string& path) {
  auto text = base::read_file(path);
  if (!text) {
    diags_.error("Cannot read the CLI configuration")
        .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
    return;
  }
  config_.files.push_back(path);
  const diag::FileId id = sources_.add(path, std::move(*text));
  const auto items = parse_hcl1(sources_, id, diags_);
  if (!items) return;
  for (const Hcl1Item& item : *items) read_item(item, path);
}

void Reader::read_item(const Hcl1Item& item, const std::string& path) {
  const std::string& name = item.name();
  if (name == "version_check") {
    // What was said first counts, as for all settings.
    if (!config_.version_check) config_.version_check = {item.value.text, item.value.range};
  } else if (name == "plugin_cache_dir") {
    read_plugin_cache(item);
  } else if (name == "plugin_cache_may_break_dependency_lock_file") {
    if (item.value.text == "true") config_.plugin_cache_may_break_lock = true;
  } else if (name == "module_cache_dir") {
    if (!config_.module_cache_dir) {
      config_.module_cache_dir = {with_environment(item.value.text), item.value.range};
    }
  } else if (name == "module_cache_readonly_dirs") {
    if (!config_.module_cache_readonly_dirs.empty()) return;
    const auto directories = string_list(item.value);
    if (!directories) return refuse(not_a_string_list(name), item.value.range);
    for (const std::string& each : *directories) {
      config_.module_cache_readonly_dirs.push_back(with_environment(each));
    }
  } else if (name == "module_installation") {
    allow_once(item);
    ModuleInstallation installation = InstallationReader(sources_, diags_).read_modules(item);
    for (install::PackageMirror& mirror : installation.mirrors) {
      mirror.directory = with_environment(mirror.directory);
    }
    if (!config_.module_installation) config_.module_installation = std::move(installation);
  } else if (name == "host") {
    credentials_.read_host(item);
  } else if (name == "credentials") {
    credentials_.read_credentials(item);
  } else if (name == "registry_protocols") {
    read_registry_protocols(item);
  } else if (name == "provider_installation") {
    allow_once(item);
    ProviderInstallation installation = InstallationReader(sources_, diags_).read(item);
    if (!config_.installation) config_.installation = std::move(installation);
  } else if (name == "credentials_helper") {
    allow_once(item);
    credentials_.read_helper(item);
  } else if (name == "oci_credentials") {
    credentials_.read_oci(item);
  } else if (name == "oci_default_credentials") {
    allow_once(item);
    credentials_.read_oci_defaults(item, path);
  }
}

void Reader::allow_once(const Hcl1Item& item) {
  if (once_.insert(item.name()).second) return;
  refuse(fmt::format("Only one {} block is allowed.", item.name()), item.range);
}

// $NAME and ${NAME}.
std::string Reader::with_environment(std::string_view text) const {
  std::string out;
  while (!text.empty()) {
    const std::size_t dollar = std::min(text.find('$'), text.size());
    out += text.substr(0, dollar);
    text.remove_prefix(dollar);
    if (text.empty()) break;
    text.remove_prefix(1);
    const bool braced = text.starts_with('{');
    if (braced) text.remove_prefix(1);
    const std::size_t end = std::min(
        text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"),
        text.size());
    out += environment_.variable(text.substr(0, end));
    text.remove_prefix(end);
    if (braced && text.starts_with('}')) text.remove_prefix(1);
  }
  return out;
}

void Reader::read_plugin_cache(const Hcl1Item& item) {
  const std::string path = with_environment(item.value.text);
  if (config_.plugin_cache_dir.empty()) config_.plugin_cache_dir = path;
  // The environment may name another one.
  const bool is_used = environment_.variable("TF_PLUGIN_CACHE_DIR").empty();
  if (path.empty() || !is_used || exists(path)) return;
  refuse(
      fmt::format("The plugin cache directory {} does not exist. Create it, or remove the setting.",
                  path),
      item.value.range);
}

void Reader::read_plugin_cache_variables() {
  const std::string_view may =
      environment_.variable("TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE");
  if (!may.empty() && may != "0") config_.plugin_cache_may_break_lock = true;
  const std::string_view chosen = environment_.variable("TF_PLUGIN_CACHE_DIR");
  if (chosen.empty()) return;
  config_.plugin_cache_dir = chosen;
  if (exists(config_.plugin_cache_dir)) return;
  diags_.error("Invalid CLI configuration")
      .detail(fmt::format("The plugin cache directory {}, set by TF_PLUGIN_CACHE_DIR, does not "
                          "exist. Create it, or unset the variable.",
                          chosen));
}

void Reader::read_registry_protocols(const Hcl1Item& item) {
  if (item.keys.size() > 1 || item.value.kind != Hcl1Kind::Object) {
    return refuse("A registry_protocols block takes no labels.", item.range);
  }
  for (const Hcl1Item& argument : item.value.items) {
    const bool retries = argument.name() == "retry_count";
    if (!retries && argument.name() != "request_timeout_seconds") continue;
    const auto number = whole_number(argument.value.text);
    if (!number) {
      refuse(fmt::format("{} must be a whole number.", argument.name()), argument.value.range);
      continue;
    }
    auto& setting = retries ? config_.registry_retries : config_.registry_timeout_seconds;
    if (!setting) setting = number;
  }
}

void Reader::read_registry_variables() {
  // OpenTofu ignores what is not a number above 0.
  const auto retries = whole_number(environment_.variable("TF_REGISTRY_DISCOVERY_RETRY"));
  if (retries && *retries > 0) config_.registry_retries = retries;
  const auto timeout = whole_number(environment_.variable("TF_REGISTRY_CLIENT_TIMEOUT"));
  if (timeout && *timeout > 0) config_.registry_timeout_seconds = timeout;
}

}  // namespace

CliConfig read_cli_config(const Environment& environment, diag::SourceMap& sources,
                          diag::Diagnostics& diags) {
  return Reader(environment, sources, diags).read();
}

}  // namespace tofu::cli

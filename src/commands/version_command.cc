#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "addrs/provider.h"
#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/library_versions.h"
#include "cli/version_info.h"
#include "commands/table.h"
#include "features/features.h"
#include "install/lock_file.h"
#include "install/selected_providers.h"
#include "providers/handshake.h"
#include "workdir/provider_clients.h"
#include "workdir/version_mode.h"
#include "workdir/workspace.h"

namespace tofu::commands {

namespace {

struct VersionOptions {
  bool json = false;
  bool verbose = false;

  void declare(cli::FlagSet& flags) {
    flags.add("json", json, {.help = "Print the versions as JSON."});
    flags.add("verbose", verbose,
              {.help = "Also print the equivalent Terraform language version, supported plugin "
                       "protocols, optional language features and linked libraries."});
    flags.ignore_arguments();  // as OpenTofu does
  }
};

std::string_view commit() { return cli::kBuildCommit.empty() ? "unknown" : cli::kBuildCommit; }

std::string build() { return fmt::format("{} {}", cli::kBuildCompiler, cli::kBuildType); }

std::string terraform_equivalent() { return fmt::format("{}.x", cli::kTerraformLine); }

// The providers that the lock file of the working directory selects. One that cannot be
// read is not this command's concern.
std::map<addrs::Provider, std::string> selected_providers(cli::Session& session) {
  diag::Diagnostics unread;
  const auto lock =
      install::LockFile::read(std::string(install::kLockFile), session.sources, unread);
  if (!lock) return {};
  return install::SelectedProviders(workdir::data_directory(session.settings.environment),
                                    workdir::current_platform(session.settings.environment), *lock)
      .versions();
}

// Where only constraints for OpenTofu count, the document has OpenTofu's members and no others.
bool has_own_members(cli::Session& session) {
  diag::Diagnostics unread;
  const auto mode =
      workdir::version_check_mode(std::nullopt, session.settings, session.sources, unread);
  return mode != config::VersionCheck::TofuOnly;
}

constexpr std::string_view kFormatVersion = "1.0";  // that of Terraform 1.17

void print_json(cli::Session& session) {
  std::string text;
  base::JsonWriter json(text, "  ");
  json.begin_object();
  json.field("terraform_version", cli::kTofuVersion);
  json.field("platform", session.settings.environment.platform);
  json.key("provider_selections");
  json.begin_object();
  for (const auto& [provider, version] : selected_providers(session)) {
    json.field(provider.to_string(), version);
  }
  json.end_object();
  if (has_own_members(session)) {
    json.field("format_version", kFormatVersion);
    json.field("terraform_equivalent", terraform_equivalent());
    json.key("implementation");
    json.begin_object();
    json.field("name", cli::kImplementation);
    json.field("version", cli::kImplementationVersion);
    json.field("commit", commit());
    json.field("build", build());
    json.end_object();
  }
  json.end_object();
  session.terminal.out.line(text);
}

void print_verbose(cli::Session& session) {
  session.terminal.out.line(
      fmt::format("Terraform language equivalent: v{}", terraform_equivalent()));
  session.terminal.out.line(
      fmt::format("Plugin protocols: {}", fmt::join(providers::kPluginProtocols, ", ")));
  session.terminal.out.line("Language features:");
  for (const features::Row& feature : features::all_rows()) {
    if (feature.state == features::State::Selectable) {
      session.terminal.out.line(
          fmt::format("  {} (by a \"{}\" block)", feature.name, feature.block_type));
    }
  }
  session.terminal.out.line("Linked libraries:");
  for (const std::string_view library : cli::kLibraryVersions) {
    session.terminal.out.line(fmt::format("  {}", library));
  }
}

int run_version(const VersionOptions& options, cli::Session& session) {
  if (options.json) {
    print_json(session);
    return cli::kExitOk;
  }
  session.terminal.out.line(fmt::format("OpenTofu v{}", cli::kTofuVersion));
  session.terminal.out.line(fmt::format("on {}", session.settings.environment.platform));
  for (const auto& [provider, version] : selected_providers(session)) {
    session.terminal.out.line(fmt::format("+ provider {} v{}", provider.to_string(), version));
  }
  session.terminal.out.line(fmt::format("{} v{} (commit {}, {})", cli::kImplementation,
                                        cli::kImplementationVersion, commit(), build()));
  if (options.verbose) print_verbose(session);
  return cli::kExitOk;
}

}  // namespace

const cli::Command kVersionCommand = {
    "version",
    "Show the version",
    "[options]",
    "Prints the OpenTofu version that this program matches, the platform, the provider versions "
    "selected in the lock file, and the release, commit and build of this program.",
    cli::action<VersionOptions, run_version>(),
};

}  // namespace tofu::commands

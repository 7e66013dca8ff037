#include "workdir/options.h"

#include <string_view>

#include "base/result.h"

namespace tofu::workdir {

namespace {

using config::VersionCheck;

constexpr cli::Choice<VersionCheck> kVersionChecks[] = {
    {"equivalent", VersionCheck::Equivalent},
    {"identical", VersionCheck::Identical},
    {"tofu-only", VersionCheck::TofuOnly},
    {"off", VersionCheck::Off},
};

}  // namespace

void VariableOptions::declare(cli::FlagSet& flags) {
  const auto use = [this](Kind kind) {
    return [this, kind](std::string_view text) -> base::Result<void> {
      uses.push_back({kind, std::string(text)});
      return {};
    };
  };
  flags.add_valued("var",
                   {.value = "'NAME=VALUE'",
                    .help = "Set a variable of the root module (NAME=VALUE). Can be repeated."},
                   use(Kind::Value));
  flags.add_valued("var-file",
                   {.value = "FILE",
                    .help = "Read variable values from this file, in addition to terraform.tfvars "
                            "and *.auto.tfvars. Can be repeated.",
                    .completes = cli::Completes::Files},
                   use(Kind::File));
}

void ConfigurationOptions::declare(cli::FlagSet& flags) {
  flags.heading("Configuration options");
  variables.declare(flags);
  flags.add("version-check", version_check, kVersionChecks,
            {.value = "MODE",
             .help = "How version constraints are checked: equivalent, identical, tofu-only or "
                     "off. Can also be set by TOFU_VERSION_CHECK."});
}

void TestFileOptions::declare(cli::FlagSet& flags) {
  flags.add("test-directory", directory,
            {.value = "DIR",
             .help = "Directory of test files, in addition to the configuration directory.",
             .completes = cli::Completes::Directories});
}

void LockOptions::declare(cli::FlagSet& flags) {
  flags.add(
      "lock", lock,
      {.help = "Do not lock the state. Dangerous if others may run commands on the same state."});
  flags.add("lock-timeout", timeout,
            {.value = "TIME", .help = "How long to wait for a state lock, such as 30s."});
}

void StateChangeOptions::declare(cli::FlagSet& flags) {
  flags.include(lock);
  flags.include(configuration);
}

void StateFileOptions::declare(cli::FlagSet& flags) {
  flags.heading("Options for local state files");
  add_state_flag(flags, state);
  flags.add("state-out", state_out,
            {.value = "FILE",
             .help = "Write the state to this file.",
             .completes = cli::Completes::Files});
  add_backup_flag(flags, backup);
}

void add_state_flag(cli::FlagSet& flags, std::string& state) {
  flags.add("state", state,
            {.value = "FILE",
             .help = "Read and write this state file.",
             .completes = cli::Completes::Files});
}

void add_backup_flag(cli::FlagSet& flags, std::string& backup) {
  flags.add("backup", backup,
            {.value = "FILE",
             .help = "Back up the previous state to this file.",
             .completes = cli::Completes::Files});
}

void add_ignore_remote_version_flag(cli::FlagSet& flags, bool& ignore) {
  flags.add("ignore-remote-version", ignore,
            {.help = "Only for remote backends: continue even if the remote version differs."});
}

}  // namespace tofu::workdir

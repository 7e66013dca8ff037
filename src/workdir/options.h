// Groups of flags about the working directory: its configuration and its state. A command includes
// a group by one line, as `flags.include(lock)`, and finds the values in its fields.
//
// A field holds what was written on the command line and nothing else; what the
// environment or the CLI configuration adds is settled by the caller.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "config/version_check.h"
#include "install/module_directory.h"

namespace tofu::workdir {

// -var and -var-file as they stand on the command line: what comes later wins, whichever
// of the two gave it.
struct VariableOptions {
  enum class Kind : std::uint8_t { Value, File };
  struct Use {
    Kind kind;
    std::string text;  // "name=value", or the path of a file
  };
  std::vector<Use> uses = {};

  void declare(cli::FlagSet& flags);
};

// Of every command that loads the configuration.
struct ConfigurationOptions {
  VariableOptions variables = {};
  std::optional<config::VersionCheck> version_check = {};

  void declare(cli::FlagSet& flags);
};

// -test-directory, of commands that read test files.
struct TestFileOptions {
  std::string directory = std::string(install::kDefaultTestDirectory);

  void declare(cli::FlagSet& flags);
};

// -lock and -lock-timeout, of commands that change a state.
struct LockOptions {
  bool lock = true;
  std::chrono::milliseconds timeout{0};

  void declare(cli::FlagSet& flags);
};

// Of every command that changes a state.
struct StateChangeOptions {
  LockOptions lock = {};
  ConfigurationOptions configuration = {};

  void declare(cli::FlagSet& flags);
};

// -state, -state-out and -backup, for states in local files.
struct StateFileOptions {
  std::string state = {};      // empty: the one of the backend
  std::string state_out = {};  // empty: the one that was read
  std::string backup = {};     // empty: as always; "-": none

  void declare(cli::FlagSet& flags);
};

// Flags by themselves that several commands take.
void add_state_flag(cli::FlagSet& flags, std::string& state);
void add_backup_flag(cli::FlagSet& flags, std::string& backup);
void add_ignore_remote_version_flag(cli::FlagSet& flags, bool& ignore);

}  // namespace tofu::workdir

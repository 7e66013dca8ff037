// Groups of flags that several commands take: a command includes a group by one line,
// as `flags.include(lock)`, and finds the values in its fields.
//
// A field holds what was written on the command line and nothing else; what the
// environment or the CLI configuration adds is settled by whoever uses it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/environment.h"
#include "commands/flags.h"
#include "config/version_check.h"
#include "diag/diagnostic.h"
#include "install/module_directory.h"

namespace tofu::commands {

// -json and -json-into: everything as a stream of messages for programs.
struct JsonOptions {
  bool json = false;
  std::string json_into = {};  // empty: not given

  void declare(FlagSet& flags);
  // Both together would say everything twice. False if and only if an error was added.
  bool check(diag::Diagnostics& diags) const;
};

// -json and -json-into of commands that print one document: its text for people is
// printed all the same if the document goes to a file.
struct JsonDocumentOptions {
  bool json = false;
  std::string json_into = {};  // empty: not given

  void declare(FlagSet& flags);
  bool check(diag::Diagnostics& diags) const;
};

// -input: whether people may be asked for what is missing.
struct InputOptions {
  bool input = true;

  void declare(FlagSet& flags);
};
// Nobody can answer where messages are for a program, or where TF_INPUT forbids it.
bool may_ask(const InputOptions& input, const JsonOptions& json, const Environment& environment);

// -var and -var-file as they stand on the command line: what comes later wins, whichever
// of the two gave it.
struct VariableOptions {
  enum class Kind : std::uint8_t { Value, File };
  struct Use {
    Kind kind;
    std::string text;  // "name=value", or the path of a file
  };
  std::vector<Use> uses = {};

  void declare(FlagSet& flags);
};

// Of every command that loads the configuration.
struct ConfigurationOptions {
  VariableOptions variables = {};
  std::optional<config::VersionCheck> version_check = {};

  void declare(FlagSet& flags);
};

// -test-directory, of commands that read test files.
struct TestFileOptions {
  std::string directory = std::string(install::kDefaultTestDirectory);

  void declare(FlagSet& flags);
};

// -lock and -lock-timeout, of commands that change a state.
struct LockOptions {
  bool lock = true;
  std::chrono::milliseconds timeout{0};

  void declare(FlagSet& flags);
};

// Of every command that changes a state.
struct StateChangeOptions {
  LockOptions lock = {};
  ConfigurationOptions configuration = {};

  void declare(FlagSet& flags);
};

// -state, -state-out and -backup, for states in local files.
struct StateFileOptions {
  std::string state = {};      // empty: the one of the backend
  std::string state_out = {};  // empty: the one that was read
  std::string backup = {};     // empty: as always; "-": none

  void declare(FlagSet& flags);
};

// What a plan is about: -target and the like.
struct OperationOptions {
  int parallelism = 0;  // how many calls of providers run at once; 0: as many as usual
  bool refresh = true;
  bool destroy = false;
  bool refresh_only = false;
  std::vector<std::string> targets = {};
  std::vector<std::string> target_files = {};
  std::vector<std::string> excludes = {};
  std::vector<std::string> exclude_files = {};
  std::vector<std::string> replace = {};

  void declare(FlagSet& flags);
  // Options that exclude each other. False if and only if an error was added.
  bool check(diag::Diagnostics& diags) const;
};

// Flags by themselves that several commands take.
void add_state_flag(FlagSet& flags, std::string& state);
void add_backup_flag(FlagSet& flags, std::string& backup);
void add_ignore_remote_version_flag(FlagSet& flags, bool& ignore);
void add_show_sensitive_flag(FlagSet& flags, bool& show);

}  // namespace tofu::commands

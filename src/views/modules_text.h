// The calls of a configuration and where their files are, for people and programs.
//
// The output of "tofu modules". The command gathers plain rows; here they become an aligned table
// or JSON. Sources come without passwords and keys.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tofu::views {

struct ModuleRow {
  std::string address;  // module.a.module.b
  std::string key;      // a.b, as modules.json has it
  std::string source;
  std::string version = {};   // of a registry module
  std::string revision = {};  // the commit, for repositories
  std::string directory;      // what path.module is
  std::string hash = {};      // "h1:…" of its package
  enum class Files { Caller, Own, Shared } files = Files::Caller;
  std::optional<bool> read_only = {};  // absent: not recorded
  std::string decided_by = {};         // who said it
};

// A package of module calls and symbol libraries.
struct PackageRow {
  std::string source;
  std::string requested_ref = {};  // of a repository, as its source says
  std::string version = {};
  std::string revision = {};
  std::string hash = {};
  bool is_shared = true;
  enum class Lock { Locked, Differs, Missing, NotApplicable } lock = Lock::Locked;
  std::string lock_problem = {};  // of one that differs
  std::string license_file = {};
  std::string license = {};  // its identifier
  std::string directory = {};
  std::vector<std::string> used_by = {};
};

// One line for each row, after one of headings; the last without its end.
std::string modules_table(std::span<const ModuleRow> rows);
std::string packages_table(std::span<const PackageRow> rows);

// An object with a list of calls, and one of packages if there are any.
std::string modules_json(std::span<const ModuleRow> rows,
                         std::span<const PackageRow> packages = {});

}  // namespace tofu::views

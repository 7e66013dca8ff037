// The calls of a configuration and where their files are, for people and programs.
//
// The output of "tofu modules". The command gathers plain rows; here they become an aligned table
// or JSON. Sources come without passwords and keys.
#pragma once

#include <optional>
#include <span>
#include <string>

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

// One line for each row, after one of headings; the last without its end.
std::string modules_table(std::span<const ModuleRow> rows);

// An object with a list of them.
std::string modules_json(std::span<const ModuleRow> rows);

}  // namespace tofu::views

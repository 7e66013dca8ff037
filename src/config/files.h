// Which files of a directory make up a module, and in what order.
//
// Works on names alone, so that it can be tested without a disk: .tofu hides .tf
// of the same base name, override files come last, editors' backups do not count.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tofu::config {

enum class FileSyntax : std::uint8_t { Native, Json };

struct ModuleFile {
  std::string name;
  FileSyntax syntax = FileSyntax::Native;
};

struct ModuleFiles {
  std::vector<ModuleFile> primary;    // in the order of names
  std::vector<ModuleFile> overrides;  // likewise; applied after all primary ones
  std::vector<ModuleFile> tests;      // .tftest.hcl, .tofutest.hcl and their JSON forms
  bool empty() const { return primary.empty() && overrides.empty(); }
};

// `names` are those of the files (not directories) in the directory, in any order.
ModuleFiles choose_module_files(std::span<const std::string> names);

// Variable files that are read automatically; later ones take precedence: terraform.tfvars,
// terraform.tfvars.json, *.auto.tfvars[.json].
std::vector<std::string> choose_variable_files(std::span<const std::string> names);

// Whether a name has one of the suffixes of OpenTofu's own files (.tofu …).
bool is_tofu_file(std::string_view name);

}  // namespace tofu::config

#include "config/files.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/ignored_file.h"

namespace tofu::config {

namespace {

enum class Role : std::uint8_t { Configuration, Test, Values };

struct Suffix {
  std::string_view text;
  FileSyntax syntax;
  Role role;
  std::string_view hidden_by;  // the suffix of the file that takes its place; empty: none does
};

// No suffix here is the end of another, so at most one fits a name.
constexpr Suffix kSuffixes[] = {
    {".tf", FileSyntax::Native, Role::Configuration, ".tofu"},
    {".tofu", FileSyntax::Native, Role::Configuration, ""},
    {".tf.json", FileSyntax::Json, Role::Configuration, ".tofu.json"},
    {".tofu.json", FileSyntax::Json, Role::Configuration, ""},
    {".tftest.hcl", FileSyntax::Native, Role::Test, ".tofutest.hcl"},
    {".tofutest.hcl", FileSyntax::Native, Role::Test, ""},
    {".tftest.json", FileSyntax::Json, Role::Test, ".tofutest.json"},
    {".tofutest.json", FileSyntax::Json, Role::Test, ""},
    {".tfvars", FileSyntax::Native, Role::Values, ""},
    {".tfvars.json", FileSyntax::Json, Role::Values, ""},
};

const Suffix* suffix_of(std::string_view name) {
  const auto found = std::ranges::find_if(
      kSuffixes, [&](const Suffix& suffix) { return name.ends_with(suffix.text); });
  return found == std::end(kSuffixes) ? nullptr : found;
}

std::string_view base_name(std::string_view name, const Suffix& suffix) {
  return name.substr(0, name.size() - suffix.text.size());
}

bool is_override(std::string_view base) {
  return base == "override" || base.ends_with("_override");
}

// Files whose place is taken by another of the same list are left out.
std::vector<ModuleFile> without_hidden(std::vector<ModuleFile> files) {
  std::unordered_set<std::string_view> names;
  for (const ModuleFile& file : files) names.insert(file.name);
  std::vector<ModuleFile> kept;
  for (const ModuleFile& file : files) {
    const Suffix& suffix = *suffix_of(file.name);
    if (!suffix.hidden_by.empty()) {
      std::string other(base_name(file.name, suffix));
      other += suffix.hidden_by;
      if (names.contains(other)) continue;
    }
    kept.push_back(file);
  }
  return kept;
}

std::vector<std::string> sorted(std::span<const std::string> names) {
  std::vector<std::string> ordered(names.begin(), names.end());
  std::ranges::sort(ordered);
  return ordered;
}

}  // namespace

bool is_tofu_file(std::string_view name) {
  const Suffix* suffix = suffix_of(name);
  return suffix != nullptr && suffix->hidden_by.empty();
}

ModuleFiles choose_module_files(std::span<const std::string> names) {
  ModuleFiles files;
  for (std::string& name : sorted(names)) {
    const Suffix* suffix = suffix_of(name);
    if (suffix == nullptr || suffix->role == Role::Values || base::is_ignored_file(name)) continue;
    std::vector<ModuleFile>& group = suffix->role == Role::Test              ? files.tests
                                     : is_override(base_name(name, *suffix)) ? files.overrides
                                                                             : files.primary;
    group.push_back({std::move(name), suffix->syntax});
  }
  return {without_hidden(std::move(files.primary)), without_hidden(std::move(files.overrides)),
          without_hidden(std::move(files.tests))};
}

std::vector<std::string> choose_variable_files(std::span<const std::string> names) {
  std::vector<ModuleFile> defaults;
  std::vector<ModuleFile> others;
  for (std::string& name : sorted(names)) {
    const Suffix* suffix = suffix_of(name);
    if (suffix == nullptr || suffix->role != Role::Values) continue;
    const std::string_view base = base_name(name, *suffix);
    if (base == "terraform") {
      defaults.push_back({std::move(name), suffix->syntax});
    } else if (base.ends_with(".auto")) {
      others.push_back({std::move(name), suffix->syntax});
    }
  }
  std::vector<std::string> chosen;
  for (ModuleFile& file : defaults) chosen.push_back(std::move(file.name));
  for (ModuleFile& file : others) chosen.push_back(std::move(file.name));
  return chosen;
}

}  // namespace tofu::config

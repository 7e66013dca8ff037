#include "config/module_loader.h"

#include <array>
#include <utility>

#include "config/variable_types.h"
#include "config/version_check.h"

namespace tofu::config {

namespace {

// A module with very many mistakes that is called very often would report more
// than anybody can read, or memory can hold.
constexpr std::size_t kMostRepeated = 100'000;

}  // namespace

bool ModuleLoader::check_version(const Module& module, const addrs::ModulePath& path,
                                 bool first_time) {
  const std::array modules{ModuleVersions{path.is_root() ? "the root module" : path.to_string(),
                                          &module.version_requirements}};
  VersionReport report = check_versions(modules, inputs_.version_check, inputs_.own_versions);
  if (first_time) {
    equivalent_.insert(equivalent_.end(), report.equivalent.begin(), report.equivalent.end());
  }
  const bool fits = !report.errors.has_errors();
  version_errors_.take(std::move(report.errors));
  return fits;
}

std::shared_ptr<Module> ModuleLoader::declare(ParsedFiles files, diag::Diagnostics& diags) {
  std::shared_ptr<Module> module = declare_module(std::move(files), sources_, diags);
  if (module->symbols.empty()) resolve_variable_types(*module, {}, diags);
  return module;
}

std::shared_ptr<Module> ModuleLoader::load(const ModuleRequest& request, const FoundModule& found,
                                           diag::Diagnostics& diags) {
  if (const auto known = loaded_.find(found.directory); known != loaded_.end()) {
    const Loaded& loaded = known->second;
    if (check_version(*loaded.module, request.path, false) && diags.size() < kMostRepeated) {
      for (const diag::Diagnostic& problem : loaded.problems) diags.add(problem);
    }
    return loaded.module;
  }
  diag::Diagnostics reading;
  auto files = finder_.read(request, found, reading);
  if (!files) {
    diags.take(std::move(reading));
    return nullptr;
  }
  diag::Diagnostics problems;
  const std::shared_ptr<Module> module = declare(std::move(*files), problems);
  if (module->symbols.empty()) {
    loaded_.emplace(found.directory,
                    Loaded{module, {problems.items().begin(), problems.items().end()}});
  }
  if (check_version(*module, request.path, true)) {
    diags.take(std::move(reading));
    diags.take(std::move(problems));
  }
  return module;
}

std::shared_ptr<Module> ModuleLoader::load_root(ParsedFiles files, std::vector<TestFile>& tests,
                                                diag::Diagnostics& diags) {
  std::vector<ParsedFile> test_files = std::move(files.tests);
  std::shared_ptr<Module> module = declare(std::move(files), diags);
  for (ParsedFile& file : test_files) {
    tests.push_back(declare_test_file(std::move(file), *module, sources_, diags));
  }
  if (!check_version(*module, {}, true)) diags.clear();
  return module;
}

}  // namespace tofu::config

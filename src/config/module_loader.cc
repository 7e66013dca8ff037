#include "config/module_loader.h"

#include <array>
#include <unordered_set>
#include <utility>

#include "config/mock_files.h"
#include "config/symbol_table.h"
#include "config/variable_types.h"
#include "config/version_check.h"

namespace tofu::config {

namespace {

// A module with very many errors that is called very often would report more than a person can
// read, or memory can hold.
constexpr std::size_t kMaxRepeated = 100'000;

}  // namespace

bool ModuleLoader::check_version(const Module& module, const ModuleRequest& request,
                                 bool first_time) {
  const addrs::ModulePath& path = request.path;
  const std::array modules{ModuleVersions{path.is_root() ? "the root module" : path.to_string(),
                                          &module.version_requirements, request.is_local}};
  VersionReport report = check_versions(modules, inputs_.version_check, inputs_.own_versions);
  if (first_time) {
    for (EquivalentVersion& each : report.equivalent) {
      holding_.push_back({modules[0].name, each.constraints, each.range});
      equivalent_.push_back(std::move(each));
    }
  }
  const bool fits = !report.errors.has_errors();
  module.name_blocks(report.errors.items_from(0));
  version_errors_.take(std::move(report.errors));
  return fits;
}

diag::Diagnostics ModuleLoader::take_version_errors() {
  if (!has_version_errors()) {
    check_together(holding_, inputs_.own_versions, version_errors_);
    for (const auto& [files, loaded] : loaded_) {
      loaded.module.module->name_blocks(version_errors_.items_from(0));
    }
  }
  return std::move(version_errors_);
}

symbols::LibraryImports ModuleLoader::load_libraries(const Module& module,
                                                     const LibraryLabels& left_out,
                                                     diag::Diagnostics& diags) {
  if (left_out.empty()) return libraries_->load(module.symbols, module.directory, diags);
  base::Named<symbols::SymbolsImport> needed;
  symbols::LibraryImports others;
  for (const symbols::SymbolsImport& block : module.symbols) {
    if (left_out.contains(block.name)) {
      others.add(block.name, {.name = block.name, .name_range = block.name_range});
    } else {
      needed.add(block.name, block);
    }
  }
  symbols::LibraryImports imports = libraries_->load(needed, module.directory, diags);
  for (const symbols::LibraryImport& other : others) imports.add(other.name, other);
  return imports;
}

LoadedModule ModuleLoader::declare(ParsedFiles files, diag::Diagnostics& diags) {
  LoadedModule loaded{declare_module(std::move(files), sources_, diags), nullptr};
  Module& module = *loaded.module;
  if (inputs_.settings_only) {
    const LibraryLabels needed = libraries_of_settings(module, inputs_.other_encryption);
    for (const symbols::SymbolsImport& block : module.symbols) {
      if (!needed.contains(block.name)) loaded.left_out.insert(block.name);
    }
  }
  const std::size_t before = diags.size();
  const auto symbols =
      std::make_shared<SymbolTable>(module, load_libraries(module, loaded.left_out, diags));
  module.name_blocks(diags.items_from(before));
  resolve_declared_types(module, symbols.get(), diags);
  loaded.symbols = symbols;
  return loaded;
}

std::shared_ptr<const symbols::SymbolSource> ModuleLoader::load_for_tests(
    const Module& module, const TestFile& file, diag::Diagnostics& diags) {
  base::Named<symbols::SymbolsImport> blocks;
  for (const symbols::SymbolsImport& block : file.symbols) blocks.add(block.name, block);
  // A name that the file has taken keeps its library.
  for (const symbols::SymbolsImport& block : module.symbols) blocks.add(block.name, block);
  return std::make_shared<SymbolTable>(module, libraries_->load(blocks, module.directory, diags));
}

LoadedModule ModuleLoader::load(const ModuleRequest& request, const FoundModule& found,
                                diag::Diagnostics& diags) {
  auto known = loaded_.find(found.files());
  const bool first_time = known == loaded_.end();
  const bool is_shown_elsewhere = !first_time && known->second.has_errors &&
                                  known->second.directory != found.directory &&
                                  diags.size() < kMaxRepeated;
  if (is_shown_elsewhere) known = loaded_.find(found.directory);
  if (known != loaded_.end()) {
    const Loaded& loaded = known->second;
    if (check_version(*loaded.module.module, request, false) && diags.size() < kMaxRepeated) {
      for (const diag::Diagnostic& problem : loaded.problems) diags.add(problem);
    }
    return loaded.module;
  }
  diag::Diagnostics block_reader;
  auto files = finder_.read(request, found, block_reader);
  if (!files) {
    diags.take(std::move(block_reader));
    return {};
  }
  diag::Diagnostics problems;
  const LoadedModule loaded = declare(std::move(*files), problems);
  loaded.module->name_blocks(block_reader.items_from(0));
  loaded_.emplace(first_time ? found.files() : found.directory,
                  Loaded{loaded,
                         found.directory,
                         {problems.items().begin(), problems.items().end()},
                         block_reader.has_errors() || problems.has_errors()});
  if (check_version(*loaded.module, request, first_time)) {
    diags.take(std::move(block_reader));
    diags.take(std::move(problems));
  }
  return loaded;
}

LoadedModule ModuleLoader::load_root(ParsedFiles files, std::vector<TestFile>& tests,
                                     diag::Diagnostics& diags) {
  std::vector<ParsedFile> test_files = std::move(files.tests);
  LoadedModule root = declare(std::move(files), diags);
  root.module->name_blocks(diags.items_from(0));  // those of reading its files, too
  // A file comes twice if the directory was given as its own test directory.
  std::unordered_set<std::string> names;
  std::vector<ParsedFile> mocks;
  // Other code points into their contents, so they must not be moved when the container grows.
  tests.reserve(test_files.size());
  for (ParsedFile& file : test_files) {
    if (mock_file_syntax(file.name.name)) {
      mocks.push_back(std::move(file));
      continue;
    }
    const bool is_new = names.insert(file.name.name).second;
    TestFile test = declare_test_file(std::move(file), *root.module, sources_, diags);
    if (is_new) tests.push_back(std::move(test));
  }
  add_mock_files(std::move(mocks), *root.module, tests, sources_, diags);
  if (!check_version(*root.module, {}, true)) diags.clear();
  return root;
}

}  // namespace tofu::config

// Modules by directory, each read and declared once however often it is called.
//
// Calls of one directory share one Module, which nothing changes afterwards, and the
// symbol libraries that it imports, whose sources do not depend on the caller.
//
// What is wrong with a module is reported for each call of it, as OpenTofu does,
// except for syntax errors, which are reported once for each directory. Calls that see
// the same files in directories of their own share one Module only if nothing is wrong
// with it: each report names the file as its call sees it. A module that needs another version is
// reported as that and nothing else, apart from the rest (take_version_errors()): what else looks
// wrong in it may be right in a language that we do not know.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/declare.h"
#include "config/library_set.h"
#include "config/module.h"
#include "config/symbol_source.h"
#include "config/test_file.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::config {

// A module and what its libraries offer. Both are shared by all calls of it.
struct LoadedModule {
  std::shared_ptr<Module> module;
  std::shared_ptr<const SymbolSource> symbols;
};

class ModuleLoader {
 public:
  ModuleLoader(ModuleFinder& finder, const StaticInputs& inputs, diag::SourceMap& sources)
      : finder_(finder),
        inputs_(inputs),
        sources_(sources),
        libraries_(std::make_unique<LibrarySet>(inputs.libraries, sources)) {}

  // Without a module if and only if its files could not be read, which is reported.
  LoadedModule load(const ModuleRequest& request, const FoundModule& found,
                    diag::Diagnostics& diags);
  // The root, with the test files among `files`. `diags` has what reading them
  // reported, and loses it if the module needs another version.
  LoadedModule load_root(ParsedFiles files, std::vector<TestFile>& tests, diag::Diagnostics& diags);

  bool has_version_errors() const { return version_errors_.has_errors(); }
  diag::Diagnostics take_version_errors() { return std::move(version_errors_); }
  // Constraints for Terraform that were taken as met.
  std::vector<EquivalentVersion> take_equivalent() { return std::move(equivalent_); }
  // Everything that symbols point into.
  std::unique_ptr<LibrarySet> take_libraries() { return std::move(libraries_); }

 private:
  struct Loaded {
    LoadedModule module;
    std::string directory;                   // of the call that it was read for
    std::vector<diag::Diagnostic> problems;  // said again for each call
    bool has_errors = false;
  };

  LoadedModule declare(ParsedFiles files, diag::Diagnostics& diags);
  // False if the module needs another version.
  bool check_version(const Module& module, const ModuleRequest& request, bool first_time);

  ModuleFinder& finder_;
  const StaticInputs& inputs_;
  diag::SourceMap& sources_;
  std::unique_ptr<LibrarySet> libraries_;
  std::unordered_map<std::string, Loaded> loaded_;  // by what calls share, or directory
  diag::Diagnostics version_errors_;
  std::vector<EquivalentVersion> equivalent_;
};

}  // namespace tofu::config

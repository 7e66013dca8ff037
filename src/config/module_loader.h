// Modules by directory, each read and declared once however often it is called.
//
// Calls of one directory share one Module, which nothing changes afterwards, and the
// symbol libraries that it imports, whose sources do not depend on the caller.
//
// Errors in a module are reported for each call of it, as in OpenTofu, except for syntax errors,
// which are reported once for each directory. Calls that see the same files in directories of their
// own share one Module only if nothing is wrong with it: each report names the file as its call
// sees it. A module that needs another version is reported as that and nothing else, apart from the
// rest (take_version_errors()): what else looks wrong in it may be right in a language that we do
// not know.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/declare.h"
#include "config/library_needs.h"
#include "config/module.h"
#include "config/test_file.h"
#include "config/tree.h"
#include "config/version_conflict.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "symbols/library_set.h"
#include "symbols/symbol_source.h"

namespace tofu::config {

// A module and what its libraries offer. Both are shared by all calls of it.
struct LoadedModule {
  std::shared_ptr<Module> module;
  std::shared_ptr<const symbols::SymbolSource> symbols;
  LibraryLabels left_out = {};  // of the imported libraries those that were not to be loaded
};

class ModuleLoader {
 public:
  ModuleLoader(ModuleFinder& finder, const StaticInputs& inputs, diag::SourceMap& sources)
      : finder_(finder),
        inputs_(inputs),
        sources_(sources),
        libraries_(std::make_unique<symbols::LibrarySet>(inputs.libraries, sources)) {}

  // The result has no module when its files could not be read; that is reported.
  LoadedModule load(const ModuleRequest& request, const FoundModule& found,
                    diag::Diagnostics& diags);
  // The root, with the test files among `files`. `diags` has what reading them
  // reported, and loses it if the module needs another version.
  LoadedModule load_root(ParsedFiles files, std::vector<TestFile>& tests, diag::Diagnostics& diags);

  // What the libraries of a module are in the runs of a test file: those that the file imports are
  // in the place of those of the same names.
  std::shared_ptr<const symbols::SymbolSource> load_for_tests(const Module& module,
                                                              const TestFile& file,
                                                              diag::Diagnostics& diags);

  bool has_version_errors() const { return version_errors_.has_errors(); }
  // With those of modules whose constraints do not go together. Once everything is loaded, before
  // take_equivalent().
  diag::Diagnostics take_version_errors();
  // Constraints for Terraform that were taken as met.
  std::vector<EquivalentVersion> take_equivalent() { return std::move(equivalent_); }
  // Everything that symbols point into.
  std::unique_ptr<symbols::LibrarySet> take_libraries() { return std::move(libraries_); }

 private:
  struct Loaded {
    LoadedModule module;
    std::string directory;                   // of the call that it was read for
    std::vector<diag::Diagnostic> problems;  // said again for each call
    bool has_errors = false;
  };

  LoadedModule declare(ParsedFiles files, diag::Diagnostics& diags);
  // The libraries of the symbols blocks of `module`, without what `left_out` names.
  symbols::LibraryImports load_libraries(const Module& module, const LibraryLabels& left_out,
                                         diag::Diagnostics& diags);
  // False if the module needs another version.
  bool check_version(const Module& module, const ModuleRequest& request, bool first_time);

  ModuleFinder& finder_;
  const StaticInputs& inputs_;
  diag::SourceMap& sources_;
  std::unique_ptr<symbols::LibrarySet> libraries_;
  std::unordered_map<std::string, Loaded> loaded_;  // by what calls share, or directory
  diag::Diagnostics version_errors_;
  std::vector<EquivalentVersion> equivalent_;
  std::vector<HoldingConstraint> holding_;  // the same with their modules
};

}  // namespace tofu::config

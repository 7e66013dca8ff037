// All modules of a configuration, linked: which module each call leads to, with
// sources, versions and variable types settled.
//
// Linking evaluates what has to be known early (module sources, library sources,
// provider for_each) with the static values given, and nothing else. The tree is
// by call, not by instance: a module called with count stands here once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/module.h"
#include "addrs/module_source.h"
#include "addrs/version.h"
#include "config/declare.h"
#include "config/early_values.h"
#include "config/encryption.h"
#include "config/module.h"
#include "config/static_eval.h"
#include "config/test_file.h"
#include "config/version_check.h"
#include "diag/diagnostic.h"
#include "symbols/library_finder.h"
#include "symbols/library_set.h"
#include "symbols/symbol_source.h"
#include "value/value.h"

namespace tofu::config {

struct ModuleId {
  std::uint32_t index = 0;  // row in Tree::nodes; 0 is the root
  auto operator<=>(const ModuleId&) const = default;
};

struct TreeNode {
  ModuleId id;  // its own
  addrs::ModulePath path;
  std::shared_ptr<const Module> module;  // shared by all calls of the same files
  std::string directory;                 // path.module; calls that share files may differ in it
  std::string files;                     // the same for all calls that share files
  std::optional<ModuleId> parent;
  const ModuleCall* call = nullptr;  // in the parent; null for the root
  std::shared_ptr<const symbols::SymbolSource>
      symbols;                               // what its libraries offer; shared likewise
  std::unique_ptr<StaticEvaluator> statics;  // evaluates early expressions of this module
  ProviderInstances provider_instances;      // of providers with for_each
  // The provider blocks it has in the place of its own, because of a test. Null: its own.
  std::shared_ptr<const base::Named<ProviderConfig>> test_providers;
  std::optional<addrs::ModuleSource> source;              // absent for the root
  std::string version;                                    // selected; empty if the source has none
  bool is_local = true;                                   // reached through relative paths only
  std::map<std::string, ModuleId, std::less<>> children;  // by call name

  const base::Named<ProviderConfig>& provider_configs() const {
    return test_providers ? *test_providers : module->provider_configs;
  }
};

struct Tree;

// The configuration that a run of a test file is about, if it is another one than
// the one that is tested.
struct TestTree {
  std::size_t file = 0;  // in Tree::tests
  std::size_t run = 0;   // in the file
  std::unique_ptr<Tree> tree;
};

struct Tree {
  std::unique_ptr<symbols::LibrarySet> libraries;  // what symbols point into; null in a TestTree
  std::vector<TreeNode> nodes;                     // parents before children
  std::vector<TestFile> tests;                     // of the root
  std::vector<TestTree> test_trees;
  // Constraints for Terraform that were taken as met, the root's first.
  std::vector<EquivalentVersion> equivalent_versions;

  // In the source, because it takes much code to end a tree, and many files have one.
  Tree();
  Tree(Tree&& other) noexcept;
  Tree& operator=(Tree&& other) noexcept;
  ~Tree();

  // Makes the literals of all files free to copy from any thread, and the process's for
  // good. For the configuration that a command is about, before it is evaluated.
  void keep_literals_forever() const;

  const TreeNode& root() const { return nodes[0]; }
  const TreeNode& node(ModuleId id) const { return nodes[id.index]; }
};

// A request for the module of one call. Modules of tests have paths that begin with "test".
struct ModuleRequest {
  addrs::ModulePath path;
  std::optional<addrs::ModuleSource> source;  // absent: it was wrong, and reported
  std::optional<addrs::Constraints> version;
  std::string parent_directory;
  bool repeats = false;  // the call has count or for_each
  bool is_local = true;  // reached through relative paths only
  diag::SourceRange call_range;
  diag::SourceRange source_range;
};

struct FoundModule {
  std::string directory;  // what path.module will be
  std::string version = {};
  std::string identity = {};  // calls that share files get the same; empty: the directory

  const std::string& files() const { return identity.empty() ? directory : identity; }
};

// The source of modules: installed ones, or (during installation) those being fetched.
class ModuleFinder {
 public:
  virtual ~ModuleFinder() = default;
  // Said of every call of a module before the first of them is looked for, so that
  // what has to be fetched can be fetched side by side.
  virtual void expect(const ModuleRequest&) {}
  // Nothing only if an error was added, now or about the request's source. An error
  // may also come with a result, which is then looked at all the same.
  virtual std::optional<FoundModule> find(const ModuleRequest& request,
                                          diag::Diagnostics& diags) = 0;
  // The files of a module that was found; called once for each identity. Nothing if the directory
  // cannot be read; an error was added then.
  virtual std::optional<ParsedFiles> read(const ModuleRequest& request, const FoundModule& found,
                                          diag::Diagnostics& diags) = 0;
};

// The input of linking.
struct StaticInputs {
  StaticEvaluator::Given root_variables;  // what the root's variables were given
  RunInfo facts;
  const functions::Table* functions = nullptr;  // has to be there
  VersionCheck version_check = VersionCheck::Off;
  OwnVersions own_versions = {};
  symbols::LibraryFinder* libraries = nullptr;  // without one, importing a library is an error
  // Of the root module only the settings are evaluated: of its libraries just those are loaded that
  // its blocks backend, cloud and encryption need, and `other_encryption`. Values that need another
  // library are absent, and providers are not checked.
  bool settings_only = false;
  const Encryption* other_encryption = nullptr;
};

// The whole configuration below `root`, and that of its test files. Always returns what could be
// linked; look at `diags`. As in OpenTofu, errors of the root hide those of the modules below it,
// and any error hides those in passing providers.
//
// `diags` comes with what reading the files of `root` reported, and nothing else.
Tree link_modules(ParsedFiles root, ModuleFinder& finder, const StaticInputs& inputs,
                  diag::SourceMap& sources, diag::Diagnostics& diags);

}  // namespace tofu::config

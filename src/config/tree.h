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
#include "config/declare.h"
#include "config/library_finder.h"
#include "config/module.h"
#include "config/static_eval.h"
#include "config/symbol_source.h"
#include "config/version.h"
#include "diag/diagnostic.h"
#include "value/value.h"

namespace tofu::config {

struct ModuleId {
  std::uint32_t index = 0;  // row in Tree::nodes; 0 is the root
  auto operator<=>(const ModuleId&) const = default;
};

struct TreeNode {
  addrs::ModulePath path;
  std::unique_ptr<Module> module;
  std::optional<ModuleId> parent;
  const ModuleCall* call = nullptr;           // in the parent; null for the root
  std::unique_ptr<SymbolSource> symbols;      // what its symbol libraries offer; never null
  std::unique_ptr<StaticEvaluator> statics;   // evaluates early expressions of this module
  std::optional<addrs::ModuleSource> source;  // absent for the root
  std::string version;                        // selected; empty if the source has none
  bool is_local = true;                       // reached through relative paths only
  std::map<std::string, ModuleId, std::less<>> children;  // by call name
};

struct Tree {
  std::vector<TreeNode> nodes;  // parents before children

  const TreeNode& root() const { return nodes[0]; }
  const TreeNode& node(ModuleId id) const { return nodes[id.index]; }
};

// What linking asks for each module call.
struct ModuleRequest {
  addrs::ModulePath path;
  addrs::ModuleSource source;
  std::optional<Constraints> version;
  std::string parent_directory;
  diag::SourceRange call_range;
  diag::SourceRange source_range;
};

struct FoundModule {
  ParsedFiles files;
  std::string version;
};

// Where modules come from: what is installed, or (while installing) what is
// fetched right now.
class ModuleFinder {
 public:
  virtual ~ModuleFinder() = default;
  // Nothing if and only if an error was added.
  virtual std::optional<FoundModule> find(const ModuleRequest& request,
                                          diag::Diagnostics& diags) = 0;
};

// The values that static evaluation starts from.
struct StaticInputs {
  StaticEvaluator::Given root_variables;  // what the root's variables were given
  StaticFacts facts;
  LibraryFinder* libraries = nullptr;  // without one, importing a library is an error
};

// The whole configuration below `root`. Always returns what could be linked, so
// that all mistakes are found in one run; look at `diags`.
Tree link_modules(ParsedFiles root, ModuleFinder& finder, const StaticInputs& inputs,
                  diag::SourceMap& sources, diag::Diagnostics& diags);

}  // namespace tofu::config

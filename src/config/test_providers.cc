#include "config/test_providers.h"

#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "addrs/provider.h"
#include "config/provider_checks.h"

namespace tofu::config {

namespace {

using addrs::Provider;
using Meanings = std::map<std::string, Provider, std::less<>>;  // by local name

// The providers of the local names that a module declares or configures.
Meanings meanings_in(const Module& module) {
  Meanings meanings;
  for (const RequiredProvider& required : module.required_providers) {
    meanings.emplace(required.name, required.provider);
  }
  for (const ProviderConfig& config : module.provider_configs) {
    meanings.emplace(config.name, addrs::default_provider(config.name));
  }
  return meanings;
}

const Provider& meaning_of(const Meanings& meanings, const std::string& name, Provider& implied) {
  const auto found = meanings.find(name);
  if (found != meanings.end()) return found->second;
  return implied = addrs::default_provider(name);
}

class FileChecker {
 public:
  FileChecker(const Tree& tree, std::size_t file, const diag::SourceMap& sources,
              diag::Diagnostics& diags)
      : tree_(tree),
        file_(tree.tests[file]),
        sources_(sources),
        diags_(diags),
        in_root_(meanings_in(root())) {
    for (const TestTree& test : tree.test_trees) {
      if (test.file == file) trees_.emplace(test.run, test.tree.get());
    }
    for (const ProviderConfig& config : file_.providers) configured_.insert(config.name);
  }

  void check();

 private:
  struct Passed {
    const PassedProvider* passed;
    Provider in_parent;
    Provider in_child;
  };

  const Module& root() const { return *tree_.root().module; }
  void settle(const TestRun& run, const Meanings& meanings, std::vector<Passed>& passed);
  void check_by_name();
  void check_configuration(const std::string& key, const Provider& wanted);
  void refuse(const std::string& what, const Provider& is, const Provider& wanted,
              diag::SourceRange at);

  const Tree& tree_;
  const TestFile& file_;
  const diag::SourceMap& sources_;
  diag::Diagnostics& diags_;
  Meanings in_root_;
  std::map<std::size_t, const Tree*> trees_;       // of runs that are about another module
  std::set<std::string, std::less<>> configured_;  // names with provider blocks in the file
  Meanings settled_;                               // what those names stand for
};

void FileChecker::refuse(const std::string& what, const Provider& is, const Provider& wanted,
                         diag::SourceRange at) {
  diags_.error("Provider type mismatch")
      .detail(fmt::format("{} is {} in {}, but this run requires {}. Another run of the file may "
                          "have used the same provider block for another provider.",
                          what, is.for_display(), file_.name, wanted.for_display()))
      .at(at);
}

// Lets a run decide what names stand for that no run before it used.
void FileChecker::settle(const TestRun& run, const Meanings& meanings,
                         std::vector<Passed>& passed) {
  if (run.providers.empty()) {
    for (const auto& [name, provider] : meanings) {
      if (configured_.contains(name)) settled_.emplace(name, provider);
    }
    return;
  }
  for (const PassedProvider& each : run.providers) {
    Provider implied;
    const Provider& wanted = meaning_of(meanings, each.in_child.name, implied);
    const auto known = settled_.find(each.in_parent.name);
    passed.push_back({&each, known != settled_.end() ? known->second : wanted, wanted});
    if (configured_.contains(each.in_parent.name)) settled_.emplace(each.in_parent.name, wanted);
  }
}

void FileChecker::check_configuration(const std::string& key, const Provider& wanted) {
  const ProviderConfig* config = file_.providers.find(key);
  if (config == nullptr) return;
  Provider implied;
  const Provider& is = meaning_of(settled_, config->name, implied);
  if (!(is == wanted)) refuse(key, is, wanted, config->range);
}

// A run about the root module that passes nothing gets what the names say.
void FileChecker::check_by_name() {
  for (const RequiredProvider& required : root().required_providers) {
    check_configuration(required.name, required.provider);
    for (const ProviderAlias& alias : required.aliases) {
      check_configuration(alias.alias.empty() ? alias.name : alias.name + "." + alias.alias,
                          required.provider);
    }
  }
  for (const ProviderConfig& config : root().provider_configs) {
    Provider implied;
    check_configuration(config.key(), meaning_of(in_root_, config.name, implied));
  }
}

void FileChecker::check() {
  std::vector<std::vector<Passed>> passed(file_.runs.size());
  for (std::size_t i = 0; i < file_.runs.size(); ++i) {
    const auto other = trees_.find(i);
    if (other == trees_.end()) {
      settle(file_.runs[i], in_root_, passed[i]);
    } else {
      settle(file_.runs[i], meanings_in(*other->second->root().module), passed[i]);
    }
  }
  for (std::size_t i = 0; i < file_.runs.size(); ++i) {
    if (const auto other = trees_.find(i); other != trees_.end()) {
      check_providers(*other->second, sources_, diags_);
    } else if (passed[i].empty()) {
      check_by_name();
    }
    if (trees_.contains(i)) continue;
    for (const Passed& each : passed[i]) {
      if (each.in_child == each.in_parent) continue;
      refuse(each.passed->in_parent.to_string(), each.in_parent, each.in_child,
             each.passed->in_parent.name_range);
    }
  }
}

}  // namespace

void check_test_providers(const Tree& tree, const diag::SourceMap& sources,
                          diag::Diagnostics& diags) {
  const std::size_t before = diags.size();
  for (std::size_t i = 0; i < tree.tests.size(); ++i) FileChecker(tree, i, sources, diags).check();
  tree.root().module->name_blocks(diags.items_from(before));
}

}  // namespace tofu::config

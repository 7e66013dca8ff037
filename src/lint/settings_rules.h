// Rules about versions, providers and sources of modules, and about outputs that no caller reads.
//
// Some of them need the whole tree: what one module declares another one may use.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "addrs/provider.h"
#include "config/tree.h"
#include "lint/finding.h"
#include "lint/usage.h"

namespace tofu::lint {

// The providers that the resources and provider blocks of a whole configuration use.
std::set<addrs::Provider> used_providers(const config::Tree& tree);

// `used` are those of the whole configuration.
void check_settings(const config::Module& module, bool is_root, const Usage& usage,
                    const std::set<addrs::Provider>& used, Findings& findings);

// The outputs of modules that no call reads, by module: the names of those that one reads.
class OutputUse {
 public:
  // Each call of each module of the tree is looked up in the usage of its caller.
  void note(const config::Module& called, const config::ModuleCall& call, const Usage& caller);
  void check(const config::Module& module, Findings& findings) const;

 private:
  std::map<const config::Module*, std::set<const config::Output*>> read_;
};

}  // namespace tofu::lint

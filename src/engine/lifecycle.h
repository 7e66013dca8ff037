// What a configuration says about the end of objects: the lifecycle block of a resource, and the
// `removed` blocks of what has no configuration any more.
//
// Whether destroying is refused, whether objects are left alone instead, and whether a resource has
// conditions; the rest of a lifecycle block is read with the configuration, or by the rules for
// changes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "addrs/resource.h"
#include "config/objects.h"
#include "config/refactor.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "eval/module_scope.h"
#include "plans/action.h"

namespace tofu::engine {

// `destroy = false`: objects are left alone where they would be destroyed.
bool keeps_objects(const config::Resource& resource);

// Reports an action on `address` that `prevent_destroy` forbids, or a value of it that
// cannot be used. `names` stands outside of each instance.
void check_prevent_destroy(const config::Resource& resource,
                           const addrs::AbsResourceInstance& address, plans::Action action,
                           const eval::ModuleScope& names, diag::Diagnostics& diags);

// Whether a resource has conditions, which are judged for each of its instances.
inline bool has_conditions(const config::Resource& resource) {
  return !resource.preconditions.empty() || !resource.postconditions.empty();
}

// What `removed` blocks say about objects that have no configuration any more.
//
// A block is about a resource or about everything in a module, in all instances of the
// module it is written in. Where several are about one resource, the last one written
// decides what happens, those of inner modules after those of outer ones, and the
// first one has the provisioners: so it is in OpenTofu.
struct Removal {
  bool destroy = false;  // or else: leave the object alone and forget it
  const config::Removed* block = nullptr;
  const std::vector<config::Provisioner>* provisioners = nullptr;
  const config::TreeNode* provisioners_in = nullptr;  // whose names their expressions use
};

class RemovedBlocks {
 public:
  // The tree outlives it.
  explicit RemovedBlocks(const config::Tree& tree);

  // Nothing if no block is about the resource: then its own settings decide.
  std::optional<Removal> find(const addrs::ConfigResource& resource) const;

 private:
  struct Entry {
    const config::Removed* block;
    const config::TreeNode* node;
  };
  struct Range {
    std::size_t first;
    std::size_t last;
  };

  std::vector<Entry> entries_;
  std::unordered_map<std::string, Range> by_address_;
};

// Reports blocks about resources and modules that are still there. For plans that are
// not made to destroy everything or only to refresh.
void check_removed(const config::Tree& tree, diag::Diagnostics& diags);

}  // namespace tofu::engine

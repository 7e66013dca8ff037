// What `removed` blocks say about objects that have no configuration any more.
//
// A block is about a resource or about everything in a module, in all instances of the
// module it is written in. Where several are about one resource, the last one written
// decides what happens, those of inner modules after those of outer ones, and the
// first one has the provisioners: so it is in OpenTofu.
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

namespace tofu::engine {

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

// The configuration that a run of a test file is about, with the provider blocks that the
// file puts in the place of those that its root module has.
//
// It points into the tree that it was made from, which outlives it. Nothing in it can be
// evaluated early any more: that was done when the tree was linked.
#pragma once

#include "base/named.h"
#include "config/early_values.h"
#include "config/objects.h"
#include "config/tree.h"

namespace tofu::config {

// `instances` are those of providers with for_each; the others have theirs as before.
Tree with_providers(const Tree& tree, base::Named<ProviderConfig> providers,
                    const ProviderInstances& instances);

}  // namespace tofu::config

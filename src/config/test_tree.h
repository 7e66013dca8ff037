// The configuration that a run of a test file is about, with the provider blocks that the
// file puts in the place of those that its root module has.
//
// It points into the tree that it was made from, which outlives it. Nothing in it can be
// evaluated early any more: that was done when the tree was linked.
#pragma once

#include <memory>

#include "base/named.h"
#include "config/early_values.h"
#include "config/objects.h"
#include "config/tree.h"
#include "symbols/symbol_source.h"

namespace tofu::config {

// `instances` are those of providers with for_each; the others have theirs as before. `symbols` are
// in the place of those that the root module imports; null: none are.
Tree with_providers(const Tree& tree, base::Named<ProviderConfig> providers,
                    const ProviderInstances& instances,
                    std::shared_ptr<const symbols::SymbolSource> symbols);

}  // namespace tofu::config

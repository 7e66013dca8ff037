// A configuration as JSON: what `show -config` prints, and the `configuration` part
// of a plan's document.
//
// Contains declarations and references, never a value that is only known later. The form is
// OpenTofu's, which policy tools and registries read.
#pragma once

#include <string>

#include "config/tree.h"
#include "schema/provider.h"

namespace tofu::documents {

// The whole tree, on one line. Every provider that it needs is in `schemas`.
std::string config_json(const config::Tree& tree, const schema::ProviderSchemas& schemas);

// One module by itself, the root of `tree`: without what takes schemas or the
// modules that it calls, and so without expressions.
std::string module_json(const config::Tree& tree);

}  // namespace tofu::documents

// Which providers a configuration needs, and in which versions.
//
// A provider is needed because required_providers names it, because it is
// configured, or because a resource's type implies it.
#pragma once

#include <map>
#include <vector>

#include "addrs/provider.h"
#include "addrs/version.h"
#include "config/module.h"
#include "config/test_file.h"
#include "config/tree.h"

namespace tofu::config {

// Constraints of every place that has some; all of them have to hold.
using ProviderRequirements = std::map<addrs::Provider, std::vector<addrs::Constraint>>;

// The requirements of one module, without its child modules.
void add_requirements(const Module& module, ProviderRequirements& out);
// The requirements of a test file's own provider blocks; names are those of `tested`.
void add_requirements(const TestFile& file, const Module& tested, ProviderRequirements& out);
// The requirements of the whole tree, with its tests.
void add_requirements(const Tree& tree, ProviderRequirements& out);

}  // namespace tofu::config

// Which providers a configuration needs, and in which versions.
//
// A provider is needed because required_providers names it, because it is
// configured, or because a resource's type implies it.
#pragma once

#include <map>
#include <vector>

#include "addrs/provider.h"
#include "config/module.h"
#include "config/test_file.h"
#include "config/tree.h"
#include "config/version.h"

namespace tofu::config {

// Constraints of every place that has some; all of them have to hold.
using ProviderRequirements = std::map<addrs::Provider, std::vector<Constraint>>;

// What one module needs by itself, without those that it calls.
void add_requirements(const Module& module, ProviderRequirements& out);
// What a test file's own provider blocks need; names are those of `tested`.
void add_requirements(const TestFile& file, const Module& tested, ProviderRequirements& out);
// What the whole tree needs, with its tests.
void add_requirements(const Tree& tree, ProviderRequirements& out);

}  // namespace tofu::config

// The module of a configuration that an address leads to.
//
// Keys do not matter: the tree of modules is by call, so that all instances of a call
// lead to the same module.
#pragma once

#include "addrs/module.h"
#include "config/tree.h"

namespace tofu::engine {

// Null if no such module is called.
const config::TreeNode* find_module(const config::Tree& tree, const addrs::ModulePath& path);
const config::TreeNode* find_module(const config::Tree& tree, const addrs::ModuleInstance& module);

}  // namespace tofu::engine

// Provider configurations of a whole configuration under one name each, and which
// of them a resource in any module really uses.
//
// A module's provider may be handed down by its caller, over any number of calls;
// the entry that a resource names is then the one it all began with.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "addrs/module.h"
#include "addrs/provider.h"
#include "config/objects.h"
#include "config/tree.h"

namespace tofu::documents {

struct ProviderEntry {
  std::string name;
  addrs::Provider provider;
  std::string alias = {};
  std::string constraints = {};  // in normal form
  addrs::ModulePath module;
  const config::ProviderConfig* config = nullptr;  // null if there is no block
  std::string from = {};                           // key of the entry it is handed down from
};

// "aws.west", or "module.a:aws.west" in a module below the root.
std::string provider_key(std::string_view local, const addrs::ModulePath& module);

// By key. `whole` also visits the modules below the root.
std::map<std::string, ProviderEntry> provider_entries(const config::Tree& tree, bool whole);

}  // namespace tofu::documents

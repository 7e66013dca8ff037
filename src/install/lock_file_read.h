// Reading the blocks of .terraform.lock.hcl.
//
// What is wrong is reported where it stands, as OpenTofu does it: addresses,
// versions and constraints of providers have to be in normal form, so that changes
// of the file are changes of what it says. For lock_file.cc only.
#pragma once

#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "install/lock_file.h"
#include "syntax/body.h"

namespace tofu::install {

struct NamedProviderLock {
  std::string address;
  ProviderLock lock;
};

// Nothing only if an error was added; an error may also come with a lock.
std::optional<NamedProviderLock> read_provider_lock(const syntax::Block& block,
                                                    diag::Diagnostics& diags);
ModuleLock read_module_lock(const syntax::Block& block, diag::Diagnostics& diags);

}  // namespace tofu::install

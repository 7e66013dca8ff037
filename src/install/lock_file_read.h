// Reading the blocks of .terraform.lock.hcl.
//
// Errors are reported at their place, as in OpenTofu: addresses, versions and constraints of
// providers have to be in normal form, so that every change of the file is a change of its
// contents. For lock_file.cc only.
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

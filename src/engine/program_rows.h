// The rows of a program by the addresses that states and plans have for them.
//
// Rows are for all instances of a module, so keys of modules do not matter. Where the
// configuration does not have what a state still has, there is no row.
#pragma once

#include <optional>

#include "addrs/module.h"
#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "eval/program.h"

namespace tofu::engine {

// Nothing if the configuration has no such resource.
std::optional<eval::ObjectId> resource_row(const eval::Program& program,
                                           const addrs::ConfigResource& resource);
// The configuration of a provider, or the one that it is inherited from, or the empty one
// that it has if nobody wrote one. Nothing if the program does not need the provider.
std::optional<eval::ObjectId> provider_row(const eval::Program& program,
                                           const addrs::AbsProviderConfig& provider);
// The start of a module, or of the innermost around it that there is.
eval::ObjectId module_start(const eval::Program& program, const addrs::ModulePath& module);

}  // namespace tofu::engine

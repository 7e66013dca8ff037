// Which providers are part of this program.
//
// All others are plugins, which `init` installs (see run_providers.h). A provider of
// terraform.io/builtin that is not here cannot be had at all.
#pragma once

#include "addrs/provider.h"

namespace tofu::workdir {

bool is_available(const addrs::Provider& provider);

}  // namespace tofu::workdir

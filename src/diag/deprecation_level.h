// Which uses of deprecated variables, outputs and resource arguments are worth a warning.
//
// The command line sets it, and everything that warns of such uses asks it, from loading the
// configuration to running tests.
#pragma once

#include <cstdint>

namespace tofu::diag {

enum class DeprecationLevel : std::uint8_t {
  All,
  Local,  // of the root module, and of modules reached through relative paths only
  None,
};

}  // namespace tofu::diag

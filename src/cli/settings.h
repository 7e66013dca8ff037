// Settings of the user for all commands: the environment, the CLI configuration, and where log
// lines go.
//
// Commands see it const: nothing changes it once the CLI configuration was read.
#pragma once

#include "base/log.h"
#include "cli/cli_config.h"
#include "cli/environment.h"

namespace tofu::cli {

struct Settings {
  const Environment& environment;
  base::Log log = {};           // TF_LOG and TF_LOG_CORE
  base::Log provider_log = {};  // TF_LOG_PROVIDER: what provider plugins write
  CliConfig cli_config = {};    // read before the command runs
};

}  // namespace tofu::cli

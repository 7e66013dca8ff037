// The session: the arguments that the program passes to the function of a command.
//
// A session is for the top: the parts below a command take only what they use of it, so that their
// signatures say what they can do.
#pragma once

#include "cli/cancellation.h"
#include "cli/keep_alive.h"
#include "cli/settings.h"
#include "cli/terminal.h"
#include "diag/source.h"

namespace tofu::cli {

struct Session {
  Terminal& terminal;
  const Settings& settings;
  Cancellation& cancellation;
  diag::SourceMap& sources;
  KeepAlive& keep_alive;
};

}  // namespace tofu::cli

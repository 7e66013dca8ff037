// Who takes a lock: this user on this machine, now.
//
// The record of a lock is for people: a user who finds a state locked reads in it whom to ask.
// Other programs read it too, so its form is OpenTofu's.
#pragma once

#include <string>

#include "backends/lock_info.h"
#include "cli/environment.h"

namespace tofu::workdir {

// With an ID of its own, which is empty if the system gives no random numbers.
backends::LockInfo new_lock(std::string operation, const cli::Environment& environment);

}  // namespace tofu::workdir

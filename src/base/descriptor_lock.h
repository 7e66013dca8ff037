// An exclusive lock on an open file, which other processes respect.
//
// It conflicts with the fcntl locks that OpenTofu and Terraform take, but belongs to
// the open file and not to the process: closing another descriptor of the same file
// does not lose it, and two threads can fight for it.
#pragma once

#include "base/result.h"

namespace tofu::base {

// False if another process or descriptor holds it. Let go when the descriptor and all that were
// duplicated from it are closed.
Result<bool> try_lock_descriptor(int descriptor);

}  // namespace tofu::base

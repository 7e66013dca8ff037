// Writing a state to a file of this machine, as a whole.
//
// The one place where text becomes the bytes of a file: laid out, encrypted, synced,
// and then given its name.
#pragma once

#include <string>

#include "backends/backend.h"
#include "backends/local_lock.h"
#include "base/result.h"
#include "state/encryption.h"
#include "state/state.h"
#include "state/state_file.h"

namespace tofu::backends {

// A new file is readable by its owner only. `lock` goes over to the new file; null if
// nobody locks it. `before` is called when the new file is on disk and still has another name.
base::Result<void> put_state(const std::string& path, const state::State& state,
                             state::Layout layout, const state::Encryption& encryption,
                             LocalLock* lock, const Store::Before& before = {});

}  // namespace tofu::backends

// Writing a state to a file of this machine, as a whole.
//
// The one place where text becomes the bytes of a file: laid out, encrypted, synced,
// and then given its name.
#pragma once

#include <string>

#include "backends/backend.h"
#include "backends/local_lock.h"
#include "base/disk.h"
#include "base/result.h"
#include "state/encryption.h"
#include "state/state.h"
#include "state/state_file.h"

namespace tofu::backends {

struct PutOptions {
  LocalLock* lock = nullptr;    // goes over to the new file
  Store::Before before = {};    // called when the new file is on disk and still has another name
  std::string owner_like = {};  // the file whose owner a new one gets; empty: ours
};

// Afterwards only the owner can read the file, independent of its mode before.
base::Result<void> put_state(base::Disk& disk, const std::string& path, const state::State& state,
                             state::Layout layout, const state::Encryption& encryption,
                             const PutOptions& options = {});

}  // namespace tofu::backends

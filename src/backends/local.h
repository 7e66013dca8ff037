// States in files of this machine: the backend that is used unless another is
// configured.
//
// The default workspace has its file at `path`, the others in directories of their
// own. A state is never written in place: the lock goes over to the new file before
// it gets its name, so that OpenTofu and Terraform, which lock and write the file
// itself, are kept out all the time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backends/backend.h"
#include "base/disk.h"

namespace tofu::backends {

struct LocalSettings {
  std::string path = "terraform.tfstate";
  std::string workspace_directory = "terraform.tfstate.d";
  // As -state, -state-out and -backup say: for whichever workspace; empty if not given.
  // The backup "-" means none.
  std::string state_override = {};
  std::string state_out_override = {};
  std::string backup_override = {};
  std::string version = {};  // of this program, for what is written
  // Gets lines for people about changes that they may not expect, when a store goes away.
  std::function<void(const std::string&)> note = {};
};

struct LocalPaths {
  std::string read;
  std::string write;
  std::string backup;  // empty: none is made
};

// The path of a workspace's state.
LocalPaths local_paths(const LocalSettings& settings, const std::string& workspace);

// `encryption` and `disk` outlive the backend and its stores.
std::unique_ptr<Backend> make_local_backend(LocalSettings settings,
                                            const state::Encryption& encryption,
                                            base::Disk& disk = base::system_disk());
// A store for these files alone, such as those of `state mv -state-out`.
std::unique_ptr<Store> open_local_store(LocalPaths paths, std::string version,
                                        const state::Encryption& encryption,
                                        std::function<void(const std::string&)> note = {},
                                        base::Disk& disk = base::system_disk());

}  // namespace tofu::backends

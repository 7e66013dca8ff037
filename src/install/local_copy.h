// Copies of local modules that change their files: one for each call of such a module.
//
// A copy has the module's own directory and the directories that relative sources in it
// lead to, at the same paths as in the root module's directory, and nothing that lies
// beside them by chance. Directories are added as they are met.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "install/package_store.h"

namespace tofu::install {

class LocalCopies {
 public:
  // Both outlive this. `data_directory` is never copied.
  LocalCopies(PackageStore& store, const std::string& data_directory)
      : store_(store), data_directory_(data_directory) {}

  // Makes `entry` a directory with a copy of the directory at `path`, which is relative
  // to the working directory and does not leave it, and with nothing else.
  base::Result<void> begin(const std::string& path, const std::string& entry);
  // Adds another one. Those in `whole` are there; they may have been changed and stay.
  base::Result<void> add(const std::string& path, const std::string& entry,
                         const std::vector<std::string>& whole);

 private:
  base::Result<void> copy(const std::string& path, const std::string& to);

  PackageStore& store_;
  const std::string& data_directory_;
};

}  // namespace tofu::install

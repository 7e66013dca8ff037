// Which files a configuration is made of: what a saved plan has to hold.
//
// Packages count whole, since their modules may read any of their files, and once,
// however many calls link to them and wherever they are. Of directories on this disk
// the files of configuration count, with package metadata.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/tree.h"
#include "install/package_records.h"

namespace tofu::install {

struct SourceDirectory {
  std::string path;                // as the first of its calls sees it
  std::vector<std::string> files;  // relative to it, sorted
  std::vector<std::string> calls;  // keys of the calls whose modules are in it, sorted
  bool is_package = false;
};

// In the order in which the tree meets them: the root first. `data_directory` is
// .terraform or what TF_DATA_DIR names.
base::Result<std::vector<SourceDirectory>> source_files(const config::Tree& tree,
                                                        const PackageRecords& records,
                                                        const std::string& data_directory);

}  // namespace tofu::install

// The place and properties of a module, as its calls need them.
//
// A plain record, filled when a module is found and not changed afterwards. Paths are
// relative to the working directory, where they are not absolute.
#pragma once

#include <memory>
#include <string>

#include "config/package_metadata.h"
#include "install/sharing.h"

namespace tofu::install {

struct ModulePlace {
  std::string root = std::string(1, '.');  // the package's top, as the call sees it
  // The directory of its files: a copy may be on its way until the end.
  std::string readable = std::string(1, '.');
  std::string files_root = std::string(1, '.');  // the same for all calls that share files
  std::string path = std::string(1, '.');        // of the module in the package
  std::string label;                             // of the package, for people
  std::string package;  // its name in the store; empty for the root module's
  std::shared_ptr<const config::PackageMetadata> metadata;
  Declaration inherited;  // what callers say of the package, if it says nothing
  EffectivePolicy policy;
  std::string repeats;     // the outermost call on the way here that has count or for_each
  bool elsewhere = false;  // it, or a package that leads to it, came from another machine
  std::string linked;      // the directory on this disk that the call's entry is a link to
  std::string copy;        // the call whose copy of local modules it is in
};

}  // namespace tofu::install

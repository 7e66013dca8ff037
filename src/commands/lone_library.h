// A symbol library looked at by itself, as -library=DIR asks for, rather than through a
// module that imports it.
//
// What it imports from elsewhere is found where init of this directory installed it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/command.h"
#include "config/library_set.h"
#include "diag/diagnostic.h"
#include "install/library_directory.h"
#include "install/module_finder.h"

namespace tofu::commands {

class LoneLibraries {
 public:
  explicit LoneLibraries(World& world);
  LoneLibraries(const LoneLibraries&) = delete;
  LoneLibraries& operator=(const LoneLibraries&) = delete;

  // The library in a directory or file; valid while this lives. `asked_by` is what the
  // user gave the path with, such as "-library". Null if and only if an error was added.
  const config::Library* load(const std::string& path, std::string_view asked_by,
                              diag::Diagnostics& diags);

  // For whoever loads the libraries of a module.
  config::LibrarySet& set() { return libraries_; }

 private:
  World& world_;
  install::InstalledModules installed_;
  install::LibraryDirectories finder_;
  config::LibrarySet libraries_;
};

// Checks every library that lies in `directory`, but for those that are in `checked`
// (which may be null) already. False if there is none at all.
bool check_libraries_in(const std::string& directory, const config::LibrarySet* checked,
                        World& world, diag::Diagnostics& diags);

}  // namespace tofu::commands

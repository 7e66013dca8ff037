// A symbol library looked at by itself, as -library=DIR asks for, rather than through a
// module that imports it.
//
// Its fetched imports are found where init of this directory installed them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "install/library_directory.h"
#include "install/module_finder.h"
#include "symbols/library_set.h"

namespace tofu::workdir {

class StandaloneLibraries {
 public:
  explicit StandaloneLibraries(const cli::Environment& environment, diag::SourceMap& sources);
  StandaloneLibraries(const StandaloneLibraries&) = delete;
  StandaloneLibraries& operator=(const StandaloneLibraries&) = delete;

  // The library in a directory or file; valid while this lives. `asked_by` is what the
  // user gave the path with, such as "-library".
  diag::Checked<const symbols::Library*> load(const std::string& path, std::string_view asked_by,
                                              diag::Diagnostics& diags);

  // For code that loads the libraries of a module.
  symbols::LibrarySet& set() { return libraries_; }

 private:
  const cli::Environment& environment_;
  diag::SourceMap& sources_;
  install::InstalledModules installed_;
  install::LibraryDirectories finder_;
  symbols::LibrarySet libraries_;
};

// Checks the examples of the libraries that are not installed copies of packages: those have other
// authors.
void check_examples(const symbols::LibrarySet& libraries, const cli::Environment& environment,
                    diag::Diagnostics& diags);

// Checks every library that lies in `directory`, but for those that are in `checked`
// (which may be null) already. False if there is none at all.
bool check_libraries_in(const std::string& directory, const symbols::LibrarySet* checked,
                        const cli::Environment& environment, diag::SourceMap& sources,
                        diag::Diagnostics& diags);

}  // namespace tofu::workdir

// The configuration of the working directory, as every command loads it.
//
// Reads the files, the values given to variables and the record of installed
// modules, links everything into a tree and checks that its modules are made for
// this version. Nothing is installed here; a module that is missing is an error
// that says to run init.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/environment.h"
#include "config/encryption.h"
#include "config/tree.h"
#include "config/version_check.h"
#include "diag/diagnostic.h"
#include "eval/deprecation.h"
#include "functions/found_files.h"
#include "functions/table.h"
#include "install/library_directory.h"
#include "install/module_directory.h"
#include "install/module_finder.h"
#include "symbols/library_finder.h"
#include "workdir/load_context.h"
#include "workdir/options.h"
#include "workdir/root_variables.h"

namespace tofu::workdir {

// What is loaded points into itself, so it stays where it was made.
struct Configuration {
  Configuration(const LoadContext& context, bool console,
                std::unique_ptr<functions::FoundFiles> found_files = nullptr);
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;

  std::string workspace;
  RootVariables variables;
  // What functions found out about files, if a plan is saved, or was. May be null.
  std::unique_ptr<functions::FoundFiles> found_files;
  functions::Table functions;
  install::LibraryDirectories libraries;
  config::Tree tree;
  std::vector<install::PackageUse> packages;  // those that are installed; empty while installing
};

struct LoadOptions {
  std::string directory = std::string(1, '.');  // of the root module
  VariableOptions variables = {};
  config::VersionCheck version_check = config::VersionCheck::Equivalent;
  // Whose uses of something deprecated are warned about. What is given from outside is
  // the root's use.
  eval::DeprecationLevel deprecation = eval::DeprecationLevel::All;
  // How constraints for Terraform that were taken as met are reported; absent: not at
  // all.
  std::optional<config::Listing> equivalence = {};
  // Where test files are, besides the directory itself; absent: none are read.
  std::optional<std::string> test_directory = {};
  // Whether installed packages that differ from the lock file are an error.
  bool check_package_locks = true;
  bool console = false;      // functions of the console, such as type(), are offered
  bool notes_files = false;  // what functions find out about files is kept for a saved plan
  // As config::StaticInputs says.
  bool settings_only = false;
  const config::Encryption* other_encryption = nullptr;
  symbols::LibraryFinder* other_libraries = nullptr;  // has those that are not on this disk
};

// As the command line, the environment and the CLI configuration ask for it.
diag::Checked<LoadOptions> load_options(const ConfigurationOptions& configuration,
                                        const LoadContext& context, diag::Diagnostics& diags);

diag::Checked<std::unique_ptr<Configuration>> load_configuration(const LoadOptions& options,
                                                                 const LoadContext& context,
                                                                 diag::Diagnostics& diags);

// The same with modules and libraries as others find them, for installing. `libraries`
// is asked only meanwhile.
diag::Checked<std::unique_ptr<Configuration>> load_configuration(
    const LoadOptions& options, config::ModuleFinder& finder, install::PackagedLibraries libraries,
    const LoadContext& context, diag::Diagnostics& diags);

// What the built-in functions of a run are made with; they may be impure.
functions::Environment function_environment(const LoadContext& context,
                                            functions::FoundFiles* found_files = nullptr);

// The file that records which modules are installed.
std::string manifest_path(const cli::Environment& environment);
// The file that records which packages they are from.
std::string packages_path(const cli::Environment& environment);

}  // namespace tofu::workdir

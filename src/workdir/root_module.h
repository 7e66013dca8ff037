// The root module of this directory without the modules it calls, for commands that only need
// its settings: where the state is, and how files are encrypted.
//
// Symbol libraries are loaded only if these settings need them (config/library_needs.h), from
// this directory and the installed packages, or from a saved plan that the command is about.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/environment.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "install/module_finder.h"
#include "symbols/library_finder.h"
#include "workdir/configuration.h"
#include "workdir/load_context.h"
#include "workdir/options.h"

namespace tofu::workdir {

// The modules and libraries that are installed here. Records that cannot be read are treated
// as missing: what they would lead to is then reported as not installed.
install::InstalledModules installed_modules(const cli::Environment& environment,
                                            diag::SourceMap& sources);

struct RootModuleOptions {
  enum class Libraries : std::uint8_t { OfSettings, All };
  Libraries libraries = Libraries::OfSettings;
  // Has libraries that are not on this disk, such as those in a saved plan. Null: none.
  symbols::LibraryFinder* other_libraries = nullptr;
};

diag::Checked<std::unique_ptr<Configuration>> load_root_module(
    const ConfigurationOptions& configuration, const LoadContext& context, diag::Diagnostics& diags,
    const RootModuleOptions& options = {});

// The module in `options.directory` by itself, with all libraries that it imports.
diag::Checked<std::unique_ptr<Configuration>> load_module_alone(const LoadOptions& options,
                                                                const LoadContext& context,
                                                                diag::Diagnostics& diags);

}  // namespace tofu::workdir

#include "workdir/root_module.h"

#include <optional>
#include <utility>
#include <vector>

#include "cli/environment.h"
#include "config/no_modules.h"
#include "diag/source.h"
#include "install/manifest.h"
#include "install/package_records.h"
#include "workdir/command_encryption.h"
#include "workdir/load_context.h"
#include "workdir/workspace.h"

namespace tofu::workdir {

install::InstalledModules installed_modules(const cli::Environment& environment,
                                            diag::SourceMap& sources) {
  auto records = install::PackageRecords::read(packages_path(environment));
  return {install::Manifest(), records ? std::move(*records) : install::PackageRecords(),
          data_directory(environment), sources};
}

diag::Checked<std::unique_ptr<Configuration>> load_module_alone(const LoadOptions& options,
                                                                const LoadContext& context,
                                                                diag::Diagnostics& diags) {
  config::NoModules none;
  const install::InstalledModules installed =
      installed_modules(context.environment(), context.sources);
  return load_configuration(options, none, install::packaged_libraries(installed), context, diags);
}

diag::Checked<std::unique_ptr<Configuration>> load_root_module(
    const ConfigurationOptions& configuration, const LoadContext& context, diag::Diagnostics& diags,
    const RootModuleOptions& options) {
  auto how = load_options(configuration, context, diags);
  if (!how) return nullptr;
  const auto encryption = encryption_of_environment(context.environment(), context.sources);
  how->settings_only = options.libraries == RootModuleOptions::Libraries::OfSettings;
  if (encryption) how->other_encryption = &encryption->block;
  how->other_libraries = options.other_libraries;
  return load_module_alone(*how, context, diags);
}

}  // namespace tofu::workdir

// Where the modules of a configuration are: as installed, or installed just now.
//
// InstalledModules follows the manifest and changes nothing; a call that is not
// in it, or differs from it, is an error that says to run init. ModuleInstaller
// is used by init and get: it finds each module and writes the manifest anew.
#pragma once

#include <string>
#include <utility>

#include "config/tree.h"
#include "diag/source.h"
#include "install/manifest.h"

namespace tofu::install {

class InstalledModules final : public config::ModuleFinder {
 public:
  InstalledModules(Manifest manifest, diag::SourceMap& sources)
      : manifest_(std::move(manifest)), sources_(sources) {}
  std::optional<config::FoundModule> find(const config::ModuleRequest& request,
                                          diag::Diagnostics& diags) override;

 private:
  Manifest manifest_;
  diag::SourceMap& sources_;
};

class ModuleInstaller final : public config::ModuleFinder {
 public:
  // Told of each module that was installed, for people to see.
  using Installed = void (*)(void* listener, const addrs::ModulePath& module,
                             const std::string& where);

  ModuleInstaller(diag::SourceMap& sources, Installed installed, void* listener)
      : sources_(sources), installed_(installed), listener_(listener) {}
  std::optional<config::FoundModule> find(const config::ModuleRequest& request,
                                          diag::Diagnostics& diags) override;

  // What was found, the root included.
  const Manifest& manifest() const { return manifest_; }

 private:
  Manifest manifest_;
  diag::SourceMap& sources_;
  Installed installed_;
  void* listener_;
};

// Modules below `prefix`: what tests call is installed under paths of its own.
class ModulesBelow final : public config::ModuleFinder {
 public:
  ModulesBelow(config::ModuleFinder& all, addrs::ModulePath prefix)
      : all_(all), prefix_(std::move(prefix)) {}
  std::optional<config::FoundModule> find(const config::ModuleRequest& request,
                                          diag::Diagnostics& diags) override;

 private:
  config::ModuleFinder& all_;
  addrs::ModulePath prefix_;
};

}  // namespace tofu::install

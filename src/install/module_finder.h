// Where the modules of a configuration are: as installed, or installed just now.
//
// InstalledModules follows the manifest and changes nothing; a call that is not
// in it, or differs from it, is an error that says to run init. ModuleInstaller
// is used by init and get: it finds each module and brings the manifest up to date.
#pragma once

#include <functional>
#include <optional>
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
  std::optional<config::ParsedFiles> read(const config::ModuleRequest& request,
                                          const config::FoundModule& found,
                                          diag::Diagnostics& diags) override;

 private:
  Manifest manifest_;
  diag::SourceMap& sources_;
};

class ModuleInstaller final : public config::ModuleFinder {
 public:
  // Told of each module that was installed, for people to see.
  using Installed =
      std::function<void(const addrs::ModulePath& module, const std::string& directory)>;

  // `before` is the manifest so far: what stays the same is installed again only if
  // `again`.
  ModuleInstaller(Manifest before, bool again, diag::SourceMap& sources, Installed installed)
      : manifest_(std::move(before)),
        again_(again),
        sources_(sources),
        installed_(std::move(installed)) {}
  std::optional<config::FoundModule> find(const config::ModuleRequest& request,
                                          diag::Diagnostics& diags) override;
  std::optional<config::ParsedFiles> read(const config::ModuleRequest& request,
                                          const config::FoundModule& found,
                                          diag::Diagnostics& diags) override;

  const Manifest& manifest() const { return manifest_; }

 private:
  // Where `request` is installed already; null if it has to be installed.
  const ManifestEntry* installed_before(const config::ModuleRequest& request) const;

  Manifest manifest_;
  bool again_;
  diag::SourceMap& sources_;
  Installed installed_;
};

}  // namespace tofu::install

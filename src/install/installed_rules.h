// Rules of packages about calls of their modules, for installed modules.
//
// An installation follows the metadata of packages; afterwards the configuration or the root
// module's own file may change. Repeats the checks of the installation, so that `validate` reports
// what `init` would refuse. Private to module_finder.cc.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "config/package_metadata.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "install/manifest.h"
#include "install/sharing.h"

namespace tofu::install {

class InstalledRules {
 public:
  // `entries` is .terraform/modules/.
  InstalledRules(std::string entries, diag::SourceMap& sources)
      : entries_(std::move(entries)), sources_(sources) {}

  // Reads the root module's own file. First of all.
  void read_root(diag::Diagnostics& diags);
  // Of a module that was found, after the one that calls it.

  void check(const config::ModuleRequest& request, const ManifestEntry& entry,
             diag::Diagnostics& diags);

 private:
  using Metadata = std::shared_ptr<const config::PackageMetadata>;  // null: there is no file

  // The properties of a module that its calls depend on.
  struct Place {
    std::string label;  // of its package, for people
    Metadata metadata;
    Declaration inherited;
    EffectivePolicy policy;
    std::string repeats;  // the outermost call on the way here that has count or for_each
  };

  const Place& parent_of(const addrs::ModulePath& module) const;
  Metadata metadata_of(const std::string& package, diag::Diagnostics& diags);

  std::string entries_;
  diag::SourceMap& sources_;
  std::map<std::string, Place, std::less<>> places_;         // by key; "" is the root
  std::map<std::string, Metadata, std::less<>> by_package_;  // by the real directory
};

}  // namespace tofu::install

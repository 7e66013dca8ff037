// Finds the installed modules of a configuration.
//
// Follows the manifest and changes nothing; a call that is not in it, or differs
// from it, is an error that says to run init. Calls that link to one package get
// its files once.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "config/tree.h"
#include "diag/source.h"
#include "install/installed_rules.h"
#include "install/library_directory.h"
#include "install/manifest.h"
#include "install/package_records.h"
#include "symbols/library_finder.h"

namespace tofu::install {

// A package, and the calls and imports that use it.
struct PackageUse {
  PackageRecord package;
  bool is_shared = true;
  std::string directory = {};  // of its files; copies have one each, and are listed one by one
  std::vector<std::string> users = {};
};

class InstalledModules final : public config::ModuleFinder {
 public:
  // `data_directory` is .terraform or what TF_DATA_DIR names.
  InstalledModules(Manifest manifest, PackageRecords records, const std::string& data_directory,
                   diag::SourceMap& sources);
  // Reports errors in the root module's own package metadata. First of all.
  void read_root(diag::Diagnostics& diags) { rules_.read_root(diags); }
  std::optional<config::FoundModule> find(const config::ModuleRequest& request,
                                          diag::Diagnostics& diags) override;
  std::optional<config::ParsedFiles> read(const config::ModuleRequest& request,
                                          const config::FoundModule& found,
                                          diag::Diagnostics& diags) override;
  // The place of a fetched symbol library. Nothing if an error was added.
  std::optional<std::string> find_library(const symbols::LibraryRequest& request,
                                          diag::Diagnostics& diags) const;
  // The places of the libraries that a module or library names by relative paths.
  LibraryHome library_home(const std::string& directory) const;

  // The packages that were found so far. The lock file has to hold those that are shared.
  const std::vector<PackageUse>& packages() const { return uses_; }

 private:
  void note_use(PackageUse use, std::string user) const;

  // The same for all calls whose directories are links to one package.
  std::string identity(const std::string& directory);
  // The first directory that the module was copied from and that has changed since.
  const Origin* stale_origin(const CallRecord& record);
  // Whether the shared package of a call differs from the installed one.
  bool is_edited(const CallRecord& record);
  // Whether the directory of a call leads to other files than those that were installed for it.
  bool is_redirected(const CallRecord& record, const config::ModuleRequest& request,
                     const std::string& directory) const;
  bool is_in_place(const config::ModuleRequest& request, const ManifestEntry& entry) const;

  Manifest manifest_;
  PackageRecords records_;
  std::string entries_;   // .terraform/modules/
  std::string packages_;  // .terraform/packages/
  diag::SourceMap& sources_;
  std::map<std::string, bool, std::less<>> stale_;   // by origin and hash
  std::map<std::string, bool, std::less<>> edited_;  // by package
  InstalledRules rules_;
  mutable std::vector<PackageUse> uses_;
  mutable std::map<std::pair<PackageRecord, std::string>, std::size_t> use_of_;  // in uses_
};

// Finds the libraries of a module, for as long as `installed` lives.
PackagedLibraries packaged_libraries(const InstalledModules& installed);

// Whether an installed version still satisfies the call. A module without a version satisfies only
// a call without constraints.
bool version_fits(const config::ModuleRequest& request, const ManifestEntry& entry);

}  // namespace tofu::install

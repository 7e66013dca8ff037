// Installing the modules of a configuration while it is being linked.
//
// Each call is found, its package acquired and put where the call sees it: a link to the shared
// package or a copy of its own, as packages and callers say. Modules that are installed and up to
// date are left alone. Modules by local paths are found by local_modules.h; install_ledger.h keeps
// the results.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/tree.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "install/install_ledger.h"
#include "install/library_directory.h"
#include "install/local_modules.h"
#include "install/lock_file.h"
#include "install/manifest.h"
#include "install/package_records.h"
#include "install/package_resolver.h"
#include "install/packages.h"
#include "install/sharing.h"
#include "symbols/library_finder.h"

namespace tofu::install {

class ModuleInstaller final : public config::ModuleFinder {
 public:
  // The records are those so far; what stays the same is installed again only if
  // `again`. Everything else outlives this.
  ModuleInstaller(Manifest manifest, const PackageRecords& before, bool again, Packages& packages,
                  diag::SourceMap& sources, InstallLedger::Installed installed);

  // Reads what the root module's own file says of its modules. First of all.
  void read_root(diag::Diagnostics& diags);

  void expect(const config::ModuleRequest& request) override;
  std::optional<config::FoundModule> find(const config::ModuleRequest& request,
                                          diag::Diagnostics& diags) override;
  std::optional<config::ParsedFiles> read(const config::ModuleRequest& request,
                                          const config::FoundModule& found,
                                          diag::Diagnostics& diags) override;
  // The place of a fetched symbol library. Nothing if an error was added.
  std::optional<std::string> find_library(const symbols::LibraryRequest& request,
                                          diag::Diagnostics& diags);
  // The places of the libraries that a module or library names by relative paths.
  LibraryHome library_home(const std::string& directory);

  // To be called when linking is over. `complete`: there were no errors, so everything that was not
  // used is no longer needed.
  void finish(bool complete, diag::Diagnostics& diags);

  const Manifest& manifest() const { return ledger_.manifest(); }
  const PackageRecords& records() const { return ledger_.records(); }
  std::vector<ModuleLock> locks() const { return ledger_.locks(); }
  InstallSummary summary() const { return ledger_.summary(); }

 private:
  using Found = std::optional<config::FoundModule>;

  Found find_package(const config::ModuleRequest& request, const ModulePlace& parent,
                     diag::Diagnostics& diags);
  std::optional<Found> keep_copy(const config::ModuleRequest& request, const ModulePlace& parent,
                                 diag::Diagnostics& diags);
  bool has_copy(const config::ModuleRequest& request) const;
  bool can_reuse_copy(const config::ModuleRequest& request) const;
  std::optional<std::string> linked_directory(const config::ModuleRequest& request) const;
  void report_interruption(diag::Diagnostics& diags);
  // Once for each package; finish() adds the other callers. `user` is a call or an import.
  void report_unfetched(const Refusal& refusal, const std::string& user, diag::SourceRange place,
                        diag::Diagnostics& diags);
  void report_missing(diag::Diagnostics& diags) const;
  bool place_package(const config::ModuleRequest& request, Package& package, Placement placement,
                     ModulePlace& place, diag::Diagnostics& diags);
  bool check_instances(const config::ModuleRequest& request, const ModulePlace& place,
                       Placement placement, diag::Diagnostics& diags);
  bool is_elsewhere(std::string_view directory) const;

  Packages& packages_;
  diag::SourceMap& sources_;
  InstallLedger ledger_;
  LocalModules local_;
  std::set<std::string, std::less<>> seen_;    // directories of packages that are there
  std::set<std::string, std::less<>> linked_;  // labels that a call has a link to
  bool interrupted_ = false;
  struct Unfetched {
    std::string detail;              // of the error
    std::vector<std::string> users;  // the first is in it
    std::string missing = {};        // Refusal::missing
  };
  std::size_t missing_ = 0;  // packages that may not be fetched
  std::map<std::pair<std::string, std::string>, Unfetched> unfetched_;  // by the reported text
};

}  // namespace tofu::install

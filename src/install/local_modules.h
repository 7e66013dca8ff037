// Modules by local paths: of the root module's directory and inside of packages.
//
// They are used where they are. One that changes its files gets a copy for every call:
// of the package it is in, or of the root module's directory with what it names by
// relative paths.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "addrs/module_source.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "install/install_ledger.h"
#include "install/packages.h"

namespace tofu::install {

class LocalModules {
 public:
  // Both outlive this.
  LocalModules(Packages& packages, InstallLedger& ledger) : packages_(packages), ledger_(ledger) {}

  // Nothing if an error was added.
  std::optional<config::FoundModule> find(const config::ModuleRequest& request,
                                          const addrs::LocalSource& source,
                                          const ModulePlace& parent, diag::Diagnostics& diags);

 private:
  // The copy of local modules that belongs to one call.
  struct LocalCopy {
    std::string path;                // of the module that is called
    std::vector<std::string> whole;  // directories that are there, by their paths in the root
  };
  using Found = std::optional<config::FoundModule>;

  Found find_in_package(const config::ModuleRequest& request, const addrs::LocalSource& source,
                        ModulePlace place, diag::Diagnostics& diags);
  Found find_at(const config::ModuleRequest& request, ModulePlace place, const std::string& path,
                diag::Diagnostics& diags);
  Found copy_local(const config::ModuleRequest& request, ModulePlace place,
                   diag::Diagnostics& diags);
  Found copy_in_package(const config::ModuleRequest& request, ModulePlace place,
                        diag::Diagnostics& diags);
  bool add_to_copy(const config::ModuleRequest& request, const ModulePlace& place,
                   diag::Diagnostics& diags);
  std::string entry_of(const config::ModuleRequest& request);

  Packages& packages_;
  InstallLedger& ledger_;
  std::map<std::string, LocalCopy, std::less<>> copies_;  // by key
};

}  // namespace tofu::install

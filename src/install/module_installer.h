// Installing the modules of a configuration while it is being linked.
//
// Each call is found, its package got and put where the call sees it: a link to the
// shared package or a copy of its own, as packages and callers say. What is
// installed already and still right is left alone. Nothing is final before
// finish(): then the records tell what was installed, and what nobody uses any
// more is removed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/library_finder.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "install/library_directory.h"
#include "install/lock_file.h"
#include "install/manifest.h"
#include "install/package_records.h"
#include "install/packages.h"
#include "install/sharing.h"

namespace tofu::install {

// What an installation did, for people.
struct InstallSummary {
  std::size_t fetched = 0;        // packages
  std::size_t shared = 0;         // packages that calls link to
  std::size_t sharing_calls = 0;  // calls that link to them
  std::size_t copied = 0;         // calls with a copy of their own, made in this run
  std::uint64_t saved_bytes = 0;  // that copies for all calls would have taken
};

class ModuleInstaller final : public config::ModuleFinder {
 public:
  // Told of each module that was installed, for people to see.
  using Installed =
      std::function<void(const addrs::ModulePath& module, const std::string& directory)>;

  // The records are those so far; what stays the same is installed again only if
  // `again`. Everything else outlives this.
  ModuleInstaller(Manifest manifest, const PackageRecords& before, bool again, Packages& packages,
                  diag::SourceMap& sources, Installed installed);

  // Reads what the root module's own file says of its modules. First of all.
  void read_root(diag::Diagnostics& diags);

  void expect(const config::ModuleRequest& request) override;
  std::optional<config::FoundModule> find(const config::ModuleRequest& request,
                                          diag::Diagnostics& diags) override;
  std::optional<config::ParsedFiles> read(const config::ModuleRequest& request,
                                          const config::FoundModule& found,
                                          diag::Diagnostics& diags) override;
  // Where a symbol library from elsewhere is. Nothing if an error was added.
  std::optional<std::string> find_library(const config::LibraryRequest& request,
                                          diag::Diagnostics& diags);
  // Where the libraries that a module or library names by relative paths are.
  LibraryHome library_home(const std::string& directory);

  // To be called when linking is over. `complete`: nothing was wrong, so whatever was
  // not met is not needed any more.
  void finish(bool complete, diag::Diagnostics& diags);

  const Manifest& manifest() const { return manifest_; }
  const PackageRecords& records() const { return records_; }
  // What a lock file should hold of the packages: those that change themselves are
  // not in it.
  std::vector<ModuleLock> locks() const;
  InstallSummary summary() const;

 private:
  // Where a module is and what is known of it, for those that it calls.
  struct Place {
    std::string root = std::string(1, '.');  // the package's top, as the call sees it
    // Where its files can be read: a copy may be on its way until the end.
    std::string readable = std::string(1, '.');
    std::string files_root = std::string(1, '.');  // the same for all calls that share files
    std::string path = std::string(1, '.');        // of the module in the package
    std::string label;                             // of the package, for people
    std::string package;  // its name in the store; empty for the root module's
    std::shared_ptr<const config::PackageMetadata> metadata;
    Said inherited;  // what callers say of the package, if it says nothing
    Standing standing;
    std::string repeats;     // the outermost call on the way here that has count or for_each
    bool elsewhere = false;  // it, or a package that leads to it, came from another machine
    std::string linked;      // the directory on this disk that the call's entry is a link to
    std::string copy;        // the call whose copy of local modules it is in
  };
  // The copy of local modules that belongs to one call.
  struct LocalCopy {
    std::string path;                // of the module that is called
    std::vector<std::string> whole;  // directories that are there, by their paths in the root
  };
  using Found = std::optional<config::FoundModule>;

  const Place& parent_of(const addrs::ModulePath& module) const;
  Found find_local(const config::ModuleRequest& request, const addrs::LocalSource& source,
                   const Place& parent, diag::Diagnostics& diags);
  Found find_in_package(const config::ModuleRequest& request, const addrs::LocalSource& source,
                        Place place, diag::Diagnostics& diags);
  Found settle_local(const config::ModuleRequest& request, Place place,
                     const std::string& directory, diag::Diagnostics& diags);
  Found copy_local(const config::ModuleRequest& request, Place place, diag::Diagnostics& diags);
  Found copy_in_package(const config::ModuleRequest& request, Place place,
                        diag::Diagnostics& diags);
  bool add_to_copy(const config::ModuleRequest& request, const Place& place,
                   diag::Diagnostics& diags);
  Found find_package(const config::ModuleRequest& request, const Place& parent,
                     diag::Diagnostics& diags);
  std::optional<Found> keep_copy(const config::ModuleRequest& request, const Place& parent,
                                 diag::Diagnostics& diags);
  bool has_copy(const config::ModuleRequest& request) const;
  bool is_kept_unseen(const config::ModuleRequest& request) const;
  std::optional<std::string> linked_directory(const config::ModuleRequest& request) const;
  void report_interruption(diag::Diagnostics& diags);
  bool place_package(const config::ModuleRequest& request, Package& package, Placement placement,
                     Place& place, diag::Diagnostics& diags);
  bool check_instances(const config::ModuleRequest& request, const Place& place,
                       Placement placement, diag::Diagnostics& diags);
  Found settle(const config::ModuleRequest& request, Place place, CallRecord record,
               ManifestEntry entry);
  bool is_elsewhere(std::string_view directory) const;
  void lock(const Package& package, const std::optional<config::Constraints>& version);
  void forget_unused(diag::Diagnostics& diags);

  Manifest manifest_;
  const PackageRecords& before_;
  PackageRecords records_;
  bool again_;
  Packages& packages_;
  diag::SourceMap& sources_;
  Installed installed_;
  std::map<std::string, Place, std::less<>> places_;      // by key; "" is the root
  std::map<std::string, LocalCopy, std::less<>> copies_;  // by key
  std::set<std::string, std::less<>> seen_;               // directories of packages that are there
  std::set<std::string, std::less<>> linked_;             // labels that a call has a link to
  std::map<std::pair<std::string, std::string>, ModuleLock> locks_;  // by label and version
  std::map<std::string, std::size_t, std::less<>> links_;            // calls of each shared package
  std::size_t copied_ = 0;
  bool interrupted_ = false;
};

}  // namespace tofu::install

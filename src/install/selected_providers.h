// The provider packages that are selected and installed in a working directory.
//
// The lock file says which version of each provider is selected and which hashes its package may
// have; .terraform/providers has the packages; the CLI configuration may put a directory of a
// developer in the place of a package (dev_overrides). Code that starts a provider gets the
// executable here, and only if the package has one of the locked hashes. Nothing is installed or
// changed. Safe to use from several threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "addrs/provider.h"
#include "base/result.h"
#include "install/lock_file.h"
#include "install/platform.h"
#include "install/provider_directory.h"
#include "net/memoized.h"
#include "process/program_file.h"

namespace tofu::install {

// The directories of dev_overrides, by provider.
using ProviderOverrides = std::map<addrs::Provider, std::string>;

// A provider that can be started.
struct SelectedProvider {
  addrs::Provider provider;
  std::string version = {};  // empty: a development override, whose version is not known
  std::string directory;     // of the package
  std::string executable = {};
  // The executable as it was hashed, to be started from there. Null for an override.
  std::shared_ptr<const process::ProgramFile> program = {};
  // "h1:…" of the package as it is now, which is in the lock file. It changes whenever the package
  // does, so it can be a cache key for information about the provider. Empty for an override, which
  // may change at any time.
  std::string hash = {};

  bool is_overridden() const { return version.empty(); }
};

// Why a provider cannot be started.
struct SelectionProblem {
  enum class Kind : std::uint8_t {
    NotLocked,     // "tofu init" has not selected a version
    NotInstalled,  // there is no package of the selected version
    NotAllowed,    // the package has none of the locked hashes
    Unusable,      // the package cannot be read, or has no executable
  };
  Kind kind;
  std::string what;  // whole sentences that say what to do
};

class SelectedProviders {
 public:
  // `data_directory` is .terraform or what TF_DATA_DIR names.
  SelectedProviders(const std::string& data_directory, Platform platform, const LockFile& lock,
                    ProviderOverrides overrides = {});

  // Whether a version is selected and a package is there, or an override. Cheap: nothing
  // is hashed.
  base::Result<void, SelectionProblem> check_presence(const addrs::Provider& provider) const;

  // The provider's executable, after its package was checked against the locked hashes. Each
  // package is hashed only once.
  base::Result<SelectedProvider, SelectionProblem> get(const addrs::Provider& provider);

  // All that are locked or overridden, whether they are installed or not; the version of
  // an override is empty.
  std::map<addrs::Provider, std::string> versions() const;

 private:
  using Answer = base::Result<SelectedProvider, SelectionProblem>;

  Answer find(const addrs::Provider& provider) const;
  Answer check(SelectedProvider found) const;

  ProviderDirectory packages_;
  std::map<addrs::Provider, ProviderLock> locks_;
  ProviderOverrides overrides_;
  net::Memoized<Answer> checked_;
};

}  // namespace tofu::install

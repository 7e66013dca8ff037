// A directory of unpacked provider packages: HOST/NAMESPACE/TYPE/VERSION/OS_ARCH.
//
// The layout that .terraform/providers, plugin caches and unpacked mirrors share with OpenTofu. A
// package is a directory or a link to one; its executable is the file whose name begins with
// terraform-provider-TYPE.
#pragma once

#include <optional>
#include <string>

#include "addrs/provider.h"
#include "archive/tree_hash.h"
#include "base/result.h"
#include "install/platform.h"

namespace tofu::install {

class ProviderDirectory {
 public:
  ProviderDirectory(std::string path, Platform platform);

  const std::string& path() const { return path_; }
  const Platform& platform() const { return platform_; }

  // The path of a package, whether it exists or not.
  std::string package_path(const addrs::Provider& provider, const std::string& version) const;
  // The same if there is a directory, or a link to one.
  std::optional<std::string> find(const addrs::Provider& provider,
                                  const std::string& version) const;

 private:
  std::string path_;
  Platform platform_;
};

// HOST/NAMESPACE/TYPE, with the host as people know it.
std::string provider_path(const addrs::Provider& provider);

// The program in the directory of a package.
base::Result<std::string> find_executable(const std::string& package,
                                          const addrs::Provider& provider);

// "h1:…" of the package in a directory, as OpenTofu has it: a link to a file counts as
// the file. An empty package is an error.
// `held` may be null, see tree_hash.h.
base::Result<std::string> hash_package(const std::string& directory,
                                       const archive::HeldFile* held = nullptr);

}  // namespace tofu::install

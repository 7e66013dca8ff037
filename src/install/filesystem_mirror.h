// A directory of provider packages on this machine: filesystem_mirror, -plugin-dir, and
// the directories that are mirrors without being configured.
//
// Packages lie unpacked, as HOST/NAMESPACE/TYPE/VERSION/OS_ARCH, or packed, as
// HOST/NAMESPACE/TYPE/terraform-provider-TYPE_VERSION_OS_ARCH.zip. Only the directory of the
// requested provider is read; other files are ignored.
#pragma once

#include <string>
#include <vector>

#include "install/install_method.h"

namespace tofu::install {

struct MirroredPackage {
  addrs::Version version;
  Platform platform;
  PackageLocation location;
};

class FilesystemMirror final : public InstallMethod {
 public:
  explicit FilesystemMirror(std::string path) : path_(std::move(path)) {}

  base::Result<OfferedVersions, MethodProblem> versions(const addrs::Provider& provider) override;
  base::Result<PackageOffer, MethodProblem> package(const addrs::Provider& provider,
                                                    const addrs::Version& version,
                                                    const Platform& platform) override;
  std::string for_display(const addrs::Provider& provider) const override;

  // Whether there is a package of the provider for any platform.
  bool has(const addrs::Provider& provider) const;
  // All packages of the provider, in the order of their names.
  base::Result<std::vector<MirroredPackage>> packages(const addrs::Provider& provider) const;

 private:
  std::string path_;
};

}  // namespace tofu::install

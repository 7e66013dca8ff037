// Provider registries: the installation method `direct`.
//
// Speaks the provider registry protocol over HTTP, with service discovery. The list of checksums
// and its signature are fetched with the answer about a package; whether they fit is checked by
// signing_metadata.h. Each request is made once. Safe to use from several threads.
#pragma once

#include <string>

#include "install/install_method.h"
#include "install/registry_client.h"
#include "net/credentials.h"
#include "net/memoized.h"
#include "net/web.h"

namespace tofu::install {

class ProviderRegistry final : public InstallMethod {
 public:
  // Both outlive this. `retries`: how often the download of a package is tried again.
  ProviderRegistry(net::Web& web, const net::Credentials& credentials, std::string program_version,
                   unsigned retries);

  base::Result<OfferedVersions, MethodProblem> versions(const addrs::Provider& provider) override;
  base::Result<PackageOffer, MethodProblem> package(const addrs::Provider& provider,
                                                    const addrs::Version& version,
                                                    const Platform& platform) override;
  std::string for_display(const addrs::Provider& provider) const override;

 private:
  using Versions = base::Result<OfferedVersions, MethodProblem>;
  using Package = base::Result<PackageOffer, MethodProblem>;

  Versions ask_versions(const addrs::Provider& provider);
  Package ask_package(const addrs::Provider& provider, const addrs::Version& version,
                      const Platform& platform);
  // A file that the registry names, which may be anywhere: without its token.
  base::Result<std::string> get_file(const base::Url& at, std::string_view reference);

  net::Web& web_;
  RegistryClient client_;
  unsigned retries_;
  net::Memoized<Versions> versions_;
  net::Memoized<Package> packages_;
};

}  // namespace tofu::install

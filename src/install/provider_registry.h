// Provider registries: the installation method `direct`.
//
// Speaks the provider registry protocol over HTTP, with service discovery. The list of
// checksums and its signature are fetched with the answer about a package; whether they
// fit is checked by provider_evidence.h. Each question is asked once. Safe to use from
// several threads.
#pragma once

#include <string>

#include "install/install_method.h"
#include "install/registry_client.h"
#include "transport/asked_once.h"
#include "transport/credentials.h"
#include "transport/web.h"

namespace tofu::install {

class ProviderRegistry final : public InstallMethod {
 public:
  // Both outlive this. `retries`: how often the download of a package is tried again.
  ProviderRegistry(transport::Web& web, const transport::Credentials& credentials,
                   std::string program_version, unsigned retries);

  base::Result<OfferedVersions, MethodProblem> versions(const addrs::Provider& provider) override;
  base::Result<PackageOffer, MethodProblem> package(const addrs::Provider& provider,
                                                    const config::Version& version,
                                                    const Platform& platform) override;
  std::string for_display(const addrs::Provider& provider) const override;

 private:
  using Versions = base::Result<OfferedVersions, MethodProblem>;
  using Package = base::Result<PackageOffer, MethodProblem>;

  Versions ask_versions(const addrs::Provider& provider);
  Package ask_package(const addrs::Provider& provider, const config::Version& version,
                      const Platform& platform);
  // A file that the registry names, which may be anywhere: without its token.
  base::Result<std::string> get_file(const base::Url& at, std::string_view reference);

  transport::Web& web_;
  RegistryClient client_;
  unsigned retries_;
  transport::AskedOnce<Versions> versions_;
  transport::AskedOnce<Package> packages_;
};

}  // namespace tofu::install

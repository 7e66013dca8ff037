// A mirror of provider packages in OCI registries: the installation method `oci_mirror`.
//
// Each provider has a repository, whose address a template gives. A version is a tag (with "_" for
// "+") that names an index, which has a manifest for each platform, which has one zip archive.
// Requests use the logins of the CLI configuration. Safe to use from several threads.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "archive/limits.h"
#include "fetch/oci_session.h"
#include "install/install_method.h"
#include "net/credentials.h"
#include "net/environment.h"
#include "net/web.h"

namespace tofu::install {

// The address of a provider's repository: a template of the language in which hostname,
// namespace and type are known, "example.com/mirror/${namespace}-${type}".
base::Result<fetch::OciRepository> oci_repository(std::string_view repository_template,
                                                  const addrs::Provider& provider);

// The same template from a URI template of level 1 (RFC 6570), "example.com/mirror/{type}". An
// error is a clause.
base::Result<std::string> oci_template_of_uri(std::string_view uri_template);

class OciMirror final : public InstallMethod {
 public:
  // Everything but the template outlives this.
  OciMirror(net::Web& web, const net::Credentials& credentials,
            net::EnvironmentVariable environment, const std::stop_token& stop,
            std::string repository_template);

  base::Result<OfferedVersions, MethodProblem> versions(const addrs::Provider& provider) override;
  base::Result<PackageOffer, MethodProblem> package(const addrs::Provider& provider,
                                                    const addrs::Version& version,
                                                    const Platform& platform) override;
  std::string for_display(const addrs::Provider& provider) const override;

 private:
  fetch::Fetching fetching() const { return {web_, credentials_, environment_, stop_, limits_}; }

  net::Web& web_;
  const net::Credentials& credentials_;
  net::EnvironmentVariable environment_;
  std::stop_token stop_;
  archive::FetchLimits limits_;
  std::string template_;
};

}  // namespace tofu::install

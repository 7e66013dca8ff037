// A mirror of provider packages at an https address: the installation method
// `network_mirror`.
//
// HOST/NAMESPACE/TYPE/index.json lists versions, VERSION.json has the address and the
// hashes of each platform's archive. The token of the mirror's host is sent for these
// documents, not for archives, which may be anywhere. Each document is fetched once.
// Safe to use from several threads.
#pragma once

#include <string>

#include "install/install_method.h"
#include "net/credentials.h"
#include "net/memoized.h"
#include "net/web.h"
#include "net/web_url.h"

namespace tofu::install {

struct NetworkMirrorSettings {
  base::Url url;                   // https
  unsigned retries = 0;            // of downloads
  bool trusts_all_hashes = false;  // lock the hashes of all platforms
  std::string program_version = {};
};

// An https address, as a mirror has to have it. Made to end with a slash, so that what
// stands last in its path is kept.
base::Result<base::Url> parse_mirror_url(std::string_view text);

class NetworkMirror final : public InstallMethod {
 public:
  // Both outlive this.
  NetworkMirror(net::Web& web, const net::Credentials& credentials, NetworkMirrorSettings settings);

  base::Result<OfferedVersions, MethodProblem> versions(const addrs::Provider& provider) override;
  base::Result<PackageOffer, MethodProblem> package(const addrs::Provider& provider,
                                                    const addrs::Version& version,
                                                    const Platform& platform) override;
  std::string for_display(const addrs::Provider& provider) const override;

 private:
  using Document = base::Result<net::WebReply>;

  // The document, with any status.
  Document get(const addrs::Provider& provider, const std::string& name);
  MethodProblem refusal(std::string_view about, const Document& document) const;

  net::Web& web_;
  const net::Credentials& credentials_;
  NetworkMirrorSettings settings_;
  net::Memoized<Document> documents_;
};

}  // namespace tofu::install

// Which services a host offers, and where: OpenTofu's service discovery.
//
// https://HOST/.well-known/terraform.json is requested once for each host, unless the CLI
// configuration lists its services. The document is not trusted: its size, type and addresses are
// checked. Safe to use from several threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/hostname.h"
#include "base/result.h"
#include "net/credentials.h"
#include "net/memoized.h"
#include "net/web.h"
#include "net/web_url.h"

namespace tofu::install {

struct Service {
  base::Url url;  // its path ends with a slash
  // The host's token may be sent there: not if a document of https leads to http.
  bool takes_token = false;
};

class Discovery {
 public:
  Discovery(net::Web& web, const net::Credentials& credentials)
      : web_(web), credentials_(credentials) {}

  // `service` is its name and version, such as "modules.v1".
  base::Result<Service> find(const base::Hostname& host, std::string_view service);

  // The entry of a service that is more than a URL: JSON, and where the document was found. Nothing
  // if it does not offer the service.
  struct Description {
    std::string text;
    base::Url at;
  };
  base::Result<std::optional<Description>> describe(const base::Hostname& host,
                                                    std::string_view service);

  // The header with the host's token, for a request to `url`, which is the host's or that
  // of a service it names. Nothing if there is no token.
  std::vector<net::SecretHeader> authorization(const base::Hostname& host,
                                               const base::Url& url) const;

 private:
  struct Document {
    base::Url url;  // where it was found
    net::HostServices services;
    bool overridden = false;
    std::string text = {};  // as the host has sent it
  };
  base::Result<Document> ask(const base::Hostname& host) const;

  net::Web& web_;
  const net::Credentials& credentials_;
  net::Memoized<base::Result<Document>> documents_;
};

}  // namespace tofu::install

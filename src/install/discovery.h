// Which services a host offers, and where: OpenTofu's service discovery.
//
// A host is asked once for https://HOST/.well-known/terraform.json, unless the CLI
// configuration says what is there. The document is not trusted: its size, type and
// addresses are checked. Safe to use from several threads.
#pragma once

#include <string>
#include <string_view>

#include "addrs/hostname.h"
#include "base/result.h"
#include "install/asked_once.h"
#include "install/credentials.h"
#include "install/web.h"
#include "install/web_url.h"

namespace tofu::install {

struct Service {
  WebUrl url;  // its path ends with a slash
  // The host's token may be sent there: not if a document of https leads to http.
  bool takes_token = false;
};

class Discovery {
 public:
  Discovery(Web& web, const Credentials& credentials) : web_(web), credentials_(credentials) {}

  // `service` is its name and version, such as "modules.v1".
  base::Result<Service> find(const addrs::Hostname& host, std::string_view service);

  // The header with the host's token; nothing if there is no token.
  std::vector<WebHeader> authorization(const addrs::Hostname& host) const;

 private:
  struct Document {
    WebUrl url;  // where it was found
    HostServices services;
    bool overridden = false;
  };
  base::Result<Document> ask(const addrs::Hostname& host) const;

  Web& web_;
  const Credentials& credentials_;
  AskedOnce<base::Result<Document>> documents_;
};

}  // namespace tofu::install

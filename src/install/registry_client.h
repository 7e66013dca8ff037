// Asking a registry: one service of a host, found by service discovery.
//
// Modules and providers have registries of the same kind. The host's token goes along where it may.
// Returns every response of the registry; refusal() has the words for an answer that is none. Safe
// to use from several threads.
#pragma once

#include <string>
#include <string_view>

#include "base/hostname.h"
#include "base/result.h"
#include "install/discovery.h"
#include "net/credentials.h"
#include "net/web.h"
#include "net/web_url.h"

namespace tofu::install {

struct RegistryAnswer {
  base::Url asked;
  net::WebReply reply;
  bool had_token = false;
};

class RegistryClient {
 public:
  // Everything outlives this. `service` is its name and version, such as "modules.v1";
  // `program_version` is sent along, as registries expect.
  RegistryClient(net::Web& web, const net::Credentials& credentials, std::string_view service,
                 std::string program_version)
      : web_(web),
        discovery_(web, credentials),
        service_(service),
        program_version_(std::move(program_version)) {}

  // The response, with any status, to `question`, a path below the service's. `about` is the name
  // of the requested thing in messages.
  base::Result<RegistryAnswer> ask(const base::Hostname& host, std::string_view question,
                                   std::string_view about);

 private:
  net::Web& web_;
  Discovery discovery_;
  std::string service_;
  std::string program_version_;
};

// Why there is no answer about something, and what to do.
base::Error refusal(const base::Hostname& host, std::string_view about,
                    const RegistryAnswer& answer);

}  // namespace tofu::install

// Host credentials: tokens, service addresses, and logins for OCI registries.
//
// The commands fill it once from the CLI configuration and the environment; neither is read here. A
// secret is returned only for the host or repository it belongs to, and callers send it nowhere
// else. Programs that keep secrets are run without a shell, when first needed and once for each
// host; Docker's files are read when the first OCI registry is met. Safe to use from several
// threads.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/hostname.h"
#include "base/result.h"
#include "net/secret.h"

namespace tofu::net {

// Services of a host by their names, such as "modules.v1". Empty text: the service
// is there, but is not described by a URL.
using HostServices = std::map<std::string, std::string, std::less<>>;

// Prints {"token":"…"} for `PROGRAM ARGUMENTS… get HOST`.
struct TokenHelper {
  std::string program;  // absolute
  std::vector<std::string> arguments = {};
};

// Either a name and a password, or tokens. They have no origin until a registry session binds them
// to its origins.
struct OciLogin {
  std::string username = {};
  Secret password = {};
  Secret access_token = {};
  Secret refresh_token = {};
};

// Which login belongs to which repositories.
struct OciRule {
  std::string place = {};   // REGISTRY or REGISTRY/PATH; empty for all of them
  OciLogin login = {};      // unless there is a helper:
  std::string helper = {};  // NAME of the program docker-credential-NAME
};

struct CredentialSources {
  // A host without a token: it is known that there is none.
  std::map<base::Hostname, std::optional<Secret>> tokens = {};
  std::optional<TokenHelper> helper = {};  // used for all other hosts
  std::map<base::Hostname, HostServices> services = {};
  std::vector<OciRule> oci = {};  // of equal matches the first wins
  std::vector<std::string> docker_files = {};
  // The files were named by a person, so they have to be there and be right.
  bool docker_files_required = false;
};

class Credentials {
 public:
  Credentials();
  // Helpers are ended when a stop is requested.
  explicit Credentials(CredentialSources sources, const std::stop_token& stop = {});
  ~Credentials();
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  // The bearer token for requests to that host. A helper that fails has none.
  std::optional<Secret> token(const base::Hostname& host) const;

  // The settings of a `host` block; null if the host itself has to be queried.
  const HostServices* services(const base::Hostname& host) const;

  // The login for a repository ("example.com:5000", "team/module"), the one with the
  // longest matching path. Nothing: try without a login.
  base::Result<std::optional<OciLogin>> oci(std::string_view registry,
                                            std::string_view repository) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// How well a rule for `place` matches a repository: 0 if not at all, 1 for all
// registries, 2 for the registry, 3 and more for each part of the path.
unsigned oci_fitness(std::string_view place, std::string_view registry,
                     std::string_view repository);

// REGISTRY or REGISTRY/PATH, as a place can be written; an error is a clause about the problem.
base::Result<void> check_oci_place(std::string_view place);

}  // namespace tofu::net

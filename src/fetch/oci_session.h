// Requests to an OCI registry for one repository, with its login protocol.
//
// A registry that wants a login answers 401 and names a method: a name and password
// sent along (Basic), or a token that another server gives out (Bearer). The login
// goes to the registry and to the server it names for tokens, nowhere else, and never
// from https to http.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fetch/fetching.h"
#include "net/web.h"
#include "net/web_url.h"

namespace tofu::fetch {

struct OciRepository {
  std::string scheme = std::string("https");  // http for tests on loopback
  std::string registry = {};                  // example.com:5000, as logins name it
  std::string name = {};                      // team/module
};

// One of the methods of a WWW-Authenticate header. Empty if it is not understood.
struct OciChallenge {
  bool bearer = false;  // else Basic
  std::string realm = {};
  std::string service = {};
  std::string scope = {};
};
std::optional<OciChallenge> parse_challenge(std::string_view header);

class OciSession {
 public:
  OciSession(const Fetching& fetching, OciRepository repository)
      : fetching_(fetching), repository_(std::move(repository)) {}

  // GET of "manifests/…" or "blobs/…", whose body goes into the file, if there is one.
  base::Result<net::WebReply> get(std::string_view what, std::vector<net::WebHeader> headers,
                                  std::uint64_t limit, const std::string* file = nullptr);

 private:
  base::Result<net::WebReply> send(const net::WebRequest& request, const std::string* file);
  // Sets the header for requests after the registry wanted a login. False if there
  // is nothing to send.
  base::Result<bool> answer(const net::WebReply& reply, const base::Url& asked);
  base::Result<net::Secret> ask_for_token(const OciChallenge& challenge, const net::OciLogin& login,
                                          const base::Url& asked) const;

  const Fetching& fetching_;
  OciRepository repository_;
  std::vector<net::SecretHeader> authorization_;
};

}  // namespace tofu::fetch

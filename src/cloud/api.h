// The API of the service: requests and responses.
//
// The token goes to the origin of the service and nowhere else; states, logs and archives
// are sent to and fetched from the addresses that the service names, without it. An address
// may not leave https for http. Requests that can be repeated are, for a while; all wait
// where the service limits how many it takes. Answers are not trusted.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/url.h"
#include "cloud/json_api.h"
#include "net/secret.h"
#include "net/web.h"

namespace tofu::cloud {

// Why there is no answer to use.
struct Refusal {
  int status = 0;    // 0: there was no answer, or none that can be read
  std::string what;  // a clause without secrets

  bool is_missing() const { return status == 404; }
};

template <class T>
using ApiResult = base::Result<T, Refusal>;

class Api {
 public:
  // `base` ends with a slash; `headers` are sent with every request; `web` outlives this.
  Api(net::Web& web, base::Url base, const net::Secret& token, std::vector<net::WebHeader> headers);

  // The service's description of itself; call it before all other requests.
  ApiResult<void> handshake();
  // Whether the API is of version `major`.`minor` or newer. Old services do not say.
  bool is_at_least(unsigned major, unsigned minor) const;

  // An interrupt ends the reading of states. Other requests continue, since the service has to
  // receive them, but no longer wait as long as a rate-limiting service requests.
  void hurry_on(std::stop_token interrupts) { interrupts_ = std::move(interrupts); }

  // From here on requests are repeated while the service fails.
  void set_patient() { is_patient_ = true; }

  // `path` is below the address of the service, its parts are escaped.
  ApiResult<Document> get(std::string_view path, base::UrlArguments query = {});
  // One resource, which has to be there.
  ApiResult<Resource> read(std::string_view path, base::UrlArguments query = {});
  // All pages of a list.
  ApiResult<std::vector<Resource>> list(std::string_view path, base::UrlArguments query = {});
  // With one resource in the answer. Not repeated, unless it `may_repeat`.
  ApiResult<Resource> create(std::string_view path, const std::string& json,
                             bool may_repeat = false);
  ApiResult<Resource> update(std::string_view path, const std::string& json);
  // The same for any response.
  ApiResult<void> act(std::string_view path, const std::string& json, bool may_repeat = false);
  ApiResult<void> remove(std::string_view path);
  // A document that is not of JSON:API.
  ApiResult<std::string> fetch(std::string_view path, std::uint64_t limit);

  // Bytes at an address that the service gave.
  ApiResult<std::string> download(const std::string& address, std::uint64_t limit);
  ApiResult<void> upload(const std::string& address, std::string bytes);
  // A part of a log.
  ApiResult<std::string> read_log(const std::string& address, std::uint64_t offset,
                                  std::uint64_t limit);

  const base::Url& address() const { return base_; }

 private:
  struct Question;
  ApiResult<net::WebReply> ask(const Question& question);
  ApiResult<Document> ask_document(const Question& question);
  // Resolves an address of the service.
  ApiResult<base::Url> follow(const std::string& address) const;
  bool is_own(const base::Url& url) const;

  net::Web& web_;
  base::Url base_;
  net::Secret authorization_;
  std::vector<net::WebHeader> headers_;
  std::string api_version_;
  bool is_patient_ = false;
  std::stop_token interrupts_;

  // Before a request that the service did not want yet. False if it is not to be repeated.
  bool pause(std::chrono::milliseconds asked) const;
};

// A part of a path: an ID or a name, escaped.
std::string path_part(std::string_view text);

}  // namespace tofu::cloud

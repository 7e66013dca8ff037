// HTTP for fetching things: one request, its redirections, and an answer.
//
// Through libcurl, with limits on every phase. Only http and https are spoken.
// Redirections are followed here, a bounded number of them, so that secrets are
// kept: `private_headers` and signatures go to the first origin (scheme, host and
// port) only, a login of netrc goes to its host, a body goes nowhere else, and https is
// never left for http. Safe to use from several threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/text_pieces.h"
#include "net/netrc.h"
#include "net/secret.h"

namespace tofu::net {

struct WebHeader {
  std::string name;
  std::string value;
};

struct SecretHeader {
  std::string name;
  Secret value;
};

// Signs a request for S3 and what speaks like it. The secrets belong to the origin of the
// request.
struct AwsSignature {
  std::string key_id;
  Secret secret;
  Secret session_token = {};
  std::string region;
  std::string service = std::string("s3");
};

// Sees the bytes of a download while they are written to its file.
class DownloadObserver {
 public:
  virtual ~DownloadObserver() = default;
  // Called before the first byte of the file, also when a failed download begins anew. A resumed
  // one continues without this call.
  virtual void begin(std::optional<std::uint64_t> size) = 0;
  virtual void take(std::string_view bytes) = 0;
};

struct WebRequest {
  std::string url;
  std::string method = std::string("GET");
  std::vector<WebHeader> headers = {};
  std::vector<SecretHeader> private_headers = {};  // of the first origin
  Secret body = {};                                // likewise
  // Instead of `body`, for what is too large to have twice; of the first origin as well, and
  // outlives the request.
  const base::TextPieces* large_body = nullptr;
  std::string body_sha256 = {};  // in hexadecimal, if known: signatures need it
  std::optional<AwsSignature> signature = {};
  std::string netrc = {};  // a file with logins by host, used where it fits; empty: none
  // Its login for hosts that it does not name; sent to the first origin only.
  NetrcDefault netrc_default = NetrcDefault::Used;
  std::uint32_t file_mode = 0600;                 // of the file for the answer, less the umask
  std::uint64_t limit = std::uint64_t{32} << 20;  // bytes of the answer
  std::optional<unsigned> retries = {};           // instead of those of all requests
  DownloadObserver* observer = nullptr;           // of a download; outlives the request
  // For a service of the machine itself, which may not be there: one try, for this long at
  // most, and without a proxy.
  std::optional<std::chrono::milliseconds> deadline = {};
};

struct WebReply {
  int status = 0;
  std::string url;  // where the answer came from, after redirections
  std::vector<WebHeader> headers;
  std::string body;  // empty if it went into a file

  // The first header of that name, in any case; empty if there is none.
  std::string_view header(std::string_view name) const;
};

// How https is spoken with a service that has its own rules.
struct TlsOptions {
  bool without_verification = false;  // of the server's certificate
  std::string authorities = {};       // in PEM, to trust instead of all others; may be empty
  // By which the service knows this client, in PEM; sent to the first origin only.
  std::string certificate = {};
  std::string private_key = {};
};

// Instead of what the environment says; empty: as it says.
struct ProxyOptions {
  std::string http = {};
  std::string https = {};
  std::string excluded = {};  // hosts that are reached without one, separated by commas
};

struct WebOptions {
  std::string user_agent;
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);
  std::chrono::milliseconds stall_timeout = std::chrono::seconds(30);   // without any byte
  std::chrono::milliseconds answer_timeout = std::chrono::seconds(60);  // for ask(), each try
  unsigned retries = 1;  // after a failed connection, 429, or a status of 500 and above
  std::chrono::milliseconds retry_wait = std::chrono::seconds(1);  // doubled each time
  std::chrono::milliseconds longest_retry_wait = std::chrono::seconds(30);
  // Authorities to trust besides the system's (SSL_CERT_FILE, SSL_CERT_DIR); may be empty.
  std::string authorities_file = {};
  std::string authorities_directory = {};
  TlsOptions tls = {};
  ProxyOptions proxy = {};
  base::Log log = {};  // requests, without what may be secret in them
  // The stop token for a new request, if not all requests share one: called on the thread that
  // makes the request, once for each. Empty: the stop of the Web.
  std::function<std::stop_token()> request_stop = {};
};

class Web {
 public:
  // Requests end soon with an error when a stop is requested.
  Web(WebOptions options, const std::stop_token& stop);
  ~Web();
  Web(const Web&) = delete;
  Web& operator=(const Web&) = delete;

  // An answer of any status is a success. Errors name the host and the problem, in texts that other
  // programs look for (timeouts, resets), and contain no secrets.
  base::Result<WebReply> ask(const WebRequest& request);
  // The body of a successful answer goes into a new file; of others, into the reply. An interrupted
  // download is resumed, if the server supports that and confirms that it is still the same file.
  base::Result<WebReply> download(const WebRequest& request, const std::string& path);

  // Ends requests that begin now, and pauses before the next one.
  std::stop_token request_stop() const;

  // For programs that fetch in its place.
  const base::Log& log() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tofu::net

// One exchange with a server through libcurl: a request goes out, an answer comes in.
//
// No redirection is followed and nothing is tried twice; web.cc does that. Every phase has its
// limit, and exceeding one ends the exchange.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "net/curl_library.h"
#include "net/web.h"
#include "net/web_url.h"

namespace tofu::net {

// The part of the file that an interrupted exchange has left, for the next one to continue.
struct PartialFile {
  std::uint64_t bytes = 0;
  std::string validator = {};  // names the state of what was sent; empty: it cannot be resumed
};

struct WebTransfer {
  base::Url url;              // where it goes, now
  const WebRequest& request;  // all but its URL
  const std::string* path;    // the file for the body of a success; null: keep it in memory
  bool with_secrets = true;   // private headers, signature
  bool without_body = false;  // a redirection turned it into a GET
  std::optional<NetrcLogin> login = {};  // that belongs to this host
  PartialFile* partial = nullptr;        // of a download: what is there, and what is left
};

// `again`: whether a retry may succeed after a failure. A failed exchange leaves no file,
// unless it is left as a partial one. A resumed one has the status of a whole answer.
base::Result<WebReply> run_transfer(const CurlLibrary& curl, CURL* handle,
                                    const WebTransfer& transfer, const WebOptions& options,
                                    const std::stop_token& stop, bool& again);

}  // namespace tofu::net

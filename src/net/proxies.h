// Proxies that the environment names, read as Go's programs read them.
//
// libcurl reads the variable for http in lower case only; programs in Go read all of them in
// capitals first. A web server that runs a CGI program sets HTTP_PROXY from a header that any
// client may send, so it does not count there.
#pragma once

#include <string_view>

#include "base/url.h"
#include "net/environment.h"
#include "net/web.h"

namespace tofu::net {

ProxyOptions proxies_of(const EnvironmentVariable& environment);

// Whether `url` is reached without a proxy: this machine always, and what `excluded` lists,
// separated by commas: a name (and the names below it; only these with a dot before it), an
// address, a network such as 10.0.0.0/8, each of the first two perhaps with a port, or * for all.
bool is_without_proxy(std::string_view excluded, const base::Url& url);

// `own`, with what it leaves open taken from `usual`.
ProxyOptions with_usual(ProxyOptions own, const ProxyOptions& usual);

}  // namespace tofu::net

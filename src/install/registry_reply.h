// Parses the responses of a registry and its host.
//
// Answers come from the network and are not trusted: a response that does not follow the protocol
// is an error, a clause about the response. No requests are made here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "addrs/version.h"
#include "base/result.h"
#include "install/registry.h"
#include "net/credentials.h"
#include "net/web.h"
#include "net/web_url.h"

namespace tofu::install {

// "application/json" of "Application/JSON; charset=utf-8".
std::string media_type(std::string_view text);

// The document of service discovery: an object of JSON, and said to be that.
base::Result<net::HostServices> services_in(const net::WebReply& reply);

// {"modules":[{"versions":[{"version":"1.0.0"}]}]}, newest first. Only the first
// module counts. Versions that cannot be read are left out, as OpenTofu does.
base::Result<std::vector<addrs::Version>> versions_in(std::string_view body);

// The response to a download request at the address `asked`.
base::Result<ModuleLocation> location_in(const net::WebReply& reply, const base::Url& asked);

}  // namespace tofu::install

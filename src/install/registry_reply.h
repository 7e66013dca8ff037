// What a registry and its host answer, read.
//
// Answers come from the network and are not trusted: whatever does not have the form
// of the protocol is an error, a clause that tells what is wrong with the answer.
// Nothing is asked here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/version.h"
#include "install/registry.h"
#include "transport/credentials.h"
#include "transport/web.h"
#include "transport/web_url.h"

namespace tofu::install {

// "application/json" of "Application/JSON; charset=utf-8".
std::string media_type(std::string_view text);

// The document of service discovery: an object of JSON, and said to be that.
base::Result<transport::HostServices> services_in(const transport::WebReply& reply);

// {"modules":[{"versions":[{"version":"1.0.0"}]}]}, newest first. Only the first
// module counts. Versions that cannot be read are left out, as OpenTofu does.
base::Result<std::vector<config::Version>> versions_in(std::string_view body);

// The answer to a download question, which was asked at `asked`.
base::Result<ModuleLocation> location_in(const transport::WebReply& reply, const base::Url& asked);

}  // namespace tofu::install

// Packages by http and https: archives, and pages that tell where the package is.
//
// An address that is not that of an archive is asked with terraform-get=1, and its
// answer names another source, in a header or in an HTML page. That source may be of
// any kind but this machine's files.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "addrs/module_source.h"
#include "base/result.h"
#include "install/fetching.h"

namespace tofu::install {

// The package is there now, or is to be had from another source.
using HttpAnswer = std::variant<FetchedPackage, addrs::RemoteSource>;

base::Result<HttpAnswer> fetch_http(const Fetching& fetching, const FetchRequest& request);

// The content of <meta name="terraform-get"> in the head of an HTML page; empty if
// there is none.
std::string find_meta_source(std::string_view page);

}  // namespace tofu::install

// Packages by http and https: archives, and pages that tell where the package is.
//
// An address that is not that of an archive is asked with terraform-get=1, and its
// answer names another source, in a header or in an HTML page. That source may be of
// any kind but this machine's files.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "transport/fetching.h"

namespace tofu::transport {

// Where the package is instead: a source as it may stand in a module call, made absolute
// if it was relative to the page that named it. Not checked any further.
struct Detour {
  std::string source;
};

// The package is there now, or comes from another source.
using HttpAnswer = std::variant<FetchedPackage, Detour>;

base::Result<HttpAnswer> fetch_http(const Fetching& fetching, const FetchRequest& request);

}  // namespace tofu::transport

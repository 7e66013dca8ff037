// Packages by http and https: archives, and pages that name the location of a package.
//
// An address that is not that of an archive is asked with terraform-get=1, and its
// answer names another source, in a header or in an HTML page. That source may be of
// any kind but this machine's files.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "fetch/fetching.h"

namespace tofu::fetch {

// The other location of the package: a source as it may stand in a module call, made absolute if it
// was relative to the page that named it. Not checked any further.
struct SourceRedirect {
  std::string source;
};

// The package is there now, or comes from another source.
using HttpAnswer = std::variant<FetchedPackage, SourceRedirect>;

base::Result<HttpAnswer> fetch_http(const Fetching& fetching, const FetchRequest& request);

}  // namespace tofu::fetch

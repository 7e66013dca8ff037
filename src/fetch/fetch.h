// Fetching one package: from its address to a directory on this disk.
//
// Knows every kind of address (git, Mercurial, HTTP, S3, Google Cloud Storage, OCI, local files)
// and of archive. Fetched content is never trusted: sizes, counts, time and names are limited,
// nothing is written outside the target, and a package that is refused leaves nothing behind. Safe
// to use from several threads.
#pragma once

#include "base/result.h"
#include "fetch/fetching.h"
#include "fetch/http_fetch.h"

namespace tofu::fetch {

// The package, or the address that a server names instead of it. On failure
// `request.into` does not exist. Errors never hold secrets of the address.
base::Result<HttpAnswer> fetch_package(const Fetching& fetching, const FetchRequest& request);

}  // namespace tofu::fetch

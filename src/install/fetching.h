// What every kind of fetching works with: doors and limits.
//
// Private to the fetchers behind package_fetcher.h (git_fetch, http_fetch,
// oci_fetch, object_fetch and so on). Each takes this and a request, and makes
// `request.into`; the caller removes what a failed one leaves there.
#pragma once

#include <atomic>

#include "install/package_fetcher.h"

namespace tofu::install {

struct Fetching {
  Web& web;
  const Credentials& credentials;
  const EnvironmentVariable& environment;
  const std::atomic<bool>& cancelled;
  const FetchLimits& limits;
};

}  // namespace tofu::install

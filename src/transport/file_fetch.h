// Packages that are directories or archives of this machine.
//
// Named by file:// addresses. They are copied, so that a
// package stays what it was when it was installed. A package that came
// from elsewhere may not name them.
#pragma once

#include "base/result.h"
#include "transport/fetching.h"

namespace tofu::transport {

base::Result<FetchedPackage> fetch_file(const Fetching& fetching, const FetchRequest& request);

}  // namespace tofu::transport

// Packages that are directories or archives of this machine.
//
// Named by file:// addresses. They are copied, so that a package stays what it was when it was
// installed. A fetched package may not name them.
#pragma once

#include "base/result.h"
#include "fetch/fetching.h"

namespace tofu::fetch {

base::Result<FetchedPackage> fetch_file(const Fetching& fetching, const FetchRequest& request);

}  // namespace tofu::fetch

// Fetching packages with the `git` program.
//
// A fresh repository is made for each package, only the one commit is fetched where
// the server allows it, and of the checkout only the files stay: a package has no
// history. Addresses and names of revisions come from strangers, so they are checked
// before git sees them, and git may use no transport that runs programs.
#pragma once

#include <string_view>

#include "base/result.h"
#include "transport/fetching.h"

namespace tofu::transport {

// Makes `request.into`. What is there after a failure is for the caller to remove.
base::Result<FetchedPackage> fetch_git(const Fetching& fetching, const FetchRequest& request);

// Whether git may be asked for it: no option, nothing that is more than a name with
// steps from it, such as main~2.
bool is_valid_revision(std::string_view text);

}  // namespace tofu::transport

// Fetching packages with the `git` program.
//
// A fresh repository is made for each package, only the one commit is fetched where the server
// allows it, and of the checkout only the files stay: a package has no history. Addresses and names
// of revisions are untrusted, so they are checked before git sees them, and git may use no
// transport that runs programs.
#pragma once

#include "base/result.h"
#include "fetch/fetching.h"

namespace tofu::fetch {

// Makes `request.into`. After a failure the caller removes the remains.
base::Result<FetchedPackage> fetch_git(const Fetching& fetching, const FetchRequest& request);

// Whether fetching failed because the repository does not have the commit, branch or tag.
bool is_missing_revision(const base::Error& error);

}  // namespace tofu::fetch

// Fetching packages with the `hg` program, Mercurial.
//
// As with git: a fresh clone, one revision, and of it only the files stay. What
// would run programs or read this machine's files is refused before hg sees it.
#pragma once

#include "base/result.h"
#include "transport/fetching.h"

namespace tofu::transport {

base::Result<FetchedPackage> fetch_hg(const Fetching& fetching, const FetchRequest& request);

}  // namespace tofu::transport

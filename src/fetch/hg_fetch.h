// Fetching packages with the `hg` program, Mercurial.
//
// As with git: a fresh clone, one revision, and of it only the files stay. Arguments that would run
// programs or read this machine's files are refused before hg sees them.
#pragma once

#include "base/result.h"
#include "fetch/fetching.h"

namespace tofu::fetch {

base::Result<FetchedPackage> fetch_hg(const Fetching& fetching, const FetchRequest& request);

}  // namespace tofu::fetch

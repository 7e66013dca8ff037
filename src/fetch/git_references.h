// The commits of branches and tags of a git repository, without fetching its files.
//
// Used to find a package by its commit before it is downloaded, and to choose a tag by its version.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fetch/fetching.h"

namespace tofu::fetch {

// A name and the commit that it stands for: "refs/tags/v1.0.0".
struct GitReference {
  std::string name;
  std::string commit;
};

// The commit that the address names: its ref, or the default branch. Nothing if only the files can
// tell, as for main~2, or if the repository has no such name. A ref that is a whole commit is the
// answer without a request. `request.into` is used for a short time and does not exist afterwards.
base::Result<std::optional<std::string>> resolve_git(const Fetching& fetching,
                                                     const FetchRequest& request);

// All tags, without "refs/tags/".
base::Result<std::vector<GitReference>> list_git_tags(const Fetching& fetching,
                                                      const FetchRequest& request);

}  // namespace tofu::fetch

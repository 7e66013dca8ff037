// The repository into which a commit is fetched and which is thrown away with it.
//
// It is written by hand, as `git init` would only add a process and unused files. The objects of a
// repository on this machine are used in place, as alternates, instead of being sent: packing,
// unpacking and checking them is most of what such a fetch costs. Private to git_fetch.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fetch/source_query.h"

namespace tofu::fetch {

enum class GitHash : std::uint8_t { Sha1, Sha256 };

struct GitOrigin {
  std::string url;
  GitHash hash = GitHash::Sha1;  // by which the origin names its objects
  std::string alternates = {};   // a directory of them that may be read; empty: none
};

// Below the directory of a package: what git copies into a new repository, as
// GIT_TEMPLATE_DIR.
inline constexpr std::string_view kRepositoryTemplate = "/.git/template";

// Makes the directory .git in `directory`, in place of any that is there. The address
// goes into its configuration, not among the arguments of git, which every user of
// the machine can see. Files are taken as they are: filters of the user's
// configuration, which the package could ask for, are programs and are not run.
base::Result<void> make_repository(const std::string& directory, const GitOrigin& origin);

// The object directory of the repository at an address, if it is complete and on this machine;
// empty otherwise.
std::string alternates_for(const base::Url& url);

// The commit that is checked out in `directory`.
base::Result<std::string> checked_out_commit(const std::string& directory);

// Whether it is the whole hash of something.
bool is_object_name(std::string_view text);

}  // namespace tofu::fetch

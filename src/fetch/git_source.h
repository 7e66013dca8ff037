// The address of a git repository, checked, and the settings with which git may be run for it.
//
// Addresses and names of revisions are untrusted, so they are checked before git sees them, and git
// may use no transport that runs programs. Private to the fetchers that use git.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fetch/fetching.h"
#include "fetch/git_program.h"
#include "fetch/git_repository.h"
#include "net/secret.h"
#include "process/memory_file.h"

namespace tofu::fetch {

struct GitSource {
  GitOrigin origin;
  net::Origin host;      // where the key is for
  std::string revision;  // empty: the default branch
  net::Secret ssh_key;   // decoded
  std::vector<std::string> secrets;
};

// Whether git may be asked for it: no option, nothing that is more than a name with
// steps from it, such as main~2.
bool is_valid_revision(std::string_view text);

base::Result<GitSource> read_git_source(const Fetching& fetching, const FetchRequest& request);

// Transports that git may use for addresses in a fetched package: those that only fetch, or those
// of the user's own GIT_ALLOW_PROTOCOL. Never this machine's files. git asks after it has rewritten
// the address as its own configuration says.
std::string transports_from_elsewhere(const Fetching& fetching);

// The program git, in one directory, as it may be used for a source. The key for ssh is on no disk,
// so it cannot outlive this.
struct GitSession {
  GitProgram program;
  std::optional<process::MemoryFile> key = {};
};
base::Result<GitSession> open_git(const Fetching& fetching, const FetchRequest& request,
                                  const GitSource& source);

}  // namespace tofu::fetch

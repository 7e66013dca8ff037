// The places of run journals on this machine.
//
// A store has one place for its journal, or several of which the first that can be written is used.
// If an old journal is there that cannot be recovered yet, for example by a run without the lock,
// the next one is created beside it with a number behind its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/result.h"

namespace tofu::backends {

// More journals than this are not kept beside each other.
inline constexpr int kMaxJournals = 10;

// The files that exist, oldest first.
std::vector<std::string> existing_journals(base::Disk& disk,
                                           const std::vector<std::string>& places);

// The path of the next journal in each of these places. An error if too many are left.
base::Result<std::vector<std::string>> next_journals(base::Disk& disk,
                                                     const std::vector<std::string>& places);

// The name of the journal of a workspace whose state is not a file of this machine. `owner`
// says which storage it is.
std::string journal_name(const std::string& owner, const std::string& workspace);

// The files in `directory` that are journals of any workspace of `owner`.
std::vector<std::string> journals_of(base::Disk& disk, const std::string& directory,
                                     const std::string& owner);

}  // namespace tofu::backends

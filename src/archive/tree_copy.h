// Whole directory trees: copying, protecting, measuring and removing them.
//
// Trees are untrusted input: no link inside one is followed and nothing outside it is touched.
// Links are kept as they are; whether they may be there was decided when the tree was unpacked.
#pragma once

#include <cstdint>
#include <string>

#include "archive/tree_contents.h"
#include "base/result.h"

namespace tofu::archive {

// Copies everything below `from` into the new directory `to`, whose parent exists. Blocks are
// shared where the file system supports it. Files can be executed if they could be, and written by
// their owner. On failure `to` does not exist.
base::Result<void> copy_tree(const std::string& from, const std::string& to,
                             TreeContents contents = TreeContents::All);

// Takes the permission to write from every file, not from directories, so that the
// tree can be removed by anything.
base::Result<void> make_read_only(const std::string& directory);

// Removes the directory and everything below it, or the one file or link that
// stands there instead. Nothing there is a success.
base::Result<void> remove_tree(const std::string& directory);

struct TreeSize {
  std::uint64_t bytes = 0;  // of regular files
  std::uint64_t files = 0;  // and links
};
// Files that other processes remove meanwhile are not counted.
base::Result<TreeSize> tree_size(const std::string& directory);

}  // namespace tofu::archive

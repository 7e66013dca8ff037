// Hashes of packages, as lock files hold them.
//
// "h1:" is over the unpacked files, whatever they were packed in: the lines
// `sha256(file)  path`, sorted by path, hashed again. "zh:" is over the archive.
// Directories, permissions and times do not count.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "archive/tree_contents.h"
#include "base/result.h"

namespace tofu::archive {

// How a link in a tree is hashed. As text it is hashed on a line of another form than those of
// files, so that no link can be changed without being seen. Followed, it counts as the file it
// leads to, inside or outside, as Go's dirhash has it; to lead to anything else is an error.
enum class FileLinks : std::uint8_t { Text, Followed };

// A file of a tree that is open already. Its content is read from there, so that it is that of the
// file which is used later.
struct HeldFile {
  std::string path;  // in the tree
  int descriptor;
};

// "h1:…" of everything below `directory`; for a tree of files it is what Go's dirhash.Hash1 gives.
// Anything but a file, a directory or a link, and a name with a line break, is an error.
base::Result<std::string> hash_tree(const std::string& directory,
                                    TreeContents contents = TreeContents::All,
                                    FileLinks links = FileLinks::Text,
                                    const HeldFile* held = nullptr);

// "zh:…" of one file.
base::Result<std::string> hash_archive(const std::string& path);

}  // namespace tofu::archive

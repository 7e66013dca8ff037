// Hashes of packages, as lock files hold them.
//
// "h1:" is over the unpacked files, whatever they were packed in: the lines
// `sha256(file)  path`, sorted by path, hashed again. "zh:" is over the archive.
// Directories, permissions and times do not count.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/tree_contents.h"

namespace tofu::transport {

// What a link in a tree counts as. As text it is hashed on a line of another form than
// those of files, so that no link can be changed without being seen. Followed, it counts
// as the file it leads to, inside or outside, as Go's dirhash has it; to lead to
// anything else is an error.
enum class FileLinks : std::uint8_t { Text, Followed };

// "h1:…" of everything below `directory`; for a tree of files it is what Go's
// dirhash.Hash1 gives. What is neither a file nor a directory nor a link, or has a line
// break in its name, is an error.
base::Result<std::string> hash_tree(const std::string& directory,
                                    TreeContents contents = TreeContents::All,
                                    FileLinks links = FileLinks::Text);

// "zh:…" of one file.
base::Result<std::string> hash_archive(const std::string& path);

// The hexadecimal SHA-256 of `text`.
std::string sha256_hex(std::string_view text);

}  // namespace tofu::transport

// Walking a directory tree without being led out of it.
//
// Everything is opened relative to the tree's own descriptor and no link is ever followed, so a
// tree that was made to mislead (or is changed while it is looked at) can spoil only itself. The
// walk keeps a list instead of recursing; depth is limited by the length of paths that the system
// takes. Private to this component.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/tree_contents.h"
#include "base/result.h"

namespace tofu::archive {

// An open file, closed at the end of its life.
class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(int number) : number_(number) {}
  OpenFile(OpenFile&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~OpenFile();

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  // Closes it now; false with errno set if what was written may be lost.
  bool close();

 private:
  int number_ = -1;
};

enum class EntryKind : std::uint8_t { File, Directory, Link, Other };

struct TreeEntry {
  std::string name;
  EntryKind kind;
};

struct TreeDirectory {
  std::string path;  // relative to the tree; empty for its top
  std::vector<TreeEntry> entries;

  std::string path_of(const TreeEntry& entry) const {
    return path.empty() ? entry.name : path + "/" + entry.name;
  }
};

// "cannot read "a/b": no such file or directory", from errno.
base::Error tree_error(std::string_view doing, std::string_view path);

enum class FollowTop : std::uint8_t { No, Yes };

// The top of a tree. A link to one is followed on request.
base::Result<OpenFile> open_tree(const std::string& directory, FollowTop follow);

// A file or directory below `tree`, with the flags of open(2). No file, and errno
// set, if there is none or a link is in the way.
OpenFile open_below(const OpenFile& tree, const std::string& path, int flags);

// How to treat an entry that was listed and has disappeared: others may be at work in the tree.
enum class Vanished : std::uint8_t { Refused, Ignored };

// Every directory with its entries, each after the one that holds it.
base::Result<std::vector<TreeDirectory>> list_tree(const OpenFile& tree,
                                                   TreeContents contents = TreeContents::All,
                                                   Vanished vanished = Vanished::Refused);

}  // namespace tofu::archive

// Writing the entries of an archive below one directory, and nowhere else.
//
// Every name is checked before anything is done with it. What has been written is
// remembered, so that an entry that would be mixed up with another (on this machine
// or on one whose file names are case-insensitive) is refused. Directories are
// opened one by one without following links. Private to archive.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "archive/archive_reader.h"
#include "archive/tree_walk.h"
#include "base/result.h"

namespace tofu::archive {

class ArchiveWriter {
 public:
  // `packed` is the size of the archive, which limits what is plausible in it.
  ArchiveWriter(const FetchLimits& limits, std::uint64_t packed);

  base::Result<void> make_top(const std::string& directory);
  // Errors name the entry. Content is taken from `reader`, which is at that entry.
  base::Result<void> add(const ArchivedEntry& entry, ArchiveReader& reader);

  bool has_links() const { return has_links_; }
  bool is_empty() const { return nodes_.empty(); }

 private:
  enum class Kind : std::uint8_t { File, Directory, Link };
  struct Place {
    std::uint32_t directory;
    std::string name;  // folded: the same for names that may be mixed up
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const;
  };
  struct Node {
    std::string name;  // as it is on disk
    Kind kind;
    std::uint32_t number;
    std::uint64_t size = 0;
    bool on_disk = false;  // of files and links
  };
  struct OpenDirectory {
    std::uint32_t number;
    OpenFile file;
  };
  using Parts = std::vector<std::string_view>;

  base::Result<Parts> split(std::string_view name) const;
  base::Result<Node*> find_or_add(std::uint32_t directory, std::string_view name, Kind kind);
  base::Result<void> enter(const Parts& parts);
  base::Result<void> open_directory(const Node& node);
  // Removes an earlier entry of that name, so that a file or link can take its place.
  base::Result<void> replace(Node& node);
  base::Result<void> count_bytes(std::uint64_t bytes);

  base::Result<void> add_file(std::string_view name, const ArchivedEntry& entry,
                              ArchiveReader& reader);
  base::Result<void> add_link(std::string_view name, const std::string& target);
  base::Result<void> add_hard_link(std::string_view name, const std::string& target);
  base::Result<void> write_file(const OpenFile& file, const ArchivedEntry& entry,
                                ArchiveReader& reader, std::uint64_t& size);

  const FetchLimits& limits_;
  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  bool has_links_ = false;
  std::unordered_map<Place, Node, PlaceHash> nodes_;
  std::vector<OpenDirectory> open_;  // from the top to where entries are added
};

}  // namespace tofu::archive

#include "archive/archive_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/folded_name.h"
#include "base/descriptor.h"
#include "base/unicode.h"

namespace tofu::archive {

namespace {

constexpr std::size_t kMaxNameLength = 255;
constexpr std::size_t kMaxPathLength = 4000;
constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMaxTargetLength = 4000;
// Up to here the compression ratio is not checked.
constexpr std::uint64_t kFreeBytes = std::uint64_t{16} << 20;

}  // namespace

std::size_t ArchiveWriter::PlaceHash::operator()(const Place& place) const {
  constexpr std::size_t kSpread = 0x9E3779B97F4A7C15;
  return std::hash<std::string>()(place.name) ^ (place.directory * kSpread);
}

ArchiveWriter::ArchiveWriter(const FetchLimits& limits, std::uint64_t packed)
    : limits_(limits),
      most_bytes_(std::min(limits.unpacked_bytes, kFreeBytes + packed * limits.ratio)) {}

base::Result<void> ArchiveWriter::make_top(const std::string& directory) {
  if (::mkdir(directory.c_str(), 0755) != 0) return base::system_error(errno);
  OpenFile top(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!top) return base::system_error(errno);
  open_.push_back({0, std::move(top)});
  return {};
}

base::Result<ArchiveWriter::Parts> ArchiveWriter::split(std::string_view name) const {
  if (name.starts_with('/')) return base::Error{"its name is absolute"};
  if (name.size() > kMaxPathLength) return base::Error{"its name is too long"};
  if (name.find('\\') != std::string_view::npos) {
    return base::Error{"its name has a backslash, which some systems take for a separator"};
  }
  Parts parts;
  while (!name.empty()) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, slash);
    name.remove_prefix(std::min(slash + 1, name.size()));
    if (part.empty() || part == ".") continue;
    if (part == "..") return base::Error{"its name leads out of the package by \"..\""};
    if (part.size() > kMaxNameLength) return base::Error{"its name is too long"};
    parts.push_back(part);
  }
  if (parts.size() > kDeepest) return base::Error{"its name has too many directories"};
  return parts;
}

base::Result<void> ArchiveWriter::count_bytes(std::uint64_t bytes) {
  if (bytes <= most_bytes_ - bytes_) {
    bytes_ += bytes;
    return {};
  }
  if (most_bytes_ == limits_.unpacked_bytes) {
    return base::Error{
        fmt::format("the archive holds more than {} bytes, which is the limit", most_bytes_)};
  }
  return base::Error{
      fmt::format("the archive unpacks to more than {} times its size, as only one does that is "
                  "meant to fill the disk",
                  limits_.ratio)};
}

// The node of that name, made if it is not there yet. An error if there is another
// that may be mixed up with it, or one of another kind.
base::Result<ArchiveWriter::Node*> ArchiveWriter::find_or_add(std::uint32_t directory,
                                                              std::string_view name, Kind kind) {
  auto [found, added] = nodes_.try_emplace(Place{directory, folded_name(name)});
  Node& node = found->second;
  if (added) {
    node.name = name;
    node.kind = kind;
    node.number = static_cast<std::uint32_t>(nodes_.size());
    if (nodes_.size() > limits_.files) {
      return base::Error{fmt::format("the archive has more than {} files", limits_.files)};
    }
    return &node;
  }
  if (node.name != name) {
    return base::Error{fmt::format(
        "its name differs from \"{}\" only by case or by the form of its letters", node.name)};
  }
  if (node.kind != kind) {
    if (kind == Kind::Directory && node.kind == Kind::Link) {
      return base::Error{fmt::format("its name leads through the link \"{}\"", name)};
    }
    return base::Error{fmt::format("\"{}\" already exists as another kind of file", name)};
  }
  return &node;
}

base::Result<void> ArchiveWriter::open_directory(const Node& node) {
  const int parent = open_.back().file.number();
  if (::mkdirat(parent, node.name.c_str(), 0755) != 0 && errno != EEXIST)
    return base::system_error(errno);
  OpenFile file(
      ::openat(parent, node.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return base::system_error(errno);
  open_.push_back({node.number, std::move(file)});
  return {};
}

// The later of two entries of one name counts, as where an archive was added to.
base::Result<void> ArchiveWriter::replace(Node& node) {
  if (node.on_disk && ::unlinkat(open_.back().file.number(), node.name.c_str(), 0) != 0) {
    return base::system_error(errno);
  }
  node.on_disk = true;
  return {};
}

// Makes the directory of that path the one where entries are added.
base::Result<void> ArchiveWriter::enter(const Parts& parts) {
  std::size_t depth = 1;
  for (const std::string_view part : parts) {
    const auto node = find_or_add(open_[depth - 1].number, part, Kind::Directory);
    if (!node) return node.error();
    if (depth == open_.size() || open_[depth].number != (*node)->number) {
      open_.resize(depth);
      if (auto opened = open_directory(**node); !opened) return opened;
    }
    ++depth;
  }
  open_.resize(depth);
  return {};
}

base::Result<void> ArchiveWriter::add(const ArchivedEntry& entry, ArchiveReader& reader) {
  const auto named = [&](const base::Error& error) {
    return base::Error{fmt::format("the entry \"{}\" is refused: {}",
                                   base::to_valid_utf8(entry.name.substr(0, 300)), error.what)};
  };
  auto parts = split(entry.name);
  if (!parts) return named(parts.error());
  if (parts->empty()) return {};  // "./", the top itself
  base::Result<void> added;
  if (entry.kind == ArchivedKind::Directory) {
    added = enter(*parts);
    return added ? added : named(added.error());
  }
  const std::string name(parts->back());
  parts->pop_back();
  added = enter(*parts);
  if (!added) return named(added.error());
  switch (entry.kind) {
    case ArchivedKind::File: added = add_file(name, entry, reader); break;
    case ArchivedKind::Link: added = add_link(name, entry.target); break;
    case ArchivedKind::HardLink: added = add_hard_link(name, entry.target); break;
    case ArchivedKind::Directory:
    case ArchivedKind::Other:
      added = base::Error{"it is neither a file, a directory nor a link"};
      break;
  }
  return added ? added : named(added.error());
}

base::Result<void> ArchiveWriter::write_file(const OpenFile& file, const ArchivedEntry& entry,
                                             ArchiveReader& reader, std::uint64_t& size) {
  auto counted = count_bytes(entry.size);
  if (!counted) return counted;
  size = entry.size;
  std::uint64_t end = 0;  // of what is written
  auto written = reader.read([&](std::uint64_t offset, std::string_view bytes) {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
    if (bytes.size() > kMost || offset > kMost - bytes.size()) {
      return base::Result<void>(base::Error{"it is too large"});
    }
    if (offset + bytes.size() > size) {
      auto more = count_bytes(offset + bytes.size() - size);
      if (!more) return more;
      size = offset + bytes.size();
    }
    end = std::max<std::uint64_t>(end, offset + bytes.size());
    while (!bytes.empty()) {
      const ssize_t count =
          ::pwrite(file.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return base::Result<void>(base::system_error(errno));
      bytes.remove_prefix(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
    return base::Result<void>();
  });
  if (!written) return written;
  if (end < size && ::ftruncate(file.number(), static_cast<off_t>(size)) != 0)
    return base::system_error(errno);
  return {};
}

base::Result<void> ArchiveWriter::add_file(std::string_view name, const ArchivedEntry& entry,
                                           ArchiveReader& reader) {
  const auto node = find_or_add(open_.back().number, name, Kind::File);
  if (!node) return node.error();
  if (auto replaced = replace(**node); !replaced) return replaced;
  OpenFile file(::openat(open_.back().file.number(), (*node)->name.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         entry.executable ? 0755 : 0644));
  if (!file) return base::system_error(errno);
  auto written = write_file(file, entry, reader, (*node)->size);
  if (!written) return written;
  if (!file.close()) return base::system_error(errno);
  return {};
}

base::Result<void> ArchiveWriter::add_link(std::string_view name, const std::string& target) {
  if (target.empty()) return base::Error{"it is a link without a target"};
  if (target.starts_with('/')) {
    return base::Error{fmt::format("it is a link that leads out of the package, to \"{}\"",
                                   base::to_valid_utf8(target.substr(0, 300)))};
  }
  if (target.size() > kMaxTargetLength) return base::Error{"the target of the link is too long"};
  if (target.find('\\') != std::string::npos) {
    return base::Error{"the target of the link has a backslash"};
  }
  const auto node = find_or_add(open_.back().number, name, Kind::Link);
  if (!node) return node.error();
  has_links_ = true;
  if (auto replaced = replace(**node); !replaced) return replaced;
  if (::symlinkat(target.c_str(), open_.back().file.number(), (*node)->name.c_str()) != 0) {
    return base::system_error(errno);
  }
  return {};
}

base::Result<void> ArchiveWriter::add_hard_link(std::string_view name, const std::string& target) {
  const auto parts = split(target);
  if (!parts) return base::Error{fmt::format("as a target of the link, {}", parts.error().what)};
  const Node* original = nullptr;
  std::uint32_t directory = 0;
  for (const std::string_view part : *parts) {
    const auto found = nodes_.find(Place{directory, folded_name(part)});
    original = found == nodes_.end() || found->second.name != part ? nullptr : &found->second;
    if (original == nullptr || original->kind == Kind::Link) break;
    directory = original->number;
  }
  if (original == nullptr || original->kind != Kind::File) {
    return base::Error{fmt::format("it is a link to \"{}\", which is not a file of the package",
                                   base::to_valid_utf8(target.substr(0, 300)))};
  }
  // Counted as a copy: it becomes one as soon as the package is copied.
  const std::uint64_t size = original->size;
  if (auto counted = count_bytes(size); !counted) return counted;
  const auto node = find_or_add(open_.back().number, name, Kind::File);
  if (!node) return node.error();
  if ((*node)->number == directory) return {};  // to itself
  if (auto replaced = replace(**node); !replaced) return replaced;
  std::string path;
  for (const std::string_view part : *parts) path.append(path.empty() ? "" : "/").append(part);
  if (::linkat(open_.front().file.number(), path.c_str(), open_.back().file.number(),
               (*node)->name.c_str(), 0) != 0) {
    return base::system_error(errno);
  }
  (*node)->size = size;
  return {};
}

}  // namespace tofu::archive

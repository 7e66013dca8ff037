#include "archive/package_links.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "archive/tree_walk.h"

namespace tofu::archive {

namespace {

// More than the system itself follows, so that nothing it would find is missed.
constexpr unsigned kMaxHops = 64;
// Parts of paths that are looked at, for all links of a package together.
constexpr std::uint64_t kMaxSteps = 10'000'000;

std::optional<std::string> read_link(const OpenFile& tree, const std::string& path) {
  std::array<char, PATH_MAX> target;
  const ssize_t length = ::readlinkat(tree.number(), path.c_str(), target.data(), target.size());
  if (length < 0) return std::nullopt;
  return std::string(target.data(), static_cast<std::size_t>(length));
}

// The parts of a path in reverse, so that the next one is at the end.
void push_reversed(std::vector<std::string>& pending, std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::size_t start = slash == std::string_view::npos ? 0 : slash + 1;
    if (start < path.size()) pending.emplace_back(path.substr(start));
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
}

enum class Leads { Impl, Outside, TooFar };

// Follows a link part by part, as the system would, except that nothing is opened.
class LinkCheck {
 public:
  explicit LinkCheck(const OpenFile& tree) : tree_(tree) {}

  Leads follow(std::string_view link) {
    at_.clear();
    std::vector<std::string> pending;
    push_reversed(pending, link);
    unsigned hops = 0;
    while (!pending.empty()) {
      if (++steps_ > kMaxSteps) return Leads::TooFar;
      const std::string part = std::move(pending.back());
      pending.pop_back();
      if (part == ".") continue;
      if (part == "..") {
        if (at_.empty()) return Leads::Outside;
        at_.erase(at_.rfind('/') == std::string::npos ? 0 : at_.rfind('/'));
        continue;
      }
      const std::size_t before = at_.size();
      if (!at_.empty()) at_ += '/';
      at_ += part;
      const auto target = read_link(tree_, at_);
      if (!target) continue;  // no link, or nothing there
      if (target->starts_with('/')) return Leads::Outside;
      if (++hops > kMaxHops) return Leads::Impl;  // round in circles, which leads nowhere
      at_.resize(before);
      push_reversed(pending, *target);
    }
    return Leads::Impl;
  }

 private:
  const OpenFile& tree_;
  std::string at_;
  std::uint64_t steps_ = 0;
};

// By its text alone: what stays inside in a roundabout way may not when it is moved.
bool leaves_by_text(std::string_view link, std::string_view target) {
  std::ptrdiff_t depth = std::ranges::count(link, '/');
  std::vector<std::string> parts;
  push_reversed(parts, target);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (*part == ".") continue;
    depth += *part == ".." ? -1 : 1;
    if (depth < 0) return true;
  }
  return target.starts_with('/');
}

base::Result<void> check_entry(const OpenFile& tree, const std::string& path, EntryKind kind,
                               LinkCheck& links, std::uint64_t& bytes) {
  switch (kind) {
    case EntryKind::Directory: return {};
    case EntryKind::File: {
      struct stat about = {};
      if (::fstatat(tree.number(), path.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
        return tree_error("cannot read", path);
      }
      bytes += static_cast<std::uint64_t>(about.st_size);
      return {};
    }
    case EntryKind::Link: {
      const auto target = read_link(tree, path);
      if (!target) return tree_error("cannot read", path);
      const Leads leads = leaves_by_text(path, *target) ? Leads::Outside : links.follow(path);
      if (leads == Leads::Impl) return {};
      if (leads == Leads::TooFar) return base::Error{"the links in it are too entangled"};
      return base::Error{
          fmt::format("the link \"{}\" leads out of the package, to \"{}\"", path, *target)};
    }
    case EntryKind::Other:
      return base::Error{fmt::format("\"{}\" is neither a file, a directory nor a link", path)};
  }
  base::broken_promise("every kind of entry is known");
}

}  // namespace

base::Result<void> check_package(const std::string& directory, const FetchLimits& limits,
                                 const std::stop_token& stop) {
  const auto tree = open_tree(directory, FollowTop::No);
  if (!tree) return tree.error();
  const auto directories = list_tree(*tree);
  if (!directories) return directories.error();
  LinkCheck links(*tree);
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  for (const TreeDirectory& each : *directories) {
    if (stop.stop_requested()) return base::Error{"interrupted"};
    for (const TreeEntry& entry : each.entries) {
      if (++entries > limits.files) {
        return base::Error{fmt::format("it has more than {} files", limits.files)};
      }
      if (auto checked = check_entry(*tree, each.path_of(entry), entry.kind, links, bytes);
          !checked) {
        return checked;
      }
      if (bytes > limits.unpacked_bytes) {
        return base::Error{fmt::format("it has more than {} bytes", limits.unpacked_bytes)};
      }
    }
  }
  return {};
}

}  // namespace tofu::archive

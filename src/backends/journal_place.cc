#include "backends/journal_place.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/file.h"
#include "base/hashes.h"
#include "base/url.h"

namespace tofu::backends {

namespace {

// The part of a workspace name that a file name has, which may not be long.
constexpr std::size_t kMaxShown = 100;

std::string numbered(const std::string& place, int number) {
  return number == 0 ? place : fmt::format("{}.{}", place, number);
}

// A file that cannot be looked at counts as one: reading it says what is wrong.
bool exists(base::Disk& disk, const std::string& path) {
  const auto kind = base::file_kind(disk, path);
  return !kind || *kind != base::FileKind::Missing;
}

std::string prefix_of(const std::string& owner) {
  return base::sha256_hex(owner).substr(0, 16) + "-";
}

}  // namespace

std::vector<std::string> existing_journals(base::Disk& disk,
                                           const std::vector<std::string>& places) {
  std::vector<std::string> found;
  for (int number = 0; number < kMaxJournals; ++number) {
    for (const std::string& place : places) {
      const std::string path = numbered(place, number);
      if (exists(disk, path)) found.push_back(path);
    }
  }
  return found;
}

base::Result<std::vector<std::string>> next_journals(base::Disk& disk,
                                                     const std::vector<std::string>& places) {
  int next = 0;
  for (int number = 0; number < kMaxJournals; ++number) {
    for (const std::string& place : places) {
      if (exists(disk, numbered(place, number))) next = number + 1;
    }
  }
  if (next == kMaxJournals) {
    return base::Error{fmt::format("journals of {} runs that did not end are left", next)};
  }
  std::vector<std::string> paths;
  for (const std::string& place : places) paths.push_back(numbered(place, next));
  return paths;
}

std::string journal_name(const std::string& owner, const std::string& workspace) {
  std::string shown = base::escape_url(workspace);
  if (shown.size() > kMaxShown) {
    shown = shown.substr(0, kMaxShown) + "-" + base::sha256_hex(workspace).substr(0, 16);
  }
  return prefix_of(owner) + shown + ".journal";
}

std::vector<std::string> journals_of(base::Disk& disk, const std::string& directory,
                                     const std::string& owner) {
  std::vector<std::string> found;
  const auto names = disk.names_in(directory);
  if (!names) return found;  // there is none, or nothing can be found in it
  const std::string prefix = prefix_of(owner);
  for (const std::string& name : *names) {
    const bool is_set_aside = name.find(".journal") == std::string::npos ||
                              name.ends_with(".damaged") || name.ends_with(".kept");
    if (name.starts_with(prefix) && !is_set_aside) found.push_back(directory + "/" + name);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace tofu::backends

#include "install/package_subdirectory.h"

#include <filesystem>
#include <utility>

#include "archive/package_links.h"
#include "archive/tree_copy.h"
#include "archive/tree_walk.h"
#include "base/file.h"

namespace tofu::install {

namespace {

bool is_below(const std::string& path, const std::string& directory) {
  return path.starts_with(directory + "/");
}

// Puts files in the place of links that lead to them out of the directory. `package` and
// `directory` are real paths.
base::Result<void> replace_links(const std::string& package, const std::string& directory,
                                 const std::string& copy) {
  const auto tree = archive::open_tree(copy, archive::FollowTop::No);
  if (!tree) return tree.error();
  const auto directories = archive::list_tree(*tree);
  if (!directories) return directories.error();
  for (const archive::TreeDirectory& each : *directories) {
    for (const archive::TreeEntry& entry : each.entries) {
      if (entry.kind != archive::EntryKind::Link) continue;
      const std::string path = each.path_of(entry);
      const auto target = base::real_path(directory + "/" + path);
      if (!target || is_below(*target, directory) || !is_below(*target, package)) continue;
      const auto kind = base::file_kind(*target);
      if (!kind || *kind != base::FileKind::Regular) continue;
      std::error_code failed;
      const std::filesystem::path link = copy + "/" + path;
      if (std::filesystem::remove(link, failed)) std::filesystem::copy_file(*target, link, failed);
      if (failed) return base::Error{"copying " + *target + " failed: " + failed.message()};
    }
  }
  return {};
}

}  // namespace

base::Result<void> copy_subdirectory(const std::string& package, const std::string& subdir,
                                     const std::string& into, archive::TreeContents contents,
                                     const archive::FetchLimits& limits,
                                     const std::stop_token& stop) {
  const auto top = base::real_path(package);
  if (!top) return top.error();
  const auto directory = base::real_path(subdir.empty() ? package : package + "/" + subdir);
  if (!directory) return directory.error();
  if (auto copied = archive::copy_tree(*directory, into, contents); !copied) return copied;
  auto done = replace_links(*top, *directory, into);
  if (done) done = archive::check_package(into, limits, stop);
  // Why it failed matters more than whether what is left can be removed.
  if (!done) (void)archive::remove_tree(into).ok();
  return done;
}

}  // namespace tofu::install

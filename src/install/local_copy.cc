#include "install/local_copy.h"

#include <filesystem>
#include <fmt/format.h>

#include "archive/tree_copy.h"
#include "install/module_paths.h"

namespace tofu::install {

namespace {

base::Result<void> make_directories(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed)
    return base::Error{fmt::format("making {:?} failed: {}", path.string(), failed.message())};
  return {};
}

// "c" for "a/b/c" below "a/b".
std::string below(const std::string& path, const std::string& directory) {
  return clean(std::filesystem::path(path).lexically_relative(directory));
}

}  // namespace

base::Result<void> LocalCopies::copy(const std::string& path, const std::string& to) {
  if (auto copied = archive::copy_tree(path, to, archive::TreeContents::Configuration); !copied)
    return copied;
  // The directory of TF_DATA_DIR may be inside, and would contain copies of copies.
  const std::string data = clean(data_directory_);
  if (data.starts_with('/') || leaves_package(data) || !is_at_or_below(data, path)) return {};
  return archive::remove_tree(joined(to, below(data, path)));
}

base::Result<void> LocalCopies::begin(const std::string& path, const std::string& entry) {
  const std::string fresh = store_.temporary_path();
  const auto inside = std::filesystem::path(joined(fresh, path));
  if (path != ".") {
    if (auto made = make_directories(inside.parent_path()); !made) return made;
  }
  if (auto copied = copy(path, inside.string()); !copied) return copied;
  return store_.place(fresh, entry);
}

base::Result<void> LocalCopies::add(const std::string& path, const std::string& entry,
                                    const std::vector<std::string>& whole) {
  const std::string target = joined(entry, path);
  const std::string fresh = store_.temporary_path();
  if (auto copied = copy(path, fresh); !copied) return copied;
  // Directories further below that are there already move into the new one.
  for (const std::string& there : whole) {
    if (!is_at_or_below(there, path)) continue;
    const std::string moved = joined(fresh, below(there, path));
    if (auto gone = archive::remove_tree(moved); !gone) return gone;
    if (auto made = make_directories(std::filesystem::path(moved).parent_path()); !made)
      return made;
    std::error_code failed;
    std::filesystem::rename(joined(entry, there), moved, failed);
    if (failed) return base::Error{fmt::format("moving {:?} failed: {}", there, failed.message())};
  }
  if (auto made = make_directories(std::filesystem::path(target).parent_path()); !made) return made;
  return store_.place(fresh, target);
}

}  // namespace tofu::install

#include "install/source_files.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "archive/tree_walk.h"
#include "base/file.h"
#include "config/files.h"
#include "config/package_metadata.h"
#include "install/manifest.h"
#include "symbols/library.h"

namespace tofu::install {

namespace {

base::Result<std::vector<std::string>> package_files(const std::string& directory) {
  const auto tree = archive::open_tree(directory, archive::FollowTop::Yes);
  if (!tree) return tree.error();
  const auto directories = archive::list_tree(*tree);
  if (!directories) return directories.error();
  std::vector<std::string> files;
  for (const archive::TreeDirectory& each : *directories) {
    for (const archive::TreeEntry& entry : each.entries) {
      if (entry.kind != archive::EntryKind::Directory) files.push_back(each.path_of(entry));
    }
  }
  std::ranges::sort(files);
  return files;
}

base::Result<std::vector<std::string>> configuration_files(const std::string& directory) {
  const auto entries = base::list_directory(directory);
  if (!entries) return entries.error();
  std::vector<std::string> names;
  for (const base::DirectoryEntry& entry : *entries) {
    if (entry.kind == base::FileKind::Regular) names.push_back(entry.name);
  }
  std::vector<std::string> files = symbols::choose_library_files(names);
  const config::ModuleFiles module = config::choose_module_files(names);
  for (const auto* list : {&module.primary, &module.overrides, &module.tests}) {
    for (const config::ModuleFile& file : *list) files.push_back(file.name);
  }
  for (const std::string_view metadata :
       {config::kPackageMetadataFile, config::kPackageMetadataJsonFile}) {
    if (std::ranges::find(names, metadata) != names.end()) files.emplace_back(metadata);
  }
  std::ranges::sort(files);
  return files;
}

class Gatherer {
 public:
  explicit Gatherer(const std::string& data_directory)
      : entries_(data_directory + "/modules/"), packages_(data_directory + "/packages/") {}

  base::Result<void> add_tree(const config::Tree& tree) {
    for (const config::TreeNode& node : tree.nodes) {
      if (auto added = add(node.directory, manifest_key(node.path)); !added) return added;
    }
    for (const config::TestTree& test : tree.test_trees) {
      if (auto added = add_tree(*test.tree); !added) return added;
    }
    return {};
  }
  base::Result<void> add(const std::string& directory, const std::string& call) {
    const bool is_package = directory.starts_with(entries_) || directory.starts_with(packages_);
    std::string top = directory;
    if (is_package) {
      const std::size_t above =
          directory.starts_with(entries_) ? entries_.size() : packages_.size();
      top = directory.substr(0, directory.find('/', above));
    }
    const auto real = base::real_path(top);
    if (!real) return real.error();
    const auto [known, is_new] = by_path_.try_emplace(*real, found_.size());
    if (is_new) {
      auto files = is_package ? package_files(top) : configuration_files(top);
      if (!files) return files.error();
      found_.push_back({top, std::move(*files), {}, is_package});
    }
    found_[known->second].calls.push_back(call);
    return {};
  }
  std::vector<SourceDirectory> take() {
    for (SourceDirectory& each : found_) {
      std::erase(each.calls, "");
      std::ranges::sort(each.calls);
    }
    return std::move(found_);
  }

 private:
  std::string entries_;
  std::string packages_;
  std::vector<SourceDirectory> found_;
  std::unordered_map<std::string, std::size_t> by_path_;  // by real path
};

}  // namespace

base::Result<std::vector<SourceDirectory>> source_files(const config::Tree& tree,
                                                        const PackageRecords& records,
                                                        const std::string& data_directory) {
  Gatherer gatherer(data_directory);
  if (auto added = gatherer.add_tree(tree); !added) return added.error();
  if (tree.libraries) {
    for (const std::string& directory : tree.libraries->directories()) {
      if (auto added = gatherer.add(directory.empty() ? "." : directory, ""); !added) {
        return added.error();
      }
    }
  }
  for (const auto& [key, library] : records.libraries) {
    if (auto added = gatherer.add(data_directory + "/packages/" + library.package, ""); !added) {
      return added.error();
    }
  }
  return gatherer.take();
}

}  // namespace tofu::install

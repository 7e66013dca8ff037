// The packages of a working directory on disk: .terraform/packages and the entries
// of .terraform/modules that lead there.
//
// Everything is made under a temporary name in packages/ and renamed into place. Unused packages
// are removed at the end of the run; a run that is killed leaves it to the next one. Shared
// packages lose their write permission. One run at a time works in a store: others wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/file_lock.h"
#include "base/result.h"

namespace tofu::install {

class PackageStore {
 public:
  // `data_directory` is .terraform or what TF_DATA_DIR names. Nothing is made or
  // looked at before open().
  explicit PackageStore(std::string data_directory);
  ~PackageStore();
  PackageStore(const PackageStore&) = delete;
  PackageStore& operator=(const PackageStore&) = delete;

  // Makes the directories, waits for other runs and removes what killed ones left.
  // Does nothing the second time. Safe from several threads: all return when it is done.
  base::Result<void> open(const std::stop_token& stop);
  bool is_open() const { return opened_; }

  std::string package_path(std::string_view name) const;  // .terraform/packages/NAME
  std::string entry_path(std::string_view key) const;     // .terraform/modules/a.b
  const std::string& packages_directory() const { return packages_; }

  // A path in packages/ that nothing else uses. Safe from several threads.
  std::string temporary_path();

  // Puts a directory that was made at a temporary path into its place; what was
  // there before is removed. `into` is a package or an entry.
  base::Result<void> place(const std::string& from, const std::string& into);
  // Makes `into` a link to `target`, in one step. From one thread.
  base::Result<void> place_link(const std::string& target, const std::string& into);

  // Removes every package but these, and temporary names.
  void remove_others(const std::set<std::string, std::less<>>& used);

 private:
  base::Result<void> remove_temporary() const;
  // Moves an existing directory at `path` away; it is gone for good when the run ends.
  base::Result<void> set_aside(const std::string& path);
  // Creates a link where nothing exists yet. Sets errno on failure.
  bool make_link(const std::string& target, const std::string& at);

  std::string packages_;
  std::string modules_;
  std::mutex open_mutex_;  // the remains of killed runs are removed before new names are made
  std::atomic<bool> opened_ = false;
  std::optional<base::FileLock> lock_;
  std::atomic<std::uint64_t> next_ = 0;
  std::map<std::string, std::string> links_;  // target: a link to it that this run has made
};

// NAME-HASH for a package: people recognize the first, the second is of its content.
std::string package_name(std::string_view label, std::string_view hash);

}  // namespace tofu::install

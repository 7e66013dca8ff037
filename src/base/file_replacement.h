// Replacing a file so that a reader sees the old or the new content, never a part.
//
// The new content goes piece by piece into a temporary file of the same directory;
// commit() syncs it, renames it over the old one and syncs the directory. Without a
// commit nothing has happened, and the temporary file is removed.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/disk.h"
#include "base/result.h"

namespace tofu::base {

// Without Sync the disk is not waited for: only for files that can be made again.
enum class Sync : std::uint8_t { No, Yes };

class FileReplacement {
 public:
  // A new file gets `mode` (less the umask). A symbolic link stays one. A read-only file cannot be
  // replaced either.
  static Result<FileReplacement> begin(Disk& disk, const std::string& path, std::uint32_t mode,
                                       Permissions permissions = Permissions::Kept);
  static Result<FileReplacement> begin(const std::string& path, std::uint32_t mode,
                                       Permissions permissions = Permissions::Kept) {
    return begin(system_disk(), path, mode, permissions);
  }

  // Gives the new file the owner and the group of `path`, if that exists and this process may.
  void take_owner_of(const std::string& path);

  FileReplacement(FileReplacement&&) noexcept = default;
  FileReplacement& operator=(FileReplacement&&) = delete;
  ~FileReplacement();

  Result<void> append(std::string_view content);
  // Waits for the disk already; commit() does so for what was not waited for.
  Result<void> sync();
  Result<void> commit(Sync sync = Sync::Yes);
  // Whether others see the new file. Also a commit that failed may have come so far.
  bool has_its_name() const { return temporary_.empty(); }

  // The new file. Before the commit it has another name, so it can be locked before other processes
  // see it; it stays open when taken.
  DiskFile& file() const { return *file_; }
  std::unique_ptr<DiskFile> take_file() { return std::move(file_); }

 private:
  FileReplacement(Disk& disk, std::string target, std::string temporary,
                  std::unique_ptr<DiskFile> file)
      : disk_(&disk),
        target_(std::move(target)),
        temporary_(std::move(temporary)),
        file_(std::move(file)) {}

  Disk* disk_;
  std::string target_;
  std::string temporary_;  // empty once it is renamed
  std::unique_ptr<DiskFile> file_;
  bool is_synced_ = false;
};

// Removes the temporary files of replacements of `path` that processes of this machine were
// killed in, if nothing was written to them for so long. With zero the caller makes sure that
// no other machine replaces the file now, by a lock.
void remove_abandoned_replacements(Disk& disk, const std::string& path,
                                   std::chrono::seconds unchanged_for);
inline void remove_abandoned_replacements(const std::string& path,
                                          std::chrono::seconds unchanged_for) {
  remove_abandoned_replacements(system_disk(), path, unchanged_for);
}

}  // namespace tofu::base

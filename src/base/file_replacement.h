// Replacing a file so that a reader sees the old or the new content, never a part.
//
// The new content goes piece by piece into a temporary file of the same directory;
// commit() syncs it, renames it over the old one and syncs the directory. Without a
// commit nothing has happened, and the temporary file is removed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"

namespace tofu::base {

// Without Sync the disk is not waited for: only for files that can be made again.
enum class Sync : std::uint8_t { No, Yes };

// Whether a file that is there keeps its permissions, or gets those of a new one.
enum class Permissions : std::uint8_t { Kept, New };

class FileReplacement {
 public:
  // A new file gets `mode` (less the umask). A symbolic link stays one. What may not be
  // written may not be replaced either.
  static Result<FileReplacement> begin(const std::string& path, std::uint32_t mode,
                                       Permissions permissions = Permissions::Kept);

  FileReplacement(FileReplacement&&) noexcept = default;
  FileReplacement& operator=(FileReplacement&&) = delete;
  ~FileReplacement();

  Result<void> append(std::string_view content);
  // Waits for the disk already; commit() does so for what was not waited for.
  Result<void> sync();
  Result<void> commit(Sync sync = Sync::Yes);

  // The new file. Before the commit it has another name, so it can be locked before
  // anybody else sees it; it stays open when taken.
  int descriptor() const { return file_.number(); }
  Descriptor take_descriptor() { return std::move(file_); }

 private:
  FileReplacement(std::string target, std::string temporary, Descriptor file)
      : target_(std::move(target)), temporary_(std::move(temporary)), file_(std::move(file)) {}

  std::string target_;
  std::string temporary_;  // empty once it is renamed
  Descriptor file_;
  bool is_synced_ = false;
};

}  // namespace tofu::base

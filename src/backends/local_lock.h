// The lock on a local state file, and the record beside it that says who has it.
//
// The lock is on the file itself, as OpenTofu and Terraform have it. Since we replace
// files, a lock counts only while the file still has its name.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "backends/backend.h"
#include "backends/lock_info.h"
#include "base/disk.h"
#include "base/file_replacement.h"
#include "diag/diagnostic.h"

namespace tofu::backends {

class LocalLock {
 public:
  LocalLock(std::string path, base::Disk& disk) : path_(std::move(path)), disk_(disk) {}
  ~LocalLock() { release(); }
  LocalLock(const LocalLock&) = delete;
  LocalLock& operator=(const LocalLock&) = delete;

  bool is_held() const { return held_; }
  diag::Checked<void> acquire(LockInfo info, const LockWait& wait, diag::Diagnostics& diags);
  void release();

  // Gives a file that will take the place of the locked one the lock as well; before
  // it is committed. Without a lock nothing happens.
  base::Result<void> extend_to(const base::FileReplacement& replacement);
  // Once the new file has its name, it is the locked one from now on. After a crash the old one may
  // have the name again, unless the commit succeeded: till then it is kept as it is, and locked.
  enum class OldFile : std::uint8_t { Spoil, Keep };
  void move_to(base::FileReplacement& replacement, OldFile old_file);

  std::string info_path() const;

 private:
  enum class Attempt { Got, Held, Failed };
  Attempt try_once(base::Error& why);
  base::DiskResult<bool> has_its_name(base::DiskFile& file);

  std::string path_;
  base::Disk& disk_;
  std::unique_ptr<base::DiskFile> file_;
  std::unique_ptr<base::DiskFile> kept_;  // the one before it, see OldFile
  bool held_ = false;
  bool made_file_ = false;  // it did not exist, and is removed if it stays empty
};

}  // namespace tofu::backends

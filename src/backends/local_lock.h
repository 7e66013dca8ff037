// The lock on a local state file, and the record beside it that says who has it.
//
// The lock is on the file itself, as OpenTofu and Terraform have it. Since we replace
// files, a lock counts only while the file still has its name.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "backends/backend.h"
#include "backends/lock_info.h"
#include "base/descriptor.h"
#include "base/file_replacement.h"
#include "diag/diagnostic.h"

namespace tofu::backends {

class LocalLock {
 public:
  explicit LocalLock(std::string path) : path_(std::move(path)) {}
  ~LocalLock() { release(); }
  LocalLock(const LocalLock&) = delete;
  LocalLock& operator=(const LocalLock&) = delete;

  bool is_held() const { return held_; }
  // False if and only if an error was added.
  bool acquire(LockInfo info, const LockWait& wait, diag::Diagnostics& diags);
  void release();

  // Gives a file that will take the place of the locked one the lock as well; before
  // it is committed. Without a lock nothing happens.
  base::Result<void> extend_to(const base::FileReplacement& replacement);
  // After the commit: the new file is the locked one from now on.
  void move_to(base::FileReplacement& replacement);

  std::string info_path() const;

 private:
  enum class Attempt { Got, Held, Failed };
  Attempt try_once(base::Error& why);

  std::string path_;
  base::Descriptor file_;
  bool held_ = false;
  bool made_file_ = false;  // it did not exist, and is removed if it stays empty
};

}  // namespace tofu::backends

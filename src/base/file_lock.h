// A lock between processes, on a file that stays where it is.
//
// Held by one process at a time and released when it ends, however it ends. Waiting
// for it can be cancelled.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "base/result.h"

namespace tofu::base {

class FileLock {
 public:
  // Waits until nobody else holds it. The file is made if it is missing; a symbolic
  // link in its place is refused. An error if `cancelled` becomes true meanwhile.
  static Result<FileLock> take(const std::string& path, const std::atomic<bool>& cancelled);

  FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~FileLock();

 private:
  explicit FileLock(int file) : file_(file) {}
  int file_;
};

}  // namespace tofu::base

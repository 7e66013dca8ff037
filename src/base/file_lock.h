// A lock between processes, on a file that stays where it is.
//
// Held by one process at a time and released when it ends, however it ends. Waiting
// for it ends when a stop is requested. It is the lock that OpenTofu takes on files, so that both
// keep away from each other.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/result.h"

namespace tofu::base {

class FileLock {
 public:
  // Waits until no other process holds it. The file is made if it is missing; a symbolic link in
  // its place is refused. An error if a stop is requested meanwhile. `slow` is called once if it
  // takes long enough for a person to wonder.
  static Result<FileLock> take(const std::string& path, const std::stop_token& stop,
                               const std::function<void()>& slow = {});

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

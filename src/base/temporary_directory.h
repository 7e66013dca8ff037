// A temporary directory. Only this user can enter it, and the destructor removes it with its
// contents.
//
// A process that is killed leaves it behind, so such directories are created where systems clean up
// by themselves.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace tofu::base {

class TemporaryDirectory {
 public:
  // In `parent`, under a name that begins with `prefix`.
  static Result<TemporaryDirectory> make(std::string_view parent, std::string_view prefix);

  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory();

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace tofu::base

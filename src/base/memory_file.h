// A text that other programs can read by a path, and that is on no disk.
//
// Nobody but this user can read it, and nobody at all once this object, or the whole
// process, is gone. So secrets can be given to programs that take only files.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace tofu::base {

class MemoryFile {
 public:
  static Result<MemoryFile> make(std::string_view text);
  // A script that can be run by its path.
  static Result<MemoryFile> make_program(std::string_view text);
  MemoryFile(MemoryFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile();

  // For every process that this user may look into, which has no need to inherit it.
  std::string path() const;
  // Closed on exec; reading begins at the start of the text.
  int descriptor() const { return file_; }

 private:
  explicit MemoryFile(int file) : file_(file) {}
  int file_;
};

}  // namespace tofu::base

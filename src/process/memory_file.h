// A file in memory that other programs can read by its path.
//
// Only this user can read it, and it disappears with this object or with the process. It passes
// secrets to programs that take only files.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace tofu::process {

class MemoryFile {
 public:
  static base::Result<MemoryFile> make(std::string_view text);
  // A script that can be run by its path.
  static base::Result<MemoryFile> make_program(std::string_view text);
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

}  // namespace tofu::process

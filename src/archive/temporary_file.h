// The name of a file that the destructor removes.
//
// For archives on their way to being unpacked. Other code creates the file; it may be missing.
#pragma once

#include <string>
#include <unistd.h>
#include <utility>

namespace tofu::archive {

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { ::unlink(path_.c_str()); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tofu::archive

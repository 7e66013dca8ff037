// A file that is read where it is touched, and nowhere else.
//
// For files that are replaced as a whole (file_replacement.h) and never changed: one that
// gets shorter while it is mapped ends the program.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::base {

class MappedFile {
 public:
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view content() const { return content_; }

 private:
  explicit MappedFile(std::string_view content) : content_(content) {}

  std::string_view content_;
};

}  // namespace tofu::base

// An executable that is checked and then started from the same open file.
//
// A path can lead to another file each time it is used, so a caller that checks a program (by its
// hash) and then starts it by its path may start another one. This holds the file that was checked,
// and notices if its content is replaced in place: the system counts every write in the time of the
// last change, which no program can set.
#pragma once

#include <memory>
#include <string>
#include <sys/stat.h>

#include "base/descriptor.h"
#include "base/result.h"

namespace tofu::process {

class ProgramFile {
 public:
  static base::Result<std::shared_ptr<const ProgramFile>> open(const std::string& path);
  ProgramFile(base::Descriptor file, const struct stat& status)
      : file_(std::move(file)), status_(status) {}

  int number() const { return file_.number(); }
  // Whether the file is as it was when it was opened.
  bool is_unchanged() const;

 private:
  base::Descriptor file_;
  struct stat status_;
};

}  // namespace tofu::process

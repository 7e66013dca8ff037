// An open file, closed when it goes out of scope, and the system's error texts.
//
// Used by this component and by owners of open files, such as locks and journals.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace tofu::base {

// Closes what it holds; call close() if its errors matter.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  bool close();  // false with errno set

 private:
  int number_ = -1;
};

// The system's words for an errno, in lower case.
Error system_error(int code);

// open(2) with O_CLOEXEC, again after an interruption. Not open: see errno.
Descriptor open_file(const std::string& path, int flags, unsigned mode = 0);

// False with errno set.
bool write_all(int descriptor, std::string_view content);

// Makes sure that new and renamed names in the directory of `path` outlive a crash.
Result<void> sync_directory_of(const std::string& path);

}  // namespace tofu::base

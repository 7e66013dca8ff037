// Text on its way to standard output, standard error, a file, or a string in memory.
//
// Collects small pieces and writes them in one go; flushes when it is large,
// when asked and at the end. A reader that has gone away (a closed pipe) is not
// an error worth a message: what is left is dropped and failed() says so.
#pragma once

#include <string>
#include <string_view>

namespace tofu::commands {

class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  // For tests: everything goes to the end of `memory` at once. It outlives this.
  explicit Output(std::string& memory) : memory_(&memory) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { flush(); }

  void write(std::string_view text);
  void line(std::string_view text) {
    write(text);
    write("\n");
  }
  void flush();
  bool failed() const { return failed_; }

 private:
  void write_through(std::string_view text);

  int descriptor_ = -1;
  std::string* memory_ = nullptr;  // in place of a descriptor
  bool failed_ = false;
  std::string pending_;
};

}  // namespace tofu::commands

// Text on its way to standard output, standard error, a file, or a string in memory.
//
// Collects small pieces and writes them in one go; flushes when it is large,
// when asked and at the end. A reader that has gone away (a closed pipe) is not
// an error worth a message: what is left is dropped and failed() says so.
//
// Any thread may write: a signal is reported while the command prints. Each call is
// one piece, which no other thread's text interrupts.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

namespace tofu::cli {

class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  // For tests: everything goes to the end of `memory` at once. It outlives this.
  explicit Output(std::string& memory) : memory_(&memory) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { flush(); }

  void write(std::string_view text);
  void line(std::string_view text);
  void flush();
  bool failed() const;

 private:
  // These need the lock.
  void add(std::string_view text);
  void write_pending();
  void write_through(std::string_view text);

  const int descriptor_ = -1;
  std::string* const memory_ = nullptr;  // in place of a descriptor

  mutable std::mutex mutex_;  // for everything below
  bool failed_ = false;
  std::string pending_;
};

}  // namespace tofu::cli

// Starting a program that does not outlive us.
//
// Between us and the program stands a watcher, a process that waits for it. If we end
// before it does, killed or not, the watcher kills the program with all that it
// started; a signal to the program alone would leave those behind (git works through
// helpers). Private to process.cc and child_process.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace tofu::process {

struct Launch {
  std::vector<std::string> arguments = {};    // the program first, found on PATH
  std::vector<std::string> environment = {};  // NAME=value
  int program = -1;              // the file that becomes the program; negative: the first argument
  std::string directory = {};    // where it runs; empty: here
  int input = -1;                // standard input; negative: nothing
  int output = -1;               // standard output
  int errors = -1;               // standard error; negative: ours
  std::uint64_t file_limit = 0;  // bytes of any file that it writes; 0: any
  std::uint64_t memory_limit = 0;  // bytes of memory; 0: any
};

// Starts it in a session of its own, with no other descriptor of ours than these three. `child` is
// the watcher, whose exit status is the program's, 128 + number if a signal ended it; a signal to
// its process group reaches all. The thread that calls this has to wait for it: the kernel takes
// the end of that thread for our end. Returns an errno, or 0.
int launch(const Launch& what, pid_t& child);

// The exit status in what waitpid() says: 128 + number if a signal ended it.
int exit_status_of(int wait_status);

// Our environment as Launch takes it, with `added` and without the variables of `without`.
std::vector<std::string> environment_with(
    std::span<const std::pair<std::string, std::string>> added,
    std::span<const std::string> without);

}  // namespace tofu::process

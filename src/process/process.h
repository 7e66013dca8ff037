// Running other programs, such as `diff` and `git`.
//
// Programs are started directly, never through a shell, so no argument is ever read as anything but
// an argument. Their output is collected. They see none of our files, and they and all that they
// started are killed if we are.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"

namespace tofu::process {

struct ProcessResult {
  int exit_status = 0;  // 128 + number if a signal ended it
  std::string output;   // standard output
};

// Runs `arguments` (the program first, found on PATH) to its end. `inputs` are
// texts that the program can read as files: "{0}", "{1}", … as whole arguments
// stand for their paths. Standard input is empty; standard error is ours.
base::Result<ProcessResult> run_process(std::vector<std::string> arguments,
                                        std::span<const std::string_view> inputs = {});

struct GuardedProcess {
  std::vector<std::string> arguments;  // the program first, found on PATH
  std::string directory = {};          // where it runs; empty: here
  std::vector<std::pair<std::string, std::string>> environment = {};  // added to ours
  std::vector<std::string> without = {};                              // taken out of ours
  std::string input = {};                                             // on standard input

  // Instead of `input`, for a program that answers what it reads: called for more input when the
  // previous input was read, and after the next output if it had none.
  struct Input {
    std::string text = {};
    bool is_last = false;  // standard input ends after it
  };
  std::function<Input()> next_input = {};

  std::uint64_t output_limit = std::uint64_t{16} << 20;  // more ends it with an error
  std::uint64_t error_limit = std::uint64_t{64} << 10;   // of standard error the end is kept
  std::uint64_t file_limit = 0;                          // bytes of any file it writes; 0: any
  std::uint64_t memory_limit = 0;                        // bytes of memory; 0: any
  std::chrono::milliseconds deadline = std::chrono::minutes(30);  // 0: none
  std::stop_token stop = {};
  // How long it may take to end by itself after a stop, which sends it and all that it started
  // SIGINT, as Control-C in a terminal does. 0: it is killed at once.
  std::chrono::milliseconds grace{0};
  base::Log log = {};  // its name, its place and its end; arguments may be secrets

  bool joins_errors = false;  // standard error goes where the output goes, in the order of both
  // Ends not before all have that hold the output open: what the program started and
  // left running. Else what these print is lost.
  bool waits_for_all = false;

  // Gets the output piece by piece instead of the result, without a limit. The
  // answer false ends the program with an error.
  std::function<bool(std::string_view)> on_output = {};
  // Called when nothing came for a moment: what on_output got may be shown as it is.
  std::function<void()> on_quiet = {};
  // Asked every second or so, less often if the answer takes long. False ends the
  // program with an error.
  std::function<bool()> may_go_on = {};
};

struct GuardedResult {
  int exit_status = 0;  // 128 + number if a signal ended it
  std::string output;
  std::string errors;  // standard error
};

// Runs a program within limits of time and size. It is in a session of its own, so
// it cannot ask the terminal anything, and at a limit it is killed with all that
// it started. An error only if it could not be started or was killed so.
base::Result<GuardedResult> run_guarded(const GuardedProcess& process);

}  // namespace tofu::process

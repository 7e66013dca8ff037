// Running other programs, such as `diff` and `git`.
//
// Programs are started directly, never through a shell, so no argument is ever
// read as anything but an argument. What they print is collected.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tofu::base {

struct ProcessResult {
  int exit_status = 0;  // 128 + number if a signal ended it
  std::string output;   // standard output
};

// Runs `arguments` (the program first, found on PATH) to its end. `inputs` are
// texts that the program can read as files: "{0}", "{1}", … as whole arguments
// stand for their paths. Standard input is empty; standard error is ours.
Result<ProcessResult> run_process(std::vector<std::string> arguments,
                                  std::span<const std::string_view> inputs = {});

}  // namespace tofu::base

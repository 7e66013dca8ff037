#include "commands/unified_diff.h"

#include <array>

#include "process/process.h"

namespace tofu::commands {

base::Result<std::string> unified_diff(std::string_view name, std::string_view before,
                                       std::string_view after) {
  constexpr int kTrouble = 2;  // diff's own failure; 1 means that there are differences
  const std::array inputs{before, after};
  auto done = process::run_process({"diff", "--label=old/" + std::string(name),
                                    "--label=new/" + std::string(name), "-u", "{0}", "{1}"},
                                   inputs);
  if (!done) return base::Error{"running the diff program failed: " + done.error().what};
  if (done->exit_status >= kTrouble) return base::Error{"the diff program failed"};
  return std::move(done->output);
}

}  // namespace tofu::commands

// The program. Reads its environment once, runs the command line, and reports a
// broken promise of ours as what it is: a bug, with what to do about it.
#include <csignal>
#include <cstdlib>
#include <exception>
#include <unistd.h>

#include "base/check.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/thread.h"
#include "commands/cli.h"
#include "commands/crash_report.h"
#include "commands/environment.h"
#include "commands/logging.h"
#include "syntax/ast.h"

int main(int argc, char** argv) {
  tofu::base::open_standard_descriptors();
  tofu::commands::report_crashes();
  tofu::base::keep_freed_memory();
  tofu::base::allow_stack(tofu::syntax::kTaskStack);
  // A closed pipe is noticed where it is written to; it need not kill us.
  std::signal(SIGPIPE, SIG_IGN);

  const tofu::commands::Environment environment = tofu::commands::read_environment(argc, argv);
  tofu::commands::Input in(STDIN_FILENO);
  tofu::commands::Output out(STDOUT_FILENO);
  tofu::commands::Output err(STDERR_FILENO);
  tofu::commands::Interrupts interrupts;
  tofu::commands::Logging logging(environment, err);
  tofu::commands::World world{environment,       in, out, err, interrupts, logging.core(),
                              logging.provider()};
  try {
    const int status = tofu::commands::run_cli(world);
    out.flush();
    err.flush();
    std::exit(status);  // without taking `world` apart: all of its memory goes at once
  } catch (const tofu::base::BrokenPromise& broken) {
    out.flush();
    err.line("This is a bug in tofu, not in your configuration. An internal check failed:");
    err.line(std::string("  ") + broken.what());
    err.line(
        "Please report it with the command you ran and the smallest configuration that shows it.");
    return 11;
  }
}

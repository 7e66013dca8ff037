// The program. Reads its environment once, runs the command line, and reports a
// broken promise of ours as what it is: a bug, with what to do about it.
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <poll.h>
#include <string>
#include <system_error>
#include <unistd.h>

#include "base/check.h"
#include "base/dynamic_library.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/startup.h"
#include "base/thread.h"
#include "cli/cancellation.h"
#include "cli/crash_report.h"
#include "cli/dispatch.h"
#include "cli/environment.h"
#include "cli/input.h"
#include "cli/logging.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/settings.h"
#include "cli/terminal.h"
#include "commands/completion_names.h"
#include "commands/table.h"
#include "syntax/ast.h"
#include "views/difference_text.h"

// Its reader has what it wanted.
static bool is_closed_pipe(int file) {
  pollfd polled{.fd = file, .events = 0, .revents = 0};
  return ::poll(&polled, 1, 0) == 1 && (polled.revents & POLLERR) != 0;
}

int main(int argc, char** argv) {
  tofu::base::open_standard_descriptors();
  tofu::cli::report_crashes();
  tofu::base::settle_process();
  tofu::base::keep_freed_memory();
  tofu::base::allow_stack(tofu::syntax::kTaskStack);
  // A closed pipe is noticed where it is written to; it need not kill us.
  std::signal(SIGPIPE, SIG_IGN);
  // So is a file that may not grow any more (ulimit -f), as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);

  const tofu::cli::Environment environment = tofu::cli::read_environment(argc, argv);
  tofu::cli::Input in(STDIN_FILENO);
  tofu::cli::Output out(STDOUT_FILENO);
  tofu::cli::Output err(STDERR_FILENO);
  tofu::cli::Cancellation cancellation;
  tofu::cli::Logging logging(environment, err);
  tofu::cli::Settings settings{environment, logging.core(), logging.provider()};
  tofu::diag::SourceMap sources;
  tofu::cli::Terminal terminal(in, out, err, environment, sources);
  terminal.difference_text = tofu::views::difference_text;
  tofu::cli::KeepAlive keep_alive;
  tofu::cli::Session session{terminal, settings, cancellation, sources, keep_alive};
  try {
    const int status =
        tofu::cli::run_cli(tofu::commands::command_table(),
                           tofu::commands::completion_names(session), settings, session);
    out.flush();
    if (out.failed() && !is_closed_pipe(STDOUT_FILENO)) {
      err.line("Error: Cannot write to standard output. A part of the output is missing.");
    }
    err.flush();
    std::exit(status);  // without destroying what is kept alive: all of its memory goes at once
  } catch (const tofu::base::MissingLibrary& missing) {
    out.flush();
    err.line("Error: Incomplete installation of tofu");
    err.line("");
    err.line(std::string("This command cannot run because ") + missing.what() + ".");
    return 1;
  } catch (const std::bad_alloc&) {
    // Unwinding has freed what the command had, its locks and plugins too.
    out.flush();
    err.line(tofu::cli::kOutOfMemory);
    return 1;
  } catch (const std::system_error& refused) {
    out.flush();
    err.line("Error: Cannot start a thread");
    err.line("");
    err.line(std::string("The system refused it: ") + refused.code().message() +
             ". End other programs, raise the limit of processes (ulimit -u), or use a lower "
             "-parallelism.");
    return 1;
  } catch (const tofu::base::InternalError& broken) {
    out.flush();
    err.line("This is a bug in tofu, not in your configuration. An internal check failed:");
    err.line(std::string("  ") + broken.what());
    err.line(
        "Please report the command you ran and the smallest configuration that reproduces this.");
    return 11;
  }
}

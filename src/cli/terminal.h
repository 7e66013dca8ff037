// Standard input, output and error of a command, and how diagnostics are printed there.
//
// Threads: one at a time. A view that several threads report to has a mutex of its own.
// It holds the files that diagnostics point into only to print them; parsing takes the SourceMap.
#pragma once

#include <functional>
#include <string>

#include "cli/environment.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/view_options.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::cli {

struct Terminal {
  // All outlive the terminal. `sources` has the files that diagnostics point into.
  Terminal(Input& input, Output& output, Output& error, const Environment& environment,
           const diag::SourceMap& files)
      : in(input),
        out(output),
        err(error),
        sources(files),
        in_is_terminal(environment.stdin_is_terminal),
        out_is_terminal(environment.stdout_is_terminal),
        out_width(environment.stdout_width),
        err_width(environment.stderr_width) {}
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  Input& in;
  Output& out;
  Output& err;
  const diag::SourceMap& sources;
  bool in_is_terminal;
  bool out_is_terminal;
  int out_width;
  int err_width;
  ViewOptions view = {};  // of the command line
  // How a comparison that does not hold is shown in a diagnostic. Null: it is not.
  std::string (*difference_text)(const diag::ShownDifference& shown, bool color) = nullptr;
  // Shows problems as the command does, at once. Set by Progress and by the view of a run while
  // they live; empty: print_diagnostics().
  std::function<void(const diag::Diagnostics&)> show_problems = {};
  // Problems that were found after the command had printed everything, such as a lock that could
  // not be released. They are printed last.
  diag::Diagnostics deferred_diagnostics = {};
};

}  // namespace tofu::cli

// A session in memory, so that tests run whole commands in a directory of their own.
//
// What they print and what is typed are strings. The table of commands is the program's, so that
// everything behind a command line is tested.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "cli/dispatch.h"
#include "commands/completion_names.h"
#include "commands/table.h"
#include "tests/cli/test_directory.h"

namespace tofu::commands {

class TestSession : public cli::TestDirectory {
 public:
  explicit TestSession(std::string typed = {}) : in_(std::move(typed)) {}

  // The exit status of the command line.
  int run(std::vector<std::string> arguments) {
    arguments.emplace_back("-no-color");
    environment.arguments = std::move(arguments);
    out.clear();
    err.clear();
    cli::Output out_sink(out);
    cli::Output err_sink(err);
    cli::Settings settings{environment, log};
    diag::SourceMap sources;
    cli::Terminal terminal(in_, out_sink, err_sink, environment, sources);
    cli::KeepAlive keep_alive;
    cli::Session session{terminal, settings, cancellation, sources, keep_alive};
    return cli::run_cli(command_table(), completion_names(session), settings, session);
  }

  cli::Cancellation cancellation;
  base::Log log;
  std::string out;
  std::string err;

 private:
  cli::Input in_;
};

}  // namespace tofu::commands

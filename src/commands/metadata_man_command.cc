#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/man_page.h"
#include "cli/report.h"
#include "commands/table.h"

namespace tofu::commands {

namespace {

struct ManPageOptions {
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) { flags.arguments(arguments); }
};

bool write_pages(const std::vector<std::string>& arguments, cli::Session& session,
                 diag::Diagnostics& diags) {
  if (arguments.size() != 1) {
    diags.error("Missing output directory")
        .detail(
            "Expected one argument: the directory for the manual pages, such as "
            "/usr/local/share/man/man1.");
    return false;
  }
  const std::vector<cli::ManPage> pages = cli::all_man_pages(command_table());
  for (const cli::ManPage& page : pages) {
    const std::string path = arguments[0] + "/" + page.file;
    const auto written = base::write_file(path, page.text);
    if (written) continue;
    diags.error("Cannot write manual page")
        .detail(fmt::format("Writing {} failed: {}.", path, written.error().what));
    return false;
  }
  session.terminal.out.line(fmt::format("Wrote {} pages to {}.", pages.size(), arguments[0]));
  return true;
}

int run_man_page(const ManPageOptions& options, cli::Session& session) {
  diag::Diagnostics diags;
  const bool written = write_pages(options.arguments, session, diags);
  cli::print_diagnostics(diags, session.terminal);
  return written ? cli::kExitOk : cli::kExitError;
}

}  // namespace

const cli::Command kMetadataManCommand = {
    "metadata man",
    "Write the manual pages",
    "DIR",
    "Writes a man(1) page for tofu and for each of its commands to the given directory, which must "
    "exist. The pages have the same text as -help.",
    cli::action<ManPageOptions, run_man_page>(),
    cli::Completes::Directories,
};

}  // namespace tofu::commands

#include "commands/man_page.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "base/ascii.h"
#include "base/file.h"
#include "commands/version_info.h"

namespace tofu::commands {

namespace {

// Text as it may stand in a line of a page: backslashes begin escapes there, a hyphen
// that can be copied is an escape, and a dot or quote at the start of a line is a request.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

// "tofu-state-mv"
std::string page_name(const Command& command) {
  std::string name = "tofu-" + std::string(command.name);
  std::ranges::replace(name, ' ', '-');
  return name;
}

void append_heading(std::string& out, const std::string& name, std::string_view about) {
  out += fmt::format(".TH {} 1 \"\" \"OpenTofu {}\" \"OpenTofu\"\n.SH NAME\n{} \\- {}\n",
                     escaped(base::ascii_upper(name)), kTofuVersion, escaped(name), escaped(about));
}

void append_paragraphs(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    out += ".PP\n" + escaped(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

void append_item(std::string& out, std::string_view item, std::string_view text) {
  out += fmt::format(".TP\n.B {}\n{}\n", escaped(item), escaped(text));
}

void append_flags(std::string& out, std::vector<FlagInfo> flags) {
  std::erase_if(flags, [](const FlagInfo& flag) { return flag.text.hidden; });
  while (!flags.empty()) {
    const std::string_view heading = flags.front().heading;
    out += fmt::format(".SH {}\n", escaped(base::ascii_upper(heading)));
    std::erase_if(flags, [&](const FlagInfo& flag) {
      if (flag.heading != heading) return false;
      append_item(out, flag.shown(), flag.text.help);
      return true;
    });
  }
}

std::string page_of(const Command& command) {
  std::string out;
  append_heading(out, page_name(command), command.synopsis);
  out += fmt::format(".SH SYNOPSIS\n.B tofu\n[global options]\n.B {}\n{}\n", escaped(command.name),
                     escaped(command.usage));
  out += ".SH DESCRIPTION\n";
  append_paragraphs(out, command.about);
  append_flags(out, command.action.flags());
  append_flags(out, view_flags());
  out += ".SH SEE ALSO\n.BR tofu (1)\n";
  return out;
}

std::string page_of_program() {
  std::string out;
  append_heading(out, "tofu", "infrastructure as code");
  out +=
      ".SH SYNOPSIS\n.B tofu\n[global options]\n.I subcommand\n[args]\n"
      ".SH DESCRIPTION\n.PP\n"
      "Compares infrastructure with what configuration files describe and makes the changes "
      "that are needed. The usual order is\n.BR init ,\n.BR plan ,\n.BR apply .\n"
      ".SH GLOBAL OPTIONS\n";
  append_item(out, "-chdir=DIR", "Do everything as if started in this directory.");
  append_item(out, "-help", "Show help, also of a subcommand that follows.");
  append_item(out, "-version", "The same as the version subcommand.");
  append_item(out, "-install-autocomplete, -uninstall-autocomplete",
              "Add completion to the start-up files of bash, zsh and fish, or take it out again.");
  out += ".SH SUBCOMMANDS\n";
  std::string pages;
  for (const Command& command : all_commands()) {
    if (!command.has_action()) continue;
    append_item(out, command.name, command.synopsis);
    pages += fmt::format("{}.BR {} (1)", pages.empty() ? "" : ",\n", escaped(page_name(command)));
  }
  out += ".SH EXIT STATUS\n";
  append_item(out, "0", "The command did what it was asked to do.");
  append_item(out, "1", "There were errors.");
  append_item(out, "2", "With \"plan -detailed-exitcode\": something would change.");
  out += ".SH SEE ALSO\n" + pages + "\n";
  return out;
}

struct ManPageOptions {
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) { flags.arguments(arguments); }
};

bool write_pages(const std::vector<std::string>& arguments, World& world,
                 diag::Diagnostics& diags) {
  if (arguments.size() != 1) {
    diags.error("A directory is needed")
        .detail(
            "Give the directory that the pages are written to, such as "
            "/usr/local/share/man/man1.");
    return false;
  }
  const std::vector<ManPage> pages = all_man_pages();
  for (const ManPage& page : pages) {
    const std::string path = arguments[0] + "/" + page.file;
    const auto written = base::write_file(path, page.text);
    if (written) continue;
    diags.error("A manual page could not be written")
        .detail(fmt::format("Writing {} failed: {}.", path, written.error().what));
    return false;
  }
  world.out.line(fmt::format("Wrote {} pages to {}.", pages.size(), arguments[0]));
  return true;
}

int run_man_page(const ManPageOptions& options, World& world) {
  diag::Diagnostics diags;
  const bool written = write_pages(options.arguments, world, diags);
  print_diagnostics(diags, world);
  return written ? kExitOk : kExitError;
}

}  // namespace

std::vector<ManPage> all_man_pages() {
  std::vector<ManPage> pages = {{"tofu.1", page_of_program()}};
  for (const Command& command : all_commands()) {
    if (command.has_action()) pages.push_back({page_name(command) + ".1", page_of(command)});
  }
  return pages;
}

const Command kMetadataManCommand = {
    "metadata man",
    "Write the manual pages",
    "DIR",
    "Writes a page for man(1) about the program and one about each command to this directory, "
    "which has to exist. They say what -help says.",
    action<ManPageOptions, run_man_page>(),
    Completes::Directories,
};

}  // namespace tofu::commands

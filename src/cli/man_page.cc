#include "cli/man_page.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "base/ascii.h"
#include "cli/version_info.h"

namespace tofu::cli {

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

std::string page_of(const Command& command, const CommandTable& table) {
  std::string out;
  append_heading(out, page_name(command), command.synopsis);
  out += fmt::format(".SH SYNOPSIS\n.B tofu\n[global options]\n.B {}\n{}\n", escaped(command.name),
                     escaped(command.usage));
  out += ".SH DESCRIPTION\n";
  append_paragraphs(out, command.about);
  append_flags(out, command.action.flags());
  append_flags(out, view_flags());
  const auto examples = table.examples_of(command);
  if (!examples.empty()) out += ".SH EXAMPLES\n";
  for (const std::string_view line : examples)
    out += fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(line));
  out += ".SH SEE ALSO\n.BR tofu (1)\n";
  return out;
}

std::string page_of_program(const CommandTable& table) {
  std::string out;
  append_heading(out, "tofu", "infrastructure as code");
  out +=
      ".SH SYNOPSIS\n.B tofu\n[global options]\n.I subcommand\n[args]\n.SH "
      "DESCRIPTION\n.PP\nProvisions and manages infrastructure described in configuration files. "
      "The usual order is\n.BR init ,\n.BR plan ,\n.BR apply .\n.SH GLOBAL OPTIONS\n";
  append_item(out, "-chdir=DIR", "Run as if started in this directory.");
  append_item(out, "-help", "Show help, or the help of the given subcommand.");
  append_item(out, "-version", "Same as the version subcommand.");
  append_item(out, "-install-autocomplete, -uninstall-autocomplete",
              "Add or remove completion in the startup files of bash, zsh and fish.");
  out += ".SH SUBCOMMANDS\n";
  std::string pages;
  for (const Command& command : table.commands()) {
    if (!command.has_action()) continue;
    append_item(out, command.name, command.synopsis);
    pages += fmt::format("{}.BR {} (1)", pages.empty() ? "" : ",\n", escaped(page_name(command)));
  }
  out += ".SH EXIT STATUS\n";
  append_item(out, "0", "The command succeeded.");
  append_item(out, "1", "The command reported errors.");
  append_item(out, "2", "With \"plan -detailed-exitcode\": the plan has changes.");
  out += ".SH SEE ALSO\n" + pages + "\n";
  return out;
}

}  // namespace

std::vector<ManPage> all_man_pages(const CommandTable& table) {
  std::vector<ManPage> pages = {{"tofu.1", page_of_program(table)}};
  for (const Command& command : table.commands()) {
    if (command.has_action()) pages.push_back({page_name(command) + ".1", page_of(command, table)});
  }
  return pages;
}

}  // namespace tofu::cli

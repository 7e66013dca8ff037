#include "cli/help.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace tofu::cli {

namespace {

constexpr std::size_t kHelpWidth = 78;
constexpr std::size_t kWidestFlag = 24;
// In the order in which they are used.
constexpr std::string_view kMainCommands[] = {"init", "validate", "plan", "apply", "destroy"};

// `text` broken at blanks, every line after `indent` blanks. The first line
// starts where `used` columns are already taken.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent, std::size_t used) {
  std::size_t column = used;
  bool at_start = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!at_start && column + 1 + word.size() > kHelpWidth) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
      at_start = true;
    }
    if (!at_start) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    at_start = false;
  }
  out += '\n';
}

void append_paragraphs(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    out += "\n  ";
    append_wrapped(out, text.substr(0, end), 2, 2);
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

void append_flags(std::string& out, std::span<const FlagInfo> flags) {
  std::size_t widest = 0;
  for (const FlagInfo& flag : flags) {
    const std::size_t width = flag.shown().size();
    if (width <= kWidestFlag) widest = std::max(widest, width);
  }
  const std::size_t indent = widest + 5;
  for (const FlagInfo& flag : flags) {
    const std::string shown = flag.shown();
    out += fmt::format("\n  {:<{}}", shown, widest);
    // A long one stands alone, so that the others keep their place.
    out += shown.size() > widest ? "\n" + std::string(indent, ' ') : "   ";
    append_wrapped(out, flag.text.help, indent, indent);
  }
}

// The flags of each group below its heading, in the order of their first flags.
void append_groups(std::string& out, std::vector<FlagInfo> flags) {
  std::erase_if(flags, [](const FlagInfo& flag) { return flag.text.hidden; });
  while (!flags.empty()) {
    const std::string_view heading = flags.front().heading;
    out += fmt::format("\n{}:\n", heading);
    const auto others = std::stable_partition(
        flags.begin(), flags.end(), [&](const FlagInfo& flag) { return flag.heading == heading; });
    append_flags(out, {flags.begin(), others});
    flags.erase(flags.begin(), others);
  }
}

// The commands below `prefix`, such as "state ".
std::vector<const Command*> commands_below(const CommandTable& table, std::string_view prefix) {
  std::vector<const Command*> below;
  for (const Command& command : table.commands()) {
    if (!command.name.starts_with(prefix)) continue;
    if (command.name.substr(prefix.size()).find(' ') != std::string_view::npos) continue;
    below.push_back(&command);
  }
  return below;
}

void append_commands(std::string& out, std::span<const Command* const> commands,
                     std::string_view prefix) {
  std::size_t widest = 0;
  for (const Command* command : commands)
    widest = std::max(widest, command->name.size() - prefix.size());
  for (const Command* command : commands) {
    out += fmt::format("  {:<{}}  {}\n", command->name.substr(prefix.size()), widest,
                       command->synopsis);
  }
}

void append_examples(std::string& out, std::span<const std::string_view> examples) {
  if (!examples.empty()) out += examples.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
  for (const std::string_view line : examples) out += fmt::format("  {}\n", line);
}

}  // namespace

std::string help_for_program(const CommandTable& table) {
  std::vector<const Command*> main;
  std::vector<const Command*> others = commands_below(table, "");
  for (const std::string_view name : kMainCommands) {
    const auto found = std::ranges::find(others, name, &Command::name);
    if (found == others.end()) continue;
    main.push_back(*found);
    others.erase(found);
  }
  std::string out = "Usage: tofu [global options] <subcommand> [args]\n\nMain commands:\n";
  append_commands(out, main, "");
  out += "\nOther commands:\n";
  append_commands(out, others, "");
  out +=
      "\nGlobal options (before the subcommand):\n  -chdir=DIR  Run as if started in this "
      "directory.\n  -help       Show this help, or the help of the given subcommand.\n  -version  "
      "  Same as the \"version\" subcommand.\n\n  -install-autocomplete, -uninstall-autocomplete\n "
      "             Add or remove completion in the startup files of bash, zsh\n              and "
      "fish.\n";
  return out;
}

std::string help_for(const Command& command, const CommandTable& table) {
  std::string out =
      fmt::format("Usage: tofu [global options] {} {}\n", command.name, command.usage);
  append_paragraphs(out, command.about);
  if (!command.has_action()) {
    out += "\nSubcommands:\n";
    const std::string prefix = std::string(command.name) + " ";
    append_commands(out, commands_below(table, prefix), prefix);
    return out;
  }
  append_examples(out, table.examples_of(command));
  append_groups(out, command.action.flags());
  append_groups(out, view_flags());
  return out;
}

}  // namespace tofu::cli

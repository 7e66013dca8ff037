#include "cli/dispatch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

#include "base/result.h"
#include "base/suggest.h"
#include "cli/autocomplete.h"
#include "cli/environment.h"
#include "cli/help.h"
#include "cli/report.h"
#include "cli/shell_words.h"
#include "cli/version_info.h"
#include "diag/render_text.h"

namespace tofu::cli {

namespace {

// Scripts distinguish asking for help from asking for nothing.
constexpr int kExitNoCommand = 127;

using Words = std::vector<std::string>;

constexpr std::string_view kGlobalOptionNames[] = {
    "-chdir", "-help", "-version", "-install-autocomplete", "-uninstall-autocomplete"};

std::string_view name_of_option(std::string_view word) { return word.substr(0, word.find('=')); }

bool is_help(std::string_view word) { return word == "-h" || word == "-help" || word == "--help"; }

bool is_version(std::string_view word) {
  return word == "-v" || word == "-version" || word == "--version";
}

// Handles -chdir=DIR, which stands before the command. False after an error.
bool change_directory(Words& words, Terminal& terminal) {
  for (std::size_t i = 0; i < words.size() && words[i].starts_with('-'); ++i) {
    const std::string word = words[i];
    if (word == "-chdir" || word == "-chdir=") {
      terminal.err.line(
          "The -chdir option must be followed by an equals sign and a directory, as in "
          "-chdir=example");
      return false;
    }
    if (!word.starts_with("-chdir=")) continue;
    const std::string directory = word.substr(std::strlen("-chdir="));
    if (::chdir(directory.c_str()) != 0) {
      terminal.err.line(
          fmt::format("Cannot change to the directory {:?}: {}", directory, std::strerror(errno)));
      return false;
    }
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return true;
}

// Position of the command's first word, or the end.
std::size_t command_position(const Words& words) {
  const auto first =
      std::ranges::find_if(words, [](const std::string& w) { return !w.starts_with('-'); });
  return static_cast<std::size_t>(first - words.begin());
}

struct Chosen {
  const Command* command = nullptr;
  std::size_t words = 0;  // of the command's name
};

// The command with the longest name that `words` start with at `at`.
Chosen choose_command(const CommandTable& table, const Words& words, std::size_t at) {
  Chosen best;
  std::string name;
  for (std::size_t i = at; i < words.size() && !words[i].starts_with('-'); ++i) {
    if (!name.empty()) name += ' ';
    name += words[i];
    if (const Command* command = table.find(name)) best = {command, i - at + 1};
  }
  return best;
}

// Puts the words of TF_CLI_ARGS… right behind the command's name.
base::Result<void> insert_extra(Words& words, std::size_t at, const std::string& variable,
                                const Environment& environment) {
  const std::string_view text = environment.variable(variable);
  if (text.empty()) return {};
  auto extra = split_words(text);
  if (!extra) {
    return base::Error{fmt::format("Invalid arguments in the environment variable {}: {}", variable,
                                   extra.error().what)};
  }
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), extra->begin(), extra->end());
  return {};
}

base::Result<void> insert_extra_words(Words& words, const CommandTable& table,
                                      const Environment& environment) {
  const std::size_t at = command_position(words);
  const Chosen chosen = choose_command(table, words, at);
  const std::size_t behind = std::min(at + std::max<std::size_t>(chosen.words, 1), words.size());
  if (auto done = insert_extra(words, behind, "TF_CLI_ARGS", environment); !done) return done;
  if (chosen.command == nullptr) return {};
  std::string suffix(chosen.command->name);
  std::ranges::replace_if(
      suffix, [](char c) { return c == ' ' || c == '-'; }, '_');
  return insert_extra(words, behind, "TF_CLI_ARGS_" + suffix, environment);
}

// `group`: the command that `name` begins with; empty for one of the program itself.
int report_unknown_command(std::string_view name, std::string_view group, const CommandTable& table,
                           Terminal& terminal) {
  std::vector<std::string_view> names;
  for (const Command& command : table.commands()) names.push_back(command.name);
  terminal.err.line(fmt::format(
      "OpenTofu has no command named {:?}.{}\n\nTo see all {}, run:\n  tofu {}{}-help\n", name,
      base::did_you_mean(name, names), group.empty() ? "commands" : "subcommands", group,
      group.empty() ? "" : " "));
  return kExitError;
}

int report_unknown_subcommand(const Command& group, std::string_view word,
                              const CommandTable& table, Terminal& terminal) {
  if (!word.starts_with('-')) {
    return report_unknown_command(fmt::format("{} {}", group.name, word), group.name, table,
                                  terminal);
  }
  terminal.err.line(
      fmt::format("{} is not a global option. Put options after the subcommand.\n\nTo see all "
                  "subcommands, run:\n  tofu {} -help\n",
                  name_of_option(word), group.name));
  return kExitError;
}

// Names only: values may be secrets.
std::string option_names(const Words& arguments) {
  std::string names;
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument.size() < 2 || argument[0] != '-') continue;
    names += " " + argument.substr(0, argument.find('='));
  }
  return names.empty() ? " none" : names;
}

int run_command(const Command& command, Words arguments, Session& session) {
  Terminal& terminal = session.terminal;
  session.settings.log.info([&] {
    return fmt::format("Command: {}; options:{}", command.name, option_names(arguments));
  });
  diag::Diagnostics diags;
  terminal.view = take_view_options(arguments, diags);
  if (!diags.has_errors()) {
    if (const auto status = command.action.run(arguments, session, diags)) {
      if (terminal.deferred_diagnostics.empty()) return *status;
      print_diagnostics(terminal.deferred_diagnostics, terminal);
      return terminal.deferred_diagnostics.has_errors() ? kExitError : *status;
    }
  }
  print_diagnostics(diags, terminal, Spacing::Close);
  terminal.err.write(
      fmt::format("\nFor help on this command, run:\n  tofu {} -help\n", command.name));
  return kExitError;
}

int dispatch(const Words& words, const CommandTable& table, Session& session) {
  Terminal& terminal = session.terminal;
  const std::size_t at = command_position(words);
  const Chosen chosen = choose_command(table, words, at);
  const auto end_of_flags = std::ranges::find(words, "--");
  const bool wants_help = std::any_of(words.begin(), end_of_flags, is_help);

  if (chosen.command == nullptr) {
    if (at < words.size()) return report_unknown_command(words[at], {}, table, terminal);
    terminal.out.write(help_for_program(table));
    return wants_help ? kExitOk : kExitNoCommand;
  }
  if (wants_help) {
    terminal.out.write(help_for(*chosen.command, table));
    return kExitOk;
  }
  if (at > 0) {
    terminal.err.line(fmt::format(
        "{} is not a global option. Put options of a command after its name.{}", words.front(),
        base::did_you_mean(name_of_option(words.front()), kGlobalOptionNames)));
    return kExitError;
  }
  if (!chosen.command->has_action()) {
    if (chosen.words < words.size()) {
      return report_unknown_subcommand(*chosen.command, words[chosen.words], table, terminal);
    }
    terminal.out.write(help_for(*chosen.command, table));
    return kExitError;
  }
  return run_command(*chosen.command,
                     Words(words.begin() + static_cast<std::ptrdiff_t>(chosen.words), words.end()),
                     session);
}

// A command goes on after errors in it, as in OpenTofu: there are defaults for all.
void load_cli_config(const CommandTable& table, Settings& settings, Session& session) {
  Terminal& terminal = session.terminal;
  diag::Diagnostics diags;
  settings.cli_config = read_cli_config(settings.environment, session.sources, diags);
  for (const std::string& path : settings.cli_config.files) {
    settings.log.debug([&] { return fmt::format("Read the CLI configuration {}", path); });
  }
  if (diags.empty()) return;
  // A warning speaks for itself.
  if (diags.has_errors()) {
    terminal.err.line("Warning: Problems in the CLI configuration:");
  }
  // All of it to standard error: what a command prints may be for a program.
  Words words = settings.environment.arguments;
  // Errors of both are reported when the command reads its options.
  if (!insert_extra_words(words, table, settings.environment))
    words = settings.environment.arguments;
  diag::Diagnostics ignored;
  const diag::TextOptions options{take_view_options(words, ignored).color, terminal.err_width};
  for (const diag::Diagnostic& problem : diags.items()) {
    terminal.err.write(diag::format_diagnostic(problem, session.sources, options));
  }
  if (diags.has_errors()) {
    terminal.err.line("These settings are ignored, so some features may not work as intended.\n");
  }
  terminal.err.flush();  // so that it is seen before what the command prints
}

}  // namespace

namespace {

// The names of variables that are meant for us.
std::string variable_names(const Environment& environment) {
  std::string names;
  for (const auto& [name, value] : environment.variables) {
    if (name.starts_with("TF_") || name.starts_with("TOFU_")) names += " " + name;
  }
  return names;
}

void log_start(const Settings& settings) {
  settings.log.info([&] {
    return fmt::format("OpenTofu {} on {}", kTofuVersion, settings.environment.platform);
  });
  settings.log.debug(
      [&] { return fmt::format("Working directory: {}", settings.environment.working_directory); });
  settings.log.debug([&] {
    return fmt::format("Variables in the environment:{}", variable_names(settings.environment));
  });
}

}  // namespace

int run_cli(const CommandTable& table, const CompletionNames& names, Settings& settings,
            Session& session) {
  Terminal& terminal = session.terminal;
  if (is_completion_request(settings.environment))
    return run_completion(table, names, settings.environment, terminal);
  log_start(settings);
  load_cli_config(table, settings, session);  // before -chdir, since paths are relative to here
  Words words = settings.environment.arguments;
  if (!change_directory(words, terminal)) return kExitError;
  if (words.size() == 1 && words[0] == "-install-autocomplete")
    return install_completion(settings.environment, terminal);
  if (words.size() == 1 && words[0] == "-uninstall-autocomplete")
    return uninstall_completion(settings.environment, terminal);
  if (const auto done = insert_extra_words(words, table, settings.environment); !done) {
    terminal.err.line(done.error().what);
    return kExitError;
  }
  // As in OpenTofu, asking for the version anywhere wins over the command.
  if (std::ranges::any_of(words, is_version)) {
    std::erase_if(words, is_version);
    words.insert(words.begin(), "version");
  }
  return dispatch(words, table, session);
}

}  // namespace tofu::cli

#include "commands/cli.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

#include "base/suggest.h"
#include "commands/autocomplete.h"
#include "commands/help.h"
#include "commands/run_providers.h"
#include "commands/shell_words.h"
#include "commands/version_info.h"
#include "diag/render_text.h"

namespace tofu::commands {

namespace {

// Scripts distinguish asking for help from asking for nothing.
constexpr int kExitNoCommand = 127;

using Words = std::vector<std::string>;

bool is_help(std::string_view word) { return word == "-h" || word == "-help" || word == "--help"; }

bool is_version(std::string_view word) {
  return word == "-v" || word == "-version" || word == "--version";
}

// Handles -chdir=DIR, which stands before the command. False after an error.
bool change_directory(Words& words, World& world) {
  for (std::size_t i = 0; i < words.size() && words[i].starts_with('-'); ++i) {
    const std::string word = words[i];
    if (word == "-chdir" || word == "-chdir=") {
      world.err.line(
          "The -chdir option needs a directory right after an equals sign, as in "
          "-chdir=example");
      return false;
    }
    if (!word.starts_with("-chdir=")) continue;
    const std::string directory = word.substr(std::strlen("-chdir="));
    if (::chdir(directory.c_str()) != 0) {
      world.err.line(
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
Chosen choose_command(const Words& words, std::size_t at) {
  Chosen best;
  std::string name;
  for (std::size_t i = at; i < words.size() && !words[i].starts_with('-'); ++i) {
    if (!name.empty()) name += ' ';
    name += words[i];
    if (const Command* command = find_command(name)) best = {command, i - at + 1};
  }
  return best;
}

// Puts the words of TF_CLI_ARGS… right behind the command's name.
bool insert_extra(Words& words, std::size_t at, const std::string& variable, World& world) {
  const std::string_view text = world.environment.variable(variable);
  if (text.empty()) return true;
  auto extra = split_words(text);
  if (!extra) {
    world.err.line(fmt::format("Cannot use the arguments in {}: {}", variable, extra.error().what));
    return false;
  }
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), extra->begin(), extra->end());
  return true;
}

bool insert_extra_words(Words& words, World& world) {
  const std::size_t at = command_position(words);
  const Chosen chosen = choose_command(words, at);
  const std::size_t behind = std::min(at + std::max<std::size_t>(chosen.words, 1), words.size());
  if (!insert_extra(words, behind, "TF_CLI_ARGS", world)) return false;
  if (chosen.command == nullptr) return true;
  std::string suffix(chosen.command->name);
  std::ranges::replace_if(
      suffix, [](char c) { return c == ' ' || c == '-'; }, '_');
  return insert_extra(words, behind, "TF_CLI_ARGS_" + suffix, world);
}

int report_unknown_command(std::string_view name, World& world) {
  std::vector<std::string_view> names;
  for (const Command& command : all_commands()) names.push_back(command.name);
  world.err.line(fmt::format(
      "OpenTofu has no command named {:?}.{}\n\nTo see all commands, run:\n  tofu -help\n", name,
      base::did_you_mean(name, names)));
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

int run_command(const Command& command, Words arguments, World& world) {
  world.log.info([&] {
    return fmt::format("Command: {}; options:{}", command.name, option_names(arguments));
  });
  diag::Diagnostics diags;
  world.view = take_view_options(arguments, diags);
  if (!diags.has_errors()) {
    if (const auto status = command.action.run(arguments, world, diags)) {
      if (world.afterwards.empty()) return *status;
      print_diagnostics(world.afterwards, world);
      return world.afterwards.has_errors() ? kExitError : *status;
    }
  }
  print_diagnostics(diags, world);
  world.out.write(help_for(command));
  return kExitError;
}

int dispatch(const Words& words, World& world) {
  const std::size_t at = command_position(words);
  const Chosen chosen = choose_command(words, at);
  const auto end_of_flags = std::ranges::find(words, "--");
  const bool wants_help = std::any_of(words.begin(), end_of_flags, is_help);

  if (chosen.command == nullptr) {
    if (at < words.size()) return report_unknown_command(words[at], world);
    world.out.write(help_for_program());
    return wants_help ? kExitOk : kExitNoCommand;
  }
  if (wants_help) {
    world.out.write(help_for(*chosen.command));
    return kExitOk;
  }
  if (at > 0) {
    world.err.line(
        fmt::format("{} stands before the command. Only global options belong there; "
                    "put the others behind the command's name.",
                    words.front()));
    return kExitError;
  }
  if (!chosen.command->has_action()) {
    world.out.write(help_for(*chosen.command));
    return kExitError;
  }
  return run_command(*chosen.command,
                     Words(words.begin() + static_cast<std::ptrdiff_t>(chosen.words), words.end()),
                     world);
}

// A command goes on after mistakes in it, as in OpenTofu: there are defaults for all.
void load_cli_config(World& world) {
  diag::Diagnostics diags;
  world.cli_config = read_cli_config(world.environment, world.sources, diags);
  for (const std::string& path : world.cli_config.files) {
    world.log.debug([&] { return fmt::format("Read the CLI configuration {}", path); });
  }
  if (diags.empty()) return;
  // A warning speaks for itself.
  if (diags.has_errors()) {
    world.err.line("There are some problems with the CLI configuration:");
  }
  // All of it to standard error: what a command prints may be for a program.
  Words words = world.environment.arguments;
  diag::Diagnostics ignored;  // reported when the command reads its options
  const diag::TextOptions options{take_view_options(words, ignored).color,
                                  world.environment.stderr_width};
  for (const diag::Diagnostic& problem : diags.items()) {
    world.err.write(diag::format_diagnostic(problem, world.sources, options));
  }
  if (diags.has_errors()) {
    world.err.line("They are ignored, so some things may not work as intended.\n");
  }
  world.err.flush();  // so that it is seen before what the command prints
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

void log_start(const World& world) {
  world.log.info(
      [&] { return fmt::format("OpenTofu {} on {}", kTofuVersion, world.environment.platform); });
  world.log.debug(
      [&] { return fmt::format("Working directory: {}", world.environment.working_directory); });
  world.log.debug([&] {
    return fmt::format("Variables in the environment:{}", variable_names(world.environment));
  });
}

}  // namespace

int run_cli(World& world) {
  if (is_completion_request(world.environment)) return run_completion(world);
  log_start(world);
  load_cli_config(world);  // before -chdir, since paths are relative to here
  Words words = world.environment.arguments;
  if (!change_directory(words, world)) return kExitError;
  if (words.size() == 1 && words[0] == "-install-autocomplete") return install_completion(world);
  if (words.size() == 1 && words[0] == "-uninstall-autocomplete")
    return uninstall_completion(world);
  if (!insert_extra_words(words, world)) return kExitError;
  // As in OpenTofu, asking for the version anywhere wins over the command.
  if (std::ranges::any_of(words, is_version)) {
    std::erase_if(words, is_version);
    words.insert(words.begin(), "version");
  }
  const int status = dispatch(words, world);
  world.providers.reset();  // plugins are asked to end, not killed
  return status;
}

}  // namespace tofu::commands

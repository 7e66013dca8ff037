#include "cli/help.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/shell_words.h"
#include "commands/table.h"

namespace tofu::commands {
namespace {

using ::testing::HasSubstr;

TEST(Help, NamesEveryTopLevelCommand) {
  const std::string help = cli::help_for_program(command_table());
  for (const cli::Command& command : command_table().commands()) {
    if (command.name.find(' ') != std::string_view::npos) continue;
    EXPECT_THAT(help, HasSubstr(std::string("\n  ") + std::string(command.name) + " "));
  }
}

TEST(Help, NamesEveryFlagOfACommandUnlessItIsHidden) {
  for (const cli::Command& command : command_table().commands()) {
    if (!command.has_action()) continue;
    const std::string help = cli::help_for(command, command_table());
    for (const cli::FlagInfo& flag : command.action.flags()) {
      EXPECT_EQ(help.find("\n  " + flag.shown()) != std::string::npos, !flag.text.hidden)
          << command.name << ' ' << flag.name;
    }
  }
}

TEST(Help, NamesTheOptionsOfEveryCommandOnceBelowTheirHeading) {
  for (const cli::Command& command : command_table().commands()) {
    if (!command.has_action()) continue;
    const std::string help = cli::help_for(command, command_table());
    const std::size_t heading = help.find("\nOptions for every command:\n");
    ASSERT_NE(heading, std::string::npos) << command.name;
    for (const cli::FlagInfo& flag : cli::view_flags()) {
      EXPECT_GT(help.find("\n  " + flag.shown()), heading) << command.name << ' ' << flag.name;
    }
  }
}

TEST(Help, FlagsOfAGroupStandTogether) {
  const std::string help = cli::help_for(*command_table().find("taint"), command_table());
  const std::size_t options = help.find("\nOptions:\n");
  const std::size_t configuration = help.find("\nConfiguration options:\n");
  const std::size_t files = help.find("\nOptions for local state files:\n");
  EXPECT_LT(options, help.find("-allow-missing"));
  EXPECT_LT(help.find("-lock-timeout"), configuration);
  EXPECT_LT(configuration, help.find("-var-file"));
  EXPECT_LT(files, help.find("-backup=FILE"));
}

TEST(Help, EveryFlagHasWordsAboutIt) {
  for (const cli::Command& command : command_table().commands()) {
    if (!command.has_action()) continue;
    for (const cli::FlagInfo& flag : command.action.flags()) {
      EXPECT_FALSE(flag.text.help.empty()) << command.name << ' ' << flag.name;
      EXPECT_EQ(flag.text.value.empty(), flag.is_bool) << command.name << ' ' << flag.name;
    }
  }
}

// The words of `line`, without quotes.
std::vector<std::string> words_of(std::string_view line) {
  auto words = cli::split_words(line.substr(line.find("tofu ")));
  EXPECT_TRUE(words) << line;
  if (!words) return {};
  words->erase(words->begin());
  const auto end = std::ranges::find_if(*words, [](const auto& w) { return w == "|" || w == ">"; });
  words->erase(end, words->end());
  return *words;
}

TEST(Help, EveryExampleIsAValidCommandLine) {
  for (const cli::CommandExample& example : command_table().examples()) {
    const cli::Command* command = command_table().find(example.command);
    ASSERT_NE(command, nullptr) << example.command;
    std::vector<std::string> words = words_of(example.line);
    const auto name = static_cast<std::ptrdiff_t>(std::ranges::count(example.command, ' ') + 1);
    ASSERT_GE(words.size(), static_cast<std::size_t>(name)) << example.line;
    EXPECT_EQ(fmt::format("{}", fmt::join(words.begin(), words.begin() + name, " ")),
              example.command);
    for (const std::string& word : words) {
      if (!word.starts_with('-')) continue;
      const auto flags = command->action.flags();
      EXPECT_NE(std::ranges::find(flags, word.substr(1, word.find('=') - 1), &cli::FlagInfo::name),
                flags.end())
          << example.line;
    }
  }
}

TEST(Help, EveryCommandHasOneOrTwoExamples) {
  for (const cli::Command& command : command_table().commands()) {
    if (!command.has_action()) continue;
    const std::size_t examples = command_table().examples_of(command).size();
    EXPECT_TRUE(examples == 1 || examples == 2) << command.name << ' ' << examples;
  }
}

TEST(Help, NamesTheMainCommandsFirst) {
  const std::string help = cli::help_for_program(command_table());
  std::size_t last = help.find("\nMain commands:\n");
  ASSERT_NE(last, std::string::npos);
  for (const std::string_view name : {"init", "validate", "plan", "apply", "destroy"}) {
    const std::size_t place = help.find("\n  " + std::string(name) + " ");
    EXPECT_GT(place, last) << name;
    last = place;
  }
  EXPECT_GT(help.find("\nOther commands:\n"), last);
}

TEST(Help, FitsATerminal) {
  for (const cli::Command& command : command_table().commands()) {
    const std::string help = cli::help_for(command, command_table());
    for (std::size_t start = 0; start < help.size();) {
      const std::size_t end = std::min(help.find('\n', start), help.size());
      EXPECT_LE(end - start, 80U) << help.substr(start, end - start);
      start = end + 1;
    }
  }
}

TEST(Help, CommandsAreSortedByName) {
  const auto commands = command_table().commands();
  EXPECT_TRUE(std::ranges::is_sorted(commands, {}, &cli::Command::name));
}

}  // namespace
}  // namespace tofu::commands

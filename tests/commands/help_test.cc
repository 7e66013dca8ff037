#include "commands/help.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofu::commands {
namespace {

using ::testing::HasSubstr;

TEST(Help, NamesEveryTopLevelCommand) {
  const std::string help = help_for_program();
  for (const Command& command : all_commands()) {
    if (command.name.find(' ') != std::string_view::npos) continue;
    EXPECT_THAT(help, HasSubstr(std::string("\n  ") + std::string(command.name) + " "));
  }
}

TEST(Help, NamesEveryFlagOfACommandUnlessItIsHidden) {
  for (const Command& command : all_commands()) {
    if (!command.has_action()) continue;
    const std::string help = help_for(command);
    for (const FlagInfo& flag : command.action.flags()) {
      EXPECT_EQ(help.find("\n  " + flag.shown()) != std::string::npos, !flag.text.hidden)
          << command.name << ' ' << flag.name;
    }
  }
}

TEST(Help, NamesTheOptionsOfEveryCommandOnceBelowTheirHeading) {
  for (const Command& command : all_commands()) {
    if (!command.has_action()) continue;
    const std::string help = help_for(command);
    const std::size_t heading = help.find("\nOptions of every command:\n");
    ASSERT_NE(heading, std::string::npos) << command.name;
    for (const FlagInfo& flag : view_flags()) {
      EXPECT_GT(help.find("\n  " + flag.shown()), heading) << command.name << ' ' << flag.name;
    }
  }
}

TEST(Help, FlagsOfAGroupStandTogether) {
  const std::string help = help_for(*find_command("taint"));
  const std::size_t options = help.find("\nOptions:\n");
  const std::size_t configuration = help.find("\nOptions for the configuration:\n");
  const std::size_t files = help.find("\nOptions for states in local files:\n");
  EXPECT_LT(options, help.find("-allow-missing"));
  EXPECT_LT(help.find("-lock-timeout"), configuration);
  EXPECT_LT(configuration, help.find("-var-file"));
  EXPECT_LT(files, help.find("-backup=FILE"));
}

TEST(Help, EveryFlagHasWordsAboutIt) {
  for (const Command& command : all_commands()) {
    if (!command.has_action()) continue;
    for (const FlagInfo& flag : command.action.flags()) {
      EXPECT_FALSE(flag.text.help.empty()) << command.name << ' ' << flag.name;
      EXPECT_EQ(flag.text.value.empty(), flag.is_bool) << command.name << ' ' << flag.name;
    }
  }
}

TEST(Help, FitsATerminal) {
  for (const Command& command : all_commands()) {
    const std::string help = help_for(command);
    for (std::size_t start = 0; start < help.size();) {
      const std::size_t end = std::min(help.find('\n', start), help.size());
      EXPECT_LE(end - start, 80U) << help.substr(start, end - start);
      start = end + 1;
    }
  }
}

TEST(Help, CommandsAreSortedByName) {
  const auto commands = all_commands();
  EXPECT_TRUE(std::ranges::is_sorted(commands, {}, &Command::name));
}

}  // namespace
}  // namespace tofu::commands

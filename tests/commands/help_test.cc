#include "commands/help.h"

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

TEST(Help, NamesEveryFlagOfACommand) {
  for (const Command& command : all_commands()) {
    const std::string help = help_for(command);
    for (const Flag& flag : command.flags) {
      EXPECT_THAT(help, HasSubstr("\n  -" + std::string(flag.value))) << command.name;
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

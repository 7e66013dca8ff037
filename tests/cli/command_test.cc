#include "cli/command.h"

#include <array>
#include <gtest/gtest.h>

namespace tofu::cli {
namespace {

constexpr std::array kCommands = {Command{"state list", "", "", ""},
                                  Command{"version", "", "", ""}};
constexpr std::array kAliases = {CommandAlias{"state ls", "state list"}};

TEST(CommandTable, FindsCommandsByNameAndAlias) {
  const CommandTable table(kCommands, kAliases);
  EXPECT_EQ(table.find("version"), &kCommands[1]);
  EXPECT_EQ(table.find("state ls"), &kCommands[0]);
  EXPECT_EQ(table.find("state"), nullptr);
  EXPECT_EQ(table.find(""), nullptr);
}

}  // namespace
}  // namespace tofu::cli

#include "cli/autocomplete.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "commands/table.h"

namespace tofu::commands {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Autocomplete, CommandsAreOfferedByTheirStart) {
  EXPECT_THAT(cli::complete("tofu fm", command_table()), ElementsAre("fmt"));
  EXPECT_THAT(cli::complete("tofu ", command_table()), Contains("console"));
}

TEST(Autocomplete, SubcommandsFollowTheirCommand) {
  EXPECT_THAT(cli::complete("tofu metadata ", command_table()), ElementsAre("functions", "man"));
}

TEST(Autocomplete, FlagsOfTheCommandAreOffered) {
  EXPECT_THAT(cli::complete("tofu fmt -rec", command_table()), ElementsAre("-recursive"));
  EXPECT_THAT(cli::complete("tofu plan -paral", command_table()), ElementsAre("-parallelism="));
}

TEST(Autocomplete, TheOptionsOfEveryCommandAreOffered) {
  EXPECT_THAT(cli::complete("tofu version -no", command_table()), ElementsAre("-no-color"));
  EXPECT_THAT(cli::complete("tofu fmt -consolidate", command_table()),
              ElementsAre("-consolidate-warnings", "-consolidate-errors"));
}

TEST(Autocomplete, TheWordsOfAChoiceAreOffered) {
  EXPECT_THAT(cli::complete("tofu init -version-check=o", command_table()),
              ElementsAre("-version-check=off"));
  EXPECT_THAT(cli::complete("tofu version -deprecation=module:n", command_table()),
              ElementsAre("-deprecation=module:none"));
}

TEST(Autocomplete, GlobalOptionsStandBeforeTheCommand) {
  EXPECT_THAT(cli::complete("tofu -he", command_table()), ElementsAre("-help"));
  EXPECT_THAT(cli::complete("tofu -chdir=x ver", command_table()),
              ElementsAre("version", "versions"));
}

TEST(Autocomplete, AddressesOfTheStateAreOfferedWhereOneCanStand) {
  const cli::CompletionNames names{.addresses = [] {
    return std::vector<std::string>{"aws_x.a", "aws_x.b[\"k\"]", "module.m.aws_x.a"};
  }};
  EXPECT_THAT(cli::complete("tofu state rm aws_x.", command_table(), names),
              ElementsAre("aws_x.a", "'aws_x.b[\"k\"]'"));
  EXPECT_THAT(cli::complete("tofu taint 'aws_x.b[\"", command_table(), names),
              ElementsAre("'aws_x.b[\"k\"]'"));
  EXPECT_THAT(cli::complete("tofu plan -target=mod", command_table(), names),
              ElementsAre("-target=module.m.aws_x.a"));
  EXPECT_THAT(cli::complete("tofu apply aws_x.", command_table(), names), IsEmpty());
}

TEST(Autocomplete, WorkspacesAreOfferedWhereOneCanStand) {
  const cli::CompletionNames names{.workspaces = [] {
    return std::vector<std::string>{"default", "dev", "production"};
  }};
  EXPECT_THAT(cli::complete("tofu workspace select de", command_table(), names),
              ElementsAre("default", "dev"));
  EXPECT_THAT(cli::complete("tofu workspace new de", command_table(), names), IsEmpty());
}

TEST(Autocomplete, RepliesDoNotRepeatWhatBashKeeps) {
  const auto known = [](std::string_view line, std::vector<std::string> words) {
    return cli::known_prefix(line, words);
  };
  EXPECT_EQ(known("tofu plan -target=mod", {"tofu", "mod", "="}), "-target=");
  EXPECT_EQ(known("tofu plan -target=", {"tofu", "", "-target"}), "-target=");
  EXPECT_EQ(known("tofu version -deprecation=module:n", {"tofu", "n", ":"}),
            "-deprecation=module:");
  EXPECT_EQ(known("tofu plan -target='mod", {"tofu", "mod", "="}), "-target=");
  // zsh and fish give the whole word or nothing.
  EXPECT_EQ(known("tofu plan -target=mod", {"tofu", "-target=mod", "plan"}), "");
  EXPECT_EQ(known("tofu plan -target=mod", {}), "");
  EXPECT_EQ(known("tofu taint 'aws_x", {"tofu", "aws_x", "taint"}), "");
  EXPECT_EQ(known("tofu plan ", {"tofu", "", "plan"}), "");
}

TEST(Autocomplete, ASingleOptionIsOfferedWithItsValues) {
  EXPECT_THAT(cli::complete("tofu init -version-c", command_table()),
              Contains("-version-check=off"));
  EXPECT_THAT(cli::complete("tofu plan -lock=f", command_table()), ElementsAre("-lock=false"));
  EXPECT_THAT(cli::complete("tofu plan -lock=", command_table()),
              ElementsAre("-lock=true", "-lock=false"));
  EXPECT_THAT(cli::complete("tofu -chdir=/pro", command_table()), ElementsAre("-chdir=/proc/"));
}

TEST(Autocomplete, NothingIsOfferedForAnUnknownCommand) {
  EXPECT_THAT(cli::complete("tofu nonsense -", command_table()), IsEmpty());
}

}  // namespace
}  // namespace tofu::commands

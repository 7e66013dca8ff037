#include "commands/autocomplete.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofu::commands {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Autocomplete, CommandsAreOfferedByTheirStart) {
  EXPECT_THAT(complete("tofu fm"), ElementsAre("fmt"));
  EXPECT_THAT(complete("tofu "), Contains("console"));
}

TEST(Autocomplete, SubcommandsFollowTheirCommand) {
  EXPECT_THAT(complete("tofu metadata "), ElementsAre("functions", "man"));
}

TEST(Autocomplete, FlagsOfTheCommandAreOffered) {
  EXPECT_THAT(complete("tofu fmt -rec"), ElementsAre("-recursive"));
  EXPECT_THAT(complete("tofu console -json"), ElementsAre("-json-into="));
}

TEST(Autocomplete, TheOptionsOfEveryCommandAreOffered) {
  EXPECT_THAT(complete("tofu version -no"), ElementsAre("-no-color"));
  EXPECT_THAT(complete("tofu fmt -consolidate"),
              ElementsAre("-consolidate-warnings", "-consolidate-errors"));
}

TEST(Autocomplete, TheWordsOfAChoiceAreOffered) {
  EXPECT_THAT(complete("tofu init -version-check=o"), ElementsAre("-version-check=off"));
  EXPECT_THAT(complete("tofu version -deprecation=module:n"),
              ElementsAre("-deprecation=module:none"));
}

TEST(Autocomplete, GlobalOptionsStandBeforeTheCommand) {
  EXPECT_THAT(complete("tofu -ch"), ElementsAre("-chdir="));
  EXPECT_THAT(complete("tofu -chdir=x ver"), ElementsAre("version"));
}

TEST(Autocomplete, AddressesOfTheStateAreOfferedWhereOneCanStand) {
  const CompletionNames names{.addresses = [] {
    return std::vector<std::string>{"aws_x.a", "aws_x.b[\"k\"]", "module.m.aws_x.a"};
  }};
  EXPECT_THAT(complete("tofu state rm aws_x.", names), ElementsAre("aws_x.a", "'aws_x.b[\"k\"]'"));
  EXPECT_THAT(complete("tofu taint 'aws_x.b[\"", names), ElementsAre("'aws_x.b[\"k\"]'"));
  EXPECT_THAT(complete("tofu plan -target=mod", names), ElementsAre("-target=module.m.aws_x.a"));
  EXPECT_THAT(complete("tofu apply aws_x.", names), IsEmpty());
}

TEST(Autocomplete, WorkspacesAreOfferedWhereOneCanStand) {
  const CompletionNames names{.workspaces = [] {
    return std::vector<std::string>{"default", "dev", "production"};
  }};
  EXPECT_THAT(complete("tofu workspace select de", names), ElementsAre("default", "dev"));
  EXPECT_THAT(complete("tofu workspace new de", names), IsEmpty());
}

TEST(Autocomplete, NothingIsOfferedForAnUnknownCommand) {
  EXPECT_THAT(complete("tofu nonsense -"), IsEmpty());
}

}  // namespace
}  // namespace tofu::commands

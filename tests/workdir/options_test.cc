#include "workdir/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofu::workdir {
namespace {

using ::testing::ElementsAre;

template <class Group>
Group parse(std::vector<std::string> arguments) {
  Group group;
  cli::FlagSet flags;
  flags.include(group);
  diag::Diagnostics diags;
  EXPECT_TRUE(flags.parse(arguments, diags));
  return group;
}

TEST(WorkdirOptions, VariablesKeepTheOrderOfTheCommandLine) {
  const auto options =
      parse<VariableOptions>({"-var=a=1", "-var-file=f", "-var", "a=2", "-var-file", "g"});
  std::vector<std::string> uses;
  for (const auto& use : options.uses) {
    uses.push_back((use.kind == VariableOptions::Kind::File ? "file " : "value ") + use.text);
  }
  EXPECT_THAT(uses, ElementsAre("value a=1", "file f", "value a=2", "file g"));
}

TEST(WorkdirOptions, EveryWordOfAVersionCheckMeansWhatItMeansElsewhere) {
  ConfigurationOptions options;
  cli::FlagSet flags;
  flags.include(options);
  for (const cli::FlagInfo& flag : flags.infos()) {
    if (flag.name != "version-check") continue;
    ASSERT_EQ(flag.choices.size(), 4U);
    for (const std::string_view word : flag.choices) {
      EXPECT_EQ(parse<ConfigurationOptions>({"-version-check=" + std::string(word)}).version_check,
                config::parse_version_check(word));
    }
  }
}

TEST(WorkdirOptions, ALockIsWaitedForAsLongAsAsked) {
  const auto options = parse<LockOptions>({"-lock-timeout=1m", "-lock=false"});
  EXPECT_EQ(options.timeout, std::chrono::minutes(1));
  EXPECT_FALSE(options.lock);
}

}  // namespace
}  // namespace tofu::workdir

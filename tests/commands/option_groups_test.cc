#include "commands/option_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/view_options.h"

namespace tofu::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Group>
Group parse(std::vector<std::string> arguments) {
  Group group;
  FlagSet flags;
  flags.include(group);
  diag::Diagnostics diags;
  EXPECT_TRUE(flags.parse(arguments, diags));
  return group;
}

template <class Group>
std::string problem_of(const Group& group) {
  diag::Diagnostics diags;
  const bool good = group.check(diags);
  EXPECT_EQ(good, !diags.has_errors());
  return diags.empty() ? "" : diags.items()[0].detail;
}

TEST(OptionGroups, VariablesKeepTheOrderOfTheCommandLine) {
  const auto options =
      parse<VariableOptions>({"-var=a=1", "-var-file=f", "-var", "a=2", "-var-file", "g"});
  std::vector<std::string> uses;
  for (const auto& use : options.uses) {
    uses.push_back((use.kind == VariableOptions::Kind::File ? "file " : "value ") + use.text);
  }
  EXPECT_THAT(uses, ElementsAre("value a=1", "file f", "value a=2", "file g"));
}

TEST(OptionGroups, EveryWordOfAVersionCheckMeansWhatItMeansElsewhere) {
  ConfigurationOptions options;
  FlagSet flags;
  flags.include(options);
  for (const FlagInfo& flag : flags.infos()) {
    if (flag.name != "version-check") continue;
    ASSERT_EQ(flag.choices.size(), 4U);
    for (const std::string_view word : flag.choices) {
      EXPECT_EQ(parse<ConfigurationOptions>({"-version-check=" + std::string(word)}).version_check,
                config::parse_version_check(word));
    }
  }
}

TEST(OptionGroups, JsonAndJsonIntoExcludeEachOther) {
  EXPECT_EQ(problem_of(parse<JsonOptions>({"-json"})), "");
  EXPECT_EQ(problem_of(parse<JsonOptions>({"-json", "-json-into="})), "");
  EXPECT_THAT(problem_of(parse<JsonOptions>({"-json", "-json-into=f"})), HasSubstr("only one"));
}

TEST(OptionGroups, NobodyIsAskedWhereNobodyCanAnswer) {
  Environment environment;
  EXPECT_TRUE(may_ask({}, {}, environment));
  EXPECT_FALSE(may_ask({.input = false}, {}, environment));
  EXPECT_FALSE(may_ask({}, {.json = true}, environment));
  EXPECT_TRUE(may_ask({}, {.json_into = "file"}, environment));
  environment.variables["TF_INPUT"] = "0";
  EXPECT_FALSE(may_ask({}, {}, environment));
  environment.variables["TF_INPUT"] = "nonsense";
  EXPECT_TRUE(may_ask({}, {}, environment));
}

TEST(OptionGroups, APlanIsLimitedInOneWayOnly) {
  const auto options = parse<OperationOptions>({"-target=a.b", "-target-file", "f", "-target=c.d"});
  EXPECT_THAT(options.targets, ElementsAre("a.b", "c.d"));
  EXPECT_THAT(options.target_files, ElementsAre("f"));
  EXPECT_EQ(problem_of(options), "");
  EXPECT_THAT(problem_of(parse<OperationOptions>({"-target=a.b", "-exclude-file=f"})),
              HasSubstr("-exclude"));
  EXPECT_THAT(problem_of(parse<OperationOptions>({"-destroy", "-refresh-only"})),
              HasSubstr("-destroy"));
  EXPECT_THAT(problem_of(parse<OperationOptions>({"-refresh-only", "-refresh=false"})),
              HasSubstr("nothing to do"));
}

TEST(OptionGroups, ALockIsWaitedForAsLongAsAsked) {
  const auto options = parse<LockOptions>({"-lock-timeout=1m", "-lock=false"});
  EXPECT_EQ(options.timeout, std::chrono::minutes(1));
  EXPECT_FALSE(options.lock);
}

ViewOptions view_of(std::vector<std::string> arguments, diag::Diagnostics& diags) {
  return take_view_options(arguments, diags);
}

TEST(ViewOptions, TheyStandAnywhereAmongTheArguments) {
  diag::Diagnostics diags;
  std::vector<std::string> words = {
      "-json", "a", "-no-color", "-consolidate-warnings=false", "-concise", "--compact-warnings"};
  const ViewOptions view = take_view_options(words, diags);
  EXPECT_THAT(words, ElementsAre("-json", "a"));
  EXPECT_FALSE(view.color);
  EXPECT_FALSE(view.consolidate_warnings);
  EXPECT_TRUE(view.compact_warnings);
  EXPECT_TRUE(view.concise);
  EXPECT_TRUE(diags.empty());
}

TEST(ViewOptions, TheLevelOfDeprecationHasTwoSpellingsThatMustAgree) {
  using eval::DeprecationLevel;
  diag::Diagnostics good;
  EXPECT_EQ(view_of({}, good).deprecation, DeprecationLevel::All);
  EXPECT_EQ(view_of({"-deprecation=module:none"}, good).deprecation, DeprecationLevel::None);
  EXPECT_EQ(view_of({"-module-deprecation-warnings=local"}, good).deprecation,
            DeprecationLevel::Local);
  EXPECT_TRUE(good.empty());

  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"-deprecation=none"},
        {"-deprecation"},
        {"-deprecation=module:none", "-module-deprecation-warnings=all"}}) {
    diag::Diagnostics bad;
    view_of(wrong, bad);
    EXPECT_TRUE(bad.has_errors()) << wrong.front();
  }
}

}  // namespace
}  // namespace tofu::commands

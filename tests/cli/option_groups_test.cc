#include "cli/option_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/view_options.h"

namespace tofu::cli {
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
  using diag::DeprecationLevel;
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
}  // namespace tofu::cli

#include "commands/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofu::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Flag kTable[] = {
    {"check", FlagKind::Bool, "false", "check", ""},
    {"list", FlagKind::Bool, "true", "list=false", ""},
    {"out", FlagKind::Text, "", "out=FILE", ""},
    {"var", FlagKind::List, "", "var NAME=VALUE", ""},
    {"var-file", FlagKind::List, "", "var-file=FILE", ""},
};

std::optional<Flags> parse(std::vector<std::string> arguments, diag::Diagnostics& diags) {
  return parse_flags(kTable, arguments, diags);
}

Flags parse_well(std::vector<std::string> arguments) {
  diag::Diagnostics diags;
  auto flags = parse(std::move(arguments), diags);
  EXPECT_TRUE(flags.has_value());
  return flags.value_or(Flags{});
}

std::string error_of(std::vector<std::string> arguments) {
  diag::Diagnostics diags;
  EXPECT_FALSE(parse(std::move(arguments), diags).has_value());
  return diags.has_errors() ? diags.items()[0].detail : "";
}

TEST(Flags, EveryUseOfAListIsKeptInOrder) {
  const Flags flags = parse_well({"-var", "a=1", "-out=x", "-var-file=f", "-var=b=2", "-out=y"});
  std::vector<std::string> uses;
  for (const Flags::Use& use : flags.uses())
    uses.push_back(std::string(use.name) + " " + use.value);
  EXPECT_THAT(uses, ElementsAre("var a=1", "var-file f", "var b=2"));
  EXPECT_EQ(flags.text("out"), "y");
}

TEST(Flags, OneDashAndTwoDashesAreTheSame) {
  EXPECT_TRUE(parse_well({"-check"}).is_true("check"));
  EXPECT_TRUE(parse_well({"--check"}).is_true("check"));
}

TEST(Flags, ATextTakesItsValueAfterEqualsOrFromTheNextArgument) {
  EXPECT_EQ(parse_well({"-out=a=b"}).text("out"), "a=b");
  EXPECT_EQ(parse_well({"-out", "a"}).text("out"), "a");
}

TEST(Flags, ABoolNeverTakesTheNextArgument) {
  const Flags flags = parse_well({"-check", "false"});

  EXPECT_TRUE(flags.is_true("check"));
  EXPECT_THAT(flags.positional(), ElementsAre("false"));
}

TEST(Flags, BoolsAreReadAsGoReadsThem) {
  for (const char* yes : {"1", "t", "T", "true", "True", "TRUE"}) {
    EXPECT_EQ(parse_bool(yes), true) << yes;
  }
  for (const char* no : {"0", "f", "F", "false", "False", "FALSE"}) {
    EXPECT_EQ(parse_bool(no), false) << no;
  }
  EXPECT_EQ(parse_bool("yes"), std::nullopt);
}

TEST(Flags, TheFirstWordThatIsNoFlagEndsThem) {
  const Flags flags = parse_well({"-check", "dir", "-list=false"});

  EXPECT_TRUE(flags.is_true("list"));
  EXPECT_THAT(flags.positional(), ElementsAre("dir", "-list=false"));
}

TEST(Flags, TwoDashesAloneEndThemToo) {
  EXPECT_THAT(parse_well({"--", "-check"}).positional(), ElementsAre("-check"));
}

TEST(Flags, ALoneDashIsAnArgument) {
  EXPECT_THAT(parse_well({"-check", "-"}).positional(), ElementsAre("-"));
}

TEST(Flags, DefaultsHoldUntilAFlagIsGiven) {
  const Flags flags = parse_well({});

  EXPECT_TRUE(flags.is_true("list"));
  EXPECT_FALSE(flags.is_given("list"));
  EXPECT_TRUE(parse_well({"-list=false"}).is_given("list"));
}

TEST(Flags, AnUnknownFlagIsReportedWithTheNearestOne) {
  EXPECT_THAT(error_of({"-chekc"}), HasSubstr("Did you mean -check?"));
}

TEST(Flags, BrokenFlagsAreReported) {
  EXPECT_THAT(error_of({"-list=maybe"}), HasSubstr("true or false"));
  EXPECT_THAT(error_of({"-out"}), HasSubstr("needs a value"));
  EXPECT_THAT(error_of({"-=x"}), HasSubstr("name is missing"));
  EXPECT_THAT(error_of({"---check"}), HasSubstr("name is missing"));
}

}  // namespace
}  // namespace tofu::commands

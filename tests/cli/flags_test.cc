#include "cli/flags.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofu::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

enum class Fruit { Apple, Pear };
constexpr Choice<Fruit> kFruits[] = {{"apple", Fruit::Apple}, {"pear", Fruit::Pear}};

struct Options {
  bool check = false;
  bool list = true;
  std::optional<bool> backend;
  std::string out;
  std::optional<std::string> library;
  std::vector<std::string> targets;
  int count = 10;
  std::chrono::milliseconds wait{0};
  std::optional<Fruit> fruit;
  std::vector<std::string> uses;
  bool secret = false;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("check", check, {.help = "Check."});
    flags.add("list", list, {.help = "Do not list."});
    flags.add("backend", backend, true, {.help = "No backend."});
    flags.add("out", out, {.value = "FILE", .help = "Where to."});
    flags.add("library", library, {.value = "DIR", .help = "A library."});
    flags.add("target", targets, {.value = "ADDRESS", .help = "A target."});
    flags.add("count", count, {.least = 0, .most = 100}, {.value = "N", .help = "How many."});
    flags.add("wait", wait, {.value = "TIME", .help = "How long."});
    flags.add("fruit", fruit, kFruits, {.value = "FRUIT", .help = "Which."});
    flags.add("secret", secret, {.help = "Not shown.", .hidden = true});
    const auto use = [this](std::string name) {
      return [this, name](std::string_view value) -> base::Result<void> {
        uses.push_back(name + " " + std::string(value));
        return {};
      };
    };
    flags.add_valued("var", {.value = "X"}, use("var"));
    flags.add_valued("var-file", {.value = "FILE"}, use("var-file"));
    flags.arguments(arguments);
  }
};

Options parse_well(std::vector<std::string> arguments) {
  Options options;
  FlagSet flags;
  options.declare(flags);
  diag::Diagnostics diags;
  EXPECT_TRUE(flags.parse(arguments, diags));
  return options;
}

std::string error_of(std::vector<std::string> arguments) {
  Options options;
  FlagSet flags;
  options.declare(flags);
  diag::Diagnostics diags;
  EXPECT_FALSE(flags.parse(arguments, diags));
  return diags.has_errors() ? diags.items()[0].detail : "";
}

TEST(Flags, FlagsThatShareAListKeepTheOrderOfTheCommandLine) {
  const Options options = parse_well({"-var", "a=1", "-out=x", "-var-file=f", "-var=b=2"});
  EXPECT_THAT(options.uses, ElementsAre("var a=1", "var-file f", "var b=2"));
}

TEST(Flags, ARepeatedFlagKeepsEveryValueAndOthersTheLast) {
  const Options options = parse_well({"-target=a", "-out=x", "-target", "b", "-out=y"});
  EXPECT_THAT(options.targets, ElementsAre("a", "b"));
  EXPECT_EQ(options.out, "y");
}

TEST(Flags, OneDashAndTwoDashesAreTheSame) {
  EXPECT_TRUE(parse_well({"-check"}).check);
  EXPECT_TRUE(parse_well({"--check"}).check);
}

TEST(Flags, ATextTakesItsValueAfterEqualsOrFromTheNextArgument) {
  EXPECT_EQ(parse_well({"-out=a=b"}).out, "a=b");
  EXPECT_EQ(parse_well({"-out", "a"}).out, "a");
}

TEST(Flags, ABoolNeverTakesTheNextArgument) {
  const Options options = parse_well({"-check", "false"});

  EXPECT_TRUE(options.check);
  EXPECT_THAT(options.arguments, ElementsAre("false"));
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

TEST(Flags, TheFirstWordThatIsNotAFlagEndsThem) {
  const Options options = parse_well({"-check", "dir", "-list=false"});

  EXPECT_TRUE(options.list);
  EXPECT_THAT(options.arguments, ElementsAre("dir", "-list=false"));
}

TEST(Flags, TwoDashesAloneEndThemToo) {
  EXPECT_THAT(parse_well({"--", "-check"}).arguments, ElementsAre("-check"));
}

TEST(Flags, ALoneDashIsAnArgument) {
  EXPECT_THAT(parse_well({"-check", "-"}).arguments, ElementsAre("-"));
}

TEST(Flags, DefaultsAreTheInitialValuesOfTheFields) {
  const Options options = parse_well({});

  EXPECT_TRUE(options.list);
  EXPECT_EQ(options.count, 10);
  EXPECT_EQ(options.backend, std::nullopt);
  EXPECT_EQ(options.library, std::nullopt);
}

TEST(Flags, WhetherAFlagIsGivenCanMatter) {
  EXPECT_EQ(parse_well({"-backend"}).backend, true);
  EXPECT_EQ(parse_well({"-backend=false"}).backend, false);
  EXPECT_EQ(parse_well({"-library="}).library, "");
}

TEST(Flags, NumbersAreWholeAndWithinTheirRange) {
  EXPECT_EQ(parse_well({"-count=0"}).count, 0);
  EXPECT_EQ(parse_well({"-count", "100"}).count, 100);
  EXPECT_THAT(error_of({"-count=-1"}), HasSubstr("at least 0"));
  EXPECT_THAT(error_of({"-count=101"}), HasSubstr("at most 100"));
  for (const char* wrong :
       {"-count=", "-count=x", "-count=1.5", "-count=9999999999999", "-count=010", "-count= 1"}) {
    EXPECT_THAT(error_of({wrong}), HasSubstr("whole number")) << wrong;
  }
}

TEST(Flags, TimesAreReadAsGoReadsDurations) {
  using std::chrono::milliseconds;
  EXPECT_EQ(parse_well({"-wait=1m30s"}).wait, milliseconds(90'000));
  EXPECT_EQ(parse_well({"-wait=1us"}).wait, milliseconds(1));
  EXPECT_EQ(parse_well({"-wait=0"}).wait, milliseconds(0));
  EXPECT_THAT(error_of({"-wait=30"}), HasSubstr("such as 30s"));
}

TEST(Flags, AChoiceIsOneOfItsWords) {
  EXPECT_EQ(parse_well({"-fruit=pear"}).fruit, Fruit::Pear);
  EXPECT_THAT(error_of({"-fruit=plum"}),
              HasSubstr("-fruit can only be apple or pear, not \"plum\""));
}

TEST(Flags, AlternativesAreListedAsInASentence) {
  constexpr std::string_view kWords[] = {"a", "b", "c"};
  EXPECT_EQ(alternatives(std::span(kWords).first(1)), "a");
  EXPECT_EQ(alternatives(kWords), "a, b or c");
}

TEST(Flags, AnUnknownFlagIsReportedWithTheNearestOne) {
  EXPECT_THAT(error_of({"-chekc"}), HasSubstr("Did you mean -check?"));
  EXPECT_THAT(error_of({"-no-colour"}), HasSubstr("Did you mean -no-color?"));
  EXPECT_THAT(error_of({"-secrets"}), Not(HasSubstr("Did you mean")));
}

TEST(Flags, BrokenFlagsAreReported) {
  EXPECT_THAT(error_of({"-list=maybe"}), HasSubstr("true or false"));
  EXPECT_THAT(error_of({"-out"}), HasSubstr("requires a value: -out=FILE"));
  EXPECT_THAT(error_of({"-=x"}), HasSubstr("name is missing"));
  EXPECT_THAT(error_of({"---check"}), HasSubstr("name is missing"));
}

TEST(Flags, ArgumentsThatNobodyTakesAreAnError) {
  bool check = false;
  FlagSet flags;
  flags.add("check", check, {});
  const std::vector<std::string> arguments = {"-check", "more"};
  diag::Diagnostics diags;
  EXPECT_FALSE(flags.parse(arguments, diags));
  EXPECT_EQ(diags.items()[0].summary, "Too many arguments");

  flags.ignore_arguments();
  diag::Diagnostics none;
  EXPECT_TRUE(flags.parse(arguments, none));
}

TEST(Flags, FlagsCanBeTakenOutWhereverTheyStand) {
  bool check = false;
  std::string level;
  FlagSet flags;
  flags.add("check", check, {});
  flags.add("level", level, {.value = "L"});
  std::vector<std::string> words = {"a", "-check", "-other=1", "-level=2", "--", "-check=false"};
  diag::Diagnostics diags;
  EXPECT_TRUE(flags.take(words, diags));
  EXPECT_THAT(words, ElementsAre("a", "-other=1", "--", "-check=false"));
  EXPECT_TRUE(check);
  EXPECT_EQ(level, "2");

  std::vector<std::string> wrong = {"-level", "2"};
  EXPECT_FALSE(flags.take(wrong, diags));
}

}  // namespace
}  // namespace tofu::cli

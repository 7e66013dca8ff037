// Comments that suppress findings.
#include "tests/lint/lint_fixture.h"

namespace tofu::lint {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CommentsTest : public LintFixture {
 protected:
  std::vector<std::string> found_in(const std::string& text, std::string_view rules) {
    write(".", text);
    return found(rules);
  }
};

TEST_F(CommentsTest, SuppressWhatIsOnTheLineOrBelow) {
  EXPECT_THAT(found_in("locals {\n  a = 1 # tofu:ignore(core:unused-local)\n"
                       "  # tofu:ignore(core:unused-local) needed by tests\n  b = 1\n  c = 1\n}\n",
                       "core:unused-local"),
              ElementsAre(".:5 core:unused-local"));
}

TEST_F(CommentsTest, AboveABlockSuppressWhatIsInTheBlock) {
  EXPECT_THAT(found_in("// tofu:ignore(core:improvement)\n\nlocals {\n  a = 1\n}\n"
                       "locals {\n  b = 1\n}\n",
                       "core:unused-local"),
              ElementsAre(".:7 core:unused-local"));
}

TEST_F(CommentsTest, AtTheHeaderSuppressWhatIsInTheBlock) {
  EXPECT_THAT(found_in("locals { # tofu:ignore(all)\n  a = 1\n}\n", "core:unused-local"),
              IsEmpty());
}

TEST_F(CommentsTest, OfAFileSuppressAllInIt) {
  EXPECT_THAT(found_in("locals {\n  a = 1\n}\n# tofu:ignore-file(core:unused-local)\n",
                       "core:unused-local"),
              IsEmpty());
}

TEST_F(CommentsTest, OtherRulesAreNotSuppressed) {
  EXPECT_THAT(
      found_in("locals {\n  a = 1 # tofu:ignore(core:no-type-variable)\n}\n", "core:unused-local"),
      ElementsAre(".:2 core:unused-local"));
}

TEST_F(CommentsTest, AnArgumentOfSeveralLinesIsOne) {
  EXPECT_THAT(
      found_in("locals {\n  # tofu:ignore(tofu:legacy-index)\n  a = [\n    local.b.0,\n  ]\n"
               "  b = local.a.0\n}\n",
               "tofu:legacy-index"),
      ElementsAre(".:6 tofu:legacy-index"));
}

TEST_F(CommentsTest, WithoutEffectAreReported) {
  const std::string unused = "locals {\n  a = 1 # tofu:ignore(core:no-type-variable)\n}\n";
  EXPECT_THAT(found_in(unused, "core:no-type-variable,tofu:unused-ignore"),
              ElementsAre(".:2 tofu:unused-ignore"));
  // The rule was not looked for.
  EXPECT_THAT(found_in(unused, "tofu:unused-ignore"), IsEmpty());
  EXPECT_THAT(
      found_in("locals {\n  a = 1 # tofu:ignore(core:no-such-rule)\n}\n", "tofu:unused-ignore"),
      ElementsAre(".:2 tofu:unused-ignore"));
  EXPECT_THAT(found_in("locals {\n  a = 1 # tofu:ignore(own:rule)\n}\n", "tofu:unused-ignore"),
              IsEmpty());
}

}  // namespace
}  // namespace tofu::lint

#include "cli/prompt.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>

namespace tofu::cli {
namespace {

// A terminal whose user types `typed`.
struct Prompted {
  explicit Prompted(std::string typed) : in(std::move(typed)) {}

  std::optional<std::string> ask(Typing typing) {
    return ask_person("Name: ", typing, terminal, cancellation);
  }

  Environment environment;
  diag::SourceMap sources;
  std::string printed;
  Input in;
  Output out{printed};
  Terminal terminal{in, out, out, environment, sources};
  Cancellation cancellation;
};

TEST(Prompt, WritesTheQuestionAndReadsOneLine) {
  Prompted prompted("first\nsecond\n");
  EXPECT_EQ(prompted.ask(Typing::Shown), "first");
  EXPECT_EQ(prompted.printed, "Name: \n");
  EXPECT_EQ(prompted.ask(Typing::Hidden), "second");
}

TEST(Prompt, TheEndOfInputIsNoAnswer) {
  Prompted prompted("");
  EXPECT_EQ(prompted.ask(Typing::Shown), std::nullopt);
  EXPECT_EQ(prompted.ask(Typing::Hidden), std::nullopt);
}

TEST(Prompt, AnEmptyLineIsAnAnswer) {
  Prompted prompted("\n");
  EXPECT_EQ(prompted.ask(Typing::Shown), "");
}

}  // namespace
}  // namespace tofu::cli

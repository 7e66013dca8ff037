#include "runs/operation_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofu::runs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Group>
Group parse(std::vector<std::string> arguments) {
  Group group;
  cli::FlagSet flags;
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

TEST(OperationOptions, APlanIsLimitedInOneWayOnly) {
  const auto options = parse<OperationOptions>({"-target=a.b", "-target-file", "f", "-target=c.d"});
  EXPECT_THAT(options.targets, ElementsAre("a.b", "c.d"));
  EXPECT_THAT(options.target_files, ElementsAre("f"));
  EXPECT_EQ(problem_of(options), "");
  EXPECT_THAT(problem_of(parse<OperationOptions>({"-target=a.b", "-exclude-file=f"})),
              HasSubstr("-exclude"));
  EXPECT_THAT(problem_of(parse<OperationOptions>({"-destroy", "-refresh-only"})),
              HasSubstr("-destroy"));
  EXPECT_THAT(problem_of(parse<OperationOptions>({"-refresh-only", "-refresh=false"})),
              HasSubstr("nothing would remain to do"));
}

}  // namespace
}  // namespace tofu::runs

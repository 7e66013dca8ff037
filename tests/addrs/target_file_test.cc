#include "addrs/target_file.h"

#include <gmock/gmock.h>
#include <string>

namespace tofu::addrs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TargetFile : public ::testing::Test {
 protected:
  // The targets, and "line:column" of each error.
  std::vector<std::string> parse(std::string text) {
    const diag::FileId file = sources_.add("targets.txt", std::move(text));
    diag::Diagnostics diags;
    std::vector<std::string> out;
    for (const Target& target : parse_target_file(sources_, file, diags)) {
      out.push_back(to_string(target));
    }
    for (const diag::Diagnostic& each : diags.items()) {
      EXPECT_EQ(each.subject->file, file);
      const diag::Position place = sources_.position(file, each.subject->begin);
      out.push_back(std::to_string(place.line) + ":" + std::to_string(place.column));
    }
    return out;
  }

 private:
  diag::SourceMap sources_;
};

TEST_F(TargetFile, HasATargetOnEachLine) {
  EXPECT_THAT(parse("aws_x.y\nmodule.a[\"k\"]\r\n  data.x.y[0]  \nmodule.b.x.y"),
              ElementsAre("aws_x.y", "module.a[\"k\"]", "data.x.y[0]", "module.b.x.y"));
}

TEST_F(TargetFile, MayHaveComments) {
  EXPECT_THAT(parse("# one\n  # two\n"), IsEmpty());
  EXPECT_THAT(parse("aws_x.y # why\n"), ElementsAre("aws_x.y"));
}

TEST_F(TargetFile, SaysWhichLineIsWrongAndReadsTheOthers) {
  EXPECT_THAT(parse("a.b\n\nc.\nd.e.f\nh.i\n"),
              ElementsAre("a.b", "h.i", "2:1", ::testing::StartsWith("3:"), "4:4"));
}

}  // namespace
}  // namespace tofu::addrs

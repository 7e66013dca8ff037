#include "install/source_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/install/workshop.h"

namespace tofu::install {
namespace {

using ::testing::ElementsAre;

class SourceFiles : public Workshop {};

TEST_F(SourceFiles, APackageCountsOnceAndWholeHoweverManyCallsLinkToIt) {
  write((top_ / "net/main.tf").string(), "");
  write((top_ / "net/templates/a.tpl").string(), "");
  write((top_ / "net/module-package.meta.hcl").string(), "");
  commit("net");
  write("main.tf", fmt::format("module \"a\" {{\n  source = \"{0}\"\n}}\n"
                               "module \"b\" {{\n  source = \"{0}\"\n}}\n"
                               "module \"c\" {{\n  source = \"./local\"\n}}\n",
                               git("net")));
  write("local/main.tf", "");
  write("local/notes.txt", "");
  ASSERT_TRUE(init()) << problems();

  const auto found = source_files(*tree_, records_, ".terraform");

  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 3U);
  EXPECT_THAT((*found)[0].files, ElementsAre("main.tf"));
  EXPECT_EQ((*found)[0].path, ".");
  EXPECT_TRUE((*found)[1].is_package);
  EXPECT_THAT((*found)[1].files,
              ElementsAre("main.tf", "module-package.meta.hcl", "templates/a.tpl"));
  EXPECT_THAT((*found)[1].calls, ElementsAre("a", "b"));
  EXPECT_THAT((*found)[2].files, ElementsAre("main.tf"));
  EXPECT_THAT((*found)[2].calls, ElementsAre("c"));
}

}  // namespace
}  // namespace tofu::install

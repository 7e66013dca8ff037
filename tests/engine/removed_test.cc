#include <gmock/gmock.h>

#include "engine/lifecycle.h"
#include "tests/engine/configured.h"

namespace tofu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string removed(std::string_view from, bool destroy, std::string_view more = {}) {
  return fmt::format("removed {{\n  from = {}\n  lifecycle {{\n    destroy = {}\n  }}\n{}}}\n",
                     from, destroy, more);
}

class RemovedTest : public Configured {
 protected:
  std::optional<Removal> removal(std::string root, std::string_view address) {
    write(".", std::move(root));
    program_ = compiled();
    return RemovedBlocks(*program_.tree).find(addrs::config_of(instance(address)));
  }
  std::vector<std::string> problems(std::string root) {
    write(".", std::move(root));
    check_removed(*compiled().tree, diags_);
    return shown();
  }

  eval::Program program_;
};

TEST_F(RemovedTest, WithoutABlockNothingIsSaid) {
  EXPECT_FALSE(removal("", "terraform_data.a").has_value());
  EXPECT_FALSE(removal(removed("terraform_data.b", true), "terraform_data.a").has_value());
  EXPECT_FALSE(removal(removed("module.m", true), "terraform_data.a").has_value());
}

TEST_F(RemovedTest, ABlockSaysWhetherToDestroy) {
  EXPECT_TRUE(removal(removed("terraform_data.a", true), "terraform_data.a[0]")->destroy);
  EXPECT_FALSE(removal(removed("terraform_data.a", false), "terraform_data.a")->destroy);
}

TEST_F(RemovedTest, ABlockAboutAModuleIsAboutEverythingInIt) {
  const auto found = removal(removed("module.m", true), "module.m[0].module.in.terraform_data.a");

  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->destroy);
}

TEST_F(RemovedTest, TheLastOfSeveralBlocksDecides) {
  const std::string first = removed("module.m", true);
  const std::string second = removed("module.m.terraform_data.a", false);

  EXPECT_FALSE(removal(first + second, "module.m.terraform_data.a")->destroy);
  EXPECT_TRUE(removal(second + first, "module.m.terraform_data.a")->destroy);
}

TEST_F(RemovedTest, ABlockInAModuleIsAboutWhatIsInThere) {
  write("./m", removed("terraform_data.a", true));
  const std::string root = "module \"m\" {\n  source = \"./m\"\n}\n";

  EXPECT_TRUE(removal(root, "module.m.terraform_data.a").has_value());
  EXPECT_FALSE(removal(root, "terraform_data.a").has_value());
}

TEST_F(RemovedTest, ProvisionersComeWithTheBlock) {
  const auto found = removal(removed("terraform_data.a", true,
                                     "  provisioner \"local-exec\" {\n    when = destroy\n"
                                     "    command = \"true\"\n  }\n"),
                             "terraform_data.a");

  ASSERT_EQ(found->provisioners->size(), 1U);
  EXPECT_EQ(found->provisioners->front().type, "local-exec");
  EXPECT_TRUE(found->provisioners_in->path.is_root());
}

TEST_F(RemovedTest, WhatWasRemovedIsNotThere) {
  write("./m", "resource \"terraform_data\" \"a\" {}\n");

  EXPECT_THAT(problems("module \"m\" {\n  source = \"./m\"\n}\n" + removed("module.m", true) +
                       removed("module.m.terraform_data.a", true) +
                       removed("module.m.terraform_data.b", true) + removed("module.n", true)),
              ElementsAre("main.tf:10 Removed resource still exists",
                          "main.tf:4 Removed module still exists"));
}

TEST_F(RemovedTest, WhatIsGoneMayBeCalledRemoved) {
  EXPECT_THAT(problems(removed("terraform_data.a", true)), IsEmpty());
}

}  // namespace
}  // namespace tofu::engine

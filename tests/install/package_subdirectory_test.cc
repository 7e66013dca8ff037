#include "install/package_subdirectory.h"

#include <gmock/gmock.h>

#include "tests/install/workshop.h"

namespace tofu::install {
namespace {

using ::testing::HasSubstr;

class PackageSubdirectory : public Workshop {
 protected:
  void link(const std::string& target, const std::string& at) const {
    std::filesystem::create_symlink(target, at);
  }
  std::string copy() {
    const auto done = copy_subdirectory("package", "sub", "out", archive::TreeContents::All, {},
                                        stop_.get_token());
    return done ? "" : done.error().what;
  }
};

TEST_F(PackageSubdirectory, OnlyTheDirectoryIsCopied) {
  write("package/main.tf", "");
  write("package/sub/deep/main.tf", "deep");
  link("deep/main.tf", "package/sub/inside.tf");
  ASSERT_EQ(copy(), "");
  EXPECT_EQ(read("out/deep/main.tf"), "deep");
  EXPECT_TRUE(is_link("out/inside.tf"));
  EXPECT_FALSE(std::filesystem::exists("out/main.tf"));
}

TEST_F(PackageSubdirectory, AFileThatALinkLedToOutsideComesAlong) {
  write("package/versions.tf", "versions");
  write("package/sub/main.tf", "");
  link("../versions.tf", "package/sub/versions.tf");
  write("versions.tf", "the user's");
  ASSERT_EQ(copy(), "");
  EXPECT_FALSE(is_link("out/versions.tf"));
  EXPECT_EQ(read("out/versions.tf"), "versions");
}

TEST_F(PackageSubdirectory, AnyOtherLinkThatLeadsOutIsRefused) {
  write("package/other/main.tf", "");
  write("package/sub/main.tf", "");
  link("../other", "package/sub/other");
  EXPECT_THAT(copy(), HasSubstr("\"other\" leads out"));
  EXPECT_FALSE(std::filesystem::exists("out"));

  std::filesystem::remove("package/sub/other");
  link("../nothing.tf", "package/sub/dangling.tf");
  EXPECT_THAT(copy(), HasSubstr("\"dangling.tf\" leads out"));
}

}  // namespace
}  // namespace tofu::install

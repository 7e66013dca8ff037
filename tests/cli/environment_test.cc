#include "cli/environment.h"

#include <gtest/gtest.h>

namespace tofu::cli {
namespace {

TEST(Environment, PlatformsHaveTheNamesOfProviderPackages) {
  EXPECT_EQ(platform_of_machine("x86_64"), "linux_amd64");
  EXPECT_EQ(platform_of_machine("aarch64"), "linux_arm64");
  EXPECT_EQ(platform_of_machine("armv7l"), "linux_arm");
  EXPECT_EQ(platform_of_machine("armv6l"), "linux_arm");
  EXPECT_EQ(platform_of_machine("i686"), "linux_386");
  EXPECT_EQ(platform_of_machine("i586"), "linux_386");
  EXPECT_EQ(platform_of_machine("riscv64"), "linux_riscv64");
}

}  // namespace
}  // namespace tofu::cli

#include "install/platform.h"

#include <gtest/gtest.h>

namespace tofu::install {
namespace {

TEST(Platform, IsAnOperatingSystemAndAnArchitecture) {
  const auto platform = Platform::parse("linux_amd64");
  ASSERT_TRUE(platform);
  EXPECT_EQ(platform->os, "linux");
  EXPECT_EQ(platform->arch, "amd64");
  EXPECT_EQ(platform->to_string(), "linux_amd64");
}

TEST(Platform, WhatCannotBeANameOfAFileIsRefused) {
  for (const char* text :
       {"", "linux", "_amd64", "linux_", "a_b_c", "../_x", "linux_a/b", "a_ b"}) {
    EXPECT_FALSE(Platform::parse(text)) << text;
  }
}

}  // namespace
}  // namespace tofu::install

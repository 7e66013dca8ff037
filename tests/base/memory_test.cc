#include "base/memory.h"

#include <gtest/gtest.h>
#include <string>

namespace tofu::base {
namespace {

constexpr std::size_t kLong = 1 << 20;

TEST(Memory, WhatStandsBesideBytesThatAreGivenBackStays) {
  std::string text(kLong, 'a');
  give_back(std::span(text).subspan(5, kLong - 12));
  EXPECT_EQ(text.substr(0, 5), "aaaaa");
  EXPECT_EQ(text.substr(kLong - 7), "aaaaaaa");
}

TEST(Memory, BytesThatWereGivenBackCanBeWrittenAgain) {
  std::string text(kLong, 'a');
  give_back(text);
  text.assign(kLong, 'b');
  EXPECT_EQ(text, std::string(kLong, 'b'));
}

TEST(Memory, LessThanAPageIsLeftAlone) {
  std::string text = "short";
  give_back(text);
  give_back({});
  EXPECT_EQ(text, "short");
}

TEST(Memory, WhatIsInUseStaysWhenTheRestIsGivenBack) {
  const std::string kept(kLong, 'a');
  std::string(kLong, 'b').clear();
  trim_heap();
  EXPECT_EQ(kept, std::string(kLong, 'a'));
}

}  // namespace
}  // namespace tofu::base

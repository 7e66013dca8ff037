#include "base/memory.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

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
  give_back_freed();
  EXPECT_EQ(kept, std::string(kLong, 'a'));
}

TEST(Memory, BringingItInChangesNothingInIt) {
  for (const std::size_t size : {std::size_t{0}, kLong, 100 * kLong}) {
    const MemoryAhead ahead(size);
    std::vector<std::string> texts;
    for (char c = 'a'; c <= 'z'; ++c) texts.emplace_back(kLong / 16, c);
    for (const std::string& text : texts) EXPECT_EQ(text, std::string(text.size(), text.front()));
  }
}

}  // namespace
}  // namespace tofu::base

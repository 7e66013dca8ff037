#include "base/base64.h"

#include <gtest/gtest.h>

namespace tofu::base {
namespace {

TEST(Base64, GoesBothWays) {
  const struct {
    const char* bytes;
    const char* text;
  } rows[] = {{"", ""}, {"a", "YQ=="}, {"ab", "YWI="}, {"abc", "YWJj"}, {"\xFB\xFF", "+/8="}};
  for (const auto& row : rows) {
    EXPECT_EQ(base64_encode(row.bytes), row.text);
    const auto decoded = base64_decode(row.text);
    ASSERT_TRUE(decoded) << row.text;
    EXPECT_EQ(*decoded, row.bytes);
  }
}

TEST(Base64, LineEndsDoNotCount) {
  for (const char* text : {"YWJj\n", "Y\nWJj", "\r\nYWJj", "YQ\n=\n="}) {
    EXPECT_TRUE(base64_decode(text)) << text;
  }
}

TEST(Base64, WhatDoesNotFitIsPlaced) {
  const struct {
    const char* text;
    std::size_t offset;
  } rows[] = {{"a", 1},    {"abc", 3},   {"ab=c", 3}, {"a===", 1},
              {"YQ= ", 3}, {" YQ==", 0}, {"Y-_=", 1}, {"YWJj=", 4}};
  for (const auto& row : rows) {
    const auto decoded = base64_decode(row.text);
    ASSERT_FALSE(decoded) << row.text;
    EXPECT_EQ(decoded.error().offset, row.offset) << row.text;
  }
}

}  // namespace
}  // namespace tofu::base

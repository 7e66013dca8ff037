#include "providers/send_buffer.h"

#include <gtest/gtest.h>

namespace tofu::providers {
namespace {

TEST(SendBuffer, GivesBytesInTheOrderTheyCame) {
  SendBuffer buffer;
  buffer.end() += "one two";
  buffer.take(4);
  buffer.end() += " three";
  EXPECT_EQ(buffer.waiting(), "two three");
  buffer.take(9);
  EXPECT_EQ(buffer.waiting(), "");
}

TEST(SendBuffer, DoesNotGrowWithWhatWasSent) {
  SendBuffer buffer;
  const std::string piece(100'000, 'x');
  buffer.end() += piece;
  for (int i = 0; i < 1'000; ++i) {
    buffer.end() += piece;
    buffer.take(piece.size());  // so there is always something that waits
  }
  EXPECT_EQ(buffer.waiting(), piece);
  EXPECT_LT(buffer.capacity(), std::size_t{4} << 20);
}

}  // namespace
}  // namespace tofu::providers

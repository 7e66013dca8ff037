#include "transport/zip_parts.h"

#include <gtest/gtest.h>
#include <string>

namespace tofu::transport {
namespace {

const ZipParts kParts = {{"a", "text"}, {"b", std::string(100'000, 'x')}, {"empty", ""}};

TEST(ZipParts, AreReadAsTheyWereWritten) {
  const auto bytes = write_zip(kParts);
  ASSERT_TRUE(bytes.ok());

  const auto read = read_zip(*bytes, 3, 1 << 20);

  ASSERT_TRUE(read.ok()) << read.error().what;
  EXPECT_EQ(*read, kParts);
  EXPECT_LT(bytes->size(), 10'000U);
}

TEST(ZipParts, BeyondTheLimitsAreAnError) {
  const auto bytes = write_zip(kParts);

  EXPECT_FALSE(read_zip(*bytes, 2, 1 << 20).ok());
  EXPECT_FALSE(read_zip(*bytes, 3, 100'003).ok());
}

TEST(ZipParts, ThatAreCutOffOrDamagedNeverDoHarm) {
  const auto bytes = write_zip({{"a", "text"}, {"b", "more text"}});
  for (std::size_t i = 0; i < bytes->size(); ++i) {
    EXPECT_FALSE(read_zip(bytes->substr(0, i), 3, 1 << 20).ok()) << i;
    std::string damaged = *bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
    (void)read_zip(damaged, 3, 1 << 20).ok();
  }
}

}  // namespace
}  // namespace tofu::transport

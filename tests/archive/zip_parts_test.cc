#include "archive/zip_parts.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace tofu::archive {
namespace {

const ZipParts kParts = {{"a", "text"}, {"b", std::string(500'000, 'x')}, {"empty", ""}};

TEST(ZipParts, AreReadAsTheyWereWritten) {
  const auto bytes = write_zip(kParts);
  ASSERT_TRUE(bytes.ok());

  const auto read = read_zip(*bytes, 3, 1 << 20);

  ASSERT_TRUE(read.ok()) << read.error().what;
  EXPECT_EQ(*read, kParts);
  EXPECT_LT(bytes->size(), 10'000U);
}

TEST(ZipParts, ThatAreSmallAreStoredAsTheyAre) {
  const std::string small(1000, 'x');

  const auto bytes = write_zip({{"large", std::string(500'000, 'y')}, {"small", small}});

  ASSERT_TRUE(bytes.ok());
  EXPECT_NE(bytes->find(small), std::string::npos);
  EXPECT_EQ(bytes->find(std::string(1000, 'y')), std::string::npos);
}

TEST(ZipParts, CanBeMadePieceByPiece) {
  ZipWriter writer;
  for (const auto& [name, content] : kParts) {
    writer.part(name);
    for (std::size_t at = 0; at < content.size(); at += 999) {
      writer.append(std::string_view(content).substr(at, 999));
    }
  }
  EXPECT_EQ(writer.size(), 500'004U);
  const auto bytes = writer.finish();
  ASSERT_TRUE(bytes.ok());

  const auto read = read_zip(*bytes, 3, 1 << 20);

  ASSERT_TRUE(read.ok()) << read.error().what;
  EXPECT_EQ(*read, kParts);
}

// What cannot be made shorter becomes more than one buffer.
TEST(ZipParts, OfNoiseAreReadAsTheyWereWritten) {
  std::mt19937 random(1);
  std::string noise(1'000'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  const auto bytes = write_zip({{"noise", noise}, {"more", "text"}});
  ASSERT_TRUE(bytes.ok());

  const auto read = read_zip(*bytes, 3, 1 << 21);

  ASSERT_TRUE(read.ok()) << read.error().what;
  EXPECT_EQ(*read, (ZipParts{{"noise", noise}, {"more", "text"}}));
}

// As another program wrote it: stored as it is, with an extra field and a comment.
TEST(ZipParts, OfOtherProgramsAreRead) {
  constexpr char kBytes[] =
      "PK\3\4\x14\0\0\0\0\0\0\0!\0\x86\xa6\x10\x36\5\0\0\0\5\0\0\0\1\0\4\0a\1\2\0\0hello"
      "PK\1\2\x14\3\x14\0\0\0\0\0\0\0!\0\x86\xa6\x10\x36\5\0\0\0\5\0\0\0\1\0\0\0\0\0\0\0\0\0"
      "\0\0\x80\1\0\0\0\0a"
      "PK\5\6\0\0\0\0\1\0\1\0/\0\0\0(\0\0\0\4\0note";
  const std::string bytes(kBytes, sizeof kBytes - 1);

  const auto read = read_zip(bytes, 1, 100);

  ASSERT_TRUE(read.ok()) << read.error().what;
  EXPECT_EQ(*read, (ZipParts{{"a", "hello"}}));
}

TEST(ZipParts, BeyondTheLimitsAreAnError) {
  const auto bytes = write_zip(kParts);

  EXPECT_FALSE(read_zip(*bytes, 2, 1 << 20).ok());
  EXPECT_FALSE(read_zip(*bytes, 3, 500'003).ok());
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

TEST(ZipParts, WhoseContentWasChangedAreAnError) {
  const auto bytes = write_zip({{"a", "text"}});
  std::string damaged = *bytes;
  const std::size_t content = 30 + 1;  // after the header and the name
  for (const std::size_t at : {content, content + 2, content + 4}) {
    damaged = *bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(read_zip(damaged, 1, 100).ok()) << at;
  }
}

TEST(ZipParts, OfTheSameNameAreAnError) {
  std::string bytes = *write_zip({{"a", "text"}, {"b", "more"}});
  for (std::size_t at = bytes.find("PK\1\2"); at < bytes.size(); ++at) {
    if (bytes[at] == 'b') bytes[at] = 'a';
  }

  const auto read = read_zip(bytes, 3, 100);

  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().what, "it has a part twice");
}

}  // namespace
}  // namespace tofu::archive

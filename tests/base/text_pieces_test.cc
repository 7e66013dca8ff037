#include "base/text_pieces.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace tofu::base {
namespace {

TEST(TextPieces, LentTextStaysWhereItIs) {
  const std::string owner = "lent";
  TextPieces text;
  text.append("one ");
  text.append("two ");
  text.append_lent(owner);
  text.append("");
  text.append_lent("");
  text.append(" three");
  std::vector<std::string_view> pieces;
  text.for_each([&](std::string_view piece) { pieces.push_back(piece); });
  EXPECT_EQ(pieces, (std::vector<std::string_view>{"one two ", "lent", " three"}));
  EXPECT_EQ(pieces[1].data(), owner.data());
  EXPECT_EQ(text.joined(), "one two lent three");
  EXPECT_EQ(text.size(), 18U);
}

TEST(TextPieces, OfAWholeTextAreThatText) {
  EXPECT_EQ(TextPieces("whole").joined(), "whole");
  EXPECT_EQ(TextPieces("").size(), 0U);
  EXPECT_EQ(TextPieces().joined(), "");
}

TEST(TextPieces, AreReadFromAnyPlaceInAnyPortion) {
  std::minstd_rand random(7);
  const std::string owner = "0123456789abcdefghijklmnopqrstuvwxyz";
  TextPieces text;
  for (int i = 0; i < 200; ++i) {
    const std::string_view part = std::string_view(owner).substr(random() % 36, random() % 20);
    if (random() % 2 == 0) {
      text.append(part);
    } else {
      text.append_lent(part);
    }
  }
  const std::string whole = text.joined();
  TextPieces::Reader reader(text);
  for (int i = 0; i < 500; ++i) {
    const std::size_t offset = random() % (whole.size() + 1);
    reader.seek(offset);
    std::string read;
    char room[64];
    while (const std::size_t count = reader.read(room, 1 + random() % sizeof room)) {
      read.append(room, count);
    }
    ASSERT_EQ(read, whole.substr(offset));
  }
}

}  // namespace
}  // namespace tofu::base

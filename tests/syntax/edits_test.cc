// Edits of source text.
#include "syntax/edits.h"

#include <gmock/gmock.h>

namespace tofu::syntax {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Edit edit(std::uint32_t begin, std::uint32_t end, std::string text) {
  return {{diag::FileId{0}, begin, end}, std::move(text)};
}

TEST(EditsTest, KeepWhatIsAroundThem) {
  const EditedText result = apply_edits(
      "a = 1 # c\nb = 2\n", std::vector<EditGroup>{{edit(14, 15, "30")}, {edit(4, 5, "")}});
  EXPECT_EQ(result.text, "a =  # c\nb = 30\n");
  EXPECT_THAT(result.left_out, IsEmpty());
}

TEST(EditsTest, GroupsMayEncloseOthersButNotOverlap) {
  const std::vector<EditGroup> groups = {
      {edit(0, 1, "("), edit(8, 9, ")")}, {edit(4, 5, "x")}, {edit(2, 3, "y"), edit(4, 6, "z")}};
  const EditedText result = apply_edits("[ 2 4 6 ]", groups);
  EXPECT_EQ(result.text, "( 2 x 6 )");
  EXPECT_THAT(result.left_out, ElementsAre(2));
}

TEST(EditsTest, OfTwoInsertionsAtOnePlaceTheFirstIsMade) {
  const EditedText result =
      apply_edits("ab", std::vector<EditGroup>{{edit(1, 1, "1")}, {edit(1, 1, "2")}});
  EXPECT_EQ(result.text, "a1b");
  EXPECT_THAT(result.left_out, ElementsAre(1));
}

TEST(EditsTest, TokensThatWouldChangeAreRefused) {
  // Without the blank the two words are one.
  EXPECT_FALSE(apply_edits_checked("a = b c\n", std::vector<EditGroup>{{edit(5, 6, "")}}));
  // The rest of the line would be a comment.
  EXPECT_FALSE(apply_edits_checked("a = [1, 2]\n", std::vector<EditGroup>{{edit(5, 6, "1 #")}}));
  EXPECT_TRUE(apply_edits_checked("a = [1, 2]\n", std::vector<EditGroup>{{edit(5, 6, "(1)")}}));
}

}  // namespace
}  // namespace tofu::syntax

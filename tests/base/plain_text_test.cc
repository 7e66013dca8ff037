#include "base/plain_text.h"

#include <gtest/gtest.h>
#include <string>

namespace tofu::base {
namespace {

// The class of a byte when a text is quoted.
bool is_plain(int byte) {
  return byte >= 0x20 && byte < 0x7F &&
         std::string_view("\"\\<>&").find(static_cast<char>(byte)) == std::string_view::npos;
}

TEST(PlainPrefix, EndsBeforeTheStepThatHasSomethingElse) {
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t at = 0; at < 3 * kPlainStep; ++at) {
      std::string text(3 * kPlainStep, 'a');
      text[at] = static_cast<char>(byte);
      const std::size_t expected = is_plain(byte) ? text.size() : at / kPlainStep * kPlainStep;
      EXPECT_EQ(plain_prefix(text), expected) << byte << " at " << at;
    }
  }
}

TEST(PlainPrefix, LeavesLessThanAStepAtTheEnd) {
  for (std::size_t size = 0; size < 3 * kPlainStep; ++size) {
    EXPECT_EQ(plain_prefix(std::string(size, 'a')), size / kPlainStep * kPlainStep);
  }
}

}  // namespace
}  // namespace tofu::base

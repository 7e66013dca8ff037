#include "base/idna.h"

#include <gtest/gtest.h>

namespace tofu::base {
namespace {

// Recorded from Go's idna.Lookup.
TEST(Idna, NormalizesLabels) {
  struct {
    const char* label;
    const char* unicode;
    const char* ascii;
  } const rows[] = {
      {"example", "example", "example"},
      {"ExAmPle-1", "example-1", "example-1"},
      {"Bücher", "bücher", "xn--bcher-kva"},
      {"bu\u0308cher", "bücher", "xn--bcher-kva"},
      {"xn--bcher-kva", "bücher", "xn--bcher-kva"},
      {"ÉTÉ", "été", "xn--t-9fab"},
      {"例え", "例え", "xn--r8jz45g"},
      {"испытание", "испытание", "xn--80akhbyknj4f"},
      {"ｆｕｌｌ", "full", "full"},
      {"straße", "straße", "xn--strae-oqa"},
      {"ΑΣ", "ασ", "xn--mxa0b"},
      {"a\u00adb²", "ab2", "ab2"},
  };
  for (const auto& row : rows) {
    const auto unicode = idna_label_to_unicode(row.label);
    const auto ascii = idna_label_to_ascii(row.label);
    ASSERT_TRUE(unicode) << row.label;
    EXPECT_EQ(*unicode, row.unicode);
    EXPECT_EQ(*ascii, row.ascii);
  }
}

TEST(Idna, RefusesWhatIsNoLabel) {
  for (const char* label : {"", "-a", "a-", "a_b", "a b", "a.b", "ab--c", "\u0301a",
                            "a\u200b\u2028", "xn--a", "xn--", "\xff", "a/b", "a\tb"}) {
    EXPECT_FALSE(idna_label_to_unicode(label)) << label;
  }
  EXPECT_FALSE(idna_label_to_ascii(std::string(5'000, 'a')));
}

}  // namespace
}  // namespace tofu::base

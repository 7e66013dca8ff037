#include "base/unicode.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tofu::base {
namespace {

TEST(Utf8, DecodesLikeGo) {
  struct {
    std::string_view text;
    char32_t code;
    int length;
  } const rows[] = {
      {"a", 'a', 1},
      {"é", 0xE9, 2},
      {"€x", 0x20AC, 3},
      {"😀", 0x1F600, 4},
      {"", kReplacement, 0},
      {"\x80", kReplacement, 1},
      {"\xC3", kReplacement, 1},
      {"\xC0\x80", kReplacement, 1},          // overlong
      {"\xE0\x80\x80", kReplacement, 1},      // overlong
      {"\xED\xA0\x80", kReplacement, 1},      // surrogate
      {"\xF4\x90\x80\x80", kReplacement, 1},  // behind the last code point
      {"\xEF\xBF\xBD", kReplacement, 3},      // the real U+FFFD
  };
  for (const auto& row : rows) {
    const Decoded decoded = decode_utf8(row.text);
    EXPECT_EQ(decoded.code, row.code) << row.text;
    EXPECT_EQ(decoded.length, row.length) << row.text;
  }
}

TEST(Utf8, EveryCodePointSurvivesEncoding) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, code);
    const Decoded decoded = decode_utf8(text);
    ASSERT_EQ(decoded.code, code);
    ASSERT_EQ(decoded.length, text.size());
  }
}

TEST(Utf8, FindsTheFirstBrokenByteWhereverItIs) {
  for (std::size_t before = 0; before < 40; ++before) {
    const std::string text = std::string(before, 'a') + "é\xFFz";
    EXPECT_EQ(find_invalid_utf8(text), before + 2);
    EXPECT_FALSE(is_valid_utf8(text));
    EXPECT_FALSE(is_ascii(text));
    EXPECT_EQ(to_valid_utf8(text), std::string(before, 'a') + "é\uFFFDz");
  }
  EXPECT_TRUE(is_valid_utf8("plain and é and 😀"));
  EXPECT_TRUE(is_ascii(std::string(33, 'x')));
}

std::string clusters(std::string_view text) {
  std::string lengths;
  while (!text.empty()) {
    const std::size_t length = first_grapheme(text);
    lengths += (lengths.empty() ? "" : " ") + std::to_string(length);
    text.remove_prefix(length);
  }
  return lengths;
}

// Lengths recorded from go-textseg v15.
TEST(Graphemes, AreCutLikeOpenTofuCutsThem) {
  struct {
    std::string_view text;
    const char* lengths;
  } const rows[] = {
      {"", ""},
      {"ab", "1 1"},
      {"\r\n\n\r", "2 1 1"},
      {"e\u0301x", "3 1"},
      {"\u0301\u0301", "4"},
      {"👨‍👩‍👧x", "18 1"},
      {"👍🏽", "8"},
      {"🇩🇪🇫🇷🇬", "8 8 4"},
      {"각", "3"},
      {"\u1100\u1161\u11A8", "9"},
      {"\u1100\uAC00\u11A8", "6 3"},  // UAX #29 would join all three
      {"\uAC00\u11A8", "6"},
      {"\u1100\u11A8", "3 3"},
      {"a\u200D👨", "4 4"},
      {"\u0600a", "3"},
      {"\u0600\n", "2 1"},
      {"\uFFFD\u0301", "3 2"},
      {"\U000E0002\u0301", "4 2"},
      {"\xFF\xFE", "1 1"},
      {"\xED\xA0\x80x", "3 1"},             // a surrogate
      {"\xC0\x80\xF4\x90\x80\x80", "2 4"},  // overlong, beyond the last code point
      {"\xED\xA0\x80\u0301", "5"},
      {"a\xED\xA0", "1 1 1"},
      {"\u0915\u093F", "6"},
  };
  for (const auto& row : rows) EXPECT_EQ(clusters(row.text), row.lengths) << row.text;
}

TEST(Graphemes, AreCounted) { EXPECT_EQ(count_graphemes("noe\u0308l 👨‍👩‍👧\r\n"), 7u); }

TEST(DisplayWidth, CountsWideCharactersTwiceAndMarksNever) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("漢字"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("👨‍👩‍👧"), 2u);
  EXPECT_EQ(display_width("a\tb\x1b"), 2u);
}

TEST(NormalForm, ComposesAndReorders) {
  EXPECT_EQ(to_nfc("plain"), "plain");
  EXPECT_EQ(to_nfc("e\u0301"), "é");
  EXPECT_EQ(to_nfc("q\u0307\u0323"), "q\u0323\u0307");
  EXPECT_EQ(to_nfc("\u212B"), "Å");
  EXPECT_EQ(to_nfc("\u0958"), "\u0915\u093C");
  EXPECT_EQ(to_nfc("\u1100\u1161\u11A8"), "각");
  EXPECT_EQ(to_nfc("ﬁ½"), "ﬁ½");
  EXPECT_EQ(to_nfc("e\u0301\xFF"
                   "e\u0301"),
            "é\xFFé");
}

TEST(NormalForm, ClosesASegmentAfterThirtyMarks) {
  std::string marks;
  for (int i = 0; i < 30; ++i) marks += "\u0323";

  EXPECT_EQ(to_nfc("x" + marks), "x" + marks);
  EXPECT_EQ(to_nfc("x" + marks + "\u0323"), "x" + marks + "\u034F\u0323");
}

TEST(NormalForm, IsRecognized) {
  for (const char* good : {"", "abc", "é", "각", "漢字", "z\u0345", "x\u0301"}) {
    EXPECT_TRUE(is_nfc(good)) << good;
  }
  for (const char* bad : {"e\u0301", "\u212B", "q\u0307\u0323", "\uF900", "\u0958"}) {
    EXPECT_FALSE(is_nfc(bad)) << bad;
  }
}

TEST(Identifier, FollowsUnicode9) {
  for (const char* good : {"a", "_", "_1", "a-b", "über", "名前", "a·b", "ℼ", "℘", "a9_-"}) {
    EXPECT_TRUE(is_identifier(good)) << good;
  }
  for (const char* bad : {"", "1a", "-a", "a b", "a.b", "é\xFF", "\u0301a", "😀",
                          "\u0560",                   // a letter since Unicode 11
                          "\U0001E900\U0001E94B"}) {  // its modifier is since Unicode 12
    EXPECT_FALSE(is_identifier(bad)) << bad;
  }
}

TEST(CaseMapping, IsSimpleAsInGo) {
  EXPECT_EQ(to_upper(U'ß'), U'ß');
  EXPECT_EQ(to_title(U'ß'), U'ß');
  EXPECT_EQ(to_upper(U'ÿ'), U'Ÿ');
  EXPECT_EQ(to_lower(U'İ'), U'i');
  EXPECT_EQ(to_upper(U'ǆ'), U'Ǆ');
  EXPECT_EQ(to_title(U'ǆ'), U'ǅ');
  EXPECT_EQ(to_lower(U'Σ'), U'σ');
  EXPECT_EQ(to_upper(U'z'), U'Z');
}

TEST(Classes, AgreeWithGo) {
  EXPECT_TRUE(is_letter(U'ª'));
  EXPECT_FALSE(is_letter(U'Ⅷ'));
  EXPECT_TRUE(is_digit(U'٣'));
  EXPECT_FALSE(is_digit(U'²'));
  EXPECT_TRUE(is_space(0xA0));
  EXPECT_TRUE(is_space(0x85));
  EXPECT_FALSE(is_space(0x200B));
  EXPECT_TRUE(is_printable(' '));
  EXPECT_FALSE(is_printable(0xA0));
  EXPECT_FALSE(is_printable(0xAD));
  EXPECT_TRUE(is_printable(0xFFFD));
}

TEST(QuoteGo, WritesWhatStrconvQuoteWrites) {
  EXPECT_EQ(quote_go("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(quote_go("\a\b\f\n\r\t\v"), R"("\a\b\f\n\r\t\v")");
  EXPECT_EQ(quote_go(std::string_view("\0\x7f", 2)), R"("\x00\x7f")");
  EXPECT_EQ(quote_go("é😀"), "\"é😀\"");
  EXPECT_EQ(quote_go("\u200b\u00a0\u00ad"), R"("\u200b\u00a0\u00ad")");
  EXPECT_EQ(quote_go("\U000E0001"), R"("\U000e0001")");
  EXPECT_EQ(quote_go("a\xFF"), R"("a\xff")");
  EXPECT_EQ(quote_go("\uFFFD${x}"), "\"\uFFFD${x}\"");
}

}  // namespace
}  // namespace tofu::base

#include "base/json_layout.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace tofu::base {
namespace {

// In both ways, which have to agree.
std::string compact(std::string_view text) {
  std::string out;
  const auto done = append_compact_json(out, text);
  if (!done) out = "fault at " + std::to_string(done.error().offset);
  std::string in_place(text);
  const auto replaced = compact_json(in_place);
  if (!replaced) in_place = "fault at " + std::to_string(replaced.error().offset);
  EXPECT_EQ(in_place, out) << text.substr(0, 100);
  return out;
}

std::string indented(std::string_view compact_text, std::size_t piece) {
  std::string out;
  JsonIndenter indenter(out, "  ");
  for (std::size_t at = 0; at < compact_text.size(); at += piece) {
    indenter.append(compact_text.substr(at, piece));
  }
  return out;
}

TEST(CompactJson, RemovesWhiteSpaceOutsideOfStrings) {
  EXPECT_EQ(compact(" { \"a b\" : [ 1 , -2.5e+7,\ttrue ] , \"c\":{ } }\r\n"),
            "{\"a b\":[1,-2.5e+7,true],\"c\":{}}");
}

TEST(CompactJson, EscapesWhatCouldBeHtmlAsGoDoes) {
  EXPECT_EQ(compact("\"<a&b>\""), "\"\\u003ca\\u0026b\\u003e\"");
  EXPECT_EQ(compact("\"\xE2\x80\xA8|\xE2\x80\xA9|\xE2\x80\xA7\""),
            "\"\\u2028|\\u2029|\xE2\x80\xA7\"");
}

TEST(CompactJson, KeepsEscapesAndBrokenUtf8AsTheyAre) {
  EXPECT_EQ(compact("\"\\u00e9\\/\\\"\xFF\""), "\"\\u00e9\\/\\\"\xFF\"");
}

TEST(CompactJson, SaysWhereTheTextIsNotJson) {
  const std::pair<std::string_view, std::size_t> kCases[] = {
      {"", 0},         {" ", 1},          {"{", 1},    {"{\"a\"", 4},  {"{\"a\":", 5},
      {"{\"a\":1", 6}, {"{\"a\":1,}", 7}, {"[1,]", 3}, {"[1 2]", 3},   {"{a:1}", 1},
      {"nul", 3},      {"nulx", 3},       {"\"a", 2},  {"\"\\x\"", 2}, {"\"\\u12g4\"", 5},
      {"01", 1},       {"-", 1},          {"1.", 2},   {"1e", 2},      {"1 2", 2},
      {"\"\n\"", 1},   {"[}", 1},         {"]", 0},    {"+1", 0},      {"{\"a\" 1}", 5}};
  for (const auto& [text, offset] : kCases) {
    EXPECT_EQ(compact(text), "fault at " + std::to_string(offset)) << text;
  }
}

TEST(CompactJson, FindsWhatHasToBeEscapedWhereverItIsInALongString) {
  const std::pair<std::string_view, std::string_view> kPieces[] = {{"<", "\\u003c"},
                                                                   {"\xE2\x80\xA8", "\\u2028"},
                                                                   {"\xE2\x80\xA7", "\xE2\x80\xA7"},
                                                                   {"\\\"", "\\\""},
                                                                   {"\x7F", "\x7F"},
                                                                   {"\xC3\xA9", "\xC3\xA9"}};
  for (const auto& [piece, expected] : kPieces) {
    for (std::size_t before = 0; before < 70; ++before) {
      const std::string head = "[\"" + std::string(before, 'x');
      const std::string tail = std::string(70 - before, 'y') + "\"]";
      EXPECT_EQ(compact(head + std::string(piece) + std::string(piece) + tail),
                head + std::string(expected) + std::string(expected) + tail);
    }
  }
  for (std::size_t before = 0; before < 70; ++before) {
    const std::string head = "\"" + std::string(before, 'x');
    EXPECT_EQ(compact(head + "\n" + std::string(70, 'y') + "\""),
              "fault at " + std::to_string(head.size()));
    EXPECT_EQ(compact(head), "fault at " + std::to_string(head.size()));
  }
}

TEST(CompactJson, NeedsNoRoomBesideTheTextItself) {
  std::string text = "{ \"a\" : [ 1 , 2 ], \"b\" : \"<>&\" }" + std::string(1000, ' ');
  ASSERT_TRUE(compact_json(text));
  EXPECT_EQ(text, "{\"a\":[1,2],\"b\":\"\\u003c\\u003e\\u0026\"}");
  EXPECT_LT(text.capacity(), 1000u);
}

TEST(CompactJson, RefusesWhatIsNestedDeeperThanGoAllows) {
  const std::string fits = std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']');
  EXPECT_EQ(compact(fits), fits);
  EXPECT_EQ(compact("[" + fits + "]"), "fault at " + std::to_string(kMaxJsonDepth));
}

TEST(JsonValueEnd, FindsTheEndOfEveryKindOfValue) {
  const std::string_view text = R"({"a":{"b":["]","\"}"],"c":null},"d":-1.5,"e":""})";
  EXPECT_EQ(json_value_end(text, 0), text.size());
  EXPECT_EQ(text.substr(5, json_value_end(text, 5) - 5), R"({"b":["]","\"}"],"c":null})");
  EXPECT_EQ(text.substr(36, json_value_end(text, 36) - 36), "-1.5");
  EXPECT_EQ(text.substr(45, json_value_end(text, 45) - 45), "\"\"");
}

TEST(JsonIndenter, LaysOutAsGoDoesWhereverAPieceEnds) {
  const std::string_view text = R"({"a":[1,{},[]],"b":{"c":"x,{\"\\"},"d":[{"e":null}]})";
  const std::string_view want =
      "{\n  \"a\": [\n    1,\n    {},\n    []\n  ],\n  \"b\": {\n    \"c\": \"x,{\\\"\\\\\"\n  },\n"
      "  \"d\": [\n    {\n      \"e\": null\n    }\n  ]\n}";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_EQ(indented(text, piece), want) << piece;
  }
}

}  // namespace
}  // namespace tofu::base

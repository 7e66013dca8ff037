#include "diag/source.h"

#include <ctime>
#include <gtest/gtest.h>

#include "base/check.h"

namespace tofu::diag {
namespace {

std::string at(const SourceMap& sources, FileId file, std::uint32_t byte) {
  const Position position = sources.position(file, byte);
  return std::to_string(position.line) + ":" + std::to_string(position.column) + ":" +
         std::to_string(position.byte);
}

TEST(SourceMap, CountsLinesAndGraphemeColumns) {
  SourceMap sources;
  const FileId file = sources.add("a.tf", "a\n\ne\u0301x\r\nz");

  EXPECT_EQ(at(sources, file, 0), "1:1:0");
  EXPECT_EQ(at(sources, file, 1), "1:2:1");
  EXPECT_EQ(at(sources, file, 2), "2:1:2");
  EXPECT_EQ(at(sources, file, 3), "3:1:3");
  EXPECT_EQ(at(sources, file, 6), "3:2:6");  // behind e and its accent
  EXPECT_EQ(at(sources, file, 9), "4:1:9");
  EXPECT_EQ(at(sources, file, 10), "4:2:10");
  EXPECT_EQ(at(sources, file, 99), "4:2:10");
}

TEST(SourceMap, CountsColumnsOfLongLinesFromTheMiddle) {
  SourceMap sources;
  std::string line;
  for (int i = 0; i < 3000; ++i) line += "e\u0301x";  // four bytes, two columns
  const FileId file = sources.add("a.tf", "\n" + line + "\nab");

  EXPECT_EQ(at(sources, file, 1), "2:1:1");
  EXPECT_EQ(at(sources, file, 1 + 4 * 1000), "2:2001:4001");
  EXPECT_EQ(at(sources, file, 1 + 4 * 1024), "2:2049:4097");
  EXPECT_EQ(at(sources, file, 1 + 4 * 2500 + 3), "2:5002:10004");
  EXPECT_EQ(at(sources, file, 1 + 4 * 3000 + 2), "3:2:12003");
}

TEST(SourceMap, CarriageReturnAloneEndsNoLine) {
  SourceMap sources;
  const FileId file = sources.add("a.tf", "a\rb");

  EXPECT_EQ(at(sources, file, 2), "1:3:2");
}

TEST(SourceMap, ByteOrderMarkTakesNoColumn) {
  SourceMap sources;
  const FileId file = sources.add("a.tf",
                                  "\xEF\xBB\xBF"
                                  "ab");

  EXPECT_EQ(at(sources, file, 4), "1:2:4");
}

TEST(SourceMap, APieceCountsFromWhereItStarts) {
  SourceMap sources;
  const FileId whole = sources.add("a.tf.json", "{\n  \"a\": \"${x}\"}\n");
  const FileId piece = sources.add("a.tf.json", "${x}\ny", {.line = 2, .column = 9, .byte = 10});

  EXPECT_EQ(at(sources, piece, 2), "2:11:12");
  EXPECT_EQ(at(sources, piece, 5), "3:1:15");
  EXPECT_EQ(sources.enclosing(piece), whole);
  EXPECT_EQ(sources.enclosing(whole), whole);
  EXPECT_EQ(sources.enclosing(sources.add("other", "x", {1, 2, 1})), std::nullopt);
}

TEST(SourceMap, GivesTextAndLines) {
  SourceMap sources;
  const FileId file = sources.add("a.tf", "one\r\ntwo\n");

  EXPECT_EQ(sources.name(file), "a.tf");
  EXPECT_EQ(sources.text(SourceRange{file, 5, 8}), "two");
  EXPECT_EQ(sources.text(SourceRange{file, 7, 99}), "o\n");
  EXPECT_EQ(sources.line_start(file, 6), 5u);
  EXPECT_EQ(sources.line_end(file, 1), 4u);
  EXPECT_EQ(sources.line_end(file, 6), 8u);
  EXPECT_EQ(sources.line_end(file, 9), 9u);
}

TEST(SourceMap, AForeignIdIsABrokenPromise) {
  const SourceMap sources;
  EXPECT_THROW(sources.text(FileId{3}), base::InternalError);
}

TEST(Cover, JoinsRangesOfOneFile) {
  EXPECT_EQ(cover({{0}, 3, 5}, {{0}, 1, 4}), (SourceRange{{0}, 1, 5}));
  EXPECT_THROW(cover({{0}, 3, 5}, {{1}, 1, 4}), base::InternalError);
}

TEST(SourceMap, AnEscapedLineFeedBeginsALineInsideItsJsonString) {
  SourceMap sources;
  const std::string text = R"({"a\nb": "\u00e9\n${x}\u000a${y}", "c": 1})";
  const FileId file = sources.add("a.tf.json", text);
  // Behind its quote a string is as long as what it means.
  const auto string = static_cast<std::uint32_t>(text.find("\"\\u00e9"));
  const auto line = [&](std::uint32_t byte) { return sources.position(file, byte).line; };

  EXPECT_EQ(line(string), 1u);
  EXPECT_EQ(line(string + 3), 1u);  // the escape itself
  EXPECT_EQ(line(string + 4), 2u);  // ${x}
  EXPECT_EQ(line(string + 9), 3u);  // ${y}
  EXPECT_EQ(line(static_cast<std::uint32_t>(text.find("\"c\""))), 1u);
}

TEST(SourceMap, PlacesInALongLineOfJsonAreFoundWithoutReadingIt) {
  SourceMap sources;
  std::string text = "[";
  constexpr std::size_t kStrings = 20'000;
  for (std::size_t i = 0; i < kStrings; ++i) text += R"("a\n${x}",)";
  const std::size_t size = (text.size() - 1) / kStrings;
  const FileId file = sources.add("a.tf.json", text);

  const std::clock_t start = std::clock();  // of this process: the machine may be busy
  for (std::size_t i = 0; i < kStrings; ++i) {
    const auto string = static_cast<std::uint32_t>(1 + i * size);
    ASSERT_EQ(sources.position(file, string).line, 1u);
    ASSERT_EQ(sources.position(file, string + 3).line, 2u);
  }
  // Four billion characters if each place were counted from the beginning of the line.
  EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 3);
}

TEST(SourceMap, NothingIsCountedInAStringThatIsNoJson) {
  SourceMap sources;
  const FileId file = sources.add("a.tf.json", R"({"a": "\n\q"})");
  EXPECT_EQ(sources.position(file, 10).line, 1u);
  const FileId native = sources.add("a.tf", R"(a = "\n${x}")");
  EXPECT_EQ(sources.position(native, 8).line, 1u);
}

}  // namespace
}  // namespace tofu::diag

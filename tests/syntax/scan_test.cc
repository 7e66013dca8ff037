#include <gtest/gtest.h>

#include "syntax/token.h"
#include "tests/syntax/parsed.h"

namespace tofu::syntax {
namespace {

constexpr std::string_view kNames[] = {
    "End",       "Newline",    "Comment", "Name",   "Number",
    "OpenQuote", "CloseQuote", "Quoted",  "Open<<", "Close<<",
    "Text",      "${",         "%{",      "}seq",   "{",
    "}",         "[",          "]",       "(",      ")",
    "*",         "/",          "+",       "-",      "%",
    "=",         "==",         "!=",      "<",      "<=",
    ">",         ">=",         "&&",      "||",     "!",
    "?",         ":",          "::",      ",",      ".",
    "...",       "=>",         "&",       "|",      "~",
    "^",         "'",          "`",       ";",      "QuotedNewline",
    "Invalid",   "BadUtf8"};

// Every token as its kind and, unless that says it all, its length.
std::string tokens(std::string_view source, ScanMode mode = ScanMode::Normal) {
  std::string out;
  for (const Token& token : scan(source, mode)) {
    if (token.kind == TokenKind::EndOfFile) break;
    const std::string_view name = kNames[static_cast<std::size_t>(token.kind)];
    out += (out.empty() ? "" : " ") + std::string(name);
    if (name != token.text(source)) out += std::to_string(token.end - token.begin);
  }
  return out;
}

void check(std::initializer_list<Case> cases, ScanMode mode = ScanMode::Normal) {
  for (const Case& each : cases) EXPECT_EQ(tokens(each.text, mode), each.result) << each.text;
}

// Long sources are read in windows of 64 bytes, short ones byte by byte.
TEST(Scan, ItDoesNotMatterWhereATokenStands) {
  constexpr std::string_view kPieces[] = {
      "\"\"",
      "\"a\"",
      "\"plain text of some length\"",
      "\"a\"\"b\"",
      "x\"a\"y",
      "\"10.0.0.0/8\" 10 1.5",
      "\"tab\there\"",
      "\"escaped \\\" quote\"",
      "\"$5 100% $${x} %%{y}\"",
      "\"${a[\"b\"]}-${\"c\"}\"",
      "\"%{ if a }b%{ endif }\"",
      "\"no end\n",
      "\"\xC3\xA9\"",
      "name-1.attr[0] == 12e3",
      "# comment \"quoted\"\n",
      "/* \" */ a",
      "<<EOT\n\"${a}\n EOT\nEOT\n",
      "{ a = \"b\", c = [\"d\"] }",
  };
  for (const std::string_view piece : kPieces) {
    const std::string expected = tokens(piece);
    for (std::size_t before = 0; before < 140; ++before) {
      const std::string source = std::string(before, ' ') + std::string(piece);
      ASSERT_EQ(tokens(source), expected) << before << " blanks before " << piece;
      const std::string follow = source + " " + std::string(70, ' ');
      if (!piece.starts_with("\"no end")) {
        ASSERT_EQ(tokens(follow), expected) << before << " blanks around " << piece;
      }
    }
  }
}

TEST(Scan, OperatorsAreAsLongAsTheyCanBe) {
  check({
      {"a==b", "Name1 == Name1"},
      {"<<=", "< <="},
      {"a=>b", "Name1 => Name1"},
      {"....", "... ."},
      {"..", ". ."},
      {":::", ":: :"},
      {"&&&|||", "&& & || |"},
      {"~}", "}seq2"},
      {"a-b", "Name3"},
      {"a - b", "Name1 - Name1"},
  });
}

TEST(Scan, NumbersTakeInWhatLooksLikeOneButNoFinalDot) {
  check({
      {"1", "Number1"},
      {"1.5e+10", "Number7"},
      {"1.2.3", "Number5"},
      {"1.", "Number1 ."},
      {"1...", "Number1 ..."},
      {"1e", "Number1 Name1"},
      {"1e+", "Number1 Name1 +"},
      {"0x1F", "Number1 Name3"},
      {"-1", "- Number1"},
  });
}

TEST(Scan, CommentsOfALineIncludeItsEnd) {
  check({
      {"# a\nb", "Comment4 Name1"},
      {"// a\r\nb", "Comment6 Name1"},
      {"# a", "Comment3"},
      {"a /* b\n * */ c", "Name1 Comment10 Name1"},
      {"/* a", "/ * Name1"},
      {"/*/ a */", "Comment8"},
  });
}

TEST(Scan, ManyUnclosedCommentsAreScannedInLinearTime) {
  std::string source;
  for (int i = 0; i < 200'000; ++i) source += "/* ";
  EXPECT_EQ(scan(source, ScanMode::Normal).size(), 400'001u);
}

TEST(Scan, NamesMayHaveLettersOfAnyScript) {
  check({
      {"größe", "Name7"},
      {"名前_1", "Name8"},
      {"a\u00A0b", "Name1 Invalid2 Name1"},
      {"\u00E9", "Name2"},
      {"1é", "Number1 Name2"},
      {"€", "Invalid3"},
  });
}

// Long runs are read many bytes at a time, whether or not that many are left.
TEST(Scan, RunsOfAnyLengthEndWhereTheirKindEnds) {
  for (std::size_t length = 1; length < 70; ++length) {
    const std::string name(length, 'n');
    const std::string blank = std::string(length / 2, ' ') + std::string(length - length / 2, '\t');
    const std::string n = std::to_string(length);
    check({
        {name, "Name" + n},
        {name + "." + name, "Name" + n + " . Name" + n},
        {blank + "a" + blank + "=" + blank, "Name1 ="},
        {"\"" + name + "\"", "OpenQuote1 Quoted" + n + " CloseQuote1"},
        {"\"" + name + "${a}\"", "OpenQuote1 Quoted" + n + " ${ Name1 }seq1 CloseQuote1"},
        {"\"" + name, "OpenQuote1 Quoted" + n},
        {"<<E\n" + name + "\nE\n",
         "Open<<4 Text" + std::to_string(length + 1) + " Close<<1 Newline1"},
        {name + "\u00e9" + name, "Name" + std::to_string(2 * length + 2)},
    });
  }
}

TEST(Scan, WhatIsNoUtf8IsTakenByteByByte) {
  check({
      {"a\xFF", "Name1 BadUtf81"},
      {"\xE2\x82", "BadUtf81 BadUtf81"},
      {"\"a\xFFz\"", "OpenQuote1 Quoted1 BadUtf81 Quoted1 CloseQuote1"},
      {std::string_view("a\0b", 3), "Name1 Invalid1 Name1"},
  });
}

TEST(Scan, LineEndsAreNewlinesUnlessTheyAreHalfOfOne) {
  check({
      {"a\nb\r\nc", "Name1 Newline1 Name1 Newline2 Name1"},
      {"a\rb", "Name1 Invalid1 Name1"},
      {"\ta\t", "Name1"},
  });
}

TEST(Scan, AByteOrderMarkIsSkippedAtTheStartOnly) {
  check(
      {{"\xEF\xBB\xBF"
        "a\xEF\xBB\xBF",
        "Name1 Invalid3"}});
}

TEST(Scan, QuotedTextIsCutAtSequences) {
  check({
      {R"("a b")", "OpenQuote1 Quoted3 CloseQuote1"},
      {R"("")", "OpenQuote1 CloseQuote1"},
      {R"("a\"b\\")", "OpenQuote1 Quoted6 CloseQuote1"},
      {R"("a${b}c")", "OpenQuote1 Quoted1 ${ Name1 }seq1 Quoted1 CloseQuote1"},
      {R"("${~b~}")", "OpenQuote1 ${3 Name1 }seq2 CloseQuote1"},
      {R"("%{if b}")", "OpenQuote1 %{ Name2 Name1 }seq1 CloseQuote1"},
      {R"("${ {a={}} }")", "OpenQuote1 ${ { Name1 = { } } }seq1 CloseQuote1"},
      {R"("${"${a}"}")", "OpenQuote1 ${ OpenQuote1 ${ Name1 }seq1 CloseQuote1 }seq1 CloseQuote1"},
      {R"("$${a}%%{b}")", "OpenQuote1 Quoted3 Quoted2 Quoted3 Quoted2 CloseQuote1"},
      {R"("$$${a}")", "OpenQuote1 Quoted1 Quoted3 Quoted2 CloseQuote1"},
      {R"("a$b%")", "OpenQuote1 Quoted1 Quoted1 Quoted1 Quoted1 CloseQuote1"},
      {"\"a\n\r\nb\"", "OpenQuote1 Quoted1 QuotedNewline3 Quoted1 CloseQuote1"},
      {"\"a\\", "OpenQuote1 Quoted1 Invalid1"},
      {"\"a$", "OpenQuote1 Quoted1 Invalid1"},
  });
}

TEST(Scan, HeredocsGoLineByLineToTheirMarker) {
  check({
      {"<<E\na\n b\nE\n", "Open<<4 Text2 Text3 Close<<1 Newline1"},
      {"<<-E\r\na\r\n \tE \r\nx", "Open<<6 Text3 Close<<4 Newline2 Name1"},
      {"<<E\nE", "Open<<4 Text1"},
      {"<<E x\n", "< < Name1 Name1 Newline1"},
      {"<<E\nx${a}\nE\n", "Open<<4 Text1 ${ Name1 }seq1 Text1 Close<<1 Newline1"},
      {"<<E\n${a}E\nE\n", "Open<<4 ${ Name1 }seq1 Text2 Close<<1 Newline1"},
      {"<<E\n$${a}\nE\n", "Open<<4 Text3 Text3 Close<<1 Newline1"},
      {"<<E\nEE\nE\n", "Open<<4 Text3 Close<<1 Newline1"},
      {"<<E\na\rb\nE\n", "Open<<4 Text1 Invalid5"},
      {"<<E\n${<<F\nF\n}\nE\n",
       "Open<<4 ${ Open<<4 Close<<1 Newline1 }seq1 Text1 Close<<1 Newline1"},
  });
}

// A strip marker works on the one text beside it, so where texts are cut shows.
TEST(Scan, ADollarBeforeTheLastByteOfALineTakesItAlong) {
  check({
      {"<<E\n$ \nE\n", "Open<<4 Text2 Text1 Close<<1 Newline1"},
      {"<<E\n$  \nE\n", "Open<<4 Text1 Text3 Close<<1 Newline1"},
      {"<<E\n$\n\nE\n", "Open<<4 Text2 Text1 Close<<1 Newline1"},
  });
}

TEST(Scan, ATemplateIsTextFromTheStart) {
  check(
      {
          {"a \"b\" # c\n${d}$", "Text10 ${ Name1 }seq1 Text1"},
          {"%{ if a }\n", "%{ Name2 Name1 }seq1 Text1"},
          {"a\rb${c}", "Text1 Text6"},
      },
      ScanMode::Template);
}

TEST(Scan, TokensNeverOverlapAndEndAtTheEnd) {
  const std::string_view source = "a = \"x${ b }\" # c\n<<E\n\nE\n\xFF \x01";
  std::uint32_t at = 0;
  for (const Token& token : scan(source, ScanMode::Normal)) {
    EXPECT_LE(at, token.begin);
    EXPECT_LE(token.begin, token.end);
    at = token.end;
  }
  EXPECT_EQ(at, source.size());
}

// Long texts are read many bytes at a time, short ones one by one.
TEST(Scan, WhatStandsAroundATokenDoesNotMatter) {
  constexpr std::string_view kPieces[] = {
      "a.b-c_9[0].*.d",
      "1.5e+3-2e",
      "12 3.4.5 6a 7...",
      "-5 - -6",
      "x==y=>z!=!w<=v>=u::t:s...r",
      "&& & || | ~ ^ ; ` '",
      "\"plain\"name",
      "\"a\\n${ {b = \"c\"}[0] }%{ if d ~}e%{ endif }\"f",
      "{ } ${ }",
      "# c\nd",
      "// c\r\nd \r e",
      "/* f */ g / h",
      "<<E\n a ${b}\n E\nc",
      "é-e e\u0301 \xFF",
      "a_name_of_more_than_sixty_four_bytes_is_longer_than_what_is_read_at_once = 1"};
  for (const std::string_view piece : kPieces) {
    const std::string expected = tokens(piece);
    for (std::size_t before = 0; before <= 70; ++before) {
      const std::string text = std::string(before, ' ') + std::string(piece) + std::string(70, ' ');
      EXPECT_EQ(tokens(text), expected) << piece << " after " << before;
    }
  }
}

TEST(Scan, TextIsPlainIfItIsAsciiThatStandsForItself) {
  const auto plain = [](std::string_view source) {
    return scan(source, ScanMode::Normal)[1].plain;
  };
  EXPECT_TRUE(plain("\"a b\""));
  EXPECT_FALSE(plain("\"a\\n\""));
  EXPECT_FALSE(plain("\"a$\""));
  EXPECT_FALSE(plain("\"é\""));
  EXPECT_FALSE(plain("\"a"));
}

std::string reported(std::string_view source) {
  diag::Diagnostics diags;
  const auto tokens = scan(source, ScanMode::Normal);
  check_tokens(tokens, source, {{}, 100, 200}, diags);
  return places(diags);
}

TEST(CheckTokens, ReportsEachKindOfMistakeAFewTimes) {
  EXPECT_EQ(reported("a & b | c ^ d ~ e & f"), "102-103 106-107 110-111 114-115");
  EXPECT_EQ(reported("'a' + 'b' + 'c'"), "100-101 106-107");
  EXPECT_EQ(reported("a ; b ; c"), "102-103");
  EXPECT_EQ(reported("\xFF \xFF"), "100-101");
  EXPECT_EQ(reported("\"a\nb\nc\""), "102-103 104-105");
  EXPECT_EQ(reported("“a”"), "100-103 104-107");
  EXPECT_EQ(reported("a = 1"), "");
}

}  // namespace
}  // namespace tofu::syntax

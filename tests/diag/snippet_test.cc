#include "diag/snippet.h"

#include <gtest/gtest.h>

namespace tofu::diag {
namespace {

// The snippet as "line|code before [highlight] after".
std::string snippet(const SourceMap& sources, SourceRange subject,
                    std::optional<SourceRange> context = {}) {
  Diagnostic diagnostic;
  diagnostic.subject = subject;
  diagnostic.context = context;
  const auto made = make_snippet(diagnostic, sources);
  if (!made) return "none";
  std::string code = made->code;
  code.insert(made->highlight_end, "]");
  code.insert(made->highlight_begin, "[");
  return std::to_string(made->first_line) + "|" + code;
}

TEST(Snippet, ShowsTheLineOfTheSubject) {
  SourceMap sources;
  const FileId file = sources.add("a.tf", "one\ntwo three\nfour\n");

  EXPECT_EQ(snippet(sources, {file, 8, 13}), "2|two [three]");
  EXPECT_EQ(snippet(sources, {file, 0, 3}), "1|[one]");
}

TEST(Snippet, ShowsTheLinesOfTheContextBlankOnesIncluded) {
  SourceMap sources;
  const FileId file = sources.add("a.tf", "one\r\n\r\ntwo three\r\nfour\r\n");

  EXPECT_EQ(snippet(sources, {file, 11, 16}, SourceRange{file, 0, 16}), "1|one\n\ntwo [three]");
}

TEST(Snippet, ALineEndShowsBothItsNeighbors) {
  SourceMap sources;
  const FileId file = sources.add("a.tf", "one\ntwo\n");

  EXPECT_EQ(snippet(sources, {file, 3, 4}), "1|one[\n]two");
}

TEST(Snippet, ALongLineIsCutAroundThePlace) {
  SourceMap sources;
  const FileId file = sources.add("a.tf", std::string(5000, 'a') + "HERE" + std::string(5000, 'z'));

  EXPECT_EQ(snippet(sources, {file, 5000, 5004}),
            "1|…" + std::string(256, 'a') + "[HERE]" + std::string(764, 'z') + "…");
  EXPECT_EQ(snippet(sources, {file, 1, 2}), "1|a[a]" + std::string(1022, 'a') + "…");
  EXPECT_EQ(snippet(sources, {file, 10003, 10004}), "1|…" + std::string(256, 'z') + "[z]");
  EXPECT_EQ(snippet(sources, {file, 5000, 10004}),
            "1|…" + std::string(256, 'a') + "[HERE" + std::string(764, 'z') + "]…");
}

TEST(Snippet, ALongContextIsCutAroundThePlace) {
  SourceMap sources;
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "x\n";
  const FileId file = sources.add("a.tf", text);

  const std::string shown = snippet(sources, {file, 10000, 10001}, SourceRange{file, 0, 20000});
  EXPECT_LT(shown.size(), 10000u);
  EXPECT_EQ(shown.substr(0, 7), "2953|x\n");
}

TEST(Snippet, AnEmptySubjectIsOneWide) {
  SourceMap sources;
  const FileId file = sources.add("a.tf", "one\ntwo");

  EXPECT_EQ(snippet(sources, {file, 4, 4}), "2|[t]wo");
  EXPECT_EQ(snippet(sources, {file, 7, 7}), "2|two[]");

  const ShownRange range = shown_range({file, 4, 4}, sources);
  EXPECT_EQ(range.start, (Position{2, 1, 4}));
  EXPECT_EQ(range.end, (Position{2, 2, 5}));
}

TEST(Snippet, TheEndOfAFileShowsAnEmptyLine) {
  SourceMap sources;
  const FileId file = sources.add("a.tf", "one {\n");
  const FileId nothing = sources.add("b.tf", "");

  EXPECT_EQ(snippet(sources, {file, 6, 6}), "2|[]");
  EXPECT_EQ(snippet(sources, {nothing, 0, 0}), "1|[]");
}

TEST(Snippet, APieceIsShownInItsFile) {
  SourceMap sources;
  sources.add("a.tf.json", "{\n \"a\": \"${nope}\"}\n");
  const FileId piece = sources.add("a.tf.json", "${nope}", {.line = 2, .column = 8, .byte = 9});

  EXPECT_EQ(snippet(sources, {piece, 2, 6}), "2| \"a\": \"${[nope]}\"}");
}

TEST(Snippet, AValueFromOutsideIsNeverShownBecauseItMayBeSecret) {
  SourceMap sources;
  const FileId given = sources.add("<value for var.a>", "1 +");
  const FileId console = sources.add("<console-input>", "1 +");

  EXPECT_EQ(snippet(sources, {given, 0, 1}), "none");
  EXPECT_EQ(snippet(sources, {console, 0, 1}), "1|[1] +");
}

}  // namespace
}  // namespace tofu::diag

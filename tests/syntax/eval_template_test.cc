// Templates in quotes, in files, and their loops.
#include <gtest/gtest.h>

#include "tests/syntax/evaluated.h"

namespace tofu::syntax {
namespace {

TEST(Template, PutsValuesIntoText) {
  expect_rows({
      {R"("a")", R"("a")"},
      {R"("a${1}b${true}${"c"}")", R"("a1btruec")"},
      {R"("${1}")", R"(1)"},
      {R"("${l}")", R"(list(string)["a", "b"])"},
      {R"("x${1.50}")", R"("x1.5")"},
      {R"("${null}")", R"(null)"},
      {R"("")", R"("")"},
  });
}

TEST(Template, BytesThatStandForNoCharacterArePassedOn) {
  const auto text = [](std::string_view written, As as) {
    const Evaluated once(written, as);
    return once.result ? std::string(once.result->plain().as_string()) : "no value";
  };
  EXPECT_EQ(text("\"a\xed\xa0\x80\"", As::Expression), "a\xed\xa0\x80");
  EXPECT_EQ(text("\"\xc0\x80${1}\xf4\x90\x80\x80\"", As::Expression),
            "\xc0\x80"
            "1\xf4\x90\x80\x80");
  EXPECT_EQ(text("<<EOT\n\xed\xb0\x80\nEOT\n", As::Expression), "\xed\xb0\x80\n");
  EXPECT_EQ(text("\xe0\x80\x80 ${\"\xed\xa0\x80\"}", As::Template), "\xe0\x80\x80 \xed\xa0\x80");
}

TEST(Template, NullAndCollectionsHaveNoText) {
  expect_rows({
      {R"("a${null}")", R"(error 4-8 in 0-10)"},
      {R"("a${l}b")", R"(error 4-5 in 0-8)"},
      {R"("a${nope}")", R"(error 4-8)"},
      {R"("a${ns}${[]}")", R"(error 4-6 in 0-13, error 9-11 in 0-13)"},
  });
}

TEST(Template, TheTextBeforeAnUnknownIsKnown) {
  expect_rows({
      {R"("ami-${us}")", R"(unknown(string; not null; prefix "ami-"))"},
      {R"("a${us}b${nope}")", R"(error 10-14)"},
      {R"("${us}b")", R"(unknown(string; not null))"},
      {R"("a${upre}")", R"(unknown(string; not null))"},
      {R"("é${us}")", R"(unknown(string; not null))"},
      {R"("${us}${null}")", R"(error 8-12 in 0-14)"},
  });
}

TEST(Template, OnlyTheBeginningOfALongPrefixIsKept) {
  const Evaluated plain("\"" + std::string(300, 'a') + "${us}\"");
  EXPECT_EQ(plain.result->plain().refinements().prefix, std::string(127, 'a'));
  // A code point that is cut in half is dropped, not the one before it.
  const Evaluated cut("\"" + std::string(127, 'a') + "\u4e2d\u4e2d${us}\"");
  EXPECT_EQ(cut.result->plain().refinements().prefix, std::string(127, 'a'));
}

TEST(Template, MarksOfPartsAreMarksOfTheText) {
  expect_rows({
      {R"("a${ss}")", R"(sensitive("asecret"))"},
      {R"("a${em}${sn}")", R"(ephemeral(sensitive("ae7")))"},
      {R"("a${sun}")", R"(sensitive(unknown(string; not null)))"},
      {R"("a${us}${ss}")", R"(sensitive(unknown(string; not null)))"},
  });
}

TEST(Template, DirectivesInFiles) {
  expect_rows(
      {
          {R"(x%{ for v in l }<${v}>%{ endfor }y)", R"("x<a><b>y")"},
          {R"(%{ if true }A%{ else }B%{ endif })", R"("A")"},
          {R"(%{ if false }A%{ endif })", R"("")"},
          {R"(${l})", R"(list(string)["a", "b"])"},
          {R"(%{ for v in [] }x%{ endfor })", R"("")"},
          {R"(%{ for v in sl }${v}%{ endfor })", R"(sensitive("xy"))"},
          {R"(%{ for v in slp }${v}%{ endfor })", R"(sensitive("xy"))"},
          {R"(a%{ for v in ul }${v}%{ endfor })", R"(unknown(string; not null))"},
          {R"(%{ for v in lu }${v}%{ endfor })", R"(unknown(string; not null))"},
          {R"(%{ for v in [null] }${v}%{ endfor })", R"(error 22-23 in 22-23)"},
          {R"(%{ for v in [[]] }${v}%{ endfor })", R"(error 20-21 in 20-21)"},
          {R"(%{ for v in nl }${v}%{ endfor })", R"(error 12-14 in 0-31)"},
          {R"(%{ if ub }A%{ else }B%{ endif })", R"(unknown(string; not null))"},
      },
      As::Template);
}

}  // namespace
}  // namespace tofu::syntax

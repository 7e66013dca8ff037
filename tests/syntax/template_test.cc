#include <gtest/gtest.h>

#include "tests/syntax/parsed.h"

namespace tofu::syntax {
namespace {

void check_quoted(std::initializer_list<Case> cases) {
  for (const Case& each : cases) EXPECT_EQ(expression(each.text), each.result) << each.text;
}
void check_bare(std::initializer_list<Case> cases) {
  for (const Case& each : cases) EXPECT_EQ(template_text(each.text), each.result) << each.text;
}

TEST(Template, OneInterpolationAloneKeepsItsType) {
  check_quoted({
      {"\"${a}\"", "wrap(a)"},
      {"\"${ a }${b}\"", "t[a, b]"},
      {"\"${~ a ~}\"", "wrap(a)"},
      {"\"${a}b\"", "t[a, \"b\"]"},
      {"\"${~ a ~} \"", "t[a, \"\"]"},
      {"\"${\"${a}\"}\"", "wrap(wrap(a))"},
  });
  check_bare({{"${a}", "wrap(a)"}, {"", "t[\"\"]"}, {"a\nb\n", "t[\"a\\nb\\n\"]"}});
}

TEST(Template, DoubledMarksAreLiteral) {
  check_quoted({
      {"\"$${a}\"", "t[\"${a}\"]"},
      {"\"%%{a}\"", "t[\"%{a}\"]"},
      {"\"$$${1}\"", "t[\"$${1}\"]"},
      {"\"$$\"", "t[\"$$\"]"},
      {"\"$ %\"", "t[\"$ %\"]"},
      {"\"\\u0024{a}\"", "t[\"${a}\"]"},
  });
  check_bare({{"$${a}\n%%{b}\n", "t[\"${a}\\n%{b}\\n\"]"}, {"\\n\"", "t[\"\\\\n\\\"\"]"}});
}

TEST(Template, DirectivesNest) {
  check_quoted({
      {"\"%{ if a }b%{ endif }\"", "t[if(a, t[\"b\"], t[\"\"])]"},
      {"\"%{ if a }b%{ else }c%{ endif }\"", "t[if(a, t[\"b\"], t[\"c\"])]"},
      {"\"%{ for a in b }${a},%{ endfor }\"", "t[join(for(a in b: t[a, \",\"]))]"},
      {"\"%{ for k, v in b }%{ endfor }\"", "t[join(for(k, v in b: t[\"\"]))]"},
      {"\"%{ if a }%{ if b }c%{ endif }%{ endif }\"",
       "t[if(a, t[if(b, t[\"c\"], t[\"\"])], t[\"\"])]"},
      {"\"%{if a}x%{endif}y\"", "t[if(a, t[\"x\"], t[\"\"]), \"y\"]"},
  });
}

TEST(Template, StripMarkersEatTheTextBesideThem) {
  check_quoted({
      {"\"a  ${~ b ~}  c\"", "t[\"a\", b, \"c\"]"},
      {"\"a\\n ${~ b }\"", "t[\"a\", b]"},
      {"\"%{ if a ~}  b  %{~ endif }\"", "t[if(a, t[\"b\"], t[\"\"])]"},
  });
  // Texts end with their line, and only one of them is stripped.
  check_bare({
      {"a\n\n${~ b ~}\n\nc", "t[\"a\\n\", b, \"\\nc\"]"},
      {"a\u00A0${~ b }", "t[\"a\", b]"},
      {"$ \n${~ a }", "t[\"$ \", a]"},
  });
}

TEST(Template, HeredocsKeepTheirLines) {
  check_quoted({
      {"<<E\na\n  b\nE\n", "t[\"a\\n  b\\n\"]"},
      {"<<E\nE\n", "t[\"\"]"},
      {"<<E\n${a}\nE\n", "t[a, \"\\n\"]"},
      {"<<E\na\\n\"b\"\nE\n", "t[\"a\\\\n\\\"b\\\"\\n\"]"},
      {"<<E\r\na\r\nE\r\n", "t[\"a\\r\\n\"]"},
      {"<<E\n%{ for a in b ~}\n${a}\n%{ endfor ~}\nE\n",
       "t[join(for(a in b: t[\"\", a, \"\\n\"])), \"\"]"},
  });
}

TEST(Template, FlushHeredocsLoseTheSmallestIndentation) {
  check_quoted({
      {"<<-E\n    a\n      b\n   E\n", "t[\"a\\n  b\\n\"]"},
      {"<<-E\n\ta\n\t\tb\nE\n", "t[\"a\\n\\tb\\n\"]"},
      {"<<-E\n  a\n\n  b\nE\n", "t[\"a\\n\\nb\\n\"]"},
      {"<<-E\n  a\n \n  b\nE\n", "t[\"a\\n \\nb\\n\"]"},
      {"<<-E\n  ${a}\n    b\nE\n", "t[\"\", a, \"\\n  b\\n\"]"},
      {"<<-E\n${a}\n  b\nE\n", "t[a, \"\\n  b\\n\"]"},
      {"<<-E\n  %{ if a ~}\n  b\n  %{ endif ~}\n  c\nE\n",
       "t[\"\", if(a, t[\"  b\\n\"], t[\"\"]), \"  c\\n\"]"},
      {"<<-E\n\u2003a\n\u2003 b\nE\n", "t[\"a\\n b\\n\"]"},
      {"<<-E\n   \nE\n", "t[\"   \\n\"]"},
      // The second space and the accent are one character.
      {"<<-E\n  \u0301a\n  b\nE\n", "t[\"a\\nb\\n\"]"},
  });
}

TEST(Template, ErrorsAreAtThePlaceThatOpenTofuNames) {
  check_quoted({
      {"\"${a\"", "errors 1-3"},
      {"\"${a b}\"", "errors 5-6"},
      {"\"${a:b}\"", "errors 4-5"},
      {"\"${}\"", "errors 3-4"},
      {"\"%{ 1 }\"", "errors 4-5"},
      {"\"%{ iff a }\"", "errors 4-7"},
      {"\"%{ if a }\"", "errors 10-11"},
      {"\"%{ endif }\"", "errors 1-11"},
      {"\"%{ if a }%{ endfor }\"", "errors 10-21"},
      {"\"%{ if a }%{ else }%{ else }%{ endif }\"", "errors 19-28 28-38"},
      {"\"%{ for a in b }%{ else }%{ endfor }\"", "errors 16-25 25-36"},
      {"\"%{ for a b }%{ endfor }\"", "errors 10-11 13-24"},
      {"\"%{ if a b }%{ endif }\"", "errors 9-10"},
      {"<<E\nabc", "errors 7-7"},
      {"\"a\nb\"", "errors 2-3 2-3"},
  });
  check_bare({{"${a", "errors 0-2"}, {"%{ if a }", "errors 9-9"}});
}

TEST(Template, PartsKnowTheirPlaces) {
  EXPECT_EQ(ParsedText(parse_expression, "\"a${b}c\"").result(true),
            "t[\"a\"@1-2, b@4-5, \"c\"@6-7]@0-8");
  EXPECT_EQ(ParsedText(parse_expression, "\"\"").result(true), "t[\"\"@2-2]@0-2");
  EXPECT_EQ(ParsedText(parse_expression, "<<-E\n  a\nE\n").result(true), "t[\"a\\n\"@7-9]@0-10");
  EXPECT_EQ(ParsedText(parse_expression, "\"%{ if a }b%{ endif }\"").result(true),
            "t[if(a@7-8, t[\"b\"@10-11]@10-11, t[\"\"@11-11]@11-11)@1-21]@0-22");
  EXPECT_EQ(ParsedText(parse_template, "x${y}").result(true), "t[\"x\"@0-1, y@3-4]@0-5");
}

}  // namespace
}  // namespace tofu::syntax

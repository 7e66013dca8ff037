#include "syntax/body.h"

#include <gtest/gtest.h>

#include "tests/syntax/parsed.h"

namespace tofu::syntax {
namespace {

const BodySchema kSchema{
    {{"name", true}, {"size"}, {"tags"}},
    {{"rule", {}}, {"disk", {"kind"}}, {"resource", {"type", "name"}}},
};

std::string shown(const Content& content, const diag::Diagnostics& diags) {
  std::string out;
  for (const Attribute& attribute : content.attributes) out += std::string(attribute.name) + " ";
  for (const Block& block : content.blocks) {
    out += std::string(block.type);
    for (const Label& label : block.labels) out += "." + std::string(label.text);
    out += "{} ";
  }
  return diags.empty() ? out : out + "errors " + places(diags);
}

std::string content(ParsedText::Parse* parse, std::string_view text) {
  const ParsedText source(parse, text);
  EXPECT_FALSE(source.diags.has_errors()) << text;
  diag::Diagnostics diags;
  const Content read = source.file->body().content(kSchema, diags);
  return shown(read, diags);
}

TEST(NativeContent, HoldsWhatTheSchemaNamesAndReportsTheRest) {
  const Case cases[] = {
      {"size = 1\nname = 2\n", "size name "},
      {"name = 1\nrule {}\ndisk \"a\" {}\nresource \"b\" \"c\" {}\nrule {}\n",
       "name rule{} disk.a{} resource.b.c{} rule{} "},
      {"", "errors 0-0"},
      {"size = 1\n", "size errors 0-0"},
      {"name = 1\nother = 2\n", "name errors 9-14"},
      {"name = 1\nother {}\n", "name errors 9-14"},
      {"name = 1\nrule \"a\" {}\n", "name errors 14-17"},
      {"name = 1\ndisk {}\n", "name errors 14-15"},
      {"name = 1\nresource \"a\" {}\n", "name errors 22-23"},
      {"name = 1\nresource a b c {}\n", "name errors 22-23"},
      {"name = 1\nrule = 2\nsize {}\n", "name errors 9-13 18-22"},
  };
  for (const Case& each : cases)
    EXPECT_EQ(content(parse_file, each.text), each.result) << each.text;
}

TEST(JsonContent, HoldsWhatTheSchemaNamesAndReportsTheRest) {
  const Case cases[] = {
      {R"({"name": 1, "size": null})", "name size "},
      {R"({"name": 1, "rule": {}})", "name rule{} "},
      {R"({"name": 1, "rule": [{}, {}]})", "name rule{} rule{} "},
      {R"({"name": 1, "rule": null})", "name "},
      {R"({"name": 1, "disk": {"a": {}, "b": [{}, {}]}})", "name disk.a{} disk.b{} disk.b{} "},
      {R"({"name": 1, "resource": [{"a": {"b": {}}}, {"a": {"c": {}}}]})",
       "name resource.a.b{} resource.a.c{} "},
      {R"([{"name": 1}, {"size": 2}])", "name size "},
      {R"({"name": 1, "//": "said"})", "name "},
      {R"({})", "errors 1-2"},
      {R"({"name": 1, "other": 2})", "name errors 12-19"},
      {R"({"name": 1, "name": 2})", "name errors 12-18"},
      {R"({"name": 1, "rule": 5})", "name errors 20-21"},
      {R"({"name": 1, "disk": {}})", "name errors 20-21"},
      {R"({"name": 1, "disk": [1]})", "name errors 21-22 20-21"},
      {R"({"name": 1, "disk": "a"})", "name errors 20-23 20-23"},
      {R"([1])", "errors 1-2 0-1 1-2"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(content(parse_json_file, each.text), each.result) << each.text;
  }
}

TEST(Content, AMisspelledNameIsCorrected) {
  const ParsedText source(parse_file, "name = 1\nsise = 2\nruel {}\n");
  diag::Diagnostics diags;
  source.file->body().content(kSchema, diags);
  ASSERT_EQ(diags.size(), 2u);
  EXPECT_NE(diags.items()[0].detail.find("Did you mean \"size\"?"), std::string::npos);
  EXPECT_NE(diags.items()[1].detail.find("Did you mean \"rule\"?"), std::string::npos);
}

TEST(Content, FindsAnAttributeByName) {
  const ParsedText source(parse_file, "name = 1\nsize = 2\n");
  diag::Diagnostics diags;
  const Content read = source.file->body().content(kSchema, diags);
  ASSERT_NE(read.attribute("size"), nullptr);
  EXPECT_EQ(read.attribute("size")->name_range.begin, 9u);
  EXPECT_EQ(read.attribute("tags"), nullptr);
}

TEST(PartialContent, LeavesTheRestForALaterReader) {
  struct Syntax {
    ParsedText::Parse* parse;
    std::string_view text;
  };
  const Syntax both[] = {
      {parse_file, "name = 1\nsize = 2\nextra = 3\nrule {\n}\nother {\n}\n"},
      {parse_json_file, R"({"name": 1, "size": 2, "extra": 3, "rule": {}, "other": {}})"},
  };
  for (const Syntax& syntax : both) {
    const ParsedText source(syntax.parse, syntax.text);
    diag::Diagnostics diags;
    const BodySchema first{{{"name"}}, {{"rule", {}}}};
    const PartialContent part = source.file->body().partial_content(first, diags);
    EXPECT_EQ(shown(part.content, diags), "name rule{} ");
    const BodySchema second{{{"size"}, {"name", true}, {"extra"}}, {{"other", {}}}};
    const Content rest = part.remaining.content(second, diags);
    EXPECT_EQ(shown(rest, diags).substr(0, 27),
              "size extra other{} errors " + std::string(source.file->json ? "5" : "0"));
    // A name taken before is neither found nor reported again.
    diag::Diagnostics more;
    part.remaining.content({{{"size"}}, {}}, more);
    EXPECT_EQ(more.size(), 2u);
  }
}

TEST(JustAttributes, GivesAllOfThemAndReportsBlocks) {
  diag::Diagnostics diags;
  const ParsedText native(parse_file, "b = 1\na = 2\nc {\n}\n");
  EXPECT_EQ(native.file->body().just_attributes(diags).size(), 2u);
  EXPECT_EQ(places(diags), "12-13");

  diags.clear();
  const ParsedText json(parse_json_file, R"({"b": 1, "a": {}, "//": 2, "b": 3})");
  EXPECT_EQ(json.file->body().just_attributes(diags).size(), 2u);
  EXPECT_EQ(places(diags), "27-30");

  diags.clear();
  const ParsedText array(parse_json_file, "[{}]");
  EXPECT_EQ(array.file->body().just_attributes(diags).size(), 0u);
  EXPECT_EQ(places(diags), "0-1");
}

TEST(Body, AnEmptyOneHasNothing) {
  diag::Diagnostics diags;
  EXPECT_EQ(shown(Body().content({}, diags), diags), "");
  EXPECT_TRUE(Body().just_attributes(diags).empty());
}

}  // namespace
}  // namespace tofu::syntax

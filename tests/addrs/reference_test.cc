#include "addrs/reference.h"

#include <gtest/gtest.h>

#include "tests/addrs/parsed.h"

namespace tofu::addrs {
namespace {

// A module that has what is written into it.
struct FakeModule final : ParseRefContext {
  bool opted_in = false;
  std::string resource_type;
  std::string resource_name;

  bool feature_enabled(features::Feature) const override { return opted_in; }
  bool has_any_managed_resource_of_type(std::string_view type) const override {
    return type == resource_type;
  }
  bool has_managed_resource(std::string_view type, std::string_view name) const override {
    return type == resource_type && name == resource_name;
  }
};

// "SUBJECT begin-end +remaining", or the error's place.
std::string shown(const char* text, const ParseRefContext& context = baseline()) {
  Parsed parsed(text);
  const auto reference = parse_reference(*parsed, context, parsed.diags);
  EXPECT_EQ(reference.has_value(), parsed.diags.empty()) << text;
  if (!reference) return parsed.error();
  return to_string(reference->subject) + " " + std::to_string(reference->range.begin) + "-" +
         std::to_string(reference->range.end) + " +" + std::to_string(reference->remaining.size());
}

struct Row {
  const char* text;
  const char* shown;
};

// Subjects and places recorded from OpenTofu 1.12.6.
TEST(ParseReference, NamesTheObject) {
  for (const Row& row : std::initializer_list<Row>{
           {"var.a", "var.a 0-5 +0"},
           {"var.a.b[\"c\"][0]", "var.a 0-5 +3"},
           {"local.a", "local.a 0-7 +0"},
           {"each.value.x", "each.value 0-10 +1"},
           {"count.index", "count.index 0-11 +0"},
           {"path.module", "path.module 0-11 +0"},
           {"terraform.workspace", "terraform.workspace 0-19 +0"},
           {"tofu.workspace.x", "tofu.workspace 0-14 +1"},
           {"self", "self 0-4 +0"},
           {"self.a[0]", "self 0-4 +2"},
           {"module.a", "module.a 0-8 +0"},
           {"module.a.b.c", "module.a.b 0-10 +1"},
           {"module.a[0]", "module.a[0] 0-11 +0"},
           {"module.a[\"x\"].y.z[0]", "module.a[\"x\"].y 0-15 +2"},
           {"data.a.b", "data.a.b 0-8 +0"},
           {"data.a.b[0].c", "data.a.b[0] 0-11 +1"},
           {"ephemeral.a.b[\"x\"].c", "ephemeral.a.b[\"x\"] 0-18 +1"},
           {"resource.a.b", "a.b 0-12 +0"},
           {"resource.template.x", "template.x 0-19 +0"},
           {"aws_x.y", "aws_x.y 0-7 +0"},
           {"aws_x.y.id", "aws_x.y 0-7 +1"},
           {"aws_x.y[0][1]", "aws_x.y[0] 0-10 +1"},
           {"output.x", "output.x 0-8 +0"},
       }) {
    EXPECT_EQ(shown(row.text), row.shown) << row.text;
  }
}

TEST(ParseReference, PointsAtWhatIsWrong) {
  for (const Row& row : std::initializer_list<Row>{
           {"var", "ERR 0-3"},
           {"var[0]", "ERR 3-6"},
           {"path", "ERR 0-4"},
           {"module", "ERR 0-6"},
           {"module[0]", "ERR 6-9"},
           {"module.a[0][1]", "ERR 11-14"},
           {"data.a", "ERR 0-6"},
           {"data[0].b", "ERR 4-7"},
           {"data.a[0].c", "ERR 6-9"},
           {"ephemeral.a", "ERR 0-11"},
           {"resource", "ERR 0-8"},
           {"aws_x", "ERR 0-5"},
           {"aws_x[\"a\"].b", "ERR 5-10"},
           {"aws_x.y[1.5].x", "ERR 7-12"},
           {"template.x", "ERR 0-8"},
           {"lazy", "ERR 0-4"},
           {"arg.x.y", "ERR 0-3"},
       }) {
    EXPECT_EQ(shown(row.text), row.shown) << row.text;
  }
}

TEST(ParseReference, ReservedRootsSuggestTheResourcePrefix) {
  Parsed parsed("template.x");
  EXPECT_FALSE(parse_reference(*parsed, baseline(), parsed.diags));

  EXPECT_NE(parsed.diags.items()[0].detail.find("\"resource.\""), std::string::npos);
}

TEST(ParseReference, PrintsTheWholeReference) {
  Parsed parsed("resource.aws_x.y[\"k\"].tags[\"a\\n\"][2].b");
  const auto reference = parse_reference(*parsed, baseline(), parsed.diags);

  EXPECT_EQ(reference->to_string(), "aws_x.y[\"k\"].tags[\"a\\n\"][2].b");
  EXPECT_EQ(to_text(*parsed), "resource.aws_x.y[\"k\"].tags[\"a\\n\"][2].b");
}

TEST(ParseReference, InTestsRunsOutputsAndChecksAreRootsToo) {
  for (const char* text : {"output.x", "check.x", "run.x", "var.x"}) {
    Parsed parsed(text);
    const auto reference = parse_test_reference(*parsed, baseline(), parsed.diags);
    ASSERT_TRUE(reference);
    EXPECT_EQ(to_string(reference->subject), text);
    EXPECT_FALSE(std::holds_alternative<Resource>(reference->subject)) << text;
  }
}

// The three rows of the opt-in table.
TEST(FeatureReference, InAModuleWithTheBlockItMeansTheBlockAlways) {
  FakeModule module;
  module.opted_in = true;
  module.resource_type = "symbols";
  module.resource_name = "x";

  Parsed parsed("symbols.x.value");
  const auto reference = parse_reference(*parsed, module, parsed.diags);
  ASSERT_TRUE(reference);
  EXPECT_EQ(std::get<FeatureBlock>(reference->subject),
            (FeatureBlock{features::Feature::SymbolLibraries, "x"}));
  EXPECT_EQ(reference->remaining.size(), 1u);
  EXPECT_EQ(shown("resource.symbols.x.value", module), "symbols.x 0-18 +1");
  EXPECT_EQ(shown("symbols", module), "ERR 0-7");
  EXPECT_EQ(shown("symbols[0]", module), "ERR 7-10");
}

TEST(FeatureReference, InAModuleWithSuchResourcesItMeansTheResourceAsBefore) {
  FakeModule module;
  module.resource_type = "symbols";
  module.resource_name = "other";

  Parsed parsed("symbols.x[0].id");
  const auto reference = parse_reference(*parsed, module, parsed.diags);
  ASSERT_TRUE(reference);
  EXPECT_TRUE(std::holds_alternative<ResourceInstance>(reference->subject));
  EXPECT_EQ(shown("symbols", module), shown("symbolz"));
}

TEST(FeatureReference, InAModuleWithNeitherItIsTheFeaturesError) {
  Parsed parsed("symbols.x.value");
  EXPECT_FALSE(parse_reference(*parsed, baseline(), parsed.diags));

  ASSERT_EQ(parsed.diags.size(), 1u);
  EXPECT_EQ(parsed.diags.items()[0].summary, "Reference to undefined symbol library");
  EXPECT_EQ(parsed.diags.items()[0].detail,
            "There is no symbols block named \"x\" defined in this module.");
  EXPECT_EQ(parsed.error(), "ERR 0-9");
}

TEST(FeatureReference, AnUndefinedBlockPointsToAResourceOfThatName) {
  FakeModule module;
  module.opted_in = true;
  module.resource_type = "symbols";
  module.resource_name = "anything_except_serverless";
  Parsed parsed("symbols.anything_except_serverless.some_value");

  report_undefined_block(features::Feature::SymbolLibraries, *parsed, module, parsed.diags);

  EXPECT_EQ(parsed.diags.items()[0].summary, "Reference to undefined symbol library");
  EXPECT_EQ(parsed.diags.items()[0].detail,
            R"(There is no symbols block named "anything_except_serverless" defined in this module.

Did you intend to refer to resource "symbols" "anything_except_serverless"? If so, use the "resource." prefix:
    resource.symbols.anything_except_serverless.some_value)");
}

}  // namespace
}  // namespace tofu::addrs

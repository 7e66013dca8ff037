#include "addrs/parse.h"

#include <gtest/gtest.h>

#include "addrs/text.h"
#include "tests/addrs/parsed.h"

namespace tofu::addrs {
namespace {

template <class Address>
std::string shown(const char* text,
                  std::optional<Address> (*parse)(const syntax::Traversal&, diag::Diagnostics&)) {
  Parsed parsed(text);
  const auto address = parse(*parsed, parsed.diags);
  EXPECT_EQ(address.has_value(), parsed.diags.empty()) << text;
  if (!address) return parsed.error();
  if constexpr (std::is_same_v<Address, Target>) {
    return to_string(*address);
  } else {
    return address->to_string();
  }
}

// Addresses and places of errors recorded from OpenTofu 1.12.6.
TEST(ParseTarget, AcceptsModulesResourcesAndInstances) {
  for (const char* text :
       {"aws_x.y", "aws_x.y[0]", "aws_x.y[\"a b\"]", "data.aws_x.y[1]", "ephemeral.a.b", "module.a",
        "module.a[0]", "module.a[\"x\"].module.b.aws_x.y[\"k\"]", "module.a.data.x.y",
        "aws_x.y[\"a$${x}%%{y}\\u00a0é\\\\\\\"\"]"}) {
    EXPECT_EQ(shown(text, &parse_target), text);
  }
}

TEST(ParseTarget, PointsAtTheFaultyStep) {
  struct {
    const char* text;
    const char* error;
  } const rows[] = {
      {"data", "ERR 0-4"},           {"data.x", "ERR 4-6"},
      {"ephemeral.a", "ERR 9-11"},   {"module", "ERR 0-6"},
      {"module[0]", "ERR 6-9"},      {"module.a[0][1]", "ERR 11-14"},
      {"module.a[1.5]", "ERR 8-13"}, {"module.a.module", "ERR 8-15"},
      {"module.a.b", "ERR 8-10"},    {"resource.a.b", "ERR 10-12"},
      {"aws_x", "ERR 0-5"},          {"aws_x.y.z", "ERR 7-9"},
      {"aws_x.y[0].z", "ERR 10-12"}, {"aws_x[0]", "ERR 5-8"},
      {"data[0].y", "ERR 4-7"},      {"module.a.data[0].x", "ERR 13-16"},
      {"aws_x.y[1.5]", "ERR 7-12"},
  };
  for (const auto& row : rows) EXPECT_EQ(shown(row.text, &parse_target), row.error) << row.text;
}

TEST(ParseTarget, TellsAResourceFromOneOfItsInstances) {
  diag::Diagnostics diags;
  EXPECT_TRUE(std::holds_alternative<AbsResource>(*parse_text("a.b", &parse_target, diags)));
  EXPECT_TRUE(
      std::holds_alternative<AbsResourceInstance>(*parse_text("a.b[0]", &parse_target, diags)));
  EXPECT_TRUE(
      std::holds_alternative<ModuleInstance>(*parse_text("module.a", &parse_target, diags)));
}

TEST(ParseAddress, AcceptsOnlyTheKindAskedFor) {
  EXPECT_EQ(shown("module.a[0].b.c", &parse_abs_resource), "module.a[0].b.c");
  EXPECT_EQ(shown("a.b[0]", &parse_abs_resource), "ERR 3-6");
  EXPECT_EQ(shown("module.a", &parse_abs_resource), "ERR 0-8");
  EXPECT_EQ(shown("a.b", &parse_abs_resource_instance), "a.b");
  EXPECT_EQ(shown("module.a", &parse_abs_resource_instance), "ERR 0-8");
  EXPECT_EQ(shown("module.a[0]", &parse_module_instance), "module.a[0]");
  EXPECT_EQ(shown("a.b", &parse_module_instance), "ERR 0-3");
  EXPECT_EQ(shown("module.a.b.c", &parse_module_instance), "ERR 8-12");
  EXPECT_EQ(shown("module.a.module.b", &parse_module_path), "module.a.module.b");
  EXPECT_EQ(shown("module.a[0]", &parse_module_path), "ERR 8-11");
  EXPECT_EQ(shown("module.a.b.c", &parse_module_path), "ERR 8-10");
  EXPECT_EQ(shown("module.a.data.b.c", &parse_config_resource), "module.a.data.b.c");
  EXPECT_EQ(shown("a.b[0]", &parse_config_resource), "ERR 3-6");
  EXPECT_EQ(shown("a.b[0].c", &parse_config_resource), "ERR 6-8");
  EXPECT_EQ(shown("module.a", &parse_config_resource), "ERR 0-8");
}

TEST(MoveEndpoint, IsAModuleOrAResource) {
  EXPECT_EQ(shown("module.a[0]", &parse_move_endpoint), "module.a[0]");
  EXPECT_EQ(shown("module.a.b.c[\"x\"]", &parse_move_endpoint), "module.a.b.c[\"x\"]");
  EXPECT_EQ(shown("a", &parse_move_endpoint), "ERR 0-1");

  diag::Diagnostics diags;
  EXPECT_TRUE(parse_text("module.a", &parse_move_endpoint, diags)->is_module());
  EXPECT_FALSE(parse_text("a.b", &parse_move_endpoint, diags)->is_module());
}

TEST(RemoveEndpoint, IsAModuleOrAManagedResourceWithoutKeys) {
  EXPECT_EQ(shown("module.a", &parse_remove_endpoint), "module.a");
  EXPECT_EQ(shown("module.a.b.c", &parse_remove_endpoint), "module.a.b.c");
  EXPECT_EQ(shown("a.b[0]", &parse_remove_endpoint), "ERR 3-6");
  EXPECT_EQ(shown("module.a[0].b.c", &parse_remove_endpoint), "ERR 8-11");
  EXPECT_EQ(shown("data.a.b", &parse_remove_endpoint), "ERR 0-8");
  EXPECT_EQ(shown("ephemeral.a.b", &parse_remove_endpoint), "ERR 0-13");
}

TEST(ParseText, ErrorsHaveNoPlace) {
  for (const char* text : {"a.b.c", "a.", "", "a b", "a.b[*]"}) {
    diag::Diagnostics diags;
    EXPECT_FALSE(parse_text(text, &parse_target, diags)) << text;
    ASSERT_TRUE(diags.has_errors()) << text;
    EXPECT_FALSE(diags.items()[0].subject) << text;
  }
}

}  // namespace
}  // namespace tofu::addrs

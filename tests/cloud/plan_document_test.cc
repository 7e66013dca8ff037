#include "cloud/plan_document.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

namespace tofu::cloud {
namespace {

std::string change(const std::string& parts) {
  return fmt::format(R"({{"resource_changes":[{{"address":"module.m[\"k\"].test_thing.a[1]",
    "provider_name":"registry.opentofu.org/some/test","action_reason":"replace_by_request",
    "change":{{{}}}}}]}})",
                     parts);
}

TEST(PlanDocument, AChangeHasItsAddressItsActionAndItsReason) {
  const auto read =
      read_plan_document(change(R"("actions":["delete","create"],"before":{"a":1},"after":{"a":2},
                "replace_paths":[["a"],["list",0]])"));
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->plan.changes.size(), 1U);
  const plans::ResourceChange& made = read->plan.changes[0];
  EXPECT_EQ(read->plan.addresses.instance(made.resource, made.key).to_string(),
            "module.m[\"k\"].test_thing.a[1]");
  EXPECT_EQ(made.action, plans::Action::DeleteThenCreate);
  EXPECT_EQ(made.reason, plans::ActionReason::ReplaceByRequest);
  ASSERT_EQ(made.details->replace_paths.size(), 2U);
  EXPECT_EQ(value::to_string(made.details->replace_paths[1]), ".list[0]");
}

TEST(PlanDocument, WhatIsUnknownAndWhatIsSensitiveIsPartOfTheValue) {
  const auto read = read_plan_document(change(
      R"("actions":["create"],"after":{"a":1,"list":["x",null],"hidden":{"deep":"s"}},
         "after_unknown":{"id":true,"list":[false,true],"inner":{"part":true}},
         "after_sensitive":{"hidden":{"deep":true},"id":false})"));
  ASSERT_TRUE(read.ok());
  const value::Value& after = read->plan.changes[0].after;
  ASSERT_EQ(after.kind(), value::Kind::Object);
  EXPECT_TRUE(after.plain().find("id")->is_unknown());
  EXPECT_TRUE(after.plain().find("list")->plain().items()[1].is_unknown());
  EXPECT_TRUE(after.plain().find("inner")->plain().find("part")->is_unknown());
  const value::Value* deep = after.plain().find("hidden")->plain().find("deep");
  EXPECT_TRUE(deep->marks().is_sensitive());
  EXPECT_EQ(deep->unmarked().as_string(), "s");
}

TEST(PlanDocument, SchemasOfProvidersAreRead) {
  const auto read = read_plan_document(R"({"provider_schemas":{"some/provider":{
    "resource_schemas":{"test_thing":{"version":1,"block":{
      "attributes":{"a":{"type":["list","string"],"sensitive":true},
                    "n":{"nested_type":{"nesting_mode":"set","attributes":{"x":{"type":"bool"}}}}},
      "block_types":{"b":{"nesting_mode":"list","block":{"attributes":{"y":{"type":"number"}}}}}}}},
    "data_source_schemas":{"test_source":{"block":{}}}}}})");
  ASSERT_TRUE(read.ok());
  const schema::ProviderSchema* provider = read->schemas.find("some/provider");
  ASSERT_NE(provider, nullptr);
  EXPECT_EQ(read->schemas.find("other"), nullptr);
  const schema::Block& block = provider->resources.at("test_thing").block;
  EXPECT_TRUE(block.attribute("a")->sensitive);
  EXPECT_EQ(block.attribute("a")->type, value::Type::list(value::Type::string()));
  EXPECT_EQ(block.attribute("n")->nested->nesting, schema::Nesting::Set);
  EXPECT_EQ(block.block("b")->nesting, schema::Nesting::List);
  EXPECT_EQ(provider->data_sources.size(), 1U);
}

TEST(PlanDocument, OutputsAreSensitiveAsAWhole) {
  const auto read = read_plan_document(
      R"({"output_changes":{"o":{"actions":["update"],"before":1,"after":"x",
          "before_sensitive":true,"after_sensitive":false}}})");
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->plan.outputs.size(), 1U);
  EXPECT_TRUE(read->plan.outputs[0].sensitive);
}

TEST(PlanDocument, WhatCannotBeReadIsAnError) {
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{"), change(R"("actions":["explode"])"),
        change(R"("actions":[1])"), change(""),
        std::string(R"({"resource_changes":[{"address":"nonsense"}]})"),
        std::string(R"({"resource_changes":[7]})"),
        std::string(R"({"output_changes":{"o":{"actions":[]}}})"),
        std::string(R"({"provider_schemas":{"p":{"resource_schemas":{"r":{"block":{"attributes":
          {"a":{"type":"nonsense"}}}}}}}})")}) {
    EXPECT_FALSE(read_plan_document(text).ok()) << text;
  }
  // A reason of a later version is not.
  std::string later = change(R"("actions":["create"])");
  later.replace(later.find("replace_by_request"), 18, "because_of_the_moon");
  EXPECT_TRUE(read_plan_document(later).ok());
}

TEST(PlanDocument, DepthIsBounded) {
  const std::string open(5000, '[');
  const std::string close(5000, ']');
  const auto read = read_plan_document(change(R"("actions":["create"],"after":)" + open + close));
  EXPECT_TRUE(read.ok());
}

}  // namespace
}  // namespace tofu::cloud

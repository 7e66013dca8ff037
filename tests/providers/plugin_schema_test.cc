#include "providers/plugin_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "providers/proto/tfplugin5.pb.h"
#include "providers/proto/tfplugin6.pb.h"

namespace tofu::providers {
namespace {

using testing::HasSubstr;
using value::Type;

// A field of protobuf that is made of bytes.
std::string field(int number, std::string_view content) {
  std::string made(1, static_cast<char>(number << 3 | 2));
  for (std::size_t left = content.size();; left >>= 7) {
    made.push_back(static_cast<char>(left < 128 ? left : (left & 127) | 128));
    if (left < 128) break;
  }
  return made += content;
}

std::string entry(int number, std::string_view key, std::string_view value) {
  return field(number, field(1, key) + field(2, value));
}

template <class Attributes>
auto& add_attribute(Attributes& block, const char* name, const char* type) {
  auto& added = *block.add_attributes();
  added.set_name(name);
  added.set_type(type);
  return added;
}

std::shared_ptr<PluginSchema> read(int protocol, const std::string& bytes,
                                   std::vector<Problem>& problems) {
  return read_schema(own_schema(protocol, bytes, {}), problems);
}

TEST(PluginSchema, HasNestedAttributesAndBlocksSortedByName) {
  wire6::Schema schema;
  schema.set_version(2);
  auto& block = *schema.mutable_block();
  add_attribute(block, "z", "\"string\"").set_required(true);
  auto& nested = add_attribute(block, "a", "");
  nested.mutable_nested_type()->set_nesting(wire6::Schema::NESTING_LIST);
  add_attribute(*nested.mutable_nested_type(), "n", "\"number\"").set_optional(true);
  auto& inner = *block.add_block_types();
  inner.set_type_name("inner");
  inner.set_nesting(wire6::Schema::NESTING_MAP);
  inner.set_max_items(3);
  add_attribute(*inner.mutable_block(), "w", "[\"set\",\"bool\"]").set_write_only(true);

  std::vector<Problem> problems;
  const auto read_back =
      read(6, entry(2, "x_thing", schema.SerializeAsString()) + field(1, ""), problems);
  ASSERT_TRUE(read_back);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(read_back->schema.resources.size(), 1U);
  const schema::ResourceSchema& thing = read_back->schema.resources.at("x_thing");
  EXPECT_EQ(thing.version, 2U);
  ASSERT_EQ(thing.block.attributes.size(), 2U);
  EXPECT_EQ(thing.block.attributes[0].name, "a");
  EXPECT_TRUE(thing.block.attributes[1].required);
  ASSERT_EQ(thing.block.blocks.size(), 1U);
  EXPECT_EQ(thing.block.blocks[0].nesting, schema::Nesting::Map);
  EXPECT_EQ(thing.block.blocks[0].max_items, 3U);
  EXPECT_TRUE(thing.block.blocks[0].block->attributes[0].write_only);
  EXPECT_EQ(thing.block.implied_type(),
            Type::object({{"a", Type::list(Type::object({{"n", Type::number()}}))},
                          {"inner", Type::map(Type::object({{"w", Type::set(Type::boolean())}}))},
                          {"z", Type::string()}}));
}

TEST(PluginSchema, OfProtocol5HasOtherNumbers) {
  wire5::Schema schema;
  auto& secret = add_attribute(*schema.mutable_block(), "secret", "\"string\"");
  secret.set_write_only(true);
  secret.set_deprecation_message("use another");
  std::vector<Problem> problems;
  const auto read_back = read(5, entry(3, "x_data", schema.SerializeAsString()), problems);
  ASSERT_TRUE(read_back);
  const auto& attribute = read_back->schema.data_sources.at("x_data").block.attributes[0];
  EXPECT_TRUE(attribute.write_only);
  EXPECT_EQ(attribute.deprecation_message, "use another");
}

TEST(PluginSchema, TakesCapabilitiesFunctionsAndIdentities) {
  wire6::ServerCapabilities capabilities;
  capabilities.set_get_provider_schema_optional(true);
  capabilities.set_move_resource_state(true);
  wire6::FunctionEntry function;
  function.set_key("add");
  function.mutable_value()->mutable_return_()->set_type("\"number\"");
  auto& parameter = *function.mutable_value()->mutable_variadic_parameter();
  parameter.set_name("numbers");
  parameter.set_type("\"number\"");
  wire6::GetResourceIdentitySchemas::Response identities;
  auto& identity = *identities.add_identity_schemas();
  identity.set_key("x_thing");
  identity.mutable_value()->set_version(4);
  auto& id = *identity.mutable_value()->add_identity_attributes();
  id.set_name("arn");
  id.set_type("\"string\"");
  id.set_required_for_import(true);

  std::vector<Problem> problems;
  const auto made =
      read_schema(own_schema(6,
                             field(6, capabilities.SerializeAsString()) +
                                 field(7, function.SerializeAsString()) + entry(2, "x_thing", ""),
                             identities.SerializeAsString()),
                  problems);
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->schema_is_optional);
  EXPECT_TRUE(made->capabilities.moves_state);
  EXPECT_FALSE(made->capabilities.plans_destroy);
  EXPECT_TRUE(made->schema.functions.at("add").variadic);
  const auto& thing = made->schema.resources.at("x_thing");
  ASSERT_TRUE(thing.identity);
  EXPECT_EQ(thing.identity->version, 4U);
  EXPECT_EQ(thing.identity->type(), Type::object({{"arn", Type::string()}}));
}

TEST(PluginSchema, ThatCannotBeReadIsAProblem) {
  for (const std::string& bytes :
       {std::string("\xff\xff\xff\xff\xff"), field(2, "\x0a\x7f"), std::string("\x12\x7f"),
        field(7, field(2, field(3, field(1, "\"what\""))))}) {
    std::vector<Problem> problems;
    (void)read(6, bytes, problems);
    EXPECT_FALSE(problems.empty());
  }
}

TEST(PluginSchema, WithTypesThatMakeNoSenseIsReportedByTheirNames) {
  wire6::Schema schema;
  add_attribute(*schema.mutable_block(), "a", "[\"lost\",\"string\"]");
  add_attribute(*schema.mutable_block(), "b", "\"string\"");
  add_attribute(*schema.mutable_block(), "b", "\"number\"");
  auto& inner = *schema.mutable_block()->add_block_types();
  inner.set_type_name("b");
  inner.set_nesting(wire6::Schema::NESTING_LIST);
  const auto bytes = own_schema(6, entry(2, "x_thing", schema.SerializeAsString()), {});
  const std::vector<Problem> problems = check_schema(bytes);
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_THAT(problems[0].detail, HasSubstr("x_thing, \"a\""));
  std::vector<Problem> ignored;
  const auto made = read_schema(bytes, ignored);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->schema.resources.at("x_thing").block.attributes.size(), 1U);
}

TEST(PluginSchema, IsRefusedWithTheProvidersOwnError) {
  wire6::Diagnostic error;
  error.set_severity(wire6::Diagnostic::ERROR);
  error.set_summary("Not today");
  std::vector<Problem> problems;
  EXPECT_FALSE(read(6, field(4, error.SerializeAsString()), problems));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].summary, "Not today");
}

}  // namespace
}  // namespace tofu::providers

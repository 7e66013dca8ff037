#include "views/state_decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "state/state_file.h"
#include "tests/views/plan_fixture.h"

namespace tofu::views {
namespace {

// A state with these resources, given as JSON.
state::State state_of(const std::string& resources, const std::string& checks = "null") {
  diag::Diagnostics diags;
  auto state = state::read_state(
      R"({"version":4,"terraform_version":"1.2.3","serial":1,"lineage":"l","outputs":{},)"
      R"("resources":[)" +
          resources + R"(],"check_results":)" + checks + "}",
      diags);
  EXPECT_TRUE(state.has_value()) << (diags.empty() ? "" : diags.items()[0].detail);
  return state ? *state : state::State();
}

std::string data_resource(const std::string& instances,
                          const std::string& provider = "terraform.io/builtin/terraform") {
  return R"({"mode":"managed","type":"terraform_data","name":"a","provider":"provider[\")" +
         provider + R"(\"]","instances":[)" + instances + "]}";
}

constexpr std::string_view kAttributes =
    R"("attributes":{"id":"i","input":{"value":{"p":"x"},"type":["object",{"p":"string"}]},)"
    R"("output":null,"triggers_replace":null})";

TEST(StateDecode, ObjectsHaveTheTypesOfTheirSchemaAndTheirMarks) {
  const state::State state = state_of(data_resource(
      R"({"schema_version":0,)" + std::string(kAttributes) +
      R"(,"sensitive_attributes":[[{"type":"get_attr","value":"input"}]],"status":"tainted"},)" +
      R"({"schema_version":0,"deposed":"00000001",)" + std::string(kAttributes) + "}"));
  diag::Diagnostics diags;

  const auto records = state_records(state, schema::builtin_schemas(), diags);

  ASSERT_TRUE(records.has_value());
  ASSERT_EQ(records->objects.size(), 2U);
  const StateObject& current = records->objects[0];
  EXPECT_EQ(current.address.to_string(), "terraform_data.a");
  EXPECT_TRUE(current.tainted);
  EXPECT_TRUE(current.value.plain().find("input")->is_marked());
  EXPECT_EQ(current.value.plain().find("input")->type(), Type::object({{"p", Type::string()}}));
  EXPECT_EQ(records->objects[1].deposed, "00000001");
  EXPECT_FALSE(records->objects[1].value.contains_marks());
}

TEST(StateDecode, AMissingProviderIsReportedOnce) {
  const std::string instance = R"({"schema_version":7,"attributes":{"n":1}})";
  const std::string provider = "registry.opentofu.org/acme/foo";
  std::string other = data_resource(instance, provider);
  other.replace(other.find("\"a\""), 3, "\"b\"");
  const state::State state = state_of(data_resource(instance, provider) + "," + other);
  diag::Diagnostics diags;

  EXPECT_EQ(state_records(state, schema::builtin_schemas(), diags), std::nullopt);

  ASSERT_EQ(diags.error_count(), 1U);
  EXPECT_THAT(diags.items()[0].detail, testing::HasSubstr(provider));
}

TEST(StateDecode, WhatDoesNotFitTheSchemaIsAnErrorForEachObject) {
  const state::State state =
      state_of(data_resource(R"({"index_key":0,"schema_version":3,"attributes":{}},)"
                             R"({"index_key":1,"schema_version":0,"attributes":{"more":1}})"));
  diag::Diagnostics diags;

  EXPECT_EQ(state_records(state, schema::builtin_schemas(), diags), std::nullopt);

  ASSERT_EQ(diags.error_count(), 2U);
  EXPECT_THAT(diags.items()[0].detail, testing::HasSubstr("terraform_data.a[0]"));
  EXPECT_THAT(diags.items()[0].detail, testing::HasSubstr("version 3"));
  EXPECT_THAT(diags.items()[1].detail, testing::HasSubstr("more"));
}

TEST(StateDecode, OneInstanceIsFoundWithoutLookingAtTheOthers) {
  const state::State state =
      state_of(data_resource(R"({"index_key":0,"schema_version":3,"attributes":{}},)"
                             R"({"index_key":1,"schema_version":0,)" +
                             std::string(kAttributes) + "}"));
  diag::Diagnostics diags;

  const auto records = instance_records(state, data_address("a", addrs::InstanceKey(1)),
                                        schema::builtin_schemas(), diags);

  ASSERT_TRUE(records.has_value());
  EXPECT_EQ(records->objects.size(), 1U);
  EXPECT_TRUE(diags.empty());
}

TEST(StateDecode, ChecksKeepTheirAddressesAndMessages) {
  const state::State state =
      state_of("", R"([{"object_kind":"check","config_addr":"module.m.check.c","status":"fail",)"
                   R"("objects":[{"object_addr":"module.m[\"k\"].check.c","status":"fail",)"
                   R"("failure_messages":["no"]}]}])");
  diag::Diagnostics diags;

  const auto records = state_records(state, schema::builtin_schemas(), diags);

  ASSERT_TRUE(records.has_value());
  ASSERT_EQ(records->checks.size(), 1U);
  EXPECT_EQ(addrs::to_string(records->checks[0].address), "module.m.check.c");
  ASSERT_EQ(records->checks[0].instances.size(), 1U);
  EXPECT_EQ(addrs::to_string(records->checks[0].instances[0].address), "module.m[\"k\"].check.c");
  EXPECT_EQ(records->checks[0].instances[0].problems, std::vector<std::string>{"no"});
  EXPECT_EQ(records->checks[0].status, plans::CheckStatus::Fail);
}

}  // namespace
}  // namespace tofu::views

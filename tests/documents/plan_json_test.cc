#include "documents/plan_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/views/plan_fixture.h"
#include "value/json.h"

namespace tofu::documents {
namespace {

using plans::Action;
using testing::HasSubstr;
using testing::Not;
using views::data_address;
using views::data_change;
using views::data_object;
using views::new_data_object;
using views::no_object;
using views::num;
using views::secret;
using views::str;
using views::Type;
using views::Value;

std::string json_of(const plans::Plan& plan, const PlanJsonParts& parts = {.version = "1.12.6"}) {
  std::string text;
  write_plan_json(plan, schema::builtin_schemas(), parts,
                  [&](std::string_view piece) { text += piece; });
  EXPECT_TRUE(value::parse_json(text)) << text;
  return text;
}

TEST(PlanJson, OfAnEmptyPlanHasTheFieldsThatAreAlwaysThere) {
  plans::Plan plan;
  plan.timestamp = "2026-01-02T03:04:05Z";
  EXPECT_EQ(
      json_of(plan),
      R"({"format_version":"1.2","terraform_version":"1.12.6","planned_values":{"root_module":{}},)"
      R"("timestamp":"2026-01-02T03:04:05Z","errored":false})");
}

TEST(PlanJson, LeavesOutWhatIsUnknownAndSaysSo) {
  plans::Plan plan;
  plan.changes.push_back(data_change(plan, "a", Action::Create, no_object(), new_data_object(1)));
  EXPECT_THAT(json_of(plan), HasSubstr(R"("change":{"actions":["create"],"before":null,)"
                                       R"("after":{"input":1,"triggers_replace":null},)"
                                       R"("after_unknown":{"id":true,"output":true},)"
                                       R"("before_sensitive":false,"after_sensitive":{}})"));
}

TEST(PlanJson, TellsWhatIsSensitiveBesideTheValues) {
  plans::Plan plan;
  const Value after = data_object(str("x"), Value::tuple({secret(str("s")), num(1)}), num(1));
  plan.changes.push_back(data_change(plan, "a", Action::Update, data_object(1), after));
  EXPECT_THAT(json_of(plan), HasSubstr(R"("after_unknown":{},"before_sensitive":{},)"
                                       R"("after_sensitive":{"input":[true,false]}})"));
}

TEST(PlanJson, NestsPlannedValuesByModule) {
  plans::Plan plan;
  const auto inner = addrs::ModuleInstance{}.child("net").child("sub", addrs::InstanceKey("k"));
  plans::ResourceChange change;
  change.resource = plan.addresses.resource(plan.addresses.module(inner),
                                            {addrs::ResourceMode::Managed, "terraform_data", "a"},
                                            addrs::builtin_provider("terraform"));
  change.action = Action::Create;
  change.before = no_object();
  change.after = new_data_object(1);
  plan.changes.push_back(std::move(change));
  EXPECT_THAT(
      json_of(plan),
      HasSubstr(
          R"("root_module":{"child_modules":[{"address":"module.net","child_modules":[{"resources":[)"
          R"({"address":"module.net.module.sub[\"k\"].terraform_data.a","mode":"managed",)"
          R"("type":"terraform_data","name":"a","provider_name":"terraform.io/builtin/terraform",)"
          R"("schema_version":0,"values":{"input":1,"triggers_replace":null},"sensitive_values":{}}],)"
          R"("address":"module.net.module.sub[\"k\"]"}]}]})"));
}

TEST(PlanJson, DoesNotPlanValuesOfWhatGoes) {
  plans::Plan plan;
  plan.changes.push_back(data_change(plan, "a", Action::Delete, data_object(1), no_object()));
  EXPECT_THAT(json_of(plan),
              HasSubstr(R"("planned_values":{"root_module":{}},"resource_changes":[)"));
}

TEST(PlanJson, NeverHasAValueOfAnEphemeralResource) {
  plans::Plan plan;
  plans::ResourceChange change;
  change.resource =
      plan.addresses.resource({}, {addrs::ResourceMode::Ephemeral, "terraform_data", "e"},
                              addrs::builtin_provider("terraform"));
  change.action = Action::Create;
  change.after = Value::object({{"token", str("hidden")}});
  plan.changes.push_back(std::move(change));
  const std::string json = json_of(plan);
  EXPECT_THAT(json, Not(HasSubstr("hidden")));
  EXPECT_THAT(json, HasSubstr(R"("mode":"ephemeral")"));
  EXPECT_THAT(json, HasSubstr(R"("planned_values":{"root_module":{}})"));
}

TEST(PlanJson, OutputsHaveTheirTypeOnceItIsKnown) {
  plans::Plan plan;
  plan.outputs.push_back({.name = "b", .action = Action::Create, .after = Value::unknown()});
  plan.outputs.push_back(
      {.name = "a", .action = Action::Create, .sensitive = true, .after = num(1)});
  const std::string json = json_of(plan);
  EXPECT_THAT(json, HasSubstr(R"("outputs":{"a":{"sensitive":true,"type":"number","value":1},)"
                              R"("b":{"sensitive":false}})"));
  EXPECT_THAT(json,
              HasSubstr(R"("output_changes":{"a":{"actions":["create"],"before":null,"after":1,)"
                        R"("after_unknown":false,"before_sensitive":true,"after_sensitive":true},)"
                        R"("b":{"actions":["create"],"before":null,"after_unknown":true,)"
                        R"("before_sensitive":false,"after_sensitive":false}})"));
}

TEST(PlanJson, HasDetailsOnlyWhereThereAreAny) {
  plans::Plan plan;
  plans::ChangeDetails details;
  details.previous = data_address("old");
  details.replace_paths = {value::Path{}.with_attribute("input").with_index(num(0))};
  details.importing = plans::Importing{"i-1"};
  auto change = data_change(plan, "a", Action::DeleteThenCreate, data_object(1), new_data_object(1),
                            std::move(details), addrs::InstanceKey("k"));
  change.reason = plans::ActionReason::ReplaceBecauseCannotUpdate;
  plan.changes.push_back(std::move(change));
  const std::string json = json_of(plan);
  EXPECT_THAT(
      json,
      HasSubstr(R"("address":"terraform_data.a[\"k\"]","previous_address":"terraform_data.old")"));
  EXPECT_THAT(json, HasSubstr(R"("index":"k")"));
  EXPECT_THAT(json, HasSubstr(R"("replace_paths":[["input",0]],"importing":{"id":"i-1"}})"));
  EXPECT_THAT(json, HasSubstr(R"("action_reason":"replace_because_cannot_update")"));
  EXPECT_THAT(json, Not(HasSubstr("deposed")));
}

TEST(PlanJson, AnObjectOfWhichNothingIsKnownHasNoValues) {
  plans::Plan plan;
  const Value unknown = Value::unknown(Type::string());
  plans::ChangeDetails details;
  details.identity_after = Value::object({{"region", str("eu")}});
  details.identity_version = 3;
  plan.changes.push_back(data_change(plan, "a", Action::Create, no_object(),
                                     Value::object({{"id", unknown},
                                                    {"input", unknown},
                                                    {"output", unknown},
                                                    {"triggers_replace", unknown}}),
                                     std::move(details)));
  EXPECT_THAT(json_of(plan),
              HasSubstr(R"("schema_version":0,"sensitive_values":{},)"
                        R"("identity":{"region":"eu"},"identity_schema_version":3})"));
}

TEST(PlanJson, ChecksAreSortedByAddress) {
  plans::Plan plan;
  const addrs::AbsCheck late{{}, {"z"}};
  plan.checks.push_back({addrs::ConfigCheck{{}, {"z"}},
                         plans::CheckStatus::Fail,
                         {{late, plans::CheckStatus::Fail, {"second", "first"}}}});
  plan.checks.push_back(
      {addrs::ConfigResource{{}, data_address("a").object.resource},
       plans::CheckStatus::Pass,
       {{data_address("a", addrs::InstanceKey(std::int64_t{1})), plans::CheckStatus::Pass, {}}}});
  EXPECT_THAT(
      json_of(plan),
      HasSubstr(
          R"("checks":[{"address":{"kind":"check","name":"z","to_display":"check.z"},)"
          R"("status":"fail","instances":[{"address":{"to_display":"check.z"},"status":"fail",)"
          R"("problems":[{"message":"first"},{"message":"second"}]}]},)"
          R"({"address":{"kind":"resource","mode":"managed","name":"a",)"
          R"("to_display":"terraform_data.a","type":"terraform_data"},"status":"pass",)"
          R"("instances":[{"address":{"instance_key":1,"to_display":"terraform_data.a[1]"},)"
          R"("status":"pass"}]}])"));
}

TEST(PlanJson, OfManyChangesComesInPieces) {
  plans::Plan plan;
  for (std::int64_t i = 0; i < 2'000; ++i) {
    plan.changes.push_back(data_change(plan, "a", Action::Create, no_object(), new_data_object(i),
                                       {}, addrs::InstanceKey(i)));
  }
  std::size_t pieces = 0;
  std::size_t longest = 0;
  write_plan_json(plan, schema::builtin_schemas(), {.version = "1"}, [&](std::string_view piece) {
    ++pieces;
    longest = std::max(longest, piece.size());
  });
  EXPECT_GT(pieces, 5U);
  EXPECT_LT(longest, 100'000U);
  json_of(plan);
}

}  // namespace
}  // namespace tofu::documents

// What identifies objects beside their ids: imported by, kept with its version, upgraded.
#include <gmock/gmock.h>

#include "tests/engine/run_fixture.h"

namespace tofu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using value::Value;

class IdentityRun : public EngineRun {
 protected:
  static std::string person(std::string_view name) {
    return fmt::format("resource \"mock_person\" \"{0}\" {{\n  name = \"{0}\"\n}}\n", name);
  }
  // Has the state say something else of the identity of mock_person.a.
  void store_identity(std::string json, std::uint64_t version) {
    const addrs::AbsResourceInstance address = instance("mock_person.a");
    state::ObjectFields fields = object("mock_person.a")->fields();
    fields.identity = std::move(json);
    fields.identity_schema_version = version;
    const addrs::AbsProviderInstance provider{
        state_.resource(addrs::resource_of(address))->provider()};
    state_.set_object(address, "", state::Object(fields), provider);
  }
};

INSTANTIATE_TEST_SUITE_P(Schedules, IdentityRun, ::testing::ValuesIn(kSchedules));

TEST_P(IdentityRun, IsKeptWithTheVersionOfItsSchema) {
  make(person("a"));
  const state::ObjectFields fields = object("mock_person.a")->fields();
  EXPECT_EQ(fields.identity, R"({"name":"a","team":"mock"})");
  EXPECT_EQ(fields.identity_schema_version, 2U);
  plan("resource \"mock_person\" \"a\" {\n  name = \"b\"\n}\n");
  EXPECT_EQ(change("mock_person.a")->details->identity_version, 2U);
}

TEST_P(IdentityRun, SaysWhatIsImported) {
  make(person("a"));
  state_ = {};
  plan("import {\n  to = mock_person.a\n  identity = { name = \"a\" }\n}\n" + person("a"));
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(changes(), ElementsAre("keep mock_person.a imported"));
  EXPECT_EQ(change("mock_person.a")->importing()->identity.plain().find("team")->is_null(), true);
  apply();
  EXPECT_EQ(object("mock_person.a")->fields().identity, R"({"name":"a","team":"mock"})");
}

TEST_P(IdentityRun, OfAnImportHasToBeKnown) {
  plan(
      "resource \"mock_item\" \"i\" {}\nimport {\n  to = mock_person.a\n"
      "  identity = { name = mock_item.i.id }\n}\n" +
      person("a"));
  EXPECT_THAT(shown(), ElementsAre("main.tf:4 Invalid import identity argument"));
}

TEST_P(IdentityRun, OfAnOlderSchemaIsUpgraded) {
  make(person("a"));
  store_identity(R"({"who":"a"})", 1);
  PlanOptions as_stored;
  as_stored.refresh = false;
  plan(person("a"), as_stored);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_EQ(calls("upgrade").size(), 1U);
  const state::ObjectFields fields = planned_->prior.object(instance("mock_person.a"))->fields();
  EXPECT_EQ(fields.identity, R"({"name":"a","team":null})");
  EXPECT_EQ(fields.identity_schema_version, 2U);
}

TEST_P(IdentityRun, OfTheSameSchemaIsNot) {
  make(person("a"));
  plan(person("a"));
  EXPECT_THAT(calls("upgrade"), IsEmpty());
  store_identity(R"({"name":["a"],"team":null})", 2);
  plan(person("a"));
  EXPECT_THAT(shown(), ElementsAre("- Invalid stored identity"));
}

TEST_P(IdentityRun, OfANewerSchemaIsRefused) {
  make(person("a"));
  store_identity(R"({"name":"a","team":"mock"})", 3);
  plan(person("a"));
  EXPECT_THAT(shown(), ElementsAre("- Resource identity managed by newer provider version"));
}

}  // namespace
}  // namespace tofu::engine

#include <gmock/gmock.h>
#include <memory>
#include <utility>

#include "tests/eval/in_memory.h"

namespace tofu::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using value::Type;

schema::Attribute optional(std::string name, Type type) {
  schema::Attribute out;
  out.name = std::move(name);
  out.type = type;
  out.optional = true;
  return out;
}

schema::Attribute write_only(std::string name) {
  schema::Attribute out = optional(std::move(name), Type::string());
  out.write_only = true;
  return out;
}

schema::NestedBlock nested(std::string name, schema::Block block, schema::Nesting nesting) {
  return {std::move(name), std::make_shared<const schema::Block>(std::move(block)), nesting};
}

// The provider "test" with the resource "test_thing", and the built-in one.
class TestSchemas final : public schema::ProviderSchemas {
 public:
  TestSchemas() {
    schema::Block login;
    login.attributes = {optional("name", Type::string()), write_only("password")};

    auto settings = std::make_shared<schema::NestedType>();
    settings->attributes = login.attributes;
    settings->nesting = schema::Nesting::List;
    schema::Attribute objects = optional("objects", schema::type_of(*settings));
    objects.nested = settings;

    schema::Block& thing = provider_.resources["test_thing"].block;
    thing.attributes = {std::move(objects)};
    thing.blocks = {nested("login", login, schema::Nesting::List),
                    nested("map", login, schema::Nesting::Map),
                    nested("single", login, schema::Nesting::Single)};

    schema::Attribute region = optional("region", Type::string());
    region.optional = false;
    region.required = true;
    provider_.provider.attributes = {std::move(region), optional("token", Type::string())};
  }
  const schema::ProviderSchema* find(const std::string& provider) const override {
    if (provider.ends_with("/test")) return &provider_;
    return schema::builtin_schemas().find(provider);
  }

 private:
  schema::ProviderSchema provider_;
};

class ValidateSchema : public InMemory {
 protected:
  ValidateSchema() { schemas_ = &test_schemas_; }

  // Line 4 is the first of `body`.
  std::vector<std::string> problems_in(const std::string& body) {
    return problems_of(
        "variable \"v\" {\n  ephemeral = true\n}\n"
        "resource \"test_thing\" \"a\" {\n" +
        body + "\n}\n");
  }

 private:
  TestSchemas test_schemas_;
};

TEST_F(ValidateSchema, AProviderWithoutAnySettingsIsNotLookedAt) {
  EXPECT_THAT(problems_of("provider \"test\" {}\nresource \"test_thing\" \"a\" {}\n"), IsEmpty());
  EXPECT_THAT(problems_of("resource \"test_thing\" \"a\" {}\n"), IsEmpty());
  EXPECT_THAT(
      problems_of("provider \"test\" {\n  token = \"x\"\n}\nresource \"test_thing\" \"a\" {}\n"),
      ElementsAre("main.tf:1 Missing required argument"));
}

constexpr const char* kRefused = "Ephemeral value used in non-ephemeral context";

TEST_F(ValidateSchema, WriteOnlyArgumentsOfNestedBlocksTakeEphemeralValues) {
  EXPECT_THAT(problems_in("login {\n  password = var.v\n}\n"
                          "map \"k\" {\n  password = var.v\n}\n"
                          "single {\n  password = var.v\n}\n"),
              IsEmpty());
}

TEST_F(ValidateSchema, OtherArgumentsOfNestedBlocksDoNot) {
  EXPECT_THAT(
      problems_in("login {}\nlogin {\n  name = var.v\n}\n"
                  "map \"k\" {\n  name = var.v\n}\n"
                  "single {\n  name = var.v\n}\n"),
      ElementsAre(fmt::format("main.tf:10 {}", kRefused), fmt::format("main.tf:13 {}", kRefused),
                  fmt::format("main.tf:7 {}", kRefused)));
}

TEST_F(ValidateSchema, NestedAttributesAreWriteOnlyEachForItself) {
  EXPECT_THAT(problems_in("objects = [{ password = var.v }]\n"), IsEmpty());
  diags_.clear();
  EXPECT_THAT(problems_in("objects = [{ password = var.v }, { name = var.v }]\n"),
              ElementsAre(fmt::format("main.tf:5 {}", kRefused)));
}

TEST_F(ValidateSchema, AFailedForEachOfADynamicBlockIsStillHeldAgainstItsType) {
  EXPECT_THAT(problems_in("dynamic \"login\" {\n  for_each = !1\n  content {}\n}\n"),
              ElementsAre("main.tf:6 Invalid dynamic for_each value", "main.tf:6 Invalid operand"));
}

TEST_F(ValidateSchema, ReferencesInADynamicBlockOfUnknownTypeAreChecked) {
  EXPECT_THAT(problems_in("dynamic \"nope\" {\n  for_each = local.missing\n"
                          "  content {\n    a = local.other\n  }\n}\n"),
              ElementsAre("main.tf:5 Unsupported block type",
                          "main.tf:6 Reference to undeclared local value"));
}

TEST_F(ValidateSchema, DynamicBlocksWarnOfDeprecatedOutputsInEveryPart) {
  constexpr const char* kOutput = "Value derived from a deprecated source";
  write("./m", "output \"old\" {\n  value = \"x\"\n  deprecated = \"Use new.\"\n}\n");
  EXPECT_THAT(
      problems_of("module \"m\" {\n  source = \"./m\"\n  count = 2\n}\n"
                  "resource \"test_thing\" \"a\" {\n"
                  "  dynamic \"login\" {\n    for_each = module.m\n    content {\n"
                  "      name = login.value.old\n    }\n  }\n"
                  "  dynamic \"login\" {\n    for_each = [0]\n    content {\n"
                  "      name = module.m[login.value].old\n    }\n  }\n}\n"),
      ElementsAre(fmt::format("main.tf:15 {}", kOutput), fmt::format("main.tf:7 {}", kOutput)));
}

}  // namespace
}  // namespace tofu::eval

// What providers have deprecated in resources, and where it is used.
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <vector>

#include "tests/eval/in_memory.h"

namespace tofu::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

schema::Attribute attribute(std::string name, std::string deprecated = {}) {
  schema::Attribute made;
  made.name = std::move(name);
  made.type = value::Type::string();
  made.optional = true;
  made.computed = true;
  made.deprecated = !deprecated.empty();
  made.deprecation_message = std::move(deprecated);
  return made;
}

// The type x_new has a deprecated attribute, and one in a nested block; x_old is deprecated itself,
// and so is x_plain, which has nothing else to mark.
class OldSchemas final : public schema::ProviderSchemas {
 public:
  OldSchemas() {
    schema::Block rule;
    rule.attributes = {attribute("open"), attribute("port", "Use ports.")};
    schema::Block block;
    block.attributes = {attribute("id"), attribute("remark", "Use note.")};
    block.blocks = {{"rule", std::make_shared<const schema::Block>(rule), schema::Nesting::List}};
    provider_.resources["x_new"] = {block};
    schema::Block old;
    old.attributes = {attribute("id")};
    old.deprecated = true;
    provider_.resources["x_plain"] = {old};
    old.attributes.push_back(attribute("secret"));
    old.attributes.back().sensitive = true;
    provider_.resources["x_old"] = {old};
  }
  const schema::ProviderSchema* find(const std::string& provider) const override {
    return provider.ends_with("/x") ? &provider_ : schema::builtin_schemas().find(provider);
  }

 private:
  schema::ProviderSchema provider_;
};

class DeprecatedParts : public InMemory {
 protected:
  DeprecatedParts() { schemas_ = &x_; }

  // The sources of what `value`, the value of an output, is warned about.
  std::vector<std::string> sources_of(const std::string& value) {
    std::vector<std::string> out;
    diags_.clear();
    problems_of(kResources + "output \"o\" {\n  value = " + value + "\n}\n");
    for (const diag::Diagnostic& each : diags_.items()) {
      EXPECT_EQ(each.summary, "Value derived from a deprecated source");
      const std::string from = "This value is derived from ";
      out.push_back(each.detail.substr(from.size(), each.detail.find(',') - from.size()));
    }
    return out;
  }

  static inline const std::string kResources =
      "resource \"x_new\" \"one\" {\n}\n"
      "resource \"x_new\" \"many\" {\n  count = 2\n}\n"
      "resource \"x_old\" \"one\" {\n}\n"
      "resource \"x_plain\" \"one\" {\n}\n"
      "locals {\n  whole = x_new.one\n}\n";

 private:
  const OldSchemas x_;
};

TEST_F(DeprecatedParts, AnAttributeWarnsWhereItIsNamed) {
  EXPECT_THAT(sources_of("x_new.one.remark"), ElementsAre("x_new.one.remark"));
}

TEST_F(DeprecatedParts, OtherAttributesDoNotWarn) {
  EXPECT_THAT(sources_of("x_new.one.id"), IsEmpty());
  EXPECT_THAT(sources_of("[x_new.one.rule[0].open, x_new.many[1].id]"), IsEmpty());
}

TEST_F(DeprecatedParts, InstancesAndLocalsWarnAsWell) {
  EXPECT_THAT(sources_of("x_new.many[1].remark"), ElementsAre("x_new.many.remark"));
  EXPECT_THAT(sources_of("x_new.many[*].remark"), ElementsAre("x_new.many.remark"));
  EXPECT_THAT(sources_of("local.whole.remark"), ElementsAre("x_new.one.remark"));
}

TEST_F(DeprecatedParts, APartOfANestedBlockWarns) {
  EXPECT_THAT(sources_of("x_new.one.rule[3].port"), ElementsAre("x_new.one.rule[*].port"));
}

// Recorded from OpenTofu 1.12.6.
TEST_F(DeprecatedParts, ATypeWarnsOnlyIfItHasOtherMarks) {
  EXPECT_THAT(sources_of("x_plain.one.id"), IsEmpty());
  EXPECT_THAT(sources_of("x_old.one.id"), ElementsAre("x_old.one"));
  EXPECT_EQ(diags_.items()[0].detail, "This value is derived from x_old.one, which is deprecated.");
}

TEST_F(DeprecatedParts, SelfWarnsInAPostcondition) {
  EXPECT_THAT(problems_of("resource \"x_new\" \"a\" {\n  lifecycle {\n    postcondition {\n"
                          "      condition     = self.remark != \"\"\n"
                          "      error_message = \"No.\"\n    }\n  }\n}\n"),
              ElementsAre("main.tf:4 Value derived from a deprecated source"));
}

TEST_F(DeprecatedParts, NobodyIsWarnedWithoutALevel) {
  level_ = DeprecationLevel::None;
  EXPECT_THAT(sources_of("x_new.one.remark"), IsEmpty());
}

}  // namespace
}  // namespace tofu::eval

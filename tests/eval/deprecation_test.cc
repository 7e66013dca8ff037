#include <algorithm>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "tests/eval/in_memory.h"

namespace tofu::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

using Deprecation = InMemory;

constexpr const char* kVariable = "The variable \"old\" is marked as deprecated by module author.";
constexpr const char* kOutput = "Value derived from a deprecated source";

constexpr const char* kModule =
    "variable \"old\" {\n  default    = \"x\"\n  nullable   = false\n"
    "  deprecated = \"Use new.\"\n}\n"
    "output \"out\" {\n  value      = 1\n  deprecated = \"Use other.\"\n}\n";

TEST_F(Deprecation, WhatANullIsReplacedByIsNotGiven) {
  write("./m", kModule);
  EXPECT_THAT(problems_of("module \"m\" {\n  source = \"./m\"\n  old    = null\n}\n"), IsEmpty());
}

TEST_F(Deprecation, AnUnknownValueThatIsNeverNullIsGiven) {
  write("./m", kModule);
  EXPECT_THAT(
      problems_of("resource \"terraform_data\" \"x\" {}\n"
                  "variable \"v\" {}\n"
                  "module \"a\" {\n  source = \"./m\"\n  old = terraform_data.x.id\n}\n"
                  "module \"b\" {\n  source = \"./m\"\n  count = 2\n"
                  "  old = count.index\n}\n"
                  "module \"c\" {\n  source = \"./m\"\n  for_each = {}\n"
                  "  old = each.key\n}\n"
                  "module \"d\" {\n  source = \"./m\"\n  for_each = {}\n"
                  "  old = each.value\n}\n"
                  "module \"e\" {\n  source = \"./m\"\n  old = var.v\n}\n"),
      ElementsAre(fmt::format("main.tf:10 {}", kVariable), fmt::format("main.tf:15 {}", kVariable),
                  fmt::format("main.tf:5 {}", kVariable)));
}

TEST_F(Deprecation, OneSourceAtOnePlaceWarnsOnceHoweverOftenTheModuleIsCalled) {
  write("./m", kModule);
  write("./user",
        "module \"m\" {\n  source = \"./m\"\n  old = \"given\"\n}\n"
        "resource \"terraform_data\" \"a\" {\n  count = 3\n  input = module.m.out\n}\n");
  EXPECT_THAT(problems_of("module \"a\" {\n  source = \"./user\"\n}\n"
                          "module \"b\" {\n  source = \"./user\"\n  count = 2\n}\n"),
              ElementsAre(fmt::format("user/main.tf:3 {}", kVariable),
                          fmt::format("user/main.tf:7 {}", kOutput)));
}

TEST_F(Deprecation, AConditionThatIsLookedAtTwiceWarnsOnce) {
  write("./m", kModule);
  EXPECT_THAT(problems_of("module \"m\" {\n  source = \"./m\"\n}\n"
                          "output \"o\" {\n  value = 1\n  precondition {\n"
                          "    condition     = module.m.out == 1\n"
                          "    error_message = \"No.\"\n  }\n}\n"),
              ElementsAre(fmt::format("main.tf:7 {}", kOutput)));
}

// Uses of a module with the outputs "new", "old" and "elder", the last two deprecated.
class DeprecatedOutput : public InMemory {
 protected:
  DeprecatedOutput() { write("./m", kOutputs); }

  // In a root module that calls "one", "many" (count), "each" (for_each): the expressions
  // of `text` that are warned about, with the name of the output.
  std::vector<std::string> uses_in(const std::string& text) {
    const std::string root = kCalls + text;
    for (const std::string& problem : problems_of(root)) EXPECT_THAT(problem, EndsWith(kOutput));
    std::vector<std::string> out;
    for (const diag::Diagnostic& each : diags_.items()) {
      const diag::SourceRange place = *each.subject;
      const std::string source = each.detail.substr(0, each.detail.find(','));
      out.push_back(fmt::format("{}: {}", root.substr(place.begin, place.end - place.begin),
                                source.substr(source.rfind('.') + 1)));
    }
    std::ranges::sort(out);
    return out;
  }
  // The same for an expression that is an argument of a resource.
  std::vector<std::string> uses_of_argument(const std::string& expression) {
    return uses_in("resource \"terraform_data\" \"r\" {\n  input = " + expression + "\n}\n");
  }

  static constexpr const char* kOutputs =
      "output \"new\" {\n  value = 1\n}\n"
      "output \"old\" {\n  value      = 1\n  deprecated = \"Use new.\"\n}\n"
      "output \"elder\" {\n  value      = 1\n  deprecated = \"Use newer.\"\n}\n";
  static inline const std::string kCalls =
      "module \"one\" {\n  source = \"./m\"\n}\n"
      "module \"many\" {\n  source = \"./m\"\n  count = 2\n}\n"
      "module \"each\" {\n  source = \"./m\"\n  for_each = toset([\"a\"])\n}\n"
      "variable \"any\" {}\n"
      "variable \"keys\" {\n  type = set(string)\n}\n";
};

struct Use {
  const char* name;
  const char* expression;
  std::vector<std::string> warnings;
};

class OneUse : public DeprecatedOutput, public ::testing::WithParamInterface<Use> {};

TEST_P(OneUse, WarnsAtItsPlace) {
  EXPECT_EQ(uses_of_argument(GetParam().expression), GetParam().warnings);
}

std::string name_of(const ::testing::TestParamInfo<Use>& use) { return use.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Named, OneUse,
    ::testing::Values(
        Use{"Plain", "[module.one.old]", {"module.one.old: old"}},
        Use{"ByAConstantKey",
            "[module.many[0].old, module.each[\"a\"].old]",
            {"module.each[\"a\"].old: old", "module.many[0].old: old"}},
        Use{"ByAnUnknownKey", "[module.many[var.any].old]", {"module.many[var.any].old: old"}},
        Use{"ByAKnownKeyThatIsEvaluated",
            "[module.each[lower(\"A\")].old]",
            {"module.each[lower(\"A\")].old: old"}},
        Use{"BySplat", "length(module.many[*].old)", {"module.many[*].old: old"}},
        Use{"InsideAForOverSomethingUnknown",
            "[for k in var.keys : module.each[k].old]",
            {"module.each[k].old: old"}},
        Use{"WhereItIsNeverEvaluated", "try(1, module.one.old)", {"module.one.old: old"}},
        Use{"InATemplate", "\"x${module.one.old}\"", {"module.one.old: old"}},
        Use{"AnotherOutputOfEitherModule", "(var.any ? module.one : null).new", {}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Whole, OneUse,
    ::testing::Values(
        Use{"Module", "module.one", {"module.one: elder", "module.one: old"}},
        Use{"Instance",
            "module.each[\"a\"]",
            {"module.each[\"a\"]: elder", "module.each[\"a\"]: old"}},
        Use{"For", "[for m in module.many : m.old]", {"[for m in module.many : m.old]: old"}},
        Use{"ForOfWhatIsNotDeprecated", "[for m in module.many : m.new]", {}},
        Use{"JsonText",
            "jsonencode(module.one)",
            {"jsonencode(module.one): elder", "jsonencode(module.one): old"}},
        Use{"Merged",
            "merge(module.one, {})",
            {"merge(module.one, {}): elder", "merge(module.one, {}): old"}},
        Use{"Sensitive",
            "sensitive(module.one)",
            {"sensitive(module.one): elder", "sensitive(module.one): old"}},
        Use{"EitherOfTwo",
            "var.any ? module.one : null",
            {"var.any ? module.one : null: elder", "var.any ? module.one : null: old"}},
        Use{"InAnUnknownFor",
            "[for k in var.keys : module.each[k]]",
            {"[for k in var.keys : module.each[k]]: elder",
             "[for k in var.keys : module.each[k]]: old"}}),
    name_of);

TEST_F(DeprecatedOutput, ALocalPassesAModuleOnToWhereItsOutputIsNamed) {
  EXPECT_THAT(uses_in("locals {\n  m = module.one\n  n = { inside = local.m }\n}\n"
                      "output \"a\" {\n  value = [local.n.inside.old, local.n.inside.new]\n}\n"),
              ElementsAre("local.n.inside.old: old"));
}

TEST_F(DeprecatedOutput, WhatIsReportedWhereItIsNamedIsNotReportedWhereItIsUsed) {
  EXPECT_THAT(uses_in("locals {\n  a = module.one.old\n  b = module.many[*].old\n}\n"
                      "output \"a\" {\n  value = [local.a, local.b]\n}\n"),
              ElementsAre("module.many[*].old: old", "module.one.old: old"));
}

TEST_F(DeprecatedOutput, MetaArgumentsAndConditionsUseValues) {
  EXPECT_THAT(uses_in("locals {\n  l = [for m in module.many : m.old]\n}\n"
                      "resource \"terraform_data\" \"a\" {\n  count = sum(local.l)\n}\n"
                      "resource \"terraform_data\" \"b\" {\n  for_each = module.each\n"
                      "  lifecycle {\n    precondition {\n      condition     = sum(local.l) > 0\n"
                      "      error_message = \"No ${sum(local.l)}.\"\n    }\n  }\n}\n"
                      "check \"c\" {\n  assert {\n    condition     = sum(local.l) > 0\n"
                      "    error_message = \"No.\"\n  }\n}\n"),
              ElementsAre("\"No ${sum(local.l)}.\": old", "module.each: elder", "module.each: old",
                          "sum(local.l) > 0: old", "sum(local.l) > 0: old", "sum(local.l): old"));
}

TEST_F(DeprecatedOutput, WhatPassesItOnIsNotDeprecated) {
  write("./mid",
        "variable \"in\" {}\nmodule \"m\" {\n  source = \"./m\"\n}\n"
        "output \"again\" {\n  value = [module.m.old, var.in]\n}\n");
  EXPECT_THAT(
      problems_of("module \"one\" {\n  source = \"./m\"\n}\n"
                  "module \"mid\" {\n  source = \"./mid\"\n  in = module.one\n}\n"
                  "output \"a\" {\n  value = module.mid.again\n}\n"),
      ElementsAre(fmt::format("main.tf:6 {}", kOutput), fmt::format("main.tf:6 {}", kOutput),
                  fmt::format("mid/main.tf:6 {}", kOutput)));
}

// All fetched modules are the one in ./fetched.
class FetchedModule : public InMemory {
 protected:
  std::optional<config::FoundModule> find(const config::ModuleRequest& request,
                                          diag::Diagnostics& diags) override {
    if (request.is_local) return InMemory::find(request, diags);
    return config::FoundModule{request.parent_directory == "./fetched" ? "./m" : "./fetched", ""};
  }
};

TEST_F(FetchedModule, AUseThatALevelSilencesCountsAsReported) {
  write("./m", kModule);
  write("./fetched",
        "module \"m\" {\n  source = \"./m\"\n}\n"
        "resource \"terraform_data\" \"r\" {\n  input = module.m.out\n}\n"
        "output \"again\" {\n  value = module.m.out\n}\n");
  const std::string root =
      "module \"f\" {\n  source = \"git::https://example.com/f.git\"\n}\n"
      "output \"a\" {\n  value = module.f.again\n}\n";
  level_ = DeprecationLevel::Local;
  EXPECT_THAT(problems_of(root), ElementsAre());
  diags_ = {};
  level_ = DeprecationLevel::All;
  EXPECT_THAT(problems_of(root), ElementsAre(fmt::format("fetched/main.tf:5 {}", kOutput),
                                             fmt::format("fetched/main.tf:8 {}", kOutput)));
}

}  // namespace
}  // namespace tofu::eval

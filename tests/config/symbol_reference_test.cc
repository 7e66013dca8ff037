#include "tests/config/symbol_fixture.h"

namespace tofu::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kServerless = "values {\n  some_value = \"from the library\"\n}\n";

class SymbolReference : public SymbolFixture {
 protected:
  void SetUp() override { write("serverless.tfsym.hcl", kServerless); }
};

// The seed's first module.
TEST_F(SymbolReference, ABlockOptsIn) {
  load(R"(
symbols "serverless" {
  source = "./serverless.tfsym.hcl"
}

locals {
  example_thing = symbols.serverless.some_value
}
)");
  EXPECT_TRUE(module_->feature_enabled(features::Feature::SymbolLibraries));
  EXPECT_EQ(json("symbols.serverless.some_value"), "\"from the library\"");
  EXPECT_THAT(problems(), IsEmpty());
}

constexpr const char* kBoth = R"(
resource "symbols" "serverless" {
  # ...
}

symbols "serverless" {
  source = "./serverless.tfsym.hcl"
}

locals {
  example_thing = symbols.serverless.some_value
}
)";

// The seed's second module.
TEST_F(SymbolReference, TheBlockWinsOverAResourceOfItsName) {
  load(kBoth);
  EXPECT_EQ(json("symbols.serverless.some_value"), "\"from the library\"");
  EXPECT_EQ(json("resource.symbols.serverless.id"), "?");
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(SymbolReference, AMissingMemberTellsHowItWasReadAndShowsTheResource) {
  load(kBoth);
  EXPECT_EQ(json("symbols.serverless.id[0]"), "!");
  EXPECT_EQ(subject(), "symbols.serverless.id");
  EXPECT_EQ(detail(),
            "The symbol library \"serverless\" has no value \"id\".\n\n"
            "This was read as a reference to the symbols block named \"serverless\". Did you "
            "intend to refer to resource \"symbols\" \"serverless\"? If so, use the \"resource.\" "
            "prefix:\n    resource.symbols.serverless.id[0]");
}

// The seed's third module.
TEST_F(SymbolReference, AnUndefinedLibraryShowsTheResourceOfThatName) {
  load(R"(
resource "symbols" "anything_except_serverless" {
  # ...
}

symbols "serverless" {
  source = "./serverless.tfsym.hcl"
}

locals {
  example_thing_1 = symbols.serverless.some_value
}
)");
  EXPECT_EQ(json("symbols.serverless.some_value"), "\"from the library\"");
  EXPECT_EQ(json("symbols.anything_except_serverless.some_value"), "!");
  ASSERT_THAT(problems(), ElementsAre("expression:1 Reference to undefined symbol library"));
  EXPECT_EQ(detail(),
            "There is no symbols block named \"anything_except_serverless\" defined in this "
            "module.\n\nDid you intend to refer to resource \"symbols\" "
            "\"anything_except_serverless\"? If so, use the \"resource.\" prefix:\n    "
            "resource.symbols.anything_except_serverless.some_value");
}

TEST_F(SymbolReference, WithoutABlockAResourceTypeStaysOne) {
  load("resource \"symbols\" \"serverless\" {}\n");
  EXPECT_FALSE(module_->feature_enabled(features::Feature::SymbolLibraries));
  EXPECT_EQ(json("symbols.serverless.some_value"), "?");
  EXPECT_EQ(json("symbols.undeclared.some_value"), "?");  // the binder of resources reports it
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(SymbolReference, WithNeitherTheLibraryIsMissing) {
  load("locals {}\n");
  EXPECT_EQ(json("symbols.serverless.some_value"), "!");
  EXPECT_THAT(problems(), ElementsAre("expression:1 Reference to undefined symbol library"));
  EXPECT_EQ(detail(), "There is no symbols block named \"serverless\" defined in this module.");
}

TEST_F(SymbolReference, ModulesOfOneConfigurationHaveTheirOwnFeatures) {
  const auto resolve_in_new_module = [this](const char* text) {
    diags_.clear();
    load(text);
    return json("symbols.serverless.some_value");
  };
  EXPECT_EQ(resolve_in_new_module(kBoth), "\"from the library\"");
  EXPECT_EQ(resolve_in_new_module("resource \"symbols\" \"serverless\" {}\n"), "?");
  EXPECT_EQ(resolve_in_new_module(""), "!");
}

TEST_F(SymbolReference, AMissingMemberSuggestsWhatIsNear) {
  write("lib/a.sym.hcl",
        "values {\n  colour = 1\n}\nfunction \"f\" {\n  return = 1\n}\n"
        "typedef \"t\" {\n  type = string\n}\n");
  load("symbols \"lib\" {\n  source = \"./lib\"\n}\n");
  const auto detail_of = [this](const char* expression) {
    diags_.clear();
    EXPECT_EQ(json(expression), "!");
    return detail();
  };
  EXPECT_THAT(detail_of("symbols.lib.color"), HasSubstr("Did you mean \"colour\"?"));
  EXPECT_THAT(detail_of("symbols.lib.f"), HasSubstr("symbols::lib::f(…)"));
  EXPECT_THAT(detail_of("symbols.lib.t"), HasSubstr("symbols::lib::t() in a type"));
  EXPECT_THAT(detail_of("symbols.lob.colour"), Not(HasSubstr("resource")));
}

TEST_F(SymbolReference, TypesStandAnywhereInAConstraint) {
  write("lib/a.sym.hcl", R"(
typedef "rule" {
  type = object({ port = number, proto = optional(string, "tcp") })
}
)");
  load(R"(
symbols "lib" {
  source = "./lib"
}
variable "a" {
  type    = symbols::lib::rule()
  default = { port = "1" }
}
variable "b" {
  type = object({
    rules = optional(list(symbols::lib::rule()), [{ port = 2 }])
    main  = optional(symbols::lib::rule())
  })
  default = {}
}
variable "c" {
  type = map(symbols::lib::rule())
  default = { x = { port = 3, proto = "udp" } }
}
)");
  ASSERT_THAT(problems(), IsEmpty());
  const auto shown = [this](const char* name) {
    return *value::to_json(*module_->variables.find(name)->default_value);
  };
  EXPECT_EQ(shown("a"), R"({"port":1,"proto":"tcp"})");
  EXPECT_EQ(shown("b"), R"({"main":null,"rules":[{"port":2,"proto":"tcp"}]})");
  EXPECT_EQ(shown("c"), R"({"x":{"port":3,"proto":"udp"}})");
}

TEST_F(SymbolReference, ADefaultMayUseSymbolsAndConstants) {
  write("lib/a.sym.hcl",
        "values {\n  items = [\"a\"]\n}\nfunction \"f\" {\n  parameter \"x\" {}\n"
        "  return = [param.x, \"b\"]\n}\n");
  load(R"(
symbols "lib" {
  source = "./lib"
}
variable "a" {
  type    = set(string)
  default = symbols.lib.items
}
variable "b" {
  type    = list(string)
  default = symbols::lib::f(symbols.lib.items[0])
}
variable "c" {
  default = [symbols.lib.items, var.a]
}
variable "d" {
  default = upper(symbols.lib.items[0])
}
variable "e" {
  default = symbols.lib.nothing
}
)");
  const auto shown = [this](const char* name) {
    return *value::to_json(*module_->variables.find(name)->default_value);
  };
  EXPECT_EQ(shown("a"), "[\"a\"]");
  EXPECT_EQ(shown("b"), "[\"a\",\"b\"]");
  EXPECT_THAT(problems(),
              ElementsAre("main.tf:14 Invalid reference", "main.tf:17 Function calls not allowed",
                          HasSubstr("main.tf:20 Reference to undefined symbol library value")));
}

TEST_F(SymbolReference, WrongTypesAreErrorsAtTheirPlace) {
  load(R"(symbols "lib" {
  source = "./serverless.tfsym.hcl"
}
variable "a" {
  type = symbols::lib::nothing()
}
variable "b" {
  type = list(symbols::lob::rule())
}
variable "c" {
  type = symbols::rule()
}
variable "d" {
  type = other::lib::rule()
}
)");
  EXPECT_THAT(problems(), ElementsAre("main.tf:11 Reference to undefined type",
                                      "main.tf:14 Invalid type specification",
                                      "main.tf:5 Reference to undefined type",
                                      "main.tf:8 Reference to undefined symbol library"));
}

TEST_F(SymbolReference, ALibraryThatCannotBeLoadedIsReportedOnceAndUnknown) {
  load(R"(symbols "gone" {
  source = "./gone"
}
variable "a" {
  type    = symbols::gone::t()
  default = 3
}
)");
  EXPECT_EQ(json("symbols.gone.x.y[0]"), "?");
  EXPECT_EQ(json("symbols.gone"), "?");
  EXPECT_EQ(json("symbols::gone::f(1, 2)"), "?");
  EXPECT_THAT(problems(), ElementsAre("main.tf:2 No such library"));
}

TEST_F(SymbolReference, WhatIsWrongInALibraryIsUnknownOutside) {
  write("lib/a.sym.hcl", R"(values {
  wrong = value.nothing
  right = 1
}
function "wrong" {
  return = param.nothing
}
function "right" {
  return = 2
}
typedef "wrong" {
  type = nothing
}
)");
  load(
      "symbols \"lib\" {\n  source = \"./lib\"\n}\nvariable \"a\" {\n"
      "  type = symbols::lib::wrong()\n}\n");
  const std::size_t in_library = diags_.size();

  EXPECT_EQ(in_library, 3U);
  EXPECT_EQ(json("symbols.lib.wrong"), "?");
  EXPECT_EQ(json("symbols.lib.right"), "1");
  EXPECT_EQ(json("symbols::lib::wrong()"), "?");
  EXPECT_EQ(json("symbols::lib::right()"), "2");
  EXPECT_EQ(diags_.size(), in_library);
}

TEST_F(SymbolReference, SourcesAreConstantAndChecked) {
  load(R"(variable "where" {}
symbols "a" {
  source = var.where
}
symbols "b" {
  source = "serverless.tfsym.hcl"
}
symbols "c" {
  source  = "./serverless.tfsym.hcl"
  version = "1.0.0"
}
symbols "d" {
  source  = "a/b/c"
  version = "one"
}
symbols "e" {
  source = null
}
)");
  EXPECT_THAT(problems(), ElementsAre("main.tf:14 Invalid version constraint",
                                      "main.tf:17 Unsuitable value type", HasSubstr("main.tf:3 "),
                                      "main.tf:6 Invalid symbol library source address",
                                      "main.tf:9 Invalid symbol library source address"));
}

TEST_F(SymbolReference, LibrariesImportLibrariesRelativeToThemselves) {
  write("libs/outer/a.sym.hcl", R"(
symbols "internal" {
  source = "./internal/"
}
symbols "near" {
  source = "../near"
}
typedef "custom" {
  type = symbols::internal::custom()
}
typedef "customs" {
  type = list(symbols::custom())
}
values {
  one = symbols.near.one
  all = symbols.near
  two = symbols::near::double(symbols.near.one)
}
)");
  write("libs/outer/internal/a.sym.hcl",
        "typedef \"custom\" {\n  type = object({ id = string })\n}\n");
  write("libs/near/a.sym.hcl",
        "values {\n  one = 1\n}\nfunction \"double\" {\n  parameter \"n\" {}\n"
        "  return = param.n * 2\n}\n");
  load(R"(
symbols "outer" {
  source = "./libs/outer"
}
variable "a" {
  type    = symbols::outer::customs()
  default = [{ id = 5 }]
}
)");
  ASSERT_THAT(problems(), IsEmpty());
  EXPECT_EQ(json("[symbols.outer.one, symbols.outer.two, symbols.outer.all]"), "[1,2,{\"one\":1}]");
  EXPECT_EQ(*value::to_json(*module_->variables.find("a")->default_value), "[{\"id\":\"5\"}]");
}

TEST_F(SymbolReference, ALibraryIsReadOnceHoweverOftenItIsImported) {
  write("shared/a.sym.hcl", "values {\n  n = 7\n}\n");
  write("user/a.sym.hcl",
        "symbols \"s\" {\n  source = \"../shared\"\n}\nvalues {\n  n = symbols.s.n\n}\n");
  for (int i = 0; i < 50; ++i) {
    load(
        fmt::format("symbols \"direct\" {{\n  source = \"./shared/\"\n}}\n"
                    "symbols \"lib{}\" {{\n  source = \"./user/../user\"\n}}\n",
                    i));
    EXPECT_EQ(json(fmt::format("symbols.lib{}.n + symbols.direct.n", i)), "14");
  }
  EXPECT_THAT(reads_, ElementsAre("shared", "user"));
  EXPECT_EQ(set_.size(), 2U);
  EXPECT_THAT(problems(), IsEmpty());
}

}  // namespace
}  // namespace tofu::config

#include "config/static_eval.h"
#include "tests/config/symbol_fixture.h"

namespace tofu::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SymbolMembers : public SymbolFixture {};

TEST_F(SymbolMembers, AParameterWithADefaultCanBeLeftOut) {
  load_library(R"(values { port = 80 }
function "f" {
  parameter "a" { type = string }
  parameter "b" {
    type    = number
    default = value.port
  }
  parameter "c" { optional = true }
  return = [param.a, param.b, param.c]
}
function "g" {
  parameter "a" { default = 1 }
  parameter "rest" { variadic = true }
  return = [param.a, length(param.rest)]
})");
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_EQ(json("symbols::lib::f(\"x\")"), R"(["x",80,null])");
  EXPECT_EQ(json("symbols::lib::f(\"x\", \"443\")"), R"(["x",443,null])");
  EXPECT_EQ(json("symbols::lib::f(\"x\", 1, true)"), R"(["x",1,true])");
  EXPECT_EQ(json("symbols::lib::f([\"x\"]...)"), R"(["x",80,null])");
  EXPECT_EQ(json("symbols::lib::g()"), "[1,0]");
  EXPECT_EQ(json("symbols::lib::g(2, 3, 4)"), "[2,2]");
}

TEST_F(SymbolMembers, TooFewOrTooManyArgumentsSayHowManyThereCanBe) {
  load_library(R"(function "f" {
  parameter "a" {}
  parameter "b" { default = 1 }
  return = param.a
}
values { good = symbols::f(1) })");
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_EQ(json("symbols::lib::f()"), "!");
  EXPECT_THAT(diags_.items()[0].detail, HasSubstr("at least 1 argument."));
  EXPECT_EQ(json("symbols::lib::f(1, 2, 3)"), "!");
  EXPECT_THAT(diags_.items()[1].detail, HasSubstr("at most 2 arguments."));
}

TEST_F(SymbolMembers, CallsInsideALibraryAreCountedWithoutACallOfThem) {
  load_library(R"(function "f" {
  parameter "a" {}
  parameter "b" { default = 1 }
  return = param.a
}
function "none" { return = symbols::f() }
function "three" { return = symbols::f(1, 2, 3) })");
  EXPECT_THAT(problems(), ElementsAre("lib/main.sym.hcl:6 Not enough function arguments",
                                      "lib/main.sym.hcl:7 Too many function arguments"));
}

TEST_F(SymbolMembers, NullTakesTheDefaultWhereNullIsNotAllowed) {
  load_library(R"(function "f" {
  parameter "a" {
    default    = "d"
    allow_null = false
  }
  parameter "b" { default = "e" }
  return = [param.a, param.b]
})");
  EXPECT_EQ(json("symbols::lib::f(null, null)"), R"(["d",null])");
}

TEST_F(SymbolMembers, WrongDefaultsAreReportedInTheLibrary) {
  load_library(R"(function "type" {
  parameter "a" {
    type    = number
    default = "x"
  }
  return = param.a
}
function "null" {
  parameter "a" {
    default    = null
    allow_null = false
  }
  return = param.a
}
function "name" {
  parameter "a" { default = param.b }
  return = param.a
}
function "itself" {
  parameter "a" { default = symbols::itself() }
  return = param.a
}
function "order" {
  parameter "a" { default = 1 }
  parameter "b" {}
  return = param.a
}
function "rest" {
  parameter "a" {
    variadic = true
    default  = 1
  }
  return = param.a
}
function "optional" {
  parameter "a" {
    optional   = true
    allow_null = false
  }
  return = param.a
})");
  EXPECT_THAT(
      problems(),
      ElementsAre("lib/main.sym.hcl:10 Invalid default value for parameter",
                  "lib/main.sym.hcl:16 Invalid reference", "lib/main.sym.hcl:19 Circular reference",
                  "lib/main.sym.hcl:25 Required parameter after an optional parameter",
                  "lib/main.sym.hcl:29 Invalid parameter", "lib/main.sym.hcl:36 Invalid parameter",
                  "lib/main.sym.hcl:4 Invalid default value for parameter"));
}

TEST_F(SymbolMembers, PrivateMembersAreForTheirOwnLibrary) {
  write("lib/main.sym.hcl", R"(value "secret" {
  value   = 1
  private = true
}
value "shown" {
  description = "One more."
  value       = value.secret + 1
}
typedef "inner" {
  type    = number
  private = true
}
function "helper" {
  private = true
  type    = symbols::inner()
  return  = value.secret
}
function "f" { return = symbols::helper() + 1 })");
  load(
      "symbols \"lib\" {\n  source = \"./lib\"\n}\nvariable \"v\" {\n  type = "
      "symbols::lib::inner()\n}\n");
  EXPECT_THAT(problems(), ElementsAre("main.tf:5 Private symbol"));
  EXPECT_EQ(json("symbols::lib::f()"), "2");
  EXPECT_EQ(json("symbols.lib"), R"({"shown":2})");
  EXPECT_EQ(json("symbols.lib.secret"), "!");
  EXPECT_EQ(diags_.items()[1].detail,
            "The value \"secret\" is private to the library \"lib\", so only that library can use "
            "it.");
  EXPECT_EQ(json("symbols::lib::helper()"), "!");
  EXPECT_EQ(diags_.items()[2].summary, "Private symbol");
  EXPECT_THAT(table_->value_names(), ElementsAre("symbols.lib.shown"));
  EXPECT_THAT(table_->function_names(), ElementsAre("symbols::lib::f"));
  EXPECT_THAT(table_->type_names(), IsEmpty());
}

TEST_F(SymbolMembers, ALibraryCannotUsePrivateMembersOfAnother) {
  write("lib/main.sym.hcl", R"(symbols "other" { source = "./other" }
values { a = symbols.other.x }
function "f" { return = symbols::other::g() }
)");
  write("lib/other/main.sym.hcl", R"(value "x" {
  value   = 1
  private = true
}
function "g" {
  private = true
  return  = 1
})");
  load("symbols \"lib\" {\n  source = \"./lib\"\n}\n");
  EXPECT_THAT(problems(), ElementsAre("lib/main.sym.hcl:2 Private symbol",
                                      "lib/main.sym.hcl:3 Private symbol"));
}

constexpr const char* kPort = R"(typedef "port" {
  type = number
  validation {
    condition     = self > 0 && self <= value.last
    error_message = "A port is between 1 and ${value.last}, not ${self}."
  }
}
typedef "rule" {
  type = object({
    port = symbols::port()
    more = optional(list(symbols::port()), [])
    name = optional(string, "x")
  })
  validation {
    condition     = self.name != ""
    error_message = "A rule has a name."
  }
}
values { last = 65535 }
function "f" {
  type = symbols::port()
  parameter "rule" { type = symbols::rule() }
  return = param.rule.port + 1
}
)";

class TypeRules : public SymbolFixture {
 protected:
  // The problem of giving this to a variable of the type; empty if it is accepted.
  std::string given(const std::string& type, const std::string& expression) {
    write("lib/main.sym.hcl", kPort);
    load("symbols \"lib\" {\n  source = \"./lib\"\n}\nvariable \"v\" {\n  type = " + type +
         "\n}\n");
    const std::size_t before = diags_.size();
    const auto v = evaluate(expression);
    if (v) (void)settle_variable(*module_->variables.find("v"), *v, {}, std::nullopt, diags_);
    return diags_.size() == before ? "" : diags_.items()[before].detail;
  }
};

TEST_F(TypeRules, AreCheckedForVariables) {
  EXPECT_EQ(given("symbols::lib::port()", "80"), "");
  EXPECT_EQ(given("symbols::lib::port()", "70000"),
            "The value of var.v is refused: A port is between 1 and 65535, not 70000.\n\nThis was "
            "checked by the validation rule at lib/main.sym.hcl:3.");
}

TEST_F(TypeRules, AreCheckedInsideOtherTypes) {
  EXPECT_THAT(given("map(list(symbols::lib::rule()))", "{ a = [{ port = 80, more = [1, 0] }] }"),
              HasSubstr("The value of var.v[\"a\"][0].more[1] is refused: A port is"));
  EXPECT_THAT(given("tuple([string, symbols::lib::port()])", "[\"a\", 0]"),
              HasSubstr("var.v[1] is refused"));
  EXPECT_THAT(given("set(symbols::lib::port())", "[1, 0]"), HasSubstr("A port is"));
}

TEST_F(TypeRules, OfTheWholeComeAfterThoseOfTheParts) {
  EXPECT_THAT(given("symbols::lib::rule()", "{ port = 1, name = \"\" }"),
              HasSubstr("var.v is refused: A rule has a name."));
  EXPECT_THAT(given("symbols::lib::rule()", "{ port = 0, name = \"\" }"), HasSubstr("A port is"));
}

TEST_F(TypeRules, AcceptNullAndUnknownValues) {
  EXPECT_EQ(given("symbols::lib::port()", "null"), "");
  EXPECT_EQ(given("symbols::lib::rule()", "{ port = var.unknown }"), "");
}

TEST_F(TypeRules, DoNotShowSecrets) {
  EXPECT_THAT(given("symbols::lib::port()", "sensitive(70000)"),
              HasSubstr("its message contains sensitive values"));
  EXPECT_THAT(given("object({ p = symbols::lib::port() })", "sensitive({ p = 70000 })"),
              HasSubstr("its message contains sensitive values"));
}

TEST_F(TypeRules, AreCheckedForArgumentsAndResults) {
  load_library(kPort);
  EXPECT_EQ(json("symbols::lib::f({ port = 1 })"), "2");
  EXPECT_EQ(json("symbols::lib::f({ port = 0 })"), "!");
  EXPECT_THAT(detail(), HasSubstr("attribute \"port\": A port is between 1 and 65535, not 0."));
  EXPECT_EQ(json("symbols::lib::f({ port = 65535 })"), "!");
  EXPECT_THAT(diags_.items()[1].detail, HasSubstr("A port is between 1 and 65535, not 65536."));
}

TEST_F(TypeRules, AreCheckedForDefaults) {
  write("lib/main.sym.hcl", kPort);
  load(
      "symbols \"lib\" {\n  source = \"./lib\"\n}\nvariable \"v\" {\n  type = "
      "symbols::lib::port()\n  default = 0\n}\n");
  EXPECT_THAT(problems(), ElementsAre("main.tf:6 Invalid default value for variable"));
}

TEST_F(TypeRules, AreCheckedByConvert) {
  load_library(kPort);
  EXPECT_EQ(json("convert(\"80\", symbols::lib::port())"), "80");
  EXPECT_EQ(json("convert([0], list(symbols::lib::port()))"), "!");
  EXPECT_THAT(detail(), HasSubstr("A port is"));
}

TEST_F(TypeRules, OfAWrongTypeAreReportedInTheLibrary) {
  load_library(R"(typedef "a" {
  type = number
  validation {
    condition     = "yes"
    error_message = "x"
  }
}
typedef "b" {
  type = number
  validation {
    condition     = nope.x
    error_message = "x"
  }
}
typedef "c" {
  type = object({ a = number })
  validation {
    condition     = self.b
    error_message = "x"
  }
}
function "f" { return = self })");
  EXPECT_THAT(problems(), ElementsAre("lib/main.sym.hcl:11 Invalid reference",
                                      "lib/main.sym.hcl:18 Unsupported attribute",
                                      "lib/main.sym.hcl:22 Invalid reference",
                                      "lib/main.sym.hcl:4 Invalid condition result"));
}

TEST_F(TypeRules, ThatNeedTheirTypeAreACycle) {
  load_library(R"(typedef "t" {
  type = number
  validation {
    condition     = symbols::check(self)
    error_message = "x"
  }
}
function "check" {
  type = bool
  parameter "t" { type = symbols::t() }
  return = true
})");
  ASSERT_THAT(problems(), ElementsAre(HasSubstr("Circular reference")));
  EXPECT_THAT(detail(), HasSubstr("the type symbols::t()"));
  EXPECT_EQ(json("symbols::lib::check(1)"), "?");
}

TEST_F(TypeRules, OfAnImportedLibraryAreChecked) {
  write("other/main.sym.hcl", kPort);
  write("lib/main.sym.hcl", R"(symbols "o" { source = "../other" }
typedef "ports" { type = list(symbols::o::port()) }
values { bad = convert([0], symbols::ports()) })");
  load("symbols \"lib\" {\n  source = \"./lib\"\n}\n");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("lib/main.sym.hcl:3")));
}

TEST_F(SymbolMembers, ExamplesAreCheckedOnRequest) {
  load_library(R"(function "add" {
  type = number
  parameter "a" {
    type = number
    validation {
      condition     = param.a < 10
      error_message = "Too large."
    }
  }
  parameter "b" {
    type    = number
    default = 1
  }
  return = param.a + param.b
  examples {
    both    = { arguments = [1, "2"], result = 3 }
    default = { arguments = [1], result = 2 }
    refused = { arguments = [10], error = "Too large" }
    wrong   = { arguments = [1], result = 3 }
    passes  = { arguments = [1], error = "Too large" }
    other   = { arguments = [10], error = "Too small" }
    many    = { arguments = [1, 2, 3], error = "2 arguments" }
  }
})");
  EXPECT_THAT(problems(), IsEmpty());
  set_.check_examples({}, diags_);
  EXPECT_THAT(problems(), ElementsAre("lib/main.sym.hcl:19 Example does not hold",
                                      "lib/main.sym.hcl:20 Example does not hold",
                                      "lib/main.sym.hcl:21 Example does not hold"));
  EXPECT_EQ(
      detail(),
      "The example \"wrong\" of the function \"add\" expects the result 3, but the call gives "
      "2.");
}

TEST_F(SymbolMembers, ExamplesOfAWrongShapeAreReported) {
  load_library(R"(function "f" {
  return = 1
  examples {
    a = 1
    b = { arguments = 1, result = 1 }
    c = { result = 1, error = "x" }
    d = {}
    e = { results = 1 }
    f = { result = param.x }
  }
})");
  set_.check_examples({}, diags_);
  EXPECT_THAT(
      problems(),
      ElementsAre("lib/main.sym.hcl:4 Invalid example", "lib/main.sym.hcl:5 Invalid example",
                  "lib/main.sym.hcl:6 Invalid example", "lib/main.sym.hcl:7 Invalid example",
                  "lib/main.sym.hcl:8 Invalid example"));
}

}  // namespace
}  // namespace tofu::config

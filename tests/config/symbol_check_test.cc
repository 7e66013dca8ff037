#include "symbols/library_calls.h"
#include "tests/config/symbol_fixture.h"

namespace tofu::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A function without calls, with one error.
struct Fault {
  const char* name;
  const char* library;
  const char* problem;  // line and summary
  const char* subject;
};

class FaultyFunction : public SymbolFixture, public ::testing::WithParamInterface<Fault> {};

TEST_P(FaultyFunction, IsReportedOnceWithoutACall) {
  load_library(GetParam().library);
  ASSERT_THAT(problems(), ElementsAre("lib/main.sym.hcl:" + std::string(GetParam().problem)));
  EXPECT_EQ(subject(), GetParam().subject);
  EXPECT_EQ(diags_.items()[0].in, "function \"f\"");
}

INSTANTIATE_TEST_SUITE_P(
    Checking, FaultyFunction,
    ::testing::Values(Fault{"ResultOfAnotherType",
                            R"(function "f" {
  type   = number
  return = "abc"
})",
                            "3 Invalid function result", "\"abc\""},
                      Fault{"ResultWithoutAnAttribute",
                            R"(function "f" {
  type   = object({ a = string, b = optional(number, 1) })
  return = { b = 2 }
})",
                            "3 Invalid function result", "{ b = 2 }"},
                      Fault{"ResultThatIsAParameterOfAnotherType",
                            R"(function "f" {
  type = number
  parameter "p" { type = list(string) }
  return = param.p
})",
                            "4 Invalid function result", "param.p"},
                      Fault{"ConditionThatIsText",
                            R"(function "f" {
  parameter "p" {
    validation {
      condition     = "abc"
      error_message = "x"
    }
  }
  return = 1
})",
                            "4 Invalid condition result", "\"abc\""},
                      Fault{"ConditionThatIsNull",
                            R"(function "f" {
  parameter "p" {
    validation {
      condition     = null
      error_message = "x"
    }
  }
  return = 1
})",
                            "4 Invalid condition result", "null"},
                      Fault{"ConditionThatIsAParameterOfAnotherType",
                            R"(function "f" {
  parameter "p" {
    type = list(bool)
    validation {
      condition     = param.p
      error_message = "x"
    }
  }
  return = 1
})",
                            "5 Invalid condition result", "param.p"},
                      Fault{"ConditionOfAVariadicParameterIsAboutTheList",
                            R"(function "f" {
  parameter "p" {
    type     = number
    variadic = true
    validation {
      condition     = param.p > 0
      error_message = "x"
    }
  }
  return = 1
})",
                            "6 Invalid operand", "param.p"},
                      Fault{"MessageThatIsAList",
                            R"(function "f" {
  parameter "p" {
    validation {
      condition     = param.p != null
      error_message = ["x"]
    }
  }
  return = 1
})",
                            "5 Invalid error message", "[\"x\"]"},
                      Fault{"MessageThatIsNull",
                            R"(function "f" {
  parameter "p" {
    validation {
      condition     = param.p != null
      error_message = null
    }
  }
  return = 1
})",
                            "5 Invalid error message", "null"},
                      Fault{"AttributeThatATypeDoesNotHave",
                            R"(typedef "t" { type = object({ a = optional(number, 1) }) }
function "f" {
  parameter "x" { type = symbols::t() }
  return = param.x.nope
})",
                            "4 Unsupported attribute", ".nope"},
                      Fault{"AttributeInsideALoop",
                            R"(function "f" {
  parameter "x" { type = list(object({ a = number })) }
  return = param.x[0].b
})",
                            "3 Unsupported attribute", ".b"},
                      Fault{"LocalThatNobodyNeeds",
                            R"(function "f" {
  locals {
    unused = tonumber("x")
  }
  return = 1
})",
                            "3 Invalid function argument", "x"},
                      Fault{"ArgumentOfABuiltInFunction",
                            R"(function "f" {
  parameter "x" { type = list(string) }
  return = upper(param.x)
})",
                            "3 Invalid function argument", "param.x"},
                      Fault{"ArgumentOfAnotherFunction",
                            R"(function "f" {
  return = symbols::g([])
}
function "g" {
  parameter "x" { type = number }
  return = param.x
})",
                            "2 Invalid function argument", "["},
                      Fault{"ArgumentThatAnotherFunctionRefuses",
                            R"(function "f" {
  return = symbols::g(0)
}
function "g" {
  parameter "x" {
    type = number
    validation {
      condition     = param.x > 0
      error_message = "Too small."
    }
  }
  return = param.x
})",
                            "2 Invalid function argument", "0"}),
    [](const auto& each) { return each.param.name; });

class SymbolCheck : public SymbolFixture {};

TEST_F(SymbolCheck, AFaultIsNotRepeatedByWhatUsesTheFunction) {
  load_library(R"(function "f" {
  type   = number
  return = "abc"
}
function "g" {
  return = symbols::f() + 1
}
values {
  v = symbols::g()
}
)");
  EXPECT_THAT(problems(), ElementsAre("lib/main.sym.hcl:3 Invalid function result"));
}

TEST_F(SymbolCheck, EveryFaultOfAFunctionIsReported) {
  load_library(R"(function "f" {
  type = number
  parameter "p" {
    type = string
    validation {
      condition     = [param.p]
      error_message = {}
    }
  }
  locals {
    one = param.p.a
    two = local.one + 1
  }
  return = {}
}
)");
  EXPECT_THAT(problems(), ElementsAre("lib/main.sym.hcl:11 Unsupported attribute",
                                      "lib/main.sym.hcl:14 Invalid function result",
                                      "lib/main.sym.hcl:6 Invalid condition result",
                                      "lib/main.sym.hcl:7 Invalid error message"));
}

TEST_F(SymbolCheck, WhatSomeArgumentsAllowIsNoFault) {
  load_library(
      R"(typedef "t" { type = object({ a = optional(number), b = optional(list(string), []) }) }
function "first" {
  type = string
  parameter "xs" { type = list(string) }
  return = length(param.xs) == 0 ? null : param.xs[0]
}
function "given" {
  parameter "t" { type = symbols::t() }
  return = param.t == null ? "none" : "${coalesce(param.t.a, 0)} ${join(",", param.t.b)}"
}
function "number" {
  type = number
  parameter "x" { type = string }
  return = param.x
}
function "anything" {
  parameter "x" {}
  return = try(param.x.a.b[0], [for each in param.x : each.name], "none")
}
function "rest" {
  parameter "xs" { variadic = true }
  return = [for x in param.xs : x.name]
}
function "never" {
  parameter "x" {
    validation {
      condition     = false
      error_message = "This function was removed. Use symbols::lib::first."
    }
  }
  return = param.x
}
function "strict" {
  parameter "x" {
    allow_null    = false
    allow_unknown = false
  }
  return = param.x == null ? tonumber("x") : 1
}
)");
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_EQ(json("symbols::lib::first([])"), "null");
  EXPECT_EQ(json("symbols::lib::number(\"12\")"), "12");
  EXPECT_EQ(json("symbols::lib::number(\"x\")"), "!");
}

TEST_F(SymbolCheck, AMessageWithASecretOfTheLibraryIsAWarning) {
  load_library(R"(values {
  secret = sensitive("hunter2")
}
function "f" {
  parameter "p" {
    validation {
      condition     = param.p != value.secret
      error_message = "It must not be ${value.secret}."
    }
  }
  return = 1
}
)");
  EXPECT_THAT(problems(),
              ElementsAre("lib/main.sym.hcl:8 Error message refers to sensitive values"));
  EXPECT_FALSE(diags_.has_errors());
}

TEST_F(SymbolCheck, AnImportedFunctionIsCheckedInItsOwnLibrary) {
  write("lib/main.sym.hcl",
        "symbols \"base\" {\n  source = \"../base\"\n}\nfunction \"f\" {\n  parameter \"p\" {}\n"
        "  return = symbols::base::g(param.p)\n}\n");
  write("base/main.sym.hcl",
        "function \"g\" {\n  type = bool\n  parameter \"p\" {}\n  return = [param.p]\n}\n");
  load("symbols \"lib\" {\n  source = \"./lib\"\n}\n");
  EXPECT_THAT(problems(), ElementsAre("base/main.sym.hcl:4 Invalid function result"));
}

// Each function calls the one before as often as `call` says, with %n for its number.
std::string chain(int count, std::string_view first, std::string_view call) {
  std::string library =
      fmt::format("function \"f0\" {{\n  parameter \"p\" {{}}\n  return = {}\n}}\n", first);
  for (int i = 1; i < count; ++i) {
    std::string text(call);
    for (std::size_t at = text.find("%n"); at != std::string::npos; at = text.find("%n")) {
      text.replace(at, 2, std::to_string(i - 1));
    }
    library +=
        fmt::format("function \"f{}\" {{\n  parameter \"p\" {{}}\n  return = {}\n}}\n", i, text);
  }
  return library;
}

TEST_F(SymbolCheck, FunctionsThatCallTheOneBeforeTwiceAreNoTrouble) {
  load_library(chain(40, "param.p", "symbols::f%n(param.p) + symbols::f%n(param.p)"));
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_EQ(json("symbols::lib::f39(1)"), "549755813888");
  EXPECT_EQ(json("symbols::lib::f39(2)"), "1099511627776");
}

TEST_F(SymbolCheck, ArgumentsThatAreMadeAnewAreTheSameArguments) {
  load_library(
      chain(40, "param.p.x", "symbols::f%n({ x = param.p.x }) + symbols::f%n({ x = param.p.x })"));
  EXPECT_EQ(json("symbols::lib::f39({ x = 1 })"), "549755813888");
}

TEST_F(SymbolCheck, FailuresAreKeptLikeResults) {
  load_library(chain(40, "tonumber(param.p)",
                     "try(symbols::f%n(param.p), symbols::f%n(param.p), \"none\")"));
  EXPECT_EQ(json("symbols::lib::f39(\"x\")"), "\"none\"");
}

TEST_F(SymbolCheck, ArgumentsWithOtherMarksAreOtherArguments) {
  load_library(chain(3, "issensitive(param.p)", "[symbols::f%n(param.p), param.p]"));
  EXPECT_EQ(json("symbols::lib::f2(1)"), "[[false,1],1]");
  EXPECT_EQ(json("symbols::lib::f2(sensitive(1))"), "[[true,1],1]");
  EXPECT_EQ(json("symbols::lib::f2(1)"), "[[false,1],1]");
  EXPECT_EQ(json("symbols::lib::f2(\"1\")"), "[[false,\"1\"],\"1\"]");
}

TEST_F(SymbolCheck, CallsThatMultiplyWithoutEndAreRefused) {
  load_library(chain(40, "param.p",
                     "length(symbols::f%n(\"a${param.p}\")) > 0 ? symbols::f%n(\"b${param.p}\") : "
                     "\"\""));
  EXPECT_EQ(json("symbols::lib::f39(\"x\")"), "!");
  ASSERT_THAT(problems(), ElementsAre("expression:1 Error in function call"));
  EXPECT_THAT(detail(), HasSubstr(symbols::LibraryCalls::too_many_calls()));
}

TEST_F(SymbolCheck, TryDoesNotHideThatThereWereTooManyCalls) {
  load_library(
      chain(40, "param.p",
            "try([symbols::f%n(\"a${param.p}\"), symbols::f%n(\"b${param.p}\")][1], \"none\")"));
  EXPECT_EQ(json("symbols::lib::f39(\"x\")"), "!");
  EXPECT_THAT(detail(), HasSubstr(symbols::LibraryCalls::too_many_calls()));
}

TEST_F(SymbolCheck, TooManyCallsInAValueAreReportedOnce) {
  load_library(chain(40, "param.p",
                     "try([symbols::f%n(\"a${param.p}\"), symbols::f%n(\"b${param.p}\")][1], 0)") +
               "values {\n  v = try(symbols::f39(\"x\"), 0)\n  w = symbols::f39(value.v)\n}\n");
  ASSERT_THAT(problems(), ElementsAre(HasSubstr("Too many function calls")));
  EXPECT_THAT(detail(), HasSubstr("value.v"));
}

}  // namespace
}  // namespace tofu::config

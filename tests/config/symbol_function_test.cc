#include "tests/config/symbol_fixture.h"

namespace tofu::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using value::Value;

constexpr const char* kLibrary = R"(
function "add" {
  description = "Adds two numbers."
  type        = number
  parameter "a" {
    description = "first"
    type        = number
  }
  parameter "b" {
    type = number
  }
  return = param.a + param.b
}
function "divide" {
  parameter "a" { type = number }
  parameter "b" {
    type = number
    validation {
      condition     = param.b != 0
      error_message = "Cannot divide ${param.a} by zero."
    }
  }
  return = param.a / param.b
}
function "greet" {
  type = list(string)
  parameter "prefix" { type = string }
  parameter "names" {
    type     = string
    variadic = true
  }
  locals {
    messages = [for each in param.names : "${local.start}${each}!"]
    start    = "${param.prefix} "
    unused   = tonumber(param.prefix)
  }
  return = local.messages
}
typedef "size" {
  type = object({ cpus = number, memory = optional(number, 1024), disk = optional(string) })
}
typedef "sizes" {
  type = map(symbols::size())
}
function "memory" {
  parameter "size" { type = symbols::size() }
  return = param.size.memory
}
function "total" {
  parameter "sizes" { type = symbols::sizes() }
  return = symbols::sum_all([for each in param.sizes : symbols::memory(each)])
}
function "sum_all" {
  parameter "xs" { type = list(number) }
  return = sum(param.xs)
}
function "filled" {
  type = symbols::size()
  return = { cpus = "2" }
}
function "constant" {
  type = number
  parameter "p" {}
  return = 42
}
function "identity" {
  parameter "p" {}
  return = param.p
}
function "strict" {
  parameter "p" {
    type          = string
    allow_null    = false
    allow_unknown = false
  }
  return = "constant"
}
function "rest" {
  parameter "xs" {
    type     = any
    variadic = true
  }
  return = param.xs
}
function "short" {
  parameter "xs" {
    type     = string
    variadic = true
    validation {
      condition     = length(param.xs) < 3
      error_message = "Too many."
    }
  }
  return = length(param.xs)
}
function "secretive" {
  parameter "p" {
    validation {
      condition     = param.p == ""
      error_message = "Not ${param.p}"
    }
  }
  return = param.p
}
function "undecided" {
  parameter "p" {
    validation {
      condition     = param.p
      error_message = "x"
    }
  }
  return = 1
}
function "wrong" {
  type = number
  parameter "p" {}
  return = param.p
}
function "outer" {
  parameter "p" {}
  return = symbols::divide(1, param.p)
}
function "first" {
  parameter "p" {}
  return = param.p.missing
}
function "second" {
  parameter "p" {}
  return = symbols::first(param.p)
}
function "third" {
  parameter "p" {}
  return = [symbols::second(param.p)]
}
)";

class SymbolFunction : public SymbolFixture {
 protected:
  void SetUp() override { load_library(kLibrary); }

  // The result of calling `name` with values that no expression can write down.
  syntax::CallResult<Value> call(std::string_view name, std::vector<Value> arguments) {
    return syntax::call(*table_->function("symbols::lib::" + std::string(name)), arguments);
  }
};

struct Case {
  const char* expression;
  const char* result;
};

TEST_F(SymbolFunction, GivesWhatItsExpressionSays) {
  const Case cases[] = {
      {"symbols::lib::add(2, 4)", "6"},
      {"symbols::lib::add(\"2\", 4)", "6"},
      {"symbols::lib::divide(4, 2)", "2"},
      {"symbols::lib::greet(\"hello\", \"you\", \"me\")", "[\"hello you!\",\"hello me!\"]"},
      {"symbols::lib::greet(\"hello\")", "[]"},
      {"symbols::lib::greet(\"hello\", [\"a\", \"b\"]...)", "[\"hello a!\",\"hello b!\"]"},
      {"symbols::lib::memory({ cpus = 1 })", "1024"},
      {"symbols::lib::memory({ cpus = 1, memory = null })", "1024"},
      {"symbols::lib::memory({ cpus = 1, memory = \"5\" })", "5"},
      {"symbols::lib::total({ a = { cpus = 1 }, b = { cpus = 1, memory = 1 } })", "1025"},
      {"symbols::lib::filled()", R"({"cpus":2,"disk":null,"memory":1024})"},
      {"symbols::lib::rest()", "[]"},
      {"symbols::lib::rest(1, \"a\")", "[1,\"a\"]"},
      {"symbols::lib::rest(null, 1)", "[null,1]"},
      {"symbols::lib::identity({ a = [1] }).a[0]", "1"},
      {"[for x in [1, 2] : symbols::lib::add(x, x)]", "[2,4]"},
      {"try(symbols::lib::divide(1, 0), \"no\")", "\"no\""},
      {"can(symbols::lib::nothing())", "false"},
  };
  ASSERT_THAT(problems(), IsEmpty());
  for (const Case& each : cases) EXPECT_EQ(json(each.expression), each.result) << each.expression;
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(SymbolFunction, HasTheTypeThatItDeclares) {
  EXPECT_EQ(evaluate("symbols::lib::greet(\"x\", \"y\")")->type(),
            value::Type::list(value::Type::string()));
  EXPECT_EQ(evaluate("symbols::lib::rest(1, 2)")->type(), value::Type::list(value::Type::number()));
  EXPECT_EQ(evaluate("symbols::lib::identity([1])")->type().kind(), value::TypeKind::Tuple);
}

TEST_F(SymbolFunction, ShowsItsSignature) {
  const syntax::Function& add = *table_->function("symbols::lib::add");
  EXPECT_EQ(add.description, "Adds two numbers.");
  ASSERT_EQ(add.parameters.size(), 2U);
  EXPECT_EQ(add.parameters[0].name, "a");
  EXPECT_EQ(add.parameters[0].description, "first");
  EXPECT_EQ(add.parameters[0].type, value::Type::number());
  EXPECT_FALSE(add.variadic);
  EXPECT_EQ(table_->function("symbols::lib::greet")->variadic->name, "names");
}

TEST_F(SymbolFunction, AFailingRuleShowsItsMessageAndBothPlaces) {
  EXPECT_EQ(json("[symbols::lib::divide(7, 0)]"), "!");

  ASSERT_THAT(problems(), ElementsAre("expression:1 Invalid function argument"));
  EXPECT_EQ(subject(), "0");
  EXPECT_THAT(detail(),
              AllOf(HasSubstr("Invalid value for \"b\" parameter: Cannot divide 7 by zero."),
                    HasSubstr("lib/main.sym.hcl:18")));
}

TEST_F(SymbolFunction, ARuleOfAVariadicParameterSeesAllArguments) {
  EXPECT_EQ(json("symbols::lib::short(\"a\", \"b\")"), "2");
  EXPECT_EQ(json("symbols::lib::short(\"a\", \"b\", \"c\")"), "!");
  EXPECT_THAT(detail(), HasSubstr("Too many."));
}

TEST_F(SymbolFunction, AFailureInsideTellsTheInnerPlace) {
  EXPECT_EQ(json("symbols::lib::outer(0)"), "!");
  ASSERT_THAT(problems(), ElementsAre("expression:1 Error in function call"));
  EXPECT_EQ(detail(),
            "Call to function symbols::lib::outer failed: Invalid function argument: Invalid value "
            "for \"b\" parameter: Cannot divide 1 by zero.\n\nThis was checked by the validation "
            "rule at lib/main.sym.hcl:18.\n    at lib/main.sym.hcl:121, in function \"outer\"");
}

TEST_F(SymbolFunction, AFailureBelowOthersHasALineForEachCall) {
  EXPECT_EQ(json("symbols::lib::third({})"), "!");
  ASSERT_THAT(problems(), ElementsAre("expression:1 Error in function call"));
  EXPECT_THAT(detail(), HasSubstr("\n    at lib/main.sym.hcl:125, in function \"first\"\n"
                                  "    at lib/main.sym.hcl:129, in function \"second\"\n"
                                  "    at lib/main.sym.hcl:133, in function \"third\""));
  EXPECT_THAT(detail(), Not(HasSubstr("Error in function call")));
}

TEST_F(SymbolFunction, WrongArgumentsAreErrorsAtTheCall) {
  const Case cases[] = {
      {"symbols::lib::add(1)", "Not enough function arguments"},
      {"symbols::lib::add(1, 2, 3)", "Too many function arguments"},
      {"symbols::lib::add(1, \"x\")", "Invalid function argument"},
      {"symbols::lib::memory({ memory = 1 })", "Invalid function argument"},
      {"symbols::lib::strict(null)", "Invalid function argument"},
      {"symbols::lib::undecided(null)", "Error in function call"},
      {"symbols::lib::undecided([])", "Error in function call"},
      {"symbols::lib::wrong(\"x\")", "Error in function call"},
      {"symbols::lib::ad(1, 2)", "Reference to undefined function"},
      {"symbols::lib::size()", "Reference to undefined function"},
      {"symbols::add(1, 2)", "Reference to undefined function"},
      {"symbols::lib::add::more(1)", "Reference to undefined function"},
      {"symbols::nolib::add(1, 2)", "Reference to undefined symbol library"},
  };
  for (const Case& each : cases) {
    diags_.clear();
    EXPECT_EQ(json(each.expression), "!") << each.expression;
    EXPECT_THAT(problems(), ElementsAre("expression:1 " + std::string(each.result)))
        << each.expression;
  }
}

TEST_F(SymbolFunction, UnknownArgumentsGoThroughTheExpression) {
  const Value unknown = Value::unknown(value::Type::number());
  EXPECT_TRUE(call("add", {unknown, Value::integer(1)})->is_unknown());
  EXPECT_TRUE(call("divide", {Value::integer(1), unknown})->is_unknown());
  EXPECT_EQ(call("constant", {Value::unknown()})->plain().as_number(), value::Number(42));
  EXPECT_TRUE(call("strict", {Value::unknown(value::Type::string())})->is_unknown());
}

TEST_F(SymbolFunction, NullArgumentsGoThroughUnlessForbidden) {
  EXPECT_TRUE(call("identity", {Value::null()})->is_null());
  EXPECT_EQ(call("constant", {Value::null()})->plain().as_number(), value::Number(42));
  EXPECT_FALSE(call("strict", {Value::null(value::Type::string())}));
}

TEST_F(SymbolFunction, MarksGoThrough) {
  const value::Marks old = value::Marks::deprecated({"module.x.y", "use z", false});
  for (const value::Marks marks : {value::Marks::sensitive(), value::Marks::ephemeral(), old}) {
    const auto sum = call("add", {Value::integer(1).with_marks(marks), Value::integer(2)});
    ASSERT_TRUE(sum);
    EXPECT_EQ(sum->marks(), marks);
    EXPECT_EQ(sum->unmarked().as_number(), value::Number(3));
  }
}

TEST_F(SymbolFunction, AMessageWithASecretIsNotShown) {
  EXPECT_EQ(json("symbols::lib::secretive(sensitive(\"hunter2\"))"), "!");
  EXPECT_THAT(detail(), AllOf(HasSubstr("sensitive values"), Not(HasSubstr("hunter2"))));
}

}  // namespace
}  // namespace tofu::config

#include "tests/config/symbol_fixture.h"

namespace tofu::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SymbolLibrary : public SymbolFixture {};

TEST_F(SymbolLibrary, ValuesMayUseEachOtherInAnyOrderAndFile) {
  write("lib/a.sym.hcl", "values {\n  shout = upper(value.word)\n}\nvalues {\n  n = 1\n}\n");
  write("lib/b.sym.hcl", "values {\n  word = \"hi\"\n  all = [value.shout, value.n]\n}\n");
  load("symbols \"lib\" {\n  source = \"./lib\"\n}\n");

  EXPECT_EQ(json("symbols.lib.shout"), "\"HI\"");
  EXPECT_EQ(json("symbols.lib.all[1]"), "1");
  EXPECT_EQ(json("symbols.lib"), R"({"all":["HI",1],"n":1,"shout":"HI","word":"hi"})");
  EXPECT_EQ(json("symbols.lib[\"n\"]"), "1");
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(SymbolLibrary, ASingleFileIsALibrary) {
  write("serverless.tfsym.hcl", "values {\n  some_value = 3\n}\n");
  load("symbols \"serverless\" {\n  source = \"./serverless.tfsym.hcl\"\n}\n");

  EXPECT_EQ(json("symbols.serverless.some_value"), "3");
}

TEST_F(SymbolLibrary, JsonSaysTheSameAsNativeSyntax) {
  write("lib/main.sym.hcl.json", R"json({
    "typedef": {"pair": {"type": "object({ a = string, b = optional(number, 2) })"},
                "pairs": {"type": "list(symbols::pair())"}},
    "values": {"greeting": "hello", "loud": "${upper(value.greeting)}!"},
    "function": {"add": {
      "type": "number",
      "parameter": [{"a": {"type": "number"}}, {"b": {"type": "symbols::pair()"}}],
      "locals": {"second": "${param.b.b}"},
      "return": "${param.a + local.second}"
    }}
  })json");
  load("symbols \"lib\" {\n  source = \"./lib\"\n}\n");

  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_EQ(json("symbols.lib.loud"), "\"HELLO!\"");
  EXPECT_EQ(json("symbols::lib::add(1, { a = \"x\" })"), "3");
}

TEST_F(SymbolLibrary, AnEditionMayBeNamedIfItIsKnown) {
  load_library("language {\n  edition = experimental2026\n}\n");
  EXPECT_THAT(problems(), IsEmpty());

  write("other/main.sym.hcl", "language {\n  edition = \"tofu1984\"\n}\n");
  load("symbols \"other\" {\n  source = \"./other\"\n}\n");
  EXPECT_THAT(problems(), ElementsAre("other/main.sym.hcl:2 Unsupported language edition"));
}

TEST_F(SymbolLibrary, NamesOfEverythingCanBeListed) {
  load_library(
      "values {\n  b = 1\n  a = 2\n}\ntypedef \"t\" {\n  type = string\n}\n"
      "function \"f\" {\n  return = 1\n}\n");

  EXPECT_THAT(table_->value_names(), ElementsAre("symbols.lib.a", "symbols.lib.b"));
  EXPECT_THAT(table_->type_names(), ElementsAre("symbols::lib::t"));
  EXPECT_THAT(table_->function_names(), ElementsAre("symbols::lib::f"));
}

TEST_F(SymbolLibrary, OnlyFilesOfLibrariesAreChosen) {
  const std::vector<std::string> names{"b.sym.hcl",  "a.sym.hcl.json", "main.tf", ".x.sym.hcl",
                                       "b.sym.hcl~", "x.tfsym.hcl",    "sym.hcl"};
  EXPECT_THAT(symbols::choose_library_files(names), ElementsAre("a.sym.hcl.json", "b.sym.hcl"));
}

struct Mistake {
  const char* name;
  const char* library;
  const char* problem;  // without the file
};

class SymbolMistake : public SymbolFixture, public ::testing::WithParamInterface<Mistake> {};

TEST_P(SymbolMistake, IsReportedOnceAtItsPlace) {
  load_library(GetParam().library);
  EXPECT_THAT(problems(), ElementsAre("lib/main.sym.hcl:" + std::string(GetParam().problem)));
}

INSTANTIATE_TEST_SUITE_P(
    ModuleBuilder, SymbolMistake,
    ::testing::Values(
        Mistake{"UnknownBlock", "values {}\nresource \"a\" \"b\" {}\n", "2 Unsupported block type"},
        Mistake{"UnknownArgument", "typedef \"t\" {\n  type = string\n  kind = 1\n}\n",
                "3 Unsupported argument"},
        Mistake{"TopLevelArgument", "x = 1\n", "1 Unsupported argument"},
        Mistake{"TypedefWithoutType", "typedef \"t\" {\n}\n", "1 Missing required argument"},
        Mistake{"FunctionWithoutReturn", "function \"f\" {\n}\n", "1 Missing required argument"},
        Mistake{"ValidationWithoutMessage",
                "function \"f\" {\n  parameter \"p\" {\n    validation {\n      condition = true\n"
                "    }\n  }\n  return = 1\n}\n",
                "3 Missing required argument"},
        Mistake{"ImportWithoutSource", "symbols \"x\" {\n}\n", "1 Missing required argument"},
        Mistake{"SecondValue", "values {\n  a = 1\n}\nvalues {\n  a = 2\n}\n", "5 Duplicate value"},
        Mistake{"SecondType",
                "typedef \"t\" {\n  type = string\n}\ntypedef \"t\" {\n  type = number\n}\n",
                "4 Duplicate type"},
        Mistake{"SecondFunction",
                "function \"f\" {\n  return = 1\n}\nfunction \"f\" {\n  return = 2\n}\n",
                "4 Duplicate function"},
        Mistake{"SecondParameter",
                "function \"f\" {\n  parameter \"p\" {}\n  parameter \"p\" {}\n  return = 1\n}\n",
                "3 Duplicate parameter"},
        Mistake{"SecondLocal",
                "function \"f\" {\n  locals {\n    a = 1\n  }\n  locals {\n    a = 2\n  }\n"
                "  return = 1\n}\n",
                "6 Duplicate local value"},
        Mistake{"TwoVariadicParameters",
                "function \"f\" {\n  parameter \"p\" {\n    variadic = true\n  }\n"
                "  parameter \"q\" {\n    variadic = true\n  }\n  return = 1\n}\n",
                "5 Multiple variadic parameters"},
        Mistake{"NameThatIsNone", "function \"1f\" {\n  return = 1\n}\n",
                "1 Invalid function name"},
        Mistake{"DescriptionThatIsComputed",
                "function \"f\" {\n  description = upper(\"x\")\n  return = 1\n}\n",
                "2 Function calls not allowed"}),
    [](const auto& each) { return each.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Binding, SymbolMistake,
    ::testing::Values(
        Mistake{"MissingValue", "values {\n  a = value.b\n}\n", "2 Invalid reference"},
        Mistake{"Variable", "values {\n  a = var.b\n}\n", "2 Invalid reference"},
        Mistake{"Resource", "values {\n  a = aws_thing.b.c\n}\n", "2 Invalid reference"},
        Mistake{"ParameterOutside", "values {\n  a = param.b\n}\n", "2 Invalid reference"},
        Mistake{"LocalOutside", "values {\n  a = local.b\n}\n", "2 Invalid reference"},
        Mistake{"OwnValueAsSymbol", "values {\n  a = 1\n  b = symbols.a\n}\n",
                "3 Invalid reference"},
        Mistake{"MissingParameter", "function \"f\" {\n  return = param.p\n}\n",
                "2 Invalid reference"},
        Mistake{"MissingLocal", "function \"f\" {\n  return = local.p\n}\n", "2 Invalid reference"},
        Mistake{"LocalInValidation",
                "function \"f\" {\n  parameter \"p\" {\n    validation {\n"
                "      condition = local.a\n      error_message = \"x\"\n    }\n  }\n"
                "  locals {\n    a = true\n  }\n  return = 1\n}\n",
                "4 Invalid reference"},
        Mistake{"BareRoot", "values {\n  a = value\n}\n", "2 Invalid reference"},
        Mistake{"MissingLibrary", "values {\n  a = symbols.foo.magic\n}\n",
                "2 Reference to undefined symbol library"},
        Mistake{"FunctionOfMissingLibrary", "values {\n  a = symbols::foo::f()\n}\n",
                "2 Reference to undefined symbol library"},
        Mistake{"MissingFunction", "values {\n  a = symbols::f()\n}\n",
                "2 Reference to undefined function"},
        Mistake{"TypeAsFunction",
                "typedef \"t\" {\n  type = string\n}\nvalues {\n  a = symbols::t()\n}\n",
                "5 Reference to undefined function"},
        Mistake{"MissingType", "typedef \"t\" {\n  type = list(symbols::u())\n}\n",
                "2 Reference to undefined type"},
        Mistake{"TypeWithArguments",
                "typedef \"u\" {\n  type = string\n}\ntypedef \"t\" {\n  type = symbols::u(1)\n}\n",
                "5 Invalid type"},
        Mistake{"UnknownBuiltin", "values {\n  a = uper(\"x\")\n}\n", "2 Call to unknown function"},
        Mistake{"FunctionOfProvider", "values {\n  a = provider::aws::f()\n}\n",
                "2 Function not allowed in a symbol library"},
        Mistake{"TooFewArgumentsInUncalledFunction",
                "function \"f\" {\n  parameter \"p\" {}\n  return = 1\n}\n"
                "function \"g\" {\n  return = symbols::f()\n}\n",
                "6 Not enough function arguments"},
        Mistake{"TooManyArgumentsForBuiltin", "values {\n  a = upper(\"x\", \"y\")\n}\n",
                "2 Too many function arguments"},
        Mistake{"ValueThatFails", "values {\n  a = tonumber(\"x\")\n  b = value.a + 1\n}\n",
                "2 Invalid function argument"}),
    [](const auto& each) { return each.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Cycle, SymbolMistake,
    ::testing::Values(
        Mistake{"OfOneValue", "values {\n  x = value.x\n}\n", "2 Circular reference"},
        Mistake{"OfValues", "values {\n  x = value.y\n  y = value.x\n}\n", "2 Circular reference"},
        Mistake{"OfTypes",
                "typedef \"a\" {\n  type = list(symbols::b())\n}\n"
                "typedef \"b\" {\n  type = object({ x = symbols::a() })\n}\n",
                "1 Circular reference"},
        Mistake{"OfFunctions",
                "function \"f\" {\n  return = symbols::g()\n}\n"
                "function \"g\" {\n  return = symbols::f()\n}\n"
                "values {\n  a = symbols::f()\n}\n",
                "1 Circular reference"},
        Mistake{"ThroughAValidation",
                "function \"f\" {\n  parameter \"p\" {\n    validation {\n"
                "      condition = symbols::f(param.p)\n      error_message = \"x\"\n"
                "    }\n  }\n  return = 1\n}\n",
                "1 Circular reference"},
        Mistake{"OfLocals",
                "function \"f\" {\n  locals {\n    a = local.b\n    b = local.a\n"
                "  }\n  return = local.a\n}\n",
                "3 Circular reference"},
        Mistake{"OfImports", "symbols \"me\" {\n  source = \"./\"\n}\n", "2 Symbol library cycle"}),
    [](const auto& each) { return each.param.name; });

TEST_F(SymbolLibrary, ACycleIsShownWhole) {
  load_library(
      "values {\n  a = symbols::f()\n  b = value.a\n}\nfunction \"f\" {\n  return = value.b\n}\n");
  EXPECT_THAT(detail(), HasSubstr("value.a uses symbols::f() uses value.b uses value.a."));
}

TEST_F(SymbolLibrary, CyclesThatCrossAreCutBeforeAnythingIsComputed) {
  load_library(
      "values {\n  w = symbols::g()\n  v = symbols::f()\n}\n"
      "function \"g\" {\n  return = [symbols::h(), symbols::f(), symbols::k()]\n}\n"
      "function \"h\" {\n  return = symbols::g()\n}\n"
      "function \"f\" {\n  return = symbols::g()\n}\n"
      "function \"k\" {\n  return = value.v\n}\n");
  EXPECT_THAT(problems(), ElementsAre("lib/main.sym.hcl:5 Circular reference"));
  EXPECT_EQ(json("symbols.lib.v"), "?");
}

TEST_F(SymbolLibrary, ImportsThatLeadBackAreShownWhole) {
  write("a/x.sym.hcl", "symbols \"b\" {\n  source = \"../b\"\n}\nvalues {\n  x = symbols.b.x\n}\n");
  write("b/x.sym.hcl", "symbols \"a\" {\n  source = \"../a\"\n}\nvalues {\n  x = symbols.a.x\n}\n");
  load("symbols \"a\" {\n  source = \"./a\"\n}\n");

  EXPECT_THAT(problems(), ElementsAre("a/x.sym.hcl:2 Symbol library cycle"));
  EXPECT_THAT(detail(), HasSubstr("a imports b imports a."));
  EXPECT_EQ(json("symbols.a.x"), "?");
}

TEST_F(SymbolLibrary, EveryMistakeIsReportedInOneRun) {
  load_library(
      "values {\n  a = value.b\n  c = uuid()\n}\ntypedef \"t\" {\n  type = strnig\n}\n"
      "function \"f\" {\n  parameter \"p\" {\n    type = lst(string)\n  }\n  return = "
      "param.q\n}\n");
  EXPECT_THAT(problems(), ElementsAre("lib/main.sym.hcl:10 Invalid type specification",
                                      "lib/main.sym.hcl:12 Invalid reference",
                                      "lib/main.sym.hcl:2 Invalid reference",
                                      "lib/main.sym.hcl:3 Function not allowed in a symbol library",
                                      "lib/main.sym.hcl:6 Invalid type specification"));
  EXPECT_EQ(diags_.items()[0].in, "typedef \"t\"");
}

TEST_F(SymbolLibrary, WhatDependsOnMoreThanArgumentsIsRefused) {
  std::string library = "values {\n";
  int count = 0;
  for (const char* call :
       {"abspath(\".\")", "bcrypt(\"x\")", "file(\"x\")", "filebase64(\"x\")",
        "filebase64sha256(\"x\")", "filebase64sha512(\"x\")", "fileexists(\"x\")", "filemd5(\"x\")",
        "fileset(\".\", \"*\")", "filesha1(\"x\")", "filesha256(\"x\")", "filesha512(\"x\")",
        "pathexpand(\"~\")", "plantimestamp()", "templatefile(\"x\", {})", "timestamp()", "uuid()",
        "core::timestamp()"}) {
    library += fmt::format("  v{} = {}\n", count++, call);
  }
  load_library(library + "}\n");

  ASSERT_EQ(diags_.size(), static_cast<std::size_t>(count));
  for (const diag::Diagnostic& each : diags_.items()) {
    EXPECT_EQ(each.summary, "Function not allowed in a symbol library");
  }
}

TEST_F(SymbolLibrary, TemplatesInsideALibraryCannotReadFilesEither) {
  load_library(
      "function \"f\" {\n  parameter \"t\" {}\n  return = templatestring(param.t, {})\n}\n");

  EXPECT_EQ(json("symbols::lib::f(\"a$${upper(\\\"b\\\")}\")"), "\"aB\"");
  EXPECT_EQ(json("symbols::lib::f(\"$${file(\\\"main.tf\\\")}\")"), "!");
  EXPECT_EQ(json("symbols::lib::f(\"$${templatefile(\\\"main.tf\\\", {})}\")"), "!");
}

TEST_F(SymbolLibrary, LongChainsOfValuesAreNoTrouble) {
  std::string library = "values {\n  v0 = 1\n";
  for (int i = 1; i < 60'000; ++i) library += fmt::format("  v{} = value.v{}\n", i, i - 1);
  load_library(library + "}\n");
  EXPECT_EQ(json("symbols.lib.v59999"), "1");
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(SymbolLibrary, LongChainsOfLocalsAreNoTrouble) {
  std::string library = "function \"f\" {\n  parameter \"p\" {}\n  locals {\n    l0 = param.p\n";
  for (int i = 1; i < 60'000; ++i) library += fmt::format("    l{} = local.l{}\n", i, i - 1);
  load_library(library + "  }\n  return = local.l59999\n}\n");
  EXPECT_EQ(json("symbols::lib::f(7)"), "7");
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(SymbolLibrary, CallsThatAreNestedTooDeepAreRefused) {
  std::string library = "function \"f0\" {\n  return = 1\n}\n";
  for (int i = 1; i < 1'000; ++i) {
    library += fmt::format("function \"f{}\" {{\n  return = symbols::f{}()\n}}\n", i, i - 1);
  }
  load_library(library + "values {\n  few = symbols::f50()\n  many = symbols::f999()\n}\n");

  ASSERT_THAT(problems(), ElementsAre(HasSubstr("Function calls nested too deeply")));
  EXPECT_EQ(json("symbols.lib.few"), "1");
}

TEST_F(SymbolLibrary, TypesThatMultiplyAreRefused) {
  std::string library = "typedef \"t0\" {\n  type = string\n}\n";
  for (int i = 1; i < 20; ++i) {
    library += fmt::format(
        "typedef \"t{0}\" {{\n  type = tuple([symbols::t{1}(), symbols::t{1}()])\n}}\n", i, i - 1);
  }
  load_library(library);
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("Type too large")));
}

}  // namespace
}  // namespace tofu::config

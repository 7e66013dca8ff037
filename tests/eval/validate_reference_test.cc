#include <gmock/gmock.h>

#include "tests/eval/in_memory.h"

namespace tofu::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using ValidateReference = InMemory;

TEST_F(ValidateReference, NamesHaveToBeDeclared) {
  EXPECT_THAT(problems_of("locals {\n"
                          "  a = var.no\n"
                          "  b = local.no\n"
                          "  c = module.no.out\n"
                          "  d = terraform_data.no.id\n"
                          "  e = data.terraform_remote_state.no.outputs\n"
                          "  f = path.no\n"
                          "  g = terraform.no\n"
                          "  h = count.index\n"
                          "  i = each.key\n"
                          "  j = self.id\n"
                          "}\n"),
              ElementsAre("main.tf:10 Reference to \"each\" in context without for_each",
                          "main.tf:11 Invalid \"self\" reference",
                          "main.tf:2 Reference to undeclared input variable",
                          "main.tf:3 Reference to undeclared local value",
                          "main.tf:4 Reference to undeclared module",
                          "main.tf:5 Reference to undeclared resource",
                          "main.tf:6 Reference to undeclared resource",
                          "main.tf:7 Invalid \"path\" attribute", "main.tf:8 Invalid reference",
                          "main.tf:9 Reference to \"count\" in non-counted context"));
}

TEST_F(ValidateReference, ANearNameIsSuggested) {
  problems_of("variable \"region\" {}\nlocals {\n  a = var.regoin\n}\n");

  EXPECT_THAT(diags_.items()[0].detail, HasSubstr("Did you mean \"region\"?"));
}

TEST_F(ValidateReference, OnlyTheFirstOfManyMistakesGetSuggestions) {
  std::string text = "variable \"region\" {}\nlocals {\n";
  for (int i = 0; i < 200; ++i) text += fmt::format("  l{} = var.regoin\n", i);
  problems_of(text + "}\n");

  EXPECT_THAT(diags_.items().front().detail, HasSubstr("Did you mean \"region\"?"));
  EXPECT_EQ(diags_.size(), 200U);
  EXPECT_THAT(diags_.items().back().detail, ::testing::Not(HasSubstr("Did you mean")));
}

TEST_F(ValidateReference, AMissingDataPrefixIsSuggested) {
  problems_of(
      "data \"terraform_remote_state\" \"a\" {\n  backend = \"local\"\n}\n"
      "locals {\n  a = terraform_remote_state.a.outputs\n}\n");

  EXPECT_THAT(diags_.items()[0].detail, HasSubstr("Did you mean data.terraform_remote_state.a?"));
}

TEST_F(ValidateReference, EveryOccurrenceIsReported) {
  EXPECT_THAT(problems_of("locals {\n  a = [var.no,\n    var.no]\n}\n"),
              ElementsAre("main.tf:2 Reference to undeclared input variable",
                          "main.tf:3 Reference to undeclared input variable"));
}

TEST_F(ValidateReference, TryDoesNotHideANameThatDoesNotExist) {
  EXPECT_THAT(problems_of("locals {\n  a = try(local.no, 1)\n}\n"),
              ElementsAre("main.tf:2 Reference to undeclared local value"));
}

TEST_F(ValidateReference, WhatWaitsForAMistakeIsPassedOver) {
  EXPECT_THAT(problems_of("locals {\n  a = var.no\n  b = local.a + nothing()\n}\n"
                          "output \"o\" {\n  value = local.b\n}\n"),
              ElementsAre("main.tf:2 Reference to undeclared input variable"));
}

TEST_F(ValidateReference, AttributesOfAResourceHaveToBeInItsSchema) {
  EXPECT_THAT(
      problems_of("resource \"terraform_data\" \"a\" {}\n"
                  "output \"o\" {\n  value = terraform_data.a.no\n}\n"
                  "output \"p\" {\n  value = terraform_data.a[\"id\"]\n}\n"
                  "output \"q\" {\n  value = terraform_data.a.id\n}\n"),
      ElementsAre("main.tf:3 Unsupported attribute", "main.tf:6 Unexpected resource instance key"));
}

TEST_F(ValidateReference, InstancesNeedAKeyWhereThereAreSeveral) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n  count = 2\n}\n"
                          "resource \"terraform_data\" \"b\" {}\n"
                          "locals {\n"
                          "  a = terraform_data.a.id\n"
                          "  b = terraform_data.b[0].id\n"
                          "  c = terraform_data.a[0].id\n"
                          "  d = terraform_data.a[*].id\n"
                          "}\n"),
              ElementsAre("main.tf:6 Missing resource instance key",
                          "main.tf:7 Unexpected resource instance key"));
}

TEST_F(ValidateReference, ADataSourceOfACheckIsSeenOnlyThere) {
  EXPECT_THAT(
      problems_of("check \"c\" {\n"
                  "  data \"terraform_remote_state\" \"d\" {\n    backend = \"local\"\n  }\n"
                  "  assert {\n"
                  "    condition = data.terraform_remote_state.d.outputs != null\n"
                  "    error_message = \"no\"\n"
                  "  }\n"
                  "}\n"
                  "locals {\n  a = data.terraform_remote_state.d.outputs\n}\n"),
      ElementsAre("main.tf:11 Reference to scoped resource"));
}

TEST_F(ValidateReference, OutputsOfAModuleHaveToBeDeclared) {
  write("./m", "output \"yes\" {\n  value = 1\n}\n");

  EXPECT_THAT(problems_of("module \"m\" {\n  source = \"./m\"\n}\n"
                          "locals {\n  a = module.m.no\n  b = module.m.yes\n}\n"),
              ElementsAre("main.tf:5 Unsupported attribute"));
}

TEST_F(ValidateReference, ALocalCannotBeDefinedByItself) {
  EXPECT_THAT(problems_of("locals {\n  a = {\n    b = local.a\n  }\n}\n"),
              ElementsAre("main.tf:3 Self-referencing local value"));
}

TEST_F(ValidateReference, FunctionsThatAProviderDoesNotListMayComeLater) {
  EXPECT_THAT(problems_of("terraform {\n  required_providers {\n    terraform = {\n"
                          "      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\n"
                          "locals {\n  a = provider::terraform::later(1)\n}\n"),
              IsEmpty());
}

}  // namespace
}  // namespace tofu::eval

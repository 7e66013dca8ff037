#include <gmock/gmock.h>

#include "tests/eval/in_memory.h"

namespace tofu::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using ValidateResource = InMemory;

TEST_F(ValidateResource, BlocksAreHeldAgainstTheSchema) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n  more = 1\n}\n"
                          "data \"terraform_remote_state\" \"b\" {}\n"
                          "resource \"terraform_date\" \"c\" {}\n"),
              ElementsAre("main.tf:2 Unsupported argument", "main.tf:4 Required argument missing",
                          "main.tf:5 Invalid resource type"));
}

TEST_F(ValidateResource, CountIndexIsKnownOnlyWhereCountIsSet) {
  EXPECT_THAT(
      problems_of("resource \"terraform_data\" \"a\" {\n  count = 2\n  input = count.index\n}\n"
                  "resource \"terraform_data\" \"b\" {\n  input = count.index\n}\n"
                  "resource \"terraform_data\" \"c\" {\n  count = count.index\n}\n"),
      ElementsAre("main.tf:6 Reference to \"count\" in non-counted context",
                  "main.tf:9 Reference to \"count\" in non-counted context"));
}

TEST_F(ValidateResource, SelfIsKnownInPostconditionsAndProvisioners) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n"
                          "  lifecycle {\n"
                          "    precondition {\n"
                          "      condition = self.id != null\n"
                          "      error_message = \"a\"\n"
                          "    }\n"
                          "    postcondition {\n"
                          "      condition = self.id != null\n"
                          "      error_message = \"a\"\n"
                          "    }\n"
                          "  }\n"
                          "}\n"
                          "resource \"terraform_data\" \"b\" {\n"
                          "  provisioner \"local-exec\" {\n"
                          "    command = self.id\n"
                          "  }\n"
                          "}\n"),
              ElementsAre("main.tf:4 Invalid \"self\" reference", "main.tf:4 Unknown variable"));
}

TEST_F(ValidateResource, ProvisionersHaveSchemasOfTheirOwn) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n"
                          "  provisioner \"local-exec\" {\n    cmd = 1\n  }\n}\n"
                          "resource \"terraform_data\" \"b\" {\n"
                          "  provisioner \"file\" {\n    destination = \"x\"\n  }\n}\n"),
              ElementsAre("- Invalid file provisioner configuration",
                          "- Invalid local-exec provisioner configuration",
                          "main.tf:2 Required argument missing", "main.tf:3 Unsupported argument"));
}

TEST_F(ValidateResource, AConnectionOfAProvisionerAddsToThatOfItsResource) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n"
                          "  connection {\n    host = \"h\"\n  }\n"
                          "  provisioner \"remote-exec\" {\n    inline = []\n"
                          "    connection {\n      type = \"winrm\"\n    }\n  }\n}\n"),
              ElementsAre("main.tf:8 WinRM connection type is deprecated"));
}

TEST_F(ValidateResource, WhatIsKeptTakesNothingEphemeral) {
  EXPECT_THAT(problems_of("variable \"v\" {\n  ephemeral = true\n}\n"
                          "resource \"terraform_data\" \"a\" {\n  input = var.v\n"
                          "  provisioner \"local-exec\" {\n    command = var.v\n  }\n}\n"),
              ElementsAre("main.tf:5 Ephemeral value used in non-ephemeral context"));
}

TEST_F(ValidateResource, DependsOnNamesWholeObjectsThatExist) {
  EXPECT_THAT(
      problems_of("resource \"terraform_data\" \"a\" {}\n"
                  "resource \"terraform_data\" \"b\" {\n  depends_on = [terraform_data.no]\n}\n"
                  "resource \"terraform_data\" \"c\" {\n  depends_on = [terraform_data.a.id]\n}\n"
                  "resource \"terraform_data\" \"d\" {\n  depends_on = [terraform_data.a]\n}\n"),
      ElementsAre("main.tf:3 Reference to undeclared resource",
                  "main.tf:6 Invalid depends_on reference"));
}

TEST_F(ValidateResource, IgnoreChangesNamesAttributesThatCanChange) {
  EXPECT_THAT(
      problems_of("resource \"terraform_data\" \"a\" {\n"
                  "  lifecycle {\n    ignore_changes = [no, input]\n  }\n}\n"
                  "resource \"terraform_data\" \"b\" {\n"
                  "  lifecycle {\n    ignore_changes = [output]\n  }\n}\n"),
      ElementsAre("main.tf:3 Unsupported attribute", "main.tf:6 Redundant ignore_changes element"));
}

TEST_F(ValidateResource, ReplaceTriggeredByNamesResourcesThatExist) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n  count = 1\n}\n"
                          "resource \"terraform_data\" \"b\" {\n  lifecycle {\n"
                          "    replace_triggered_by = [terraform_data.no]\n  }\n}\n"
                          "resource \"terraform_data\" \"c\" {\n  lifecycle {\n"
                          "    replace_triggered_by = [terraform_data.a[count.index].no]\n  }\n"
                          "  count = 1\n}\n"),
              ElementsAre("main.tf:11 Unsupported attribute",
                          "main.tf:6 Undeclared resource in replace_triggered_by"));
}

TEST_F(ValidateResource, AnUnknownForEachIsLookedAtWhilePlanning) {
  EXPECT_THAT(
      problems_of(
          "variable \"v\" {}\n"
          "resource \"terraform_data\" \"a\" {\n  for_each = var.v\n  input = each.value.x\n}\n"),
      IsEmpty());
}

TEST_F(ValidateResource, EveryInstanceOfAProviderIsConfigured) {
  EXPECT_THAT(
      problems_of("provider \"terraform\" {\n  alias = \"by\"\n"
                  "  for_each = toset([\"a\", \"b\"])\n  no = each.value\n}\n"
                  "resource \"terraform_data\" \"a\" {\n  provider = terraform.by[\"a\"]\n}\n"),
      ElementsAre("main.tf:4 Unsupported argument", "main.tf:4 Unsupported argument"));
}

TEST_F(ValidateResource, AProviderThatNothingUsesIsNotLookedAt) {
  EXPECT_THAT(problems_of("provider \"terraform\" {\n  no = 1\n}\n"), IsEmpty());
}

TEST_F(ValidateResource, PreventDestroyIsABool) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n"
                          "  lifecycle {\n    prevent_destroy = \"maybe\"\n  }\n}\n"),
              ElementsAre("main.tf:3 Invalid value for prevent_destroy"));
}

TEST_F(ValidateResource, AnImportNeedsAnIdThatIsNoSecret) {
  EXPECT_THAT(
      problems_of("resource \"terraform_data\" \"a\" {}\n"
                  "resource \"terraform_data\" \"b\" {}\n"
                  "import {\n  to = terraform_data.a\n  id = null\n}\n"
                  "import {\n  to = terraform_data.b\n  id = sensitive(\"x\")\n}\n"),
      ElementsAre("main.tf:5 Invalid import id argument", "main.tf:9 Invalid import id argument"));
}

}  // namespace
}  // namespace tofu::eval

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/eval/in_memory.h"

namespace tofu::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using ValidateResource = InMemory;

TEST_F(ValidateResource, AnUnknownTypeIsReportedWhateverTheBlockRefersTo) {
  EXPECT_THAT(problems_of("locals {\n  bad = 1 + []\n}\n"
                          "resource \"terraform_nope\" \"a\" {\n  provisioner \"local-exec\" {\n"
                          "    command = local.bad\n  }\n}\n"),
              ElementsAre("main.tf:2 Invalid operand", "main.tf:4 Invalid resource type"));
}

TEST_F(ValidateResource, BlocksAreHeldAgainstTheSchema) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n  more = 1\n}\n"
                          "data \"terraform_remote_state\" \"b\" {}\n"
                          "resource \"terraform_date\" \"c\" {}\n"),
              ElementsAre("main.tf:2 Unsupported argument", "main.tf:4 Missing required argument",
                          "main.tf:5 Invalid resource type"));
}

TEST_F(ValidateResource, DefaultsOfARemoteStateAreAnObjectEvenIfNull) {
  std::string blocks;
  for (const char* defaults : {"null", "tomap(null)", "{ a = 1 }", "1", "tostring(null)"}) {
    blocks += fmt::format(
        "data \"terraform_remote_state\" \"a{}\" {{\n  backend = \"local\"\n  defaults = {}\n}}\n",
        blocks.size(), defaults);
  }
  EXPECT_THAT(problems_of(blocks), ElementsAre("main.tf:15 Invalid remote state configuration",
                                               "main.tf:19 Invalid remote state configuration"));
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
                          "main.tf:2 Missing required argument", "main.tf:3 Unsupported argument"));
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

TEST_F(ValidateResource, AFailedForEachIsStillHeldAgainstItsType) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n  for_each = !1\n}\n"
                          "resource \"terraform_data\" \"b\" {\n"
                          "  for_each = { a = 1 + \"a\" }\n}\n"
                          "resource \"terraform_data\" \"c\" {\n"
                          "  for_each = { for x in [\"a\"] : x => x.b }\n}\n"),
              ElementsAre("main.tf:2 Invalid for_each argument", "main.tf:2 Invalid operand",
                          "main.tf:5 Invalid operand", "main.tf:8 Unsupported attribute"));
}

TEST_F(ValidateResource, AFailedCountIsStillHeldAgainstItsType) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n  count = 1 < \"b\"\n}\n"
                          "resource \"terraform_data\" \"b\" {\n  count = 1 + \"b\"\n}\n"),
              ElementsAre("main.tf:2 Incorrect value type", "main.tf:2 Invalid operand",
                          "main.tf:5 Invalid operand"));
}

TEST_F(ValidateResource, AFailedArgumentIsStillHeldAgainstItsType) {
  EXPECT_THAT(problems_of("data \"terraform_remote_state\" \"a\" {\n"
                          "  backend = [1 + \"a\"]\n}\n"),
              ElementsAre("main.tf:2 Incorrect attribute value type", "main.tf:2 Invalid operand"));
}

TEST_F(ValidateResource, ATriggerIsAPlainReference) {
  const std::string b = "terraform_data.b";
  const auto trigger = [](const std::string& text) {
    return "resource \"terraform_data\" \"a\" {\n  lifecycle {\n    replace_triggered_by = [\n" +
           text +
           "\n]\n  }\n}\n"
           "resource \"terraform_data\" \"b\" {}\n"
           "resource \"terraform_data\" \"many\" {\n  count = 2\n}\n";
  };
  EXPECT_THAT(
      problems_of(trigger("upper(terraform_data.b.id),\n[terraform_data.b],\n"
                          "terraform_data.many[*].id,\n(terraform_data.b),\n"
                          "terraform_data.b, terraform_data.b.id, terraform_data.many[0].id")),
      ElementsAre("main.tf:4 Invalid replace_triggered_by expression",
                  "main.tf:5 Invalid replace_triggered_by expression",
                  "main.tf:6 Invalid replace_triggered_by expression",
                  "main.tf:7 Invalid replace_triggered_by expression"));
}

TEST_F(ValidateResource, ATriggerChoosesAnInstanceByAConstantOrByItsOwn) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n  count = 2\n  lifecycle {\n"
                          "    replace_triggered_by = [\n"
                          "      terraform_data.many[count.index].id,\n"
                          "      terraform_data.many[count.index].nope,\n"
                          "      terraform_data.many[each.key],\n"
                          "      terraform_data.many[count.index + 1],\n"
                          "    ]\n  }\n}\n"
                          "resource \"terraform_data\" \"many\" {\n  count = 2\n}\n"),
              ElementsAre("main.tf:6 Unsupported attribute",
                          "main.tf:7 Invalid \"each\" reference in replace_triggered_by",
                          "main.tf:8 Invalid key in replace_triggered_by"));
}

TEST_F(ValidateResource, AResourceWaitsForWhatItsImportNeeds) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {}\n"
                          "resource \"terraform_data\" \"b\" {\n  input = terraform_data.a.id\n}\n"
                          "import {\n  to = terraform_data.a\n  id = terraform_data.b.id\n}\n"),
              ElementsAre("- Cycle: terraform_data.a, import.terraform_data.a, terraform_data.b"));
}

TEST_F(ValidateResource, AnImportOfItselfIsNoCycle) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {}\n"
                          "import {\n  to = terraform_data.a\n  id = terraform_data.a.id\n}\n"),
              IsEmpty());
}

TEST_F(ValidateResource, ARemoteStateNeedsABackend) {
  EXPECT_THAT(problems_of("data \"terraform_remote_state\" \"d\" {\n  backend = null\n}\n"),
              ElementsAre("main.tf:2 Invalid remote state configuration"));
  diags_.clear();
  EXPECT_THAT(problems_of("data \"terraform_remote_state\" \"d\" {\n}\n"), SizeIs(1));
}

TEST_F(ValidateResource, AnImportIsPassedOverIfWhatItNeedsIsWrong) {
  EXPECT_THAT(problems_of("data \"terraform_remote_state\" \"d\" {\n  backend = \"no\"\n}\n"
                          "resource \"terraform_data\" \"a\" {}\n"
                          "import {\n  to = terraform_data.a\n"
                          "  id = data.terraform_remote_state.d.nope\n}\n"),
              ElementsAre("main.tf:2 Invalid remote state configuration"));
}

TEST_F(ValidateResource, FunctionsBelongToProvidersThatTheModuleNames) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n"
                          "  provisioner \"local-exec\" {\n    when = destroy\n"
                          "    command = provider::terraform::encode_expr(1)\n  }\n}\n"),
              ElementsAre("main.tf:4 Unknown function provider"));
  diags_.clear();
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n  count = 1\n}\n"
                          "import {\n"
                          "  for_each = provider::terraform::decode_tfvars(\"a = 1\")\n"
                          "  to = terraform_data.a[0]\n  id = each.key\n}\n"),
              ElementsAre("main.tf:5 Unknown function provider"));
}

TEST_F(ValidateResource, AWordThatIsNoReferenceHasNoValueInACondition) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n  lifecycle {\n"
                          "    precondition {\n      condition = terraform_data == 1\n"
                          "      error_message = \"a\"\n    }\n  }\n}\n"),
              ElementsAre("main.tf:4 Invalid reference", "main.tf:4 Unknown variable"));
}

TEST_F(ValidateResource, WhatHasNoEffectIsNotToldBesideErrors) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n  count = -1\n"
                          "  lifecycle {\n    ignore_changes = [id]\n  }\n}\n"),
              ElementsAre("main.tf:2 Invalid count argument"));
}

TEST_F(ValidateResource, ImportsOfAResourceWithWrongProvisionersAreLeftAlone) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {\n"
                          "  provisioner \"local-exec\" {\n    command = []\n  }\n}\n"
                          "import {\n  to = terraform_data.a\n  id = null\n}\n"),
              ElementsAre("main.tf:3 Incorrect attribute value type"));
}

TEST_F(ValidateResource, WhatUsesAResourceWithAWrongImportIsPassedOver) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"a\" {}\n"
                          "import {\n  to = terraform_data.a\n  id = null\n}\n"
                          "output \"o\" {\n  value = [terraform_data.a.id, 1 + []]\n}\n"),
              ElementsAre("main.tf:4 Invalid import id argument"));
}

}  // namespace
}  // namespace tofu::eval

"""What programs around us read from the text for people, by the expressions that they use.

Atlantis counts changes and makes a colored comment of a plan, tfcmt lists addresses by
action, Terratest counts what a run did, Terragrunt asks for the version and passes a log on.
They look for lines with regular expressions, which are repeated here.
"""

import re
import unittest

from place import PlaceTest

BEFORE = """
resource "terraform_data" "kept" {
}
resource "terraform_data" "updated" {
  input = "a"
}
resource "terraform_data" "replaced" {
  triggers_replace = [1]
}
resource "terraform_data" "triggered" {
  lifecycle {
    replace_triggered_by = [terraform_data.replaced]
  }
}
resource "terraform_data" "gone" {
}
resource "terraform_data" "forgotten" {
}
resource "terraform_data" "before" {
  input = <<-EOT
    one
    two
  EOT
}
resource "terraform_data" "first" {
}
resource "terraform_data" "tainted" {
}
output "o" {
  value = "x"
}
"""

AFTER = """
resource "terraform_data" "kept" {
}
resource "terraform_data" "updated" {
  input = "b"
}
resource "terraform_data" "replaced" {
  triggers_replace = [2]
}
resource "terraform_data" "triggered" {
  lifecycle {
    replace_triggered_by = [terraform_data.replaced]
  }
}
removed {
  from = terraform_data.forgotten
  lifecycle {
    destroy = false
  }
}
resource "terraform_data" "after" {
  input = <<-EOT
    one
    three
  EOT
}
moved {
  from = terraform_data.before
  to   = terraform_data.after
}
resource "terraform_data" "second" {
}
moved {
  from = terraform_data.first
  to   = terraform_data.second
}
resource "terraform_data" "tainted" {
}
resource "terraform_data" "imported" {
}
import {
  to = terraform_data.imported
  id = "some"
}
resource "terraform_data" "made" {
  for_each = toset(["a", "b c"])
}
output "o" {
  value = "y"
}
check "warns" {
  assert {
    condition     = terraform_data.kept.id == "other"
    error_message = "It is another."
  }
}
"""

# Atlantis: server/events/models
SUMMARY = re.compile(r"Plan: (?:(\d+) to import, )?(\d+) to add, (\d+) to change, (\d+) to destroy"
                     r"(?:, (\d+) to forget)?\.")
NOTHING = re.compile(r"No changes. (Infrastructure is up-to-date|"
                     r"Your infrastructure matches the configuration).")
ARGUMENT = re.compile(r"^( +)([-+~]\s)([a-zA-Z_][\w]*\s*)"
                      r"(\s=\s|\s->\s|\(known after apply\)|\{)(.*)", re.MULTILINE)
BLOCK = re.compile(r"^( +)([-+~]\s)((?:resource|data|module)\s+.+\{.*)", re.MULTILINE)
VERSION = re.compile(r"(?:Terraform|OpenTofu) v(.*?)(\s.*)?\n")

# tfcmt: pkg/terraform
ACTIONS = {
    "created": r"^ *# (.*) will be created$",
    "updated": r"^ *# (.*) will be updated in-place$",
    "deleted": r"^ *# (.*) will be destroyed$",
    "replaced": r"^ *# (.*?)(?: is tainted, so)? must be replaced$",
    "asked": r"^ *# (.*?) will be replaced, as requested$",
    "triggered": r"^ *# (.*?) will be replaced due to changes in replace_triggered_by$",
    "moved": r"^ *# (.*?) has moved to (.*?)$",
    "imported": r"^ *# (.*?) will be imported$",
    "imported from": r"^ *# \(imported from (.*?)\)$",
    "moved from": r"^ *# \(moved from (.*?)\)$",
}
PASSED = re.compile(r"^(Plan: \d|No changes.)", re.MULTILINE)
FAILED = re.compile(r"^([│|] )?(Error: )", re.MULTILINE)
WARNED = re.compile(r"^([│|] )?(Warning: )", re.MULTILINE)
APPLIED = re.compile(r"^(Apply complete!)", re.MULTILINE)

# Terratest: modules/terraform
COUNTS = {
    "apply": r"Apply complete! Resources: (\d+) added, (\d+) changed, (\d+) destroyed\.",
    "destroy": r"Destroy complete! Resources: (\d+) destroyed\.",
    "plan": "(\033\\[1m)?Plan:(\033\\[0m)? (\\d+) to add, (\\d+) to change, (\\d+) to destroy\\.",
    "nothing": r"No changes\. (Infrastructure is up-to-date)|"
               r"(Your infrastructure matches the configuration)\.",
}

# Terragrunt: internal/runner, internal/tf
PROGRAM = re.compile(r"^(\S+)\s(v?\d+\.\d+\.\d+)")
LOGGED = re.compile(r"(^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}\S*)\s*"
                    r"\[(trace|debug|warn|info|error)\]\s*(.+\S)$", re.IGNORECASE)
BEGIN, RULE = "OpenTofu will perform the following actions:\n", "\n─────"


class ReadersTest(PlaceTest):
    def plan(self, *arguments):
        return self.work.tofu("plan", "-no-color", *arguments)

    def changed(self, *arguments):
        self.work.write({"main.tf": BEFORE})
        self.assertEqual(self.work.tofu("apply", "-auto-approve").status, 0)
        self.assertEqual(self.work.tofu("taint", "terraform_data.tainted").status, 0)
        self.work.write({"main.tf": AFTER})
        return self.plan(*arguments)

    def test_atlantis_counts_changes(self):
        run = self.changed("-detailed-exitcode")
        self.assertEqual(run.status, 2)
        self.assertEqual(SUMMARY.findall(run.stdout), [("1", "5", "2", "4", "1")])
        self.assertIsNone(NOTHING.search(run.stdout))

    def test_atlantis_finds_that_nothing_changes(self):
        self.work.write({"main.tf": ""})
        run = self.plan("-detailed-exitcode")
        self.assertEqual(run.status, 0)
        self.assertIsNotNone(NOTHING.search(run.stdout))

    def test_atlantis_puts_symbols_where_a_diff_has_them(self):
        text = self.changed().stdout
        text = BLOCK.sub(r"\2\1\3", ARGUMENT.sub(r"\2\1\3\4\5", text))
        for line in ('+   resource "terraform_data" "made" {', '~       input  = "a" -> "b"',
                     '-   resource "terraform_data" "gone" {'):
            self.assertIn(f"\n{line}\n", text)

    def test_atlantis_knows_the_version(self):
        found = VERSION.search(self.work.tofu("version").stdout)
        self.assertRegex(found[1], r"^\d+\.\d+\.\d+$")

    def test_tfcmt_lists_addresses_by_action(self):
        text = self.changed("-replace=terraform_data.kept").stdout
        found = {name: re.findall(pattern, text, re.MULTILINE) for name, pattern in ACTIONS.items()}
        self.assertEqual(found, {
            "created": ['terraform_data.made["a"]', 'terraform_data.made["b c"]'],
            "updated": ["terraform_data.after", "terraform_data.updated"],
            "deleted": ["terraform_data.gone"],
            # tfcmt looks for Terraform's words, which have no "it"; OpenTofu's address comes out so.
            "replaced": ["terraform_data.replaced", "terraform_data.tainted is tainted, so it"],
            "asked": ["terraform_data.kept"],
            "triggered": ["terraform_data.triggered"],
            "moved": [("terraform_data.first", "terraform_data.second")],
            "imported": ["terraform_data.imported"],
            "imported from": ['"some"'],
            "moved from": ["terraform_data.before"],
        })

    def test_tfcmt_finds_where_the_plan_begins_and_ends(self):
        text = self.changed().stdout
        self.assertIsNotNone(PASSED.search(text))
        self.assertIsNone(FAILED.search(text))
        self.assertEqual(len(WARNED.findall(text)), 2)
        shown = text[text.index(BEGIN):text.index(RULE)]
        self.assertIn("Plan: 1 to import", shown)
        self.assertIn("Changes to Outputs:", shown)

    def test_tfcmt_tells_success_from_failure(self):
        self.changed()
        applied = self.work.tofu("apply", "-no-color", "-auto-approve")
        self.assertIsNotNone(APPLIED.search(applied.stdout))
        self.work.write({"wrong.tf": 'output "p" {\n  value = var.nothing\n}\n'})
        run = self.plan()
        self.assertEqual(run.status, 1)
        self.assertIsNotNone(FAILED.search(run.stderr))

    def test_terratest_counts_what_a_run_does(self):
        self.work.write({"main.tf": 'resource "terraform_data" "a" {\n}\n'})
        for color in ((), ("-no-color",)):
            planned = self.work.tofu("plan", *color).stdout
            self.assertEqual(re.search(COUNTS["plan"], planned).groups()[2:], ("1", "0", "0"))
        applied = self.work.tofu("apply", "-auto-approve", "-no-color").stdout
        self.assertEqual(re.search(COUNTS["apply"], applied).groups(), ("1", "0", "0"))
        self.assertRegex(self.plan().stdout, COUNTS["nothing"])
        destroyed = self.work.tofu("destroy", "-auto-approve", "-no-color").stdout
        self.assertEqual(re.search(COUNTS["destroy"], destroyed).groups(), ("1",))

    def test_terragrunt_knows_the_program_and_reads_its_log(self):
        found = PROGRAM.search(self.work.tofu("-version").stdout)
        self.assertEqual(found[1], "OpenTofu")
        log = self.work.tofu("version", TF_LOG="debug").stderr.splitlines()
        self.assertGreater(len(log), 1)
        for line in log:
            self.assertRegex(line, LOGGED)


if __name__ == "__main__":
    unittest.main()

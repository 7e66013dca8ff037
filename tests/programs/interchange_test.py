"""States go back and forth: what one program applied is nothing to do for another.

Every configuration is applied by this program and planned by OpenTofu and Terraform, and
the other way round: each plan has to find no changes. Where a peer is (TOFU_PEER_OPENTOFU,
TOFU_PEER_TERRAFORM) is as for the benches; without one it is looked for in the PATH.
"""

import os
import shutil
import subprocess
import unittest

import place

CHILD = {"child/main.tf": """
variable "given" {
  type    = string
  default = "default"
}
resource "terraform_data" "inner" {
  input = var.given
}
output "id" {
  value = terraform_data.inner.id
}
output "text" {
  value = "got ${terraform_data.inner.output}"
}
"""}

REMOTE = {"other.tfstate": """{
  "version": 4, "terraform_version": "1.9.0", "serial": 1,
  "lineage": "00000000-0000-0000-0000-000000000001",
  "outputs": {"text": {"value": "elsewhere", "type": "string"},
              "items": {"value": ["x", "y"], "type": ["list", "string"]}},
  "resources": []
}"""}

# By what they are about; those that only OpenTofu understands are in OPENTOFU_ONLY.
CONFIGURATIONS = {
    "a single object": 'resource "terraform_data" "a" {}',
    "text with all kinds of characters": r'''
resource "terraform_data" "a" {
  input = "é \u00e9 \"quoted\" <&> ${"$"}{x} \t tab\nline\n"
}''',
    "numbers": """
resource "terraform_data" "a" {
  input = [0, -1, 1.5, 1e30, 0.1, 100000000000000000000000001, -2.25e-7]
}
output "sum" {
  value = 0.1 + 0.2
}""",
    "bools and nulls": """
resource "terraform_data" "a" {
  input            = { yes = true, no = false, none = null }
  triggers_replace = null
}
output "none" {
  value = null
}""",
    "a list of texts": """
resource "terraform_data" "a" {
  input = tolist(["b", "a", "b"])
}""",
    "a set of objects": """
resource "terraform_data" "a" {
  input = toset([{ n = 2 }, { n = 1 }, { n = 10 }])
}""",
    "a map and an object": """
resource "terraform_data" "a" {
  input            = tomap({ z = "1", a = "2" })
  triggers_replace = { z = 1, a = "2" }
}""",
    "tuples inside objects": """
resource "terraform_data" "a" {
  input = { items = [1, "two", [true, { deep = [] }]], empty = {} }
}""",
    "an empty text and empty collections": """
resource "terraform_data" "a" {
  input            = ""
  triggers_replace = [tolist([]), tomap({}), toset([]), [], {}]
}""",
    "count": """
resource "terraform_data" "a" {
  count = 3
  input = count.index
}
output "ids" {
  value = terraform_data.a[*].id
}""",
    "count of nothing": """
resource "terraform_data" "a" {
  count = 0
}
output "ids" {
  value = terraform_data.a[*].id
}""",
    "for_each over a map": """
resource "terraform_data" "a" {
  for_each = { "with space" = 1, "dot.ted" = 2, "quo\\"ted" = 3 }
  input    = "${each.key}=${each.value}"
}""",
    "for_each over a set": """
resource "terraform_data" "a" {
  for_each = toset(["é", "a", "1"])
  input    = each.value
}""",
    "a chain of resources": """
resource "terraform_data" "a" {
  input = 1
}
resource "terraform_data" "b" {
  input = terraform_data.a.id
}
resource "terraform_data" "c" {
  input      = [terraform_data.b.output, terraform_data.a.output]
  depends_on = [terraform_data.a]
}
output "last" {
  value = terraform_data.c.output
}""",
    "create before destroy spreads": """
resource "terraform_data" "a" {}
resource "terraform_data" "b" {
  input = terraform_data.a.id
  lifecycle {
    create_before_destroy = true
  }
}""",
    "ignored changes": """
resource "terraform_data" "a" {
  input = "kept"
  lifecycle {
    ignore_changes = [input]
  }
}""",
    "replaced by triggers": """
resource "terraform_data" "a" {
  input = "x"
}
resource "terraform_data" "b" {
  triggers_replace = terraform_data.a.output
  lifecycle {
    replace_triggered_by = [terraform_data.a]
  }
}""",
    "conditions": """
resource "terraform_data" "a" {
  input = 5
  lifecycle {
    precondition {
      condition     = 1 + 1 == 2 || path.module == ""
      error_message = "No."
    }
    postcondition {
      condition     = self.output == 5
      error_message = "No."
    }
  }
}
output "checked" {
  value = terraform_data.a.output
  precondition {
    condition     = terraform_data.a.output == 5
    error_message = "No."
  }
}""",
    "checks that hold and fail": """
resource "terraform_data" "a" {
  input = 5
}
check "holds" {
  assert {
    condition     = terraform_data.a.output == 5
    error_message = "No."
  }
}
check "fails" {
  assert {
    condition     = terraform_data.a.output == 6
    error_message = "As expected."
  }
}""",
    "sensitive values": """
variable "secret" {
  default   = "s3cret"
  sensitive = true
}
resource "terraform_data" "a" {
  input = { plain = 1, secret = var.secret, list = ["x", var.secret] }
}
resource "terraform_data" "b" {
  input = var.secret
}
output "secret" {
  value     = terraform_data.b.output
  sensitive = true
}""",
    "sensitive as a whole": """
resource "terraform_data" "a" {
  triggers_replace = sensitive({ a = [1, 2] })
  input            = sensitive("x")
}""",
    "outputs of every type": """
output "text" {
  value = "x"
}
output "number" {
  value = 12345678901234567890
}
output "bool" {
  value = true
}
output "list" {
  value = tolist(["a"])
}
output "set" {
  value = toset([3, 1, 2])
}
output "map" {
  value = tomap({ b = 1, a = 2 })
}
output "tuple" {
  value = [1, "a", null]
}
output "object" {
  value = { b = [], a = { c = null } }
}
resource "terraform_data" "a" {}""",
    "typed variables": """
variable "settings" {
  type = object({
    name = string
    size = optional(number, 3)
    tags = optional(map(string))
  })
  default = { name = "n" }
}
resource "terraform_data" "a" {
  input = var.settings
}""",
    "a module": {"main.tf": """
module "m" {
  source = "./child"
  given  = "value"
}
output "all" {
  value = module.m
}""", **CHILD},
    "a counted module": {"main.tf": """
module "m" {
  source = "./child"
  count  = 2
  given  = "number ${count.index}"
}
resource "terraform_data" "after" {
  input = module.m[*].text
}""", **CHILD},
    "a module for each key": {"main.tf": """
module "m" {
  source   = "./child"
  for_each = { a = "x", "b c" = "y" }
  given    = each.value
}
output "ids" {
  value = { for key, one in module.m : key => one.id }
}""", **CHILD},
    "modules in modules": {"main.tf": """
module "outer" {
  source = "./outer"
  count  = 2
}""", "outer/main.tf": """
module "inner" {
  source   = "../child"
  for_each = toset(["a", "b"])
  given    = each.key
}
resource "terraform_data" "a" {
  input = module.inner["a"].id
}""", **CHILD},
    "a module that waits": {"main.tf": """
resource "terraform_data" "first" {}
module "m" {
  source     = "./child"
  depends_on = [terraform_data.first]
}""", **CHILD},
    "another state": {"main.tf": """
data "terraform_remote_state" "other" {
  backend = "local"
  config  = { path = "other.tfstate" }
}
resource "terraform_data" "a" {
  input = data.terraform_remote_state.other.outputs.items
}
output "text" {
  value = data.terraform_remote_state.other.outputs.text
}""", **REMOTE},
    "another state for each key, with defaults": {"main.tf": """
data "terraform_remote_state" "other" {
  for_each = toset(["a", "b"])
  backend  = "local"
  config   = { path = "other.tfstate" }
  defaults = { key = each.key }
}
resource "terraform_data" "a" {
  input = [for one in data.terraform_remote_state.other : one.outputs.key]
}""", **REMOTE},
    "local values and functions": """
locals {
  words = [for one in ["b", "a"] : upper(one)]
  table = { for index, one in local.words : one => index }
}
resource "terraform_data" "a" {
  for_each = local.table
  input    = jsonencode({ (each.key) = each.value, sum = sha256(each.key) })
}""",
    "an imported object": """
import {
  to = terraform_data.a
  id = "imported"
}
resource "terraform_data" "a" {}""",
    "a provisioner": """
resource "terraform_data" "a" {
  provisioner "local-exec" {
    command = "true"
  }
}""",
}

OPENTOFU_ONLY = {
    "a resource that is not enabled": """
resource "terraform_data" "a" {
  lifecycle {
    enabled = false
  }
}
resource "terraform_data" "b" {
  input = terraform_data.a == null
  lifecycle {
    enabled = true
  }
}""",
    "a resource that is not destroyed": """
resource "terraform_data" "a" {
  lifecycle {
    destroy = false
  }
}""",
    "a deprecated output": """
output "old" {
  value      = 1
  deprecated = "Use another."
}
resource "terraform_data" "a" {}""",
}


# The settings of a local backend, and the workspace that is used, if it is another one.
BACKENDS = {
    "a backend without settings": ("", None),
    "a path": ('path = "states/main.tfstate"', None),
    "a path above": ('path = "../above.tfstate"', None),
    "a path without an ending": ('path = "state"', None),
    "a folder for workspaces that none is in": ('workspace_dir = "spaces"', None),
    "a workspace": ("", "stage"),
    "a workspace in a folder": ('workspace_dir = "spaces"', "stage"),
    "a workspace in a folder above": ('workspace_dir = "../spaces"', "stage"),
    "a workspace beside a path": ('path = "states/main.tfstate"', "stage"),
    "a workspace, a folder and a path": (
        'path = "states/main.tfstate"\n    workspace_dir = "spaces"', "stage"),
}
STORED = """
resource "terraform_data" "a" {
  input = terraform.workspace
}
output "place" {
  value = "${path.module} in ${terraform.workspace}"
}
"""


def peer(variable, name):
    return os.environ.get(variable) or shutil.which(name)


OPENTOFU = peer("TOFU_PEER_OPENTOFU", "tofu")
TERRAFORM = peer("TOFU_PEER_TERRAFORM", "terraform")


class InterchangeTest(place.PlaceTest):
    def run_program(self, program, folder, *arguments):
        """Runs it; a plan that has changes exits with 2."""
        environment = {**self.environment, "CHECKPOINT_DISABLE": "1",
                       "TOFU_VERSION_CHECK": "tofu-only"}
        done = subprocess.run([program, *arguments], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=place.TIME_LIMIT)
        return place.Run(done)

    def exchange(self, first, second, configurations):
        for number, (name, files) in enumerate(configurations.items()):
            with self.subTest(name):
                folder = self.top / f"case{number}"
                place.write_files(folder, {"main.tf": files} if isinstance(files, str) else files)
                for program, arguments in (
                        (first, ["init", "-no-color"]),
                        (first, ["apply", "-no-color", "-auto-approve"]),
                        (first, ["plan", "-no-color", "-detailed-exitcode"]),
                        (second, ["init", "-no-color"]),
                        (second, ["plan", "-no-color", "-detailed-exitcode"])):
                    run = self.run_program(program, folder, *arguments)
                    self.assertEqual(run.status, 0, f"{program} {arguments}\n{run.stdout}\n"
                                                    f"{run.stderr}")

    def exchange_backends(self, first, second, top):
        """The second program goes on at once, as who changes programs does, and after init."""
        for number, (name, (settings, workspace)) in enumerate(BACKENDS.items()):
            with self.subTest(name):
                folder = self.top / top / f"backend{number}" / "root"
                backend = f'terraform {{\n  backend "local" {{\n    {settings}\n  }}\n}}\n'
                place.write_files(folder, {"main.tf": backend + STORED})
                steps = [(first, ["init", "-no-color"])]
                if workspace:
                    steps.append((first, ["workspace", "new", "-no-color", workspace]))
                plan = ["plan", "-no-color", "-detailed-exitcode"]
                steps += [(first, ["apply", "-no-color", "-auto-approve"]), (first, plan),
                          (second, plan), (second, ["init", "-no-color"]), (second, plan),
                          (second, ["apply", "-no-color", "-auto-approve",
                                    "-replace=terraform_data.a"]),
                          (first, plan)]
                for program, arguments in steps:
                    run = self.run_program(program, folder, *arguments)
                    self.assertEqual(run.status, 0, f"{program} {arguments}\n{run.stdout}\n"
                                                    f"{run.stderr}")

    @unittest.skipUnless(OPENTOFU, "there is no OpenTofu: set TOFU_PEER_OPENTOFU")
    def test_a_local_backend_is_the_same_to_opentofu(self):
        self.exchange_backends(place.TOFU, OPENTOFU, "after-us")
        self.exchange_backends(OPENTOFU, place.TOFU, "after-them")

    @unittest.skipUnless(TERRAFORM, "there is no Terraform: set TOFU_PEER_TERRAFORM")
    def test_a_local_backend_is_the_same_to_terraform(self):
        self.exchange_backends(place.TOFU, TERRAFORM, "after-us")
        self.exchange_backends(TERRAFORM, place.TOFU, "after-them")

    @unittest.skipUnless(OPENTOFU, "there is no OpenTofu: set TOFU_PEER_OPENTOFU")
    def test_opentofu_finds_nothing_to_do_after_us(self):
        self.exchange(place.TOFU, OPENTOFU, {**CONFIGURATIONS, **OPENTOFU_ONLY})

    @unittest.skipUnless(OPENTOFU, "there is no OpenTofu: set TOFU_PEER_OPENTOFU")
    def test_we_find_nothing_to_do_after_opentofu(self):
        self.exchange(OPENTOFU, place.TOFU, {**CONFIGURATIONS, **OPENTOFU_ONLY})

    @unittest.skipUnless(TERRAFORM, "there is no Terraform: set TOFU_PEER_TERRAFORM")
    def test_terraform_finds_nothing_to_do_after_us(self):
        self.exchange(place.TOFU, TERRAFORM, CONFIGURATIONS)

    @unittest.skipUnless(TERRAFORM, "there is no Terraform: set TOFU_PEER_TERRAFORM")
    def test_we_find_nothing_to_do_after_terraform(self):
        self.exchange(TERRAFORM, place.TOFU, CONFIGURATIONS)


if __name__ == "__main__":
    unittest.main()

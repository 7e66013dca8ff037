"""The graph of a plan that destroys, where ephemeral resources refer to what goes."""

import os
import unittest

from place import PlaceTest

PLUGINS = os.environ.get("TOFU_TEST_PLUGINS", "")
NEED = """terraform {
  required_providers {
    six = { source = "tofu-test/six" }
  }
}
"""
EPHEMERAL = 'module.m.ephemeral.six_lease.e'
PROVIDER = r'provider[\"registry.opentofu.org/tofu-test/six\"]'
INNER = "module.u." + PROVIDER


@unittest.skipUnless(PLUGINS, "TOFU_TEST_PLUGINS does not name a mirror with the test providers")
class GraphTest(PlaceTest):
    def setUp(self):
        super().setUp()
        self.environment["SIX_STORE"] = str(self.top / "store")
        (self.top / "home/.tofurc").write_text(
            f'provider_installation {{\n  filesystem_mirror {{\n    path = "{PLUGINS}"\n  }}\n}}\n')
        self.work.write({
            "main.tf": 'module "m" {\n  source = "./m"\n}\n'
                       'module "u" {\n  source = "./u"\n  token  = module.m.token\n}\n',
            "m/main.tf": NEED +
                         'resource "terraform_data" "n" {\n  input = "n"\n}\n'
                         'ephemeral "six_lease" "e" {\n  name = terraform_data.n.output\n}\n'
                         'output "token" {\n  value     = ephemeral.six_lease.e.value\n'
                         '  ephemeral = true\n}\n',
            "u/main.tf": NEED +
                         'variable "token" {\n  ephemeral = true\n}\n'
                         'provider "six" {\n  token = var.token\n}\n'
                         'resource "six_thing" "k" {\n  name = "k"\n}\n'})
        for arguments in (["init"], ["apply", "-auto-approve"]):
            run = self.work.tofu(*arguments, "-no-color")
            self.assertEqual(run.status, 0, run.said)

    def lines(self, *arguments):
        run = self.work.tofu("graph", *arguments)
        self.assertEqual(run.status, 0, run.said)
        return {line.strip() for line in run.stdout.splitlines()}

    def check(self, lines, *edges):
        for edge in edges:
            before, after = edge
            self.assertIn(f'"[root] {before}" -> "[root] {after}"', lines)

    def test_an_ephemeral_resource_is_open_while_its_users_are_destroyed(self):
        planned = self.lines("-type=plan-destroy")
        run = self.work.tofu("plan", "-destroy", "-out=p", "-no-color")
        self.assertEqual(run.status, 0, run.said)
        for lines in (planned, self.lines("-plan=p")):
            self.check(lines,
                       ("module.m.output.token (expand)", f"{EPHEMERAL} (expand)"),
                       (f"{EPHEMERAL} (expand)", PROVIDER),
                       (f"{EPHEMERAL} (close)", "module.m.terraform_data.n (destroy)"),
                       (f"{INNER} (close)", f"{EPHEMERAL} (close)"),
                       (f"{PROVIDER} (close)", f"{EPHEMERAL} (close)"),
                       ("module.u.six_thing.k (destroy)", INNER))

    def test_a_plan_that_destroys_evaluates_no_declared_resource(self):
        lines = self.lines("-type=plan-destroy")
        self.assertFalse([line for line in lines if "terraform_data.n (expand)" in line])
        self.check(lines, (f"{EPHEMERAL} (expand)", "module.m (expand)"))


if __name__ == "__main__":
    unittest.main()

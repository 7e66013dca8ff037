"""Whole runs with a plugin: from a directory that is being worked on, attached to one that
runs already, and with one that is killed while something is made."""

import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest

import fake_plugin
from place import PlaceTest

KILLS = int(os.environ.get("TOFU_TEST_KILLS", "8"))
THINGS = 24

NEED = """terraform {
  required_providers {
    fake = {
      source = "example.com/acme/fake"
    }
  }
}
"""


def thing(name, count=None):
    repeated = "" if count is None else f"  count = {count}\n"
    index = "" if count is None else "-${count.index}"
    return f'resource "fake_thing" "{name}" {{\n{repeated}  name = "{name}{index}"\n}}\n'


@fake_plugin.needs_go
class PluginsTest(PlaceTest):
    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.mkdtemp(prefix="tofu-plugin-")
        cls.addClassCleanup(shutil.rmtree, cls.built, True)
        cls.plugin = fake_plugin.build(cls.built)

    def setUp(self):
        super().setUp()
        self.store = self.top / "store"
        self.store.mkdir()
        self.environment["FAKE_STORE"] = str(self.store)

    def override(self):
        """Has the plugin used from where it was built, without installing it."""
        (self.top / "home/.tofurc").write_text(
            "provider_installation {\n  dev_overrides {\n"
            f'    "example.com/acme/fake" = "{self.built}"\n  }}\n  direct {{\n  }}\n}}\n')

    def made(self):
        return sorted(str(path.relative_to(self.store)) for path in self.store.rglob("*")
                      if path.is_file())

    def in_state(self):
        path = self.work.path / "terraform.tfstate"
        if not path.exists():
            return []
        return sorted(instance["attributes"]["name"]
                      for resource in json.loads(path.read_text())["resources"]
                      for instance in resource["instances"])

    def good(self, *arguments, **more):
        run = self.work.tofu(*arguments, "-no-color", **more)
        self.assertEqual(run.status, 0, run.said)
        return run

    def test_a_plugin_that_is_worked_on_is_used_without_init(self):
        self.override()
        self.work.write({"main.tf": NEED + thing("a")})
        run = self.good("apply", "-auto-approve")
        self.assertIn("development overrides are in effect", run.said)
        self.assertEqual(self.made(), ["a"])
        self.assertFalse((self.work.path / ".terraform.lock.hcl").exists())
        self.assertIn("No changes", self.good("plan").said)
        self.good("destroy", "-auto-approve")
        self.assertEqual(self.made(), [])

    def test_nothing_is_said_of_what_waits_for_something_that_its_provider_refuses(self):
        self.override()
        behind = thing("wrong-too").replace("}\n", "  depends_on = [fake_thing.wrong]\n}\n")
        self.work.write({"main.tf": NEED + thing("wrong") + behind + thing("wrong-elsewhere")})
        run = self.work.tofu("validate", "-no-color")
        self.assertEqual(run.status, 1, run.said)
        self.assertEqual(run.said.count("Error: Wrong name"), 2, run.said)
        self.assertNotIn("wrong-too", run.said)

    def test_the_provider_generates_configuration_for_what_is_imported(self):
        self.override()
        (self.store / "Web").touch()
        block = 'import {{\n  to = fake_thing.{0}\n  id = "{1}"\n}}\n'
        self.work.write({"main.tf": NEED + block.format("web", "Web")})
        run = self.good("plan", "-generate-config-out=made.tf", "-out=plan.tfplan")
        self.assertIn('"Web" -> "web"', run.said)
        self.assertIn('resource "fake_thing" "web" {\n'
                      '  name   = "web"\n'
                      '  secret = null # write-only\n'
                      '}\n', (self.work.path / "made.tf").read_text())
        self.assertIn("1 to import", run.said)

    def test_configuration_that_the_provider_cannot_generate_is_an_error(self):
        self.override()
        for name, said in (("Secret", "Error: Cannot be described"),
                           ("Nothing", "Error: Provider produced invalid configuration")):
            (self.store / name).touch()
            self.work.write({"main.tf": NEED + (
                f'import {{\n  to = fake_thing.a\n  id = "{name}"\n}}\n')})
            run = self.work.tofu("plan", "-no-color", "-generate-config-out=made.tf")
            self.assertEqual(run.status, 1, run.said)
            self.assertIn(said, run.said)
            self.assertFalse((self.work.path / "made.tf").exists())

    def test_functions_are_called_on_the_configuration_that_is_meant(self):
        self.override()
        self.work.write({"main.tf": NEED + (
            'provider "fake" {\n  mode = "plain"\n}\n'
            'provider "fake" {\n  alias = "other"\n  mode = "aliased"\n}\n'
            'output "plain" {\n  value = provider::fake::configured()\n}\n'
            'output "aliased" {\n  value = provider::fake::other::configured()\n}\n')})
        self.good("apply", "-auto-approve")
        outputs = json.loads(self.work.tofu("output", "-json").stdout)
        self.assertEqual({name: each["value"] for name, each in outputs.items()},
                         {"plain": "plain", "aliased": "aliased"})

    def test_a_function_that_no_configuration_has_is_refused(self):
        self.override()
        self.work.write({"main.tf": NEED + (
            'output "o" {\n  value = try(provider::fake::nothing(), "hidden")\n}\n')})
        self.good("validate")
        run = self.work.tofu("plan", "-no-color")
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("Function not found in provider", run.said)

    def test_plugins_are_told_which_log_lines_are_wanted(self):
        wrapped = self.top / "wrapped"
        wrapped.mkdir()
        script = wrapped / "terraform-provider-fake"
        script.write_text(f'#!/bin/sh\nenv > "{self.top}/seen"\nexec "{self.plugin}"\n')
        script.chmod(0o755)
        self.built = str(wrapped)
        self.override()
        self.work.write({"main.tf": NEED + thing("a")})

        def levels(**more):
            self.environment.update(more)
            self.good("plan")
            lines = (self.top / "seen").read_text().splitlines()
            return {line.partition("=")[2] for line in lines if line.startswith("TF_LOG_SDK")}

        self.assertEqual(levels(), {"ERROR"})
        self.assertEqual(levels(TF_LOG="info"), {"INFO"})
        self.assertEqual(levels(TF_LOG_PROVIDER="trace"), {"TRACE"})
        self.assertEqual(levels(TF_LOG_SDK_PROTO="off"), {"TRACE", "off"})

    def test_an_override_without_a_plugin_is_told(self):
        self.built = str(self.top / "nothing")
        os.mkdir(self.built)
        self.override()
        self.work.write({"main.tf": NEED + thing("a")})
        run = self.work.tofu("plan", "-no-color")
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("example.com/acme/fake", run.said)

    def test_destroy_configures_a_provider_with_values_of_what_is_destroyed(self):
        self.override()
        other = ('provider "fake" {\n  alias = "other"\n  mode  = "of-${fake_thing.n.name}"\n}\n' +
                 thing("i").replace("}\n", "  provider = fake.other\n}\n"))
        self.work.write({"main.tf": NEED + thing("n") + other, "a.tftest.hcl": 'run "one" {\n}\n'})

        def destroy():
            self.good("destroy", "-auto-approve")

        def destroy_part():
            self.good("destroy", "-auto-approve", "-target=fake_thing.i")
            self.assertEqual(self.made(), ["n"])
            self.good("destroy", "-auto-approve")

        def destroy_unrefreshed():
            self.good("apply", "-destroy", "-refresh=false", "-auto-approve")

        def destroy_as_planned():
            self.good("plan", "-destroy", "-out=p")
            self.good("apply", "p")

        for way in (destroy, destroy_part, destroy_unrefreshed, destroy_as_planned):
            self.good("apply", "-auto-approve")
            self.assertEqual(self.made(), ["n", "of-n/i"])
            way()
            self.assertEqual(self.made(), [], way.__name__)
        self.good("test")
        self.assertEqual(self.made(), [])

    def test_what_is_not_declared_any_more_is_destroyed_where_it_was_created(self):
        self.override()
        other = 'provider "fake" {\n  alias = "other"\n  mode  = "there"\n}\n'
        gone = thing("i").replace("}\n", "  provider = fake.other\n}\n")
        for part in ([], ["-target=fake_thing.i"], ["-exclude=fake_thing.n"]):
            self.work.write({"main.tf": NEED + other + thing("n") + gone})
            self.good("apply", "-auto-approve")
            self.assertEqual(self.made(), ["n", "there/i"])
            self.work.write({"main.tf": NEED + other + thing("n")})
            self.good("plan", "-out=p", *part)
            self.good("apply", "p")
            self.assertEqual(self.made(), ["n"], part)
            self.assertEqual(self.in_state(), ["n"], part)

    def test_what_a_test_cannot_clean_up_is_named(self):
        self.override()
        self.work.write({"main.tf": NEED + thing("n") + thing("stuck"),
                         "a.tftest.hcl": 'run "one" {\n}\n'})
        run = self.work.tofu("test", "-no-color", FAKE_STUCK="stuck")
        self.assertEqual(run.status, 0, run.said)
        self.assertIn("\n  - fake_thing.stuck\n", run.stderr)
        self.assertNotIn("fake_thing.n\n", run.stderr)
        self.assertEqual(self.made(), ["stuck"])

    def attached(self):
        """Starts the plugin as its developer does; gives it and what it says of itself."""
        started = subprocess.Popen([self.plugin], stdout=subprocess.PIPE, text=True,
                                   env={**self.environment, "FAKE_PLUGIN": "attached"})
        self.addCleanup(started.stdout.close)
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        return started, started.stdout.readline().strip()

    def test_a_plugin_that_runs_already_is_used_and_goes_on_running(self):
        self.work.write({"main.tf": NEED + thing("a")})
        started, address = self.attached()
        for _ in range(2):
            self.good("apply", "-auto-approve", TF_REATTACH_PROVIDERS=address)
            self.assertIsNone(started.poll())
        self.assertEqual(self.made(), ["a"])
        self.assertEqual(self.in_state(), ["a"])
        self.good("destroy", "-auto-approve", TF_REATTACH_PROVIDERS=address)
        self.assertEqual(self.made(), [])
        self.assertIsNone(started.poll())

    def test_a_plugin_to_attach_to_that_is_gone_is_named(self):
        self.work.write({"main.tf": NEED + thing("a")})
        started, address = self.attached()
        started.kill()
        started.wait()
        run = self.work.tofu("plan", "-no-color", TF_REATTACH_PROVIDERS=address)
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("example.com/acme/fake", run.said)

    def test_what_was_made_before_a_plugin_was_killed_is_not_forgotten(self):
        self.override()
        self.work.write({"main.tf": NEED + thing("t", THINGS)})
        everything = sorted(f"t-{index}" for index in range(THINGS))
        dice = random.Random(15)
        for _ in range(KILLS):
            moment = dice.randrange(1, 2 * THINGS + 1)  # two for each that is made
            run = self.work.tofu("apply", "-auto-approve", "-no-color", FAKE_KILLED=str(moment))
            self.assertEqual(run.status, 1, run.said)
            self.assertIn("example.com/acme/fake", run.said)
            known = self.in_state()
            finished = re.findall(r"fake_thing\.t\[(\d+)\]: Creation complete", run.stdout)
            self.assertLessEqual({f"t-{index}" for index in finished}, set(known), run.said)
            self.assertLessEqual(set(known), set(self.made()), run.said)
            for name in set(self.made()) - set(known):
                address = name.replace("t-", "fake_thing.t[") + "]"
                self.assertIn(f"tofu import '{address}' ID", run.said)
            self.good("apply", "-auto-approve")
            self.assertEqual(self.in_state(), everything)
            self.assertEqual(self.made(), everything)
            run = self.work.tofu("destroy", "-auto-approve", "-no-color", FAKE_KILLED=str(moment))
            self.assertEqual(run.status, 1, run.said)
            # What is gone may be in the state still, but nothing that is there is missing.
            self.assertLessEqual(set(self.made()), set(self.in_state()), run.said)
            self.good("destroy", "-auto-approve")
            self.assertEqual(self.made(), [])
            self.assertEqual(self.in_state(), [])


if __name__ == "__main__":
    unittest.main()

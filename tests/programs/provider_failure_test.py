"""A provider that cannot be used, and objects that only the state has.

Whatever is run, no object leaves the state, none is destroyed, and no provider gets a configuration
other than the one that is written down.
"""

import json
import os
import shutil
import tempfile
import unittest

import fake_plugin
from place import PlaceTest

ADDRESS = "example.com/acme/fake"
NEED = f'terraform {{\n  required_providers {{\n    fake = {{ source = "{ADDRESS}" }}\n  }}\n}}\n'
ROOT = f'provider["{ADDRESS}"]'
# What is wrong with a variable is found when it is planned, not before.
PROVIDER = 'provider "fake" {\n  mode = MODE\n}\nvariable "absent" {\n  default = "absent"\n}\n'
OTHER = 'resource "terraform_data" "other" {\n  input = "x"\n}\n'


def stored(name, index=None, deposed=""):
    """An instance of fake_thing in a state."""
    return ({"schema_version": 3, "sensitive_attributes": [],
             "attributes": {"id": f"id-{name}", "name": name, "secret": None}}
            | ({} if index is None else {"index_key": index})
            | ({"deposed": deposed} if deposed else {}))


def resource(name, *instances, provider=ROOT, **more):
    return {"mode": "managed", "type": "fake_thing", "name": name, "instances": list(instances),
            **({"provider": provider} if provider else {}), **more}


# Objects that only the state has: an orphan, an instance too many, one of a module that is gone, and
# a deposed one. Their resources, and addresses for -target.
CONFIGURATION = PROVIDER + OTHER + """
resource "fake_thing" "kept" {
  name = "kept"
}
resource "fake_thing" "many" {
  count = 1
  name  = "first"
}
"""
ONLY_STORED = [
    resource("orphan", stored("orphan")),
    resource("many", stored("first", 0), stored("second", 1)),
    resource("inner", stored("inner"), module="module.gone"),
    resource("kept", stored("kept"), stored("before", deposed="0a1b2c3d")),
]
ADDRESSES = ("fake_thing.orphan", "fake_thing.many[1]", "module.gone.fake_thing.inner",
             "fake_thing.kept")
CONFIGURED = ["first", "kept"]
# Others, whose provider configuration is gone as well, so that they cannot be destroyed.
UNCONFIGURED = [
    resource("owned", stored("owned"), module="module.own", provider=f"module.own.{ROOT}"),
    resource("aliased", stored("aliased"), provider=f"{ROOT}.gone"),
    resource("keyed", stored("keyed") | {"provider": f'{ROOT}.by_key["gone"]'}, provider=None),
]
UNCONFIGURED_ADDRESSES = ("module.own.fake_thing.owned", "fake_thing.aliased", "fake_thing.keyed")

# How the provider fails: (the variables of its process, the expression of its "mode").
FAILURES = {
    "configuring is refused": ({"FAKE_REFUSES": "ConfigureProvider"}, '"live"'),
    "it dies when configured": ({"FAKE_DIES": "ConfigureProvider"}, '"live"'),
    "it dies when it reads": ({"FAKE_DIES": "ReadResource"}, '"live"'),
    "it dies when it plans": ({"FAKE_DIES": "PlanResourceChange"}, '"live"'),
    "it dies when it changes": ({"FAKE_DIES": "ApplyResourceChange"}, '"live"'),
    "it dies when asked for its schema": ({"FAKE_DIES": "GetProviderSchema"}, '"live"'),
    "its configuration is wrong": ({}, 'file(var.absent)'),
    "it is missing": ({}, '"live"'),
}
COMMANDS = ("plan", "plan -refresh=false", "plan -destroy", "apply", "apply -refresh=false",
            "apply -target", "destroy", "destroy -target", "destroy -refresh=false",
            "refresh", "apply -refresh-only")
# What these failures do not reach.
HARMLESS = {
    "it dies when it reads": ("plan -refresh=false", "apply -refresh=false",
                              "destroy -refresh=false"),
    "it dies when it plans": ("apply -refresh-only",),
    "it dies when it changes": ("plan", "plan -refresh=false", "plan -destroy", "refresh",
                                "apply -refresh-only"),
}


@fake_plugin.needs_go
class ProviderFailureTest(PlaceTest):
    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.mkdtemp(prefix="tofu-plugin-")
        cls.addClassCleanup(shutil.rmtree, cls.built, True)
        cls.plugin = fake_plugin.build(cls.built)

    def setUp(self):
        super().setUp()
        package = self.top / "mirror" / ADDRESS / "1.0.0/linux_amd64"
        package.mkdir(parents=True)
        os.link(self.plugin, package / "terraform-provider-fake")
        (self.top / "home/.tofurc").write_text(
            f'provider_installation {{\n  filesystem_mirror {{\n    path = "{self.top}/mirror"\n'
            "  }\n}\n")
        self.store, self.log = self.top / "store", self.top / "log"
        self.environment |= {"FAKE_STORE": str(self.store), "FAKE_LOG": str(self.log),
                             "TF_CLI_ARGS": "-no-color"}
        self.work.write({"main.tf": NEED})
        self.init()

    def reset(self, configuration, mode, resources):
        """Gives the names of the things in the state, which all exist."""
        self.work.write({
            "main.tf": NEED + configuration.replace("MODE", mode),
            "terraform.tfstate": json.dumps({"version": 4, "serial": 5, "lineage": "l",
                                             "resources": resources})})
        shutil.rmtree(self.store, True)
        (self.store / "live").mkdir(parents=True)
        for name in self.names():
            (self.store / "live" / name).touch()
        self.log.write_text("")
        return self.names()

    def names(self):
        """The names of things in the state."""
        document = json.loads((self.work.path / "terraform.tfstate").read_text())
        return sorted(instance["attributes"]["name"] for each in document["resources"]
                      if each["type"] == "fake_thing" for instance in each["instances"])

    def made(self):
        return sorted(str(path.relative_to(self.store)) for path in self.store.rglob("*")
                      if path.is_file())

    def run_command(self, command, addresses=(), **more):
        name, *options = command.split()
        if name in ("apply", "destroy"):
            options.append("-auto-approve")
        if "-target" in options:
            options.remove("-target")
            options += [f"-target={address}" for address in addresses]
        return self.work.tofu(name, *options, **more)

    def assert_nothing_is_lost(self, before, run):
        self.assertEqual(self.names(), before, run.said)
        self.assertEqual(self.made(), [f"live/{name}" for name in before], run.said)
        self.assertLessEqual(set(self.log.read_text().split()), {"live"}, run.said)

    def test_a_provider_that_fails_loses_no_object(self):
        for failure, (variables, mode) in FAILURES.items():
            if failure == "it is missing":
                shutil.rmtree(self.work.path / ".terraform/providers")
            for command in COMMANDS:
                with self.subTest(failure=failure, command=command):
                    before = self.reset(CONFIGURATION, mode, ONLY_STORED)
                    if failure == "it dies when asked for its schema":
                        shutil.rmtree(self.work.path / ".terraform/schemas", True)
                    run = self.run_command(command, ADDRESSES, **variables)
                    if command in HARMLESS.get(failure, ()):
                        self.assertEqual(run.status, 0, run.said)
                    else:
                        self.assertEqual(run.status, 1, run.said)
                        self.assert_nothing_is_lost(before, run)

    def test_a_provider_that_works_destroys_what_only_the_state_has(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                before = self.reset(CONFIGURATION, '"live"', ONLY_STORED)
                run = self.run_command(command, ADDRESSES)
                self.assertEqual(run.status, 0, run.said)
                self.assertEqual(set(self.log.read_text().split()), {"live"})
                if command.startswith(("plan", "refresh")) or "only" in command:
                    self.assert_nothing_is_lost(before, run)
                else:
                    left = {"apply": CONFIGURED, "destroy": []}[command.split()[0]]
                    if command == "destroy -target":
                        left = ["first"]
                    self.assertEqual(self.names(), left, run.said)
                    self.assertEqual(self.made(), [f"live/{name}" for name in left])

    def test_an_object_whose_provider_configuration_is_gone_stays(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                before = self.reset(PROVIDER, '"live"', UNCONFIGURED)
                run = self.run_command(command, UNCONFIGURED_ADDRESSES)
                self.assert_nothing_is_lost(before, run)
                self.assertEqual(run.status, 1, run.said)
                self.assertIn("Provider configuration not present", run.said)
                for address in UNCONFIGURED_ADDRESSES:
                    self.assertIn(address, run.said)

    def test_a_target_that_needs_no_provider_keeps_everything(self):
        for failure, (variables, mode) in FAILURES.items():
            with self.subTest(failure=failure):
                before = self.reset(CONFIGURATION, mode, ONLY_STORED)
                run = self.run_command("apply -target", ("terraform_data.other",), **variables)
                self.assert_nothing_is_lost(before, run)
                self.assertEqual(run.status, 0, run.said)


if __name__ == "__main__":
    unittest.main()

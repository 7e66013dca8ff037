"""Where a secret could be shown: every kind of change by everything that shows it."""

import itertools
import json
import os
import shutil
import tempfile
import unittest

import fake_plugin
from place import PlaceTest

PLUGINS = os.environ.get("TOFU_TEST_PLUGINS", "")
SOURCE = "registry.opentofu.org/tofu-test"
# In every secret that is given, and in the tokens that the provider makes.
MARKS = ("hush", "token-")

CONFIGURATION = """terraform {
  required_providers {
    five = { source = "tofu-test/five" }
    six  = { source = "tofu-test/six" }
  }
}
variable "secret" {
  type      = string
  sensitive = true
  default   = "hush-1"
}
variable "zone" {
  default = "z1"
}
variable "fails" {
  default = "none"
}
resource "six_thing" "a" {
  name   = "a"
  secret = var.secret
  note   = var.secret
  tags   = { (nonsensitive("k")) = var.secret }
  zone   = var.zone
  lifecycle {
    create_before_destroy = CREATES_FIRST
    postcondition {
      condition     = var.fails != "condition" || self.secret == "other"
      error_message = "It fails."
    }
  }
}
resource "six_thing" "g" {
  name   = "g"
  secret = var.secret
}
resource "six_thing" "user" {
  name = "u"
  note = "${six_thing.a.token}, ${six_thing.a.secret}"
}
resource "five_fault" "f" {
  name  = "f"
  at    = var.fails
  how   = "error"
  label = var.secret
}
resource "terraform_data" "t" {
  triggers_replace = [six_thing.a.secret, var.secret]
  provisioner "local-exec" {
    command     = "echo $SECRET; test $FAILS != exec"
    environment = { SECRET = var.secret, FAILS = var.fails }
  }
}
check "c" {
  assert {
    condition     = six_thing.a.secret == "other"
    error_message = "No."
  }
}
output "o" {
  value     = [six_thing.a.token, var.secret]
  sensitive = true
}
IMPORTS
"""


def files(creates_first=False, imports=""):
    text = CONFIGURATION.replace("CREATES_FIRST", str(creates_first).lower())
    return {"main.tf": text.replace("IMPORTS", imports)}


# The same with a resource that has secrets in every place, its id included.
VAULT = """terraform {
  required_providers {
    fake = { source = "example.com/acme/fake" }
  }
}
variable "secret" {
  sensitive = true
  default   = "hush-1"
}
variable "plain" {
  default = "hush-plain"
}
variable "zone" {
  default = "z1"
}
variable "exec" {
  default = "true"
}
resource "fake_vault" "NAME" {
  name   = "v"
  key    = var.plain
  note   = var.secret
  labels = { (nonsensitive("k")) = var.secret }
  nested = { label = var.secret, pin = var.plain }
  zone   = var.zone
  rule {
    label = var.secret
    pin   = var.plain
  }
  lifecycle {
    create_before_destroy = CREATES_FIRST
  }
  provisioner "local-exec" {
    command = "echo ${self.id} ${self.rule[0].pin}; ${var.exec}"
  }
}
resource "terraform_data" "user" {
  # Of the input the provider would make a copy, which no mark can follow.
  triggers_replace = [fake_vault.NAME.id, fake_vault.NAME.token, fake_vault.NAME.nested.pin,
                      fake_vault.NAME.rule[*].pin, fake_vault.NAME.labels]
}
# Read while planning, and when the resource above is made.
data "fake_vault" "early" {
  name   = "early"
  key    = var.plain
  note   = var.secret
  labels = { (nonsensitive("k")) = var.secret }
  nested = { label = var.secret, pin = var.plain }
  rule {
    label = var.secret
    pin   = var.plain
  }
}
data "fake_vault" "late" {
  name = "late"
  note = fake_vault.NAME.token
  nested = { label = fake_vault.NAME.id }
  rule {
    pin = fake_vault.NAME.rule[0].pin
  }
}
check "c" {
  assert {
    condition     = fake_vault.NAME.id == data.fake_vault.early.rule[0].pin
    error_message = "No."
  }
}
output "o" {
  value     = [fake_vault.NAME, data.fake_vault.early, data.fake_vault.late]
  sensitive = true
}
"""


def uncovered(value, mask, path=""):
    """The paths of marks in a value of a plan's JSON that its mask does not cover."""
    if mask is True:
        return []
    if isinstance(value, dict):
        masks = mask if isinstance(mask, dict) else {}
        return [found for key, item in value.items()
                for found in uncovered(item, masks.get(key), f"{path}.{key}")]
    if isinstance(value, list):
        masks = mask if isinstance(mask, list) else []
        masks = masks + [None] * (len(value) - len(masks))
        return [found for i, item in enumerate(value)
                for found in uncovered(item, masks[i], f"{path}[{i}]")]
    return [path] if isinstance(value, str) and any(mark in value for mark in MARKS) else []


class Views(PlaceTest):
    """Runs commands and looks for secrets in everything that they print."""

    def shown(self, what, text):
        for mark in MARKS:
            at = text.find(mark)
            self.assertEqual(at, -1, f"{what} shows {text[max(0, at - 400):at + 100]}")

    def tofu(self, what, *arguments, statuses=(0,)):
        run = self.work.tofu(*arguments)
        self.assertIn(run.status, statuses, f"{what}: {run.said[-3000:]}")
        self.shown(f"{what}: {arguments}", run.stdout + run.stderr)
        return run

    def look_at(self, what, arguments, statuses=(0,)):
        """Plans, in every way that a plan is shown. The saved plan is p."""
        self.tofu(what, "plan", "-no-color", "-html-out=p.html", *arguments, statuses=statuses)
        (self.work.path / "made.tf").unlink(missing_ok=True)
        self.shown(f"{what}: the page", (self.work.path / "p.html").read_text())
        self.tofu(what, "plan", "-json", "-out=p", *arguments, statuses=statuses)
        self.tofu(what, "show", "-no-color", "p")
        plan = self.shown_json("p")
        # For what is replaced, the planned values have no masks of the schema, as in OpenTofu.
        replaced = {each["address"] for each in plan.get("resource_changes", [])
                    if len(each["change"]["actions"]) == 2}
        self.assert_covered(what, plan.get("planned_values", {}), replaced)
        self.assert_covered(what, plan.get("prior_state", {}).get("values", {}))
        for change in plan.get("resource_changes", []) + plan.get("resource_drift", []):
            for side in ("before", "after"):
                found = uncovered(change["change"].get(side), change["change"][f"{side}_sensitive"])
                self.assertEqual(found, [], f"{what}: {side} of {change['address']}")

    def shown_json(self, *arguments):
        run = self.work.tofu("show", "-json", *arguments)
        self.assertEqual(run.status, 0, run.said)
        return json.loads(run.stdout)

    def assert_covered(self, what, values, but=()):
        """Looks for marks that the masks do not cover in the resources of a state or a plan."""
        for each in values.get("root_module", {}).get("resources", []):
            if each["address"] in but:
                continue
            found = uncovered(each["values"], each["sensitive_values"])
            self.assertEqual(found, [], f"{what}: values of {each['address']}")

    def change(self, what, *arguments, fails=False):
        statuses = (1,) if fails else (0,)
        self.look_at(what, arguments, (0, 1))
        self.tofu(what, "apply", "-auto-approve", "-json", *arguments, statuses=statuses)
        self.tofu(what, "show", "-no-color")


@unittest.skipUnless(PLUGINS, "TOFU_TEST_PLUGINS does not name a mirror with the test providers")
class SecretMatrixTest(Views):
    def setUp(self):
        super().setUp()
        self.environment |= {"FIVE_STORE": str(self.top / "store"),
                             "SIX_STORE": str(self.top / "store"),
                             "TF_LOG_CORE": "trace"}
        (self.top / "home/.tofurc").write_text(
            f'provider_installation {{\n  filesystem_mirror {{\n    path = "{PLUGINS}"\n  }}\n}}\n')

    def test_no_secret_is_shown_whatever_changes(self):
        for creates_first in (False, True):
            with self.subTest(creates_first=creates_first):
                self.work.write(files(creates_first))
                self.init()
                self.change("create")
                self.change("nothing")
                self.change("update", "-var=secret=hush-2")
                self.change("replace by request", "-var=secret=hush-2", "-replace=six_thing.a")
                self.change("replace", "-var=secret=hush-3", "-var=zone=z2")
                self.tofu("taint", "taint", "six_thing.a")
                self.change("replace what is tainted", "-var=secret=hush-3", "-var=zone=z2")
                self.change("delete", "-destroy", "-var=secret=hush-3", "-var=zone=z2")

    def test_no_secret_is_shown_whatever_fails(self):
        for stage in ("condition", "create", "update", "delete", "read", "exec"):
            with self.subTest(stage=stage):
                self.work.write(files())
                self.init()
                if stage not in ("create", "condition", "exec"):
                    self.change("before the failure")
                arguments = ["-var=secret=hush-4", f"-var=fails={stage}"]
                if stage in ("delete", "read"):
                    self.change("preparing the failure", *arguments)
                    arguments.append("-destroy")
                self.change(f"fail to {stage}", *arguments, fails=True)
                self.tofu("clean up", "state", "rm", "five_fault.f", statuses=(0, 1))
                self.change("delete", "-destroy")

    def test_no_secret_is_shown_when_something_is_imported(self):
        self.work.write(files())
        self.init()
        self.change("create")
        self.tofu("forget", "state", "rm", "six_thing.a")
        self.tofu("import", "import", "-no-color", "six_thing.a", "a-1")
        self.tofu("forget", "state", "rm", "six_thing.a")
        self.work.write(files(imports='import {\n  to = six_thing.a\n  id = "a-1"\n}\n'))
        self.change("import")
        self.tofu("forget", "state", "rm", "six_thing.a")
        # Of an object that no configuration describes, only the schema says what is sensitive.
        text = files()["main.tf"].split("variable")[0]
        self.work.write({"main.tf": text + 'import {\n  to = six_thing.b\n  id = "g-1"\n}\n'})
        self.tofu("forget", "state", "rm", "six_thing.g", "six_thing.user", "five_fault.f",
                  "terraform_data.t")
        self.look_at("generate", ["-generate-config-out=made.tf"])
        self.shown("generated configuration", (self.work.path / "made.tf").read_text())


@fake_plugin.needs_go
class VaultTest(Views):
    """The same for secrets by schema and by configuration, in nested blocks, and for the id."""

    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.mkdtemp(prefix="tofu-plugin-")
        cls.addClassCleanup(shutil.rmtree, cls.built, True)
        fake_plugin.build(cls.built)

    stream = "-json"  # how an apply shows its progress

    def setUp(self):
        super().setUp()
        self.store = self.top / "store"
        self.store.mkdir()
        self.environment |= {"FAKE_STORE": str(self.store), "TF_LOG_CORE": "trace"}
        (self.top / "home/.tofurc").write_text(
            "provider_installation {\n  dev_overrides {\n"
            f'    "example.com/acme/fake" = "{self.built}"\n  }}\n  direct {{\n  }}\n}}\n')

    def write(self, name="v", creates_first=False, more=""):
        self.work.write({"main.tf": VAULT.replace("NAME", name).replace(
            "CREATES_FIRST", str(creates_first).lower()) + more})

    def run_change(self, what, *arguments, fails=False):
        """Plans in every way that a plan is shown, applies that plan, and shows the state."""
        self.look_at(what, arguments, (0, 1))
        self.tofu(what, "apply", self.stream, "-auto-approve", *arguments, statuses=(int(fails),))
        self.tofu(what, "show", "-no-color")
        self.tofu(what, "state", "list")
        self.assert_covered(what, self.shown_json().get("values", {}))

    def drift(self):
        """Changes what is stored behind the back of the program."""
        for path in self.store.iterdir():
            path.write_bytes(path.read_bytes().replace(b"hush-token", b"hush-drift"))

    def test_no_secret_is_shown_whatever_changes(self):
        for creates_first, self.stream in itertools.product((False, True), ("-json", "-no-color")):
            with self.subTest(creates_first=creates_first, stream=self.stream):
                self.write(creates_first=creates_first)
                self.run_change("create")
                self.run_change("update", "-var=secret=hush-2", "-var=plain=hush-other")
                self.run_change("replace", "-var=secret=hush-2", "-var=zone=z2")
                self.run_change("replace by request", "-replace=fake_vault.v", "-var=zone=z2")
                self.drift()
                self.run_change("refresh", "-refresh-only", "-var=zone=z2")
                self.drift()
                self.tofu("refresh", "refresh", "-no-color", "-var=zone=z2")
                self.write("w", creates_first, "moved {\n  from = fake_vault.v\n"
                           "  to   = fake_vault.w\n}\n")
                self.run_change("move", "-var=zone=z2")
                self.tofu("state show", "state", "show", "-no-color", "fake_vault.w")
                self.tofu("taint", "taint", "fake_vault.w")
                self.tofu("untaint", "untaint", "fake_vault.w")
                self.tofu("state mv", "state", "mv", "fake_vault.w", "fake_vault.v")
                self.write(creates_first=creates_first)
                self.tofu("forget", "state", "rm", "fake_vault.v")
                self.tofu("import", "import", "-no-color", "fake_vault.v", "it")
                self.tofu("forget", "state", "rm", "fake_vault.v")
                self.write("v", creates_first,
                           'import {\n  to = fake_vault.v\n  id = "it"\n}\n')
                self.run_change("import by a block")
                self.run_change("delete", "-destroy")
                self.assertEqual(list(self.store.iterdir()), [])

    def test_no_secret_is_shown_whatever_fails(self):
        self.write()
        self.run_change("before the failures")
        text = (self.work.path / "main.tf").read_text()
        public = text.replace("note   = var.secret", 'note   = "public"')
        other, replace = "-var=secret=hush-2", "-replace=fake_vault.v"
        # With the text "public" only the state has the secret still.
        for stage, configuration, arguments in (
                ("read", text, []), ("data", text, []), ("plan", text, [other]),
                ("update", text, [other]),
                ("update", public, []), ("delete", text, ["-destroy"]), ("delete", text, [replace]),
                ("create", text, [replace])):
            with self.subTest(stage=stage, arguments=arguments):
                self.work.write({"main.tf": configuration})
                self.environment["FAKE_FAILS"] = stage
                self.run_change(f"fail to {stage}", *arguments, fails=True)
                self.tofu(stage, "apply", "-no-color", "-auto-approve", *arguments, statuses=(1,))
        self.environment["FAKE_FAILS"] = ""
        self.run_change("create again")
        self.run_change("fail to provision", replace, "-var=exec=false", fails=True)
        self.run_change("replace what is tainted")
        # The provider returns another value than the one that was planned.
        self.environment["FAKE_FAILS"] = "result"
        self.run_change("another result", "-var=secret=hush-1-changed", fails=True)


if __name__ == "__main__":
    unittest.main()

"""Real providers through their whole life: init, plan, apply, plan again, change, import,
destroy, with this program and with OpenTofu, and the states are the same.

TOFU_TEST_PROVIDERS names a filesystem mirror that has them; what it does not have is
skipped, and so is everything without OpenTofu (TOFU_PEER_OPENTOFU). OpenTofu runs twice:
where its own two states differ, as with random values, any value is right.
"""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

import place

MIRROR = os.environ.get("TOFU_TEST_PROVIDERS", "")
PEER = os.environ.get("TOFU_PEER_OPENTOFU") or shutil.which("opentofu")
SPACE = "registry.opentofu.org/hashicorp"

# By provider: configurations that are applied one after the other, and what is imported
# afterwards by which id.
LIVES = {
    "time": ([
        """
resource "time_static" "t" {
  rfc3339 = "2020-02-12T06:36:13Z"
}
resource "time_offset" "o" {
  base_rfc3339 = time_static.t.rfc3339
  offset_days  = 7
  triggers     = { day = time_static.t.day }
}
resource "time_rotating" "r" {
  rfc3339        = "2020-02-12T06:36:13Z"
  rotation_years = 1000
}
resource "time_sleep" "s" {
  create_duration = "1ms"
}
output "later" {
  value = time_offset.o.rfc3339
}""",
        """
resource "time_static" "t" {
  rfc3339 = "2020-02-12T06:36:13Z"
}
resource "time_offset" "o" {
  count        = 2
  base_rfc3339 = time_static.t.rfc3339
  offset_hours = count.index
}""",
    ], {"time_static.t": "2020-02-12T06:36:13Z",
        "time_offset.o[0]": "2020-02-12T06:36:13Z,0,0,0,1,0,0"}),
    "null": ([
        """
resource "null_resource" "a" {
  triggers = { at = "1" }
}
data "null_data_source" "d" {
  inputs = { id = null_resource.a.id }
}
output "id" {
  value = data.null_data_source.d.outputs["id"]
}""",
        """
resource "null_resource" "a" {
  triggers = { at = "2" }
  lifecycle {
    create_before_destroy = true
  }
}
resource "null_resource" "b" {
  for_each = toset(["x", "y"])
  triggers = { of = null_resource.a.id }
}""",
    ], {}),
    "random": ([
        """
resource "random_pet" "p" {
  keepers = { at = "1" }
  length  = 3
}
resource "random_password" "s" {
  length      = 20
  min_special = 2
}
resource "random_integer" "i" {
  min = 1
  max = 1000000
}
resource "random_id" "b" {
  byte_length = 8
  prefix      = random_pet.p.id
}
resource "random_shuffle" "o" {
  input        = ["a", "b", "c", "d", "e", "f", "g", "h"]
  result_count = 4
}
resource "random_uuid" "u" {
}
output "secret" {
  value     = random_password.s.result
  sensitive = true
}""",
        """
resource "random_pet" "p" {
  keepers = { at = "2" }
  length  = 2
}
resource "random_password" "s" {
  length = 24
}
resource "random_integer" "i" {
  min = 1
  max = 1000000
}""",
    ], {"random_integer.i": "15390,1,1000000", "random_password.s": "only-for-this-test"}),
    "local": ([
        """
resource "local_file" "f" {
  filename        = "made/file"
  content         = "one"
  file_permission = "0644"
}
resource "local_sensitive_file" "s" {
  filename       = "made/secret"
  content_base64 = base64encode("two")
}
data "local_file" "d" {
  filename = local_file.f.filename
}
output "again" {
  value = data.local_file.d.content
}""",
        """
resource "local_file" "f" {
  filename        = "made/file"
  content         = "three"
  file_permission = "0600"
}""",
    ], {}),
    "tls": ([
        """
resource "tls_private_key" "k" {
  algorithm = "ED25519"
}
resource "tls_self_signed_cert" "c" {
  private_key_pem       = tls_private_key.k.private_key_pem
  validity_period_hours = 240
  allowed_uses          = ["key_encipherment", "server_auth"]
  dns_names             = ["one.example", "two.example"]
  subject {
    common_name  = "example"
    organization = "none"
  }
}
data "tls_public_key" "p" {
  private_key_openssh = tls_private_key.k.private_key_openssh
}""",
        """
resource "tls_private_key" "k" {
  algorithm   = "ECDSA"
  ecdsa_curve = "P256"
}
resource "tls_cert_request" "r" {
  private_key_pem = tls_private_key.k.private_key_pem
  dns_names       = ["one.example"]
}""",
    ], {}),
    "tfcoremock": ([
        """
resource "tfcoremock_simple_resource" "s" {
  id      = "simple"
  bool    = true
  number  = 1.5
  string  = "text"
  float   = 0.1
  integer = 7
}
resource "tfcoremock_complex_resource" "c" {
  id   = "complex"
  list = [{ string = "one" }, { string = "two", number = 2 }]
  map  = { k = { bool = false } }
  set  = [{ integer = 1 }, { integer = 2 }]
  object = {
    string = tfcoremock_simple_resource.s.id
  }
  list_block {
    string = "b"
  }
  set_block {
    number = 3
  }
}""",
        """
resource "tfcoremock_simple_resource" "s" {
  id     = "simple"
  string = "other"
}
resource "tfcoremock_complex_resource" "c" {
  id   = "complex"
  list = [{ string = "two", number = 2 }]
  set  = [{ integer = 2 }, { integer = 3 }]
}""",
    ], {"tfcoremock_simple_resource.s": "simple", "tfcoremock_complex_resource.c": "complex"}),
}


def differences(one, other, path=()):
    """The paths at which two documents differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        return [found for key in sorted(one.keys() | other.keys())
                for found in ([path + (key,)] if key not in one or key not in other
                              else differences(one[key], other[key], path + (key,)))]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [found for i, (a, b) in enumerate(zip(one, other))
                for found in differences(a, b, path + (i,))]
    return [] if one == other else [path]


class RealProvidersTest(place.PlaceTest):
    def setUp(self):
        super().setUp()
        if not MIRROR:
            self.skipTest("TOFU_TEST_PROVIDERS names no mirror with real providers")
        if not PEER or not os.access(PEER, os.X_OK):
            self.skipTest("there is no OpenTofu to compare with (TOFU_PEER_OPENTOFU)")
        (self.top / "home/.tofurc").write_text(
            f'provider_installation {{\n  filesystem_mirror {{\n    path = "{MIRROR}"\n  }}\n}}\n')

    def run_in(self, folder, program, *arguments, status=0):
        done = subprocess.run([program, *arguments], cwd=folder.path, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=place.TIME_LIMIT, check=False)
        run = place.Run(done)
        self.assertEqual(run.status, status, f"{program} {arguments}: {run.said}")
        return run

    def state(self, folder):
        state = json.loads((folder.path / "terraform.tfstate").read_text())
        for name in ("serial", "lineage", "terraform_version"):
            del state[name]
        for resource in state["resources"]:
            for instance in resource["instances"]:
                instance.get("sensitive_attributes", []).sort(key=json.dumps)
        return state

    def live(self, name, program, provider, configurations, imports):
        """Goes through everything with one program; gives the state after each step."""
        folder = self.folder(name)
        states = []
        need = (f'terraform {{\n  required_providers {{\n    {provider} = {{\n'
                f'      source = "{SPACE}/{provider}"\n    }}\n  }}\n}}\n')
        for configuration in configurations:
            folder.write({"main.tf": need + configuration})
            self.run_in(folder, program, "init", "-no-color", "-input=false")
            self.run_in(folder, program, "plan", "-no-color", "-input=false", "-out=plan")
            self.run_in(folder, program, "apply", "-no-color", "-input=false", "plan")
            states.append(self.state(folder))
            self.run_in(folder, program, "plan", "-no-color", "-detailed-exitcode")
        for address, identifier in imports.items():
            self.run_in(folder, program, "state", "rm", address)
            self.run_in(folder, program, "import", "-no-color", address, identifier)
            states.append(self.state(folder))
        self.run_in(folder, program, "destroy", "-no-color", "-auto-approve")
        states.append(self.state(folder))
        return states

    def compare(self, provider):
        if not pathlib.Path(MIRROR, SPACE, provider).is_dir():
            self.skipTest(f"{MIRROR} does not have {SPACE}/{provider}")
        life = (provider, *LIVES[provider])
        theirs = self.live("theirs", PEER, *life)
        again = self.live("again", PEER, *life)
        ours = self.live("ours", place.TOFU, *life)
        self.assertEqual(len(ours), len(theirs))
        for step, (one, peer, second) in enumerate(zip(ours, theirs, again)):
            by_chance = differences(peer, second)
            wrong = [path for path in differences(one, peer) if path not in by_chance]
            self.assertEqual(wrong, [], f"{provider}, state {step + 1}")

    def test_time_is_what_it_is_with_opentofu(self):
        self.compare("time")

    def test_null_is_what_it_is_with_opentofu(self):
        self.compare("null")

    def test_random_is_what_it_is_with_opentofu(self):
        self.compare("random")

    def test_local_is_what_it_is_with_opentofu(self):
        self.compare("local")

    def test_tls_is_what_it_is_with_opentofu(self):
        self.compare("tls")

    def test_tfcoremock_is_what_it_is_with_opentofu(self):
        self.compare("tfcoremock")


if __name__ == "__main__":
    unittest.main()

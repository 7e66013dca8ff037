"""What the program does all day, for a profile of its code: see tools/bolt_program.py.

A project with every common kind of block, a number of each, through its whole life; random
configurations, for what is rarer; the other commands of a day.
"""

import pathlib
import random
import shutil
import subprocess

from random_configuration import Configuration

ROOT = pathlib.Path(__file__).resolve().parent.parent

MODULE = '''
variable "name" {
  type        = string
  description = "What it is called"
}
variable "labels" {
  type    = map(string)
  default = {}
}
locals {
  labels = merge(var.labels, { name = var.name })
}
resource "terraform_data" "server" {
  input = { name = upper(var.name), labels = local.labels }
}
resource "terraform_data" "disk" {
  count            = 2
  input            = "${var.name}-${count.index}"
  triggers_replace = [terraform_data.server.id]
}
output "id" {
  value = terraform_data.server.id
}
'''

SHARED = '''
variable "zones" {
  type    = list(object({ name = string, size = optional(number, 1) }))
  default = [{ name = "north" }, { name = "south", size = 2 }]
  validation {
    condition     = length(var.zones) > 0
    error_message = "There must be a zone."
  }
}
locals {
  sizes = { for zone in var.zones : zone.name => zone.size }
  hosts = toset([for number in range(100) : format("host-%03d", number)])
}
resource "terraform_data" "host" {
  for_each = local.hosts
  input    = { name = each.key, zone = keys(local.sizes)[0] }
}
resource "terraform_data" "user" {
  for_each = terraform_data.host
  input    = jsonencode({ host = each.value.id, size = local.sizes[var.zones[0].name] })
  lifecycle {
    create_before_destroy = true
  }
}
module "many" {
  source   = "./part"
  for_each = local.sizes
  name     = each.key
}
check "hosts" {
  assert {
    condition     = length(terraform_data.host) == 100
    error_message = "Some hosts are missing."
  }
}
output "zone" {
  value = var.zones[0].name
}
'''

TEST = '''
variables {
  zones = [{ name = "west" }]
}
run "first" {
  command = plan
  assert {
    condition     = length(terraform_data.host) == 100
    error_message = "Some hosts are missing."
  }
}
run "second" {
  assert {
    condition     = output.zone == "west"
    error_message = "It is another zone."
  }
}
'''

EXPRESSIONS = '''\
length([for i in range(1000) : { number = i, text = "n${i}" } if i % 3 == 0])
jsonencode({ for i in range(200) : "k${i}" => [i, tostring(i)] })
distinct(flatten([for i in range(100) : [i % 7, i % 5]]))
'''


def project():
    """A project of some hundred blocks, {path: text}."""
    blocks = []
    for number in range(200):
        other = f"terraform_data.single{number - 1}.id" if number % 10 else '"none"'
        blocks.append(f'resource "terraform_data" "single{number}" {{\n'
                      f'  input = "value {number}"\n}}\n'
                      f'resource "terraform_data" "linked{number}" {{\n'
                      f'  input = {{ number = {number}, other = {other} }}\n}}\n'
                      f'output "single{number}" {{\n  value = terraform_data.single{number}.id\n}}\n')
    for number in range(20):
        blocks.append(f'module "one{number}" {{\n  source = "./part"\n  name   = "n{number}"\n'
                      f'  labels = {{ number = {number} }}\n}}\n')
    return {"main.tf": SHARED, "blocks.tf": "".join(blocks), "part/main.tf": MODULE}


class Training:
    """Runs `program` in folders below `folder`."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        (self.folder / "home").mkdir(parents=True)
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder / "home"),
                            "TMPDIR": str(self.folder)}

    def start(self, program, place, arguments, text=""):
        return subprocess.run([str(program), *arguments], cwd=self.folder / place, input=text,
                              env=self.environment, capture_output=True, text=True)

    def run(self, place, *arguments, text="", may_fail=False):
        done = self.start(self.program, place, arguments, text)
        if done.returncode < 0 or (done.returncode and not may_fail):
            raise RuntimeError(f"tofu {' '.join(arguments)}: status {done.returncode}\n"
                               f"{done.stderr[:2000]}")

    def write(self, place, files):
        for name, text in files.items():
            path = self.folder / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def life(self, place, may_fail=False):
        for arguments in (["init"], ["validate"], ["plan", "-out=saved"], ["apply", "saved"], ["plan"],
                          ["show", "-json"], ["state", "list"], ["output", "-json"],
                          ["apply", "-auto-approve"]):
            self.run(place, *arguments, may_fail=may_fail)

    def all(self):
        self.write("project", project())
        self.life("project")
        self.write("project", {"tests/all.tftest.hcl": TEST})
        self.run("project", "test")
        self.run("project", "destroy", "-auto-approve")
        for seed in range(4):
            place, configuration = f"random{seed}", Configuration(random.Random(seed))
            self.write(place, configuration.files())
            self.life(place, may_fail=True)
            configuration.mutate()
            self.write(place, configuration.files())
            self.life(place, may_fail=True)
            self.run(place, "destroy", "-auto-approve", may_fail=True)
        self.run("project", "console", text=EXPRESSIONS)
        self.run("project", "fmt", "-recursive")
        self.run("project", "version")
        shutil.copytree(ROOT / "examples" / "mistakes", self.folder / "mistakes")
        self.run("mistakes", "init", "-backend=false")
        self.run("mistakes", "validate", may_fail=True)

    def answer(self, program):
        """What another program says to the project: status, output, messages."""
        done = self.start(program, "project", ["plan", "-no-color"])
        return done.returncode, done.stdout, done.stderr

"""Modules that write into their own directory while they are applied, in each mode.

Our init prepares the directory. Until `apply` is ours, terraform's does what the module
asks for: it finds the modules by the same manifest."""

import shutil
import subprocess
import unittest

from place import TIME_LIMIT
from sources import ServedTest

META = "module-package.meta.hcl"
WRITER = """
variable "word" {}
resource "terraform_data" "writer" {
  provisioner "local-exec" {
    command = "echo ${var.word} > ${path.module}/made"
  }
}
"""
TERRAFORM = shutil.which("terraform")


def call(name, source):
    return f'module "{name}" {{\n  source = "{source}"\n  word   = "{name}"\n}}\n'


@unittest.skipUnless(TERRAFORM, "terraform is not installed")
class WritingTest(ServedTest):
    def prepare(self, files, subdir=""):
        repository = self.repository("p", files)
        source = f"git::file://{repository.path}{subdir}"
        self.work.write({"main.tf": call("a", source) + call("b", source)})
        self.init()

    def apply(self):
        done = subprocess.run([TERRAFORM, "apply", "-auto-approve", "-no-color"],
                              cwd=self.work.path, env=self.environment, capture_output=True,
                              text=True, timeout=TIME_LIMIT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def made(self, *paths):
        return [(self.work.path / path / "made").read_text().strip() for path in paths]

    def writes_apart(self, *directories):
        """Both calls write into a directory of their own, and another init leaves it alone."""
        self.apply()
        self.assertEqual(self.made(*directories), ["a", "b"])
        self.init()
        self.assertEqual(self.made(*directories), ["a", "b"], "what was written stays")

    def test_a_package_that_says_nothing_has_room_for_what_each_call_writes(self):
        self.prepare({"main.tf": WRITER})
        self.writes_apart(".terraform/modules/a", ".terraform/modules/b")

    def test_a_module_that_says_it_writes_has_a_directory_for_each_call(self):
        self.prepare({"changing/main.tf": WRITER, META: (
            'module "changing" {\n  path = "./changing"\n  read-only = { self = false }\n}\n')},
            subdir="//changing")
        self.writes_apart(".terraform/modules/a/changing", ".terraform/modules/b/changing")

    def test_what_a_module_writes_although_it_says_it_does_not_is_undone(self):
        self.prepare({"main.tf": WRITER, META: ""})
        self.apply()
        first, second = self.made(".terraform/modules/a", ".terraform/modules/b")
        self.assertEqual(first, second, "there is one directory")
        self.assertIn("were modified", self.init().said)
        self.assertFalse((self.work.entry("a") / "made").exists())

    def test_a_local_module_that_writes_has_a_directory_for_each_call(self):
        self.work.write({
            "main.tf": call("a", "./helper") + call("b", "./helper"), "helper/main.tf": WRITER,
            META: 'module "helper" {\n  path = "./helper"\n  read-only = { self = false }\n}\n'})
        self.init()
        rows = self.work.modules()
        self.writes_apart(rows["a"]["directory"], rows["b"]["directory"])
        self.assertFalse((self.work.path / "helper/made").exists())


if __name__ == "__main__":
    unittest.main()

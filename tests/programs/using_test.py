"""What later commands make of modules and libraries that init installed."""

import shutil
import subprocess
import unittest
import zipfile

from sources import ServedTest

META = "module-package.meta.hcl"


def call(name, source):
    return f'module "{name}" {{\n  source = "{source}"\n}}\n'


class UsingTest(ServedTest):
    def test_a_child_from_git_is_held_to_its_terraform_constraint(self):
        repository = self.repository("p", {"main.tf": 'terraform {\n  required_version = "< 1.0"\n}\n'})
        self.work.write({"main.tf": call("child", self.source("p"))})
        self.refused("module.child", r"\.terraform/modules/child/main\.tf line 2")
        repository.commit({"main.tf": 'terraform {\n  required_version = ">= 1.5, < 2.0"\n}\n'})
        run = self.init("-upgrade")
        self.assertIn("as equivalent to current tofu version", run.said)

    def test_links_have_a_path_each_and_are_read_once(self):
        self.repository("p", {"main.tf": 'output "here" {\n  value = path.module\n}\n', META: ""})
        self.work.write({"main.tf": call("a", self.source("p")) + call("b", self.source("p"))})
        self.init()
        run = self.work.tofu("validate", "-no-color")
        self.assertEqual(run.status, 0, run.said)
        shown = self.work.tofu("modules", "-json").stdout
        self.assertIn('"directory":".terraform/modules/a"', shown)
        self.assertIn('"directory":".terraform/modules/b"', shown)

    def test_a_saved_plan_has_every_package_once_and_needs_none_of_the_directories(self):
        self.repository("p", {
            "main.tf": 'resource "terraform_data" "x" {\n  input = file("${path.module}/text")\n}\n',
            "text": "read while planning\n", META: 'package {\n  description = "shared"\n}\n'})
        self.work.write({"main.tf": call("a", self.source("p")) + call("b", self.source("p")),
                         META: 'package {\n  description = "the root"\n}\n'})
        self.init()
        self.assertEqual(self.work.placement("a"), "link")
        run = self.work.tofu("plan", "-no-color", "-input=false", "-out=saved")
        self.assertEqual(run.status, 0, run.said)
        with zipfile.ZipFile(self.work.path / "saved") as saved:
            kept = saved.read("configuration")
        for text in (b"terraform_data", b'description = "shared"', b'description = "the root"'):
            self.assertEqual(kept.count(text), 1, text)

        elsewhere = self.folder("elsewhere")
        run = elsewhere.tofu("apply", "-no-color", str(self.work.path / "saved"))
        self.assertEqual(run.status, 0, run.said)
        self.assertIn("read while planning", elsewhere.tofu("show", "-no-color").stdout)

    def test_a_symbol_library_comes_from_git_and_is_locked(self):
        repository = self.repository("lib", {"lib/main.sym.hcl": 'values {\n  port = 80\n}\n'})
        self.work.write({"main.tofu": (
            f'symbols "net" {{\n  source = "{self.source("lib", "//lib")}"\n}}\n'
            'output "port" {\n  value = symbols.net.port\n}\n')})
        before = self.work.tofu("validate", "-no-color")
        self.assertEqual(before.status, 1, before.said)
        self.assertIn("tofu init", before.said)
        self.init()
        run = self.work.tofu("validate", "-no-color")
        self.assertEqual(run.status, 0, run.said)
        self.assertIn('module "git::', self.work.lock())
        repository.commit({"lib/main.sym.hcl": "values {\n  other = 1\n}\n"})
        shutil.rmtree(self.work.path / ".terraform")
        self.init()
        self.assertEqual(self.work.tofu("validate", "-no-color").status, 0, "the lock holds")

    def test_a_module_is_copied_into_an_empty_directory(self):
        self.repository("p", {"sub/main.tf": 'output "x" {\n  value = 1\n}\n', "other.tf": ""})
        run = self.init(f"-from-module={self.source('p', '//sub')}")
        self.assertIn("successfully initialized", run.said)
        self.assertTrue((self.work.path / "main.tf").exists())
        self.assertFalse((self.work.path / "other.tf").exists())
        self.refused("already contains files", arguments=[f"-from-module={self.source('p')}"])

    @unittest.skipUnless(shutil.which("tflint"), "tflint is not installed")
    def test_tflint_reads_what_links_lead_to(self):
        self.repository("p", {"main.tf": 'variable "size" {\n  type = number\n}\n', META: ""})
        self.work.write({"main.tf": call("a", self.source("p"))})
        self.init()
        done = subprocess.run([shutil.which("tflint"), "--call-module-type=all", "--format=json"],
                              cwd=self.work.path, env=self.environment, capture_output=True,
                              text=True)
        self.assertIn(done.returncode, (0, 2), done.stdout + done.stderr)
        self.assertIn('"errors":[]', done.stdout)

    @unittest.skipUnless(shutil.which("terraform-docs"), "terraform-docs is not installed")
    def test_terraform_docs_reads_a_linked_module(self):
        self.repository("p", {"main.tf": 'variable "size" {\n  description = "How much"\n}\n', META: ""})
        self.work.write({"main.tf": call("a", self.source("p"))})
        self.init()
        for folder in (".", ".terraform/modules/a"):
            done = subprocess.run([shutil.which("terraform-docs"), "markdown", folder],
                                  cwd=self.work.path, env=self.environment, capture_output=True,
                                  text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("How much", done.stdout)


if __name__ == "__main__":
    unittest.main()

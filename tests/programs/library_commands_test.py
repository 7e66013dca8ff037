"""Every command on configurations with fetched symbol libraries.

The commands and their uses are in command_table.py, which command_matrix_test.py compares with the
commands of the program.
"""

import re
import shutil
import unittest

from command_table import FILES, A, split, uses
from sources import ServedTest

LIBRARY = {"lib/main.sym.hcl": (
    'symbols "base" {\n  source = "../base"\n}\n\n'
    "typedef \"size\" {\n  type = number\n}\n\n"
    "values {\n  port   = symbols.base.port\n  state  = \"library.tfstate\"\n"
    "  phrase = \"a passphrase from a library\"\n}\n\n"
    'function "double" {\n  type = number\n  parameter "n" {\n    type = number\n  }\n'
    "  return = 2 * param.n\n}\n"),
    "base/main.sym.hcl": "values {\n  port = 80\n}\n"}

BODY = '''
variable "size" {
  type    = symbols::net::size()
  default = 3
}

locals {
  port = symbols::net::double(symbols.net.port)
}

resource "terraform_data" "a" {
  input = [local.port, var.size]
}

resource "terraform_data" "b" {
  input = "plain"
}

output "port" {
  value = local.port
}
'''
# The passphrase and the place of the state, each reached in another way.
SETTINGS = '''
variable "phrase" {
  type    = string
  default = symbols.net.phrase
}

locals {
  path = symbols.net.state
}

terraform {
  backend "local" {
    path = "./${local.path}"
  }
  encryption {
    key_provider "pbkdf2" "k" {
      passphrase = var.phrase
    }
    method "aes_gcm" "m" {
      keys = key_provider.pbkdf2.k
    }
    state {
      method = method.aes_gcm.m
    }
  }
}
'''

# These need nothing but the state and how it is stored, or a saved plan.
ONLY_STATE = re.compile(r"(output|show|state|taint|untaint|force-unlock|workspace)\b|"
                        r"apply saved|graph -plan")
LOADS_ALL = ("show -config", "show -module")
ALL_LINES = [one.lines for _, one in uses()]
COMPLAINT = re.compile(r"symbol librar|Symbol librar", re.IGNORECASE)


class LibraryCommandsTest(ServedTest):
    def setUp(self):
        super().setUp()
        self.repository("lib", LIBRARY)
        self.remote = f'symbols "net" {{\n  source = "{self.source("lib", "//lib")}"\n}}\n'

    def prepare(self, name, files):
        """A directory with an applied state and a saved plan that changes nothing."""
        folder = self.folder(name)
        folder.write({**FILES, **files})
        self.init(folder=folder)
        for line in ("plan -out=first", "apply first", "plan -out=saved"):
            self.check(folder, line)
        return folder

    def check(self, folder, line):
        arguments, status, failure, into = split(line)
        run = folder.tofu(*arguments)
        where = f"tofu {line}, in {folder.path.name}: {run.said}"
        self.assertNotRegex(run.said if failure or run.status else run.stderr, COMPLAINT, where)
        self.assertEqual(run.status, status, where)
        self.assertIsNotNone(re.search(failure, run.said), where)
        if into:
            (folder.path / into).write_text(run.stdout)
        return run

    def copy(self, folder, name):
        copied = self.folder(name)
        shutil.rmtree(copied.path)
        shutil.copytree(folder.path, copied.path, symlinks=True)
        return copied

    def run_every_command(self, folder):
        for lines in ALL_LINES:
            with self.subTest(lines=lines, folder=folder.path.name):
                copied = self.copy(folder, "copy")
                for line in lines:
                    self.check(copied, line)

    def run_without_libraries(self, folder):
        """Removes every library from the disk and runs what needs none of them."""
        bare = self.copy(folder, "bare")
        for name in (".terraform/packages", "names"):
            shutil.rmtree(bare.path / name, True)
        for lines in ALL_LINES:
            lines = [line for line in lines
                     if ONLY_STATE.match(line) and not line.startswith(LOADS_ALL)]
            with self.subTest(lines=lines, folder=folder.path.name):
                copied = self.copy(bare, "copy")
                for line in lines:
                    self.check(copied, line)

    def test_every_command_works_with_a_library_from_git(self):
        folder = self.prepare("remote", {"main.tofu": self.remote + BODY})
        self.run_every_command(folder)
        self.run_without_libraries(folder)

    def test_every_command_works_with_a_local_library_that_imports_one_from_git(self):
        folder = self.prepare("nested", {
            "main.tofu": 'symbols "net" {\n  source = "./names"\n}\n' + BODY,
            "names/main.sym.hcl": self.remote + "\ntypedef \"size\" {\n"
            "  type = symbols::net::size()\n}\n\nvalues {\n  port = symbols.net.port\n}\n\n"
            'function "double" {\n  type = number\n  parameter "n" {\n    type = number\n  }\n'
            "  return = symbols::net::double(param.n)\n}\n"})
        self.run_every_command(folder)
        self.run_without_libraries(folder)

    def test_every_command_works_where_backend_and_encryption_need_the_library(self):
        folder = self.prepare("settings", {"main.tofu": self.remote + BODY + SETTINGS})
        self.assertTrue((folder.path / "library.tfstate").exists())
        self.assertNotIn("plain", (folder.path / "library.tfstate").read_text())
        self.run_every_command(folder)
        bare = self.copy(folder, "uninstalled")
        shutil.rmtree(bare.path / ".terraform/packages")
        run = bare.tofu("output", "-no-color")
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("Symbol library not installed", run.said)
        # The saved plan has them.
        for line in ("show saved", "apply saved", "graph -plan=saved"):
            self.check(bare, line)

    def test_a_library_that_only_tf_encryption_needs_is_loaded(self):
        self.work.write({"main.tofu": self.remote + BODY})
        self.init()
        more = {"TF_ENCRYPTION": SETTINGS.split("encryption {")[1].rsplit("}", 2)[0]
                .replace("var.phrase", "symbols.net.phrase")}
        run = self.work.tofu("apply", "-no-color", "-auto-approve", **more)
        self.assertEqual(run.status, 0, run.said)
        run = self.work.tofu("output", "-no-color", "port", **more)
        self.assertEqual((run.status, run.stdout), (0, "160\n"), run.said)
        self.assertEqual(self.work.tofu("output", "-no-color", "port").status, 1, "it is encrypted")

    def test_what_needs_a_library_is_left_alone_where_only_the_state_is_needed(self):
        self.work.write({"main.tofu": self.remote + BODY})
        self.init()
        self.check(self.work, "apply -auto-approve")
        self.work.write({"main.tofu": self.remote.replace("/lib", "/moved") + BODY + (
            'variable "folder" {\n  type    = string\n  default = symbols.net.folder\n'
            '  const   = true\n}\n'
            'module "m" {\n  source = "./${var.folder}"\n}\n'
            'provider "other" {\n  alias    = "by_name"\n  for_each = symbols::net::names()\n}\n')})
        for line in ("output port", "state list", f"taint {A}", "workspace list"):
            self.check(self.work, line)
        run = self.work.tofu("plan", "-no-color")
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("Symbol library not installed", run.said)

    def test_a_saved_plan_needs_no_library_on_disk(self):
        for name, files in (
                ("local", {"main.tofu": 'symbols "net" {\n  source = "./lib"\n}\n' + BODY, **LIBRARY}),
                ("remote", {"main.tofu": self.remote + BODY})):
            with self.subTest(name):
                folder = self.folder(name)
                folder.write(files)
                self.init(folder=folder)
                self.check(folder, "plan -out=saved")
                saved = folder.path / "saved"
                empty = self.folder(f"{name}-empty")
                bare = self.folder(f"{name}-bare")
                bare.write({"main.tofu": files["main.tofu"]})
                for place in (empty, bare):
                    shown = self.check(place, f"show {saved}")
                    self.assertIn("port", shown.stdout)
                    self.check(place, f"show -json {saved}")
                    self.check(place, f"graph -plan={saved}")
                    self.check(place, f"apply {saved}")
                    run = self.check(place, "output port")
                    self.assertEqual(run.stdout, "160\n")


if __name__ == "__main__":
    unittest.main()

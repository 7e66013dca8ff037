"""Every command where its state is somewhere else, hidden, in doubt or out of reach.

The commands, their uses and what each does are in command_table.py. Each test prepares one
directory and gives every use a copy of it.
"""

import json
import os
import re
import shutil
import subprocess
import unittest

import stores
from command_table import (FILES, LOCKED, READ, UNLOCKED, UNUSED, USES, WRITTEN, commands, objects,
                           split, uses)
from place import TIME_LIMIT, TOFU, Run
from sources import ServedTest

# Not as it is in a state: what a file with this has in capitals was in a state.
SECRET = "kept-in-the-state"
BODY = f'''
variable "size" {{
  default = 3
}}

resource "terraform_data" "a" {{
  input = [160, var.size]
}}

resource "terraform_data" "b" {{
  input = upper("{SECRET}")
}}

output "port" {{
  value = 160
}}
'''
LIBRARY = {"main.sym.hcl": "values {\n  port = 160\n}\n"}
ENCRYPTED = '''
terraform {
  encryption {
    method "aes_gcm" "m" {
      keys = {
        encryption_key = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]
        decryption_key = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]
      }
    }
    state {
      method   = method.aes_gcm.m
      enforced = true
    }
    plan {
      method   = method.aes_gcm.m
      enforced = true
    }
  }
}
'''
# What the http backend sends for each kind of use.
METHODS = {UNUSED: set(), READ: {"GET"}, UNLOCKED: {"UNLOCK"}, LOCKED: {"GET", "LOCK", "UNLOCK"},
           WRITTEN: {"GET", "LOCK", "UNLOCK", "POST"}}
NOBODY = 65534
DENIED = "[Pp]ermission denied|[Rr]ead-only file system"


class CommandMatrixTest(ServedTest):
    def setUp(self):
        super().setUp()
        self.environment["TF_CLI_ARGS"] = "-no-color"
        self.program = TOFU
        self.user = {}

    def run_line(self, folder, line, failure=""):
        """Runs a line of a use. With `failure` it fails with such a message, unlike the table."""
        arguments, status, pattern, into = split(line)
        if failure:
            status = 2 if arguments[0] == "fmt" else 1
        done = subprocess.run([self.program, *arguments], cwd=folder.path, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT,
                              **self.user)
        run = Run(done)
        shown = f"tofu {line}: status {run.status}: {run.said}"
        self.assertEqual(run.status, status, shown)
        self.assertIsNotNone(re.search(failure or pattern, run.said), shown)
        if into:
            (folder.path / into).write_text(run.stdout)

    def prepare(self, configuration, *before):
        """A directory with an applied state and a saved plan."""
        self.work.write({"main.tf": configuration + BODY, **FILES})
        for line in ("fmt", "init", *before, "apply -auto-approve", "plan -out=saved -var=size=4"):
            self.run_line(self.work, line)

    def copy(self):
        copied = self.folder("copy")
        shutil.rmtree(copied.path)
        shutil.copytree(self.work.path, copied.path, symlinks=True)
        return copied

    def stored(self, folder):
        """The state of the workspace "default" as the program reads it."""
        run = folder.tofu("state", "pull", TF_WORKSPACE="default")
        self.assertEqual(run.status, 0, run.said)
        return json.loads(run.stdout)

    def for_every_use(self, check, store="local"):
        """Calls check(use, copy of the directory) for every use."""
        for command, one in uses(store):
            with self.subTest(command=command, lines=one.lines):
                check(one, self.copy())

    def run_use(self, one, folder):
        for line in one.lines:
            self.run_line(folder, line)

    def assert_after(self, one, document):
        self.assertEqual(objects(document), one.after)

    def test_every_command_has_its_uses(self):
        self.assertEqual(commands(self.work), sorted(USES))

    def test_every_command_reads_a_remote_symbol_library(self):
        self.repository("lib", LIBRARY)
        self.prepare(f'symbols "net" {{\n  source = "{self.source("lib")}"\n}}\n'
                     "locals {\n  port = symbols.net.port\n}\n")

        def check(one, folder):
            self.run_use(one, folder)
            self.assert_after(one, self.stored(folder))

        self.for_every_use(check)

    def prepare_packages(self):
        """Shared and copied packages, a library, deprecated parts; all of it locked."""
        self.repository("lib", LIBRARY)
        self.repository("shared", {
            "module-package.meta.hcl": "",
            "main.tf": f'symbols "net" {{\n  source = "{self.source("lib")}"\n}}\n'
                       'variable "old" {\n  default    = 1\n  deprecated = "Use new."\n}\n'
                       'output "port" {\n  value      = symbols.net.port\n'
                       '  deprecated = "Use 160."\n}\n'})
        self.repository("copied", {"main.tf": 'output "here" {\n  value = path.module\n}\n'})
        self.prepare("".join(
            f'module "{name}" {{\n  source = "{self.source(name.rstrip("12"))}"\n{more}}}\n'
            for name, more in (("shared1", "  old    = 2\n"), ("shared2", ""), ("copied", "")))
            + "locals {\n  port = module.shared1.port\n}\n")

    def test_every_command_works_with_locked_packages_and_deprecated_parts(self):
        self.prepare_packages()

        def check(one, folder):
            self.run_use(one, folder)
            self.assert_after(one, self.stored(folder))

        self.for_every_use(check)

    def test_only_what_mends_or_lists_works_beside_another_lock(self):
        self.prepare_packages()
        lock = self.work.path / ".terraform.lock.hcl"
        lock.write_text(re.sub(r'version = "[0-9a-f]{40}"', f'version = "{"0" * 40}"',
                               lock.read_text()))
        for line in ("plan", "apply -auto-approve", "destroy -auto-approve", "validate", "test",
                     "console", "graph", "refresh", "providers schema -json"):
            with self.subTest(line=line):
                self.run_line(self.copy(), line, failure="Inconsistent dependency lock file")
        for line in ("modules", "modules -json", "providers", "lint -fail-on=never", "state list",
                     "output", "show", "workspace list", "init -upgrade", "fmt -check"):
            with self.subTest(line=line):
                self.run_line(self.copy(), line)

    def assert_no_plain_text(self, name, data):
        for plain in (SECRET.upper().encode(), b'"terraform_data"', b'"instances"'):
            self.assertNotIn(plain, data, name)

    def assert_encrypted(self, folder):
        """Looks for what was in a state in every file that the program can have written."""
        for path in [*folder.path.rglob("*"), *(self.top / "home").rglob("*")]:
            is_ours = path.name in ("main.tf", "main.tftest.hcl") or path.suffix == ".1"
            if path.is_file() and not is_ours:
                self.assert_no_plain_text(path, path.read_bytes())

    def test_no_command_writes_an_encrypted_state_as_plain_text(self):
        self.prepare(ENCRYPTED)

        def check(one, folder):
            self.run_use(one, folder)
            self.assert_encrypted(folder)
            self.assert_after(one, self.stored(folder))

        self.for_every_use(check)

    def test_every_command_uses_the_selected_workspace(self):
        self.work.write({"main.tf": BODY.replace("160", "161")})
        self.run_line(self.work, "apply -auto-approve -var=size=9")
        other = (self.work.path / "terraform.tfstate").read_bytes()
        self.prepare("", "workspace new two")

        def check(one, folder):
            self.run_use(one, folder)
            self.assertEqual((folder.path / "terraform.tfstate").read_bytes(), other)
            path = folder.path / "terraform.tfstate.d/two/terraform.tfstate"
            self.assert_after(one, json.loads(path.read_text()))

        self.for_every_use(check)

    def remote(self):
        server = stores.StateServer()
        self.addCleanup(server.end)
        return server

    @staticmethod
    def reset(server, state, one):
        """Gives the server the state from before all uses, and the lock that a use removes."""
        server.state, server.lock = state, None
        if one.lines[0].startswith("force-unlock"):
            server.lock = {"ID": "0123"}
        server.requests.clear()

    def run_remote_uses(self, server, check_after):
        """Checks what each use asks of the server, and calls check_after(use, its directory)."""
        before = server.state

        def check(one, folder):
            self.reset(server, before, one)
            self.run_use(one, folder)
            methods = {request.method for request in server.requests}
            self.assertEqual(methods, METHODS[one.store])
            self.assertEqual(server.intruders, [])
            self.assertIsNone(server.lock)
            self.assertEqual(list(folder.path.glob("*.tfstate*")), [])
            check_after(one, folder)

        self.for_every_use(check, "http")

    def test_every_command_uses_the_remote_store_under_its_lock(self):
        server = self.remote()
        self.prepare(server.block())

        def check(one, _):
            self.assert_after(one, server.document())

        self.run_remote_uses(server, check)

    def test_no_command_sends_an_encrypted_state_as_plain_text(self):
        server = self.remote()
        self.prepare(server.block() + ENCRYPTED)

        def check(one, folder):
            self.assert_encrypted(folder)
            for request in server.requests:
                self.assert_no_plain_text(request.target, request.body)
            self.assert_after(one, self.stored(folder))

        self.run_remote_uses(server, check)

    def test_a_saved_plan_outlives_every_command_that_does_not_write_the_state(self):
        self.prepare("")
        planned = self.stored(self.work)

        def check(one, folder):
            self.run_use(one, folder)
            before = self.stored(folder)
            if before != planned:
                self.assertEqual(one.store, WRITTEN)
                self.run_line(folder, "apply saved", failure="stale")
                self.assertEqual(self.stored(folder), before)
            else:
                self.run_line(folder, "apply saved")
                path = folder.path / "terraform.tfstate"
                self.assertEqual(objects(json.loads(path.read_text())), "a:4 b")

        self.for_every_use(check)

    def forbid_writing(self):
        """Makes every directory that is prepared read-only, also for root, who becomes another."""
        if os.geteuid() == 0:
            self.user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            self.program = shutil.copy(TOFU, self.top / "tofu")
            for path in [self.top / "home", *(self.top / "home").rglob("*")]:
                os.chown(path, NOBODY, NOBODY)
            os.chmod(self.top, 0o777)

    @staticmethod
    def set_modes(folder, directories, files):
        for path in [folder.path, *folder.path.rglob("*")]:
            if not path.is_symlink():
                os.chmod(path, directories if path.is_dir() else files)

    def run_read_only(self, one, folder, fails):
        """Runs a use. Nothing in the directory changes; if it fails, it tells why."""
        self.set_modes(folder, 0o555, 0o444)
        before = folder.state()
        try:
            first, *rest = one.lines
            if fails and rest and ">" in first:  # which only reads
                self.run_line(folder, first)
                first, *rest = rest
            self.run_line(folder, first, DENIED if fails else "")
            for line in rest if not fails else ():
                self.run_line(folder, line)
        finally:
            after = folder.state()
            self.set_modes(folder, 0o755, 0o644)
        self.assertEqual(after, before)

    def test_a_read_only_directory_is_enough_for_every_command_that_does_not_write(self):
        self.prepare("")
        self.forbid_writing()

        def check(one, folder):
            self.run_read_only(one, folder, one.files or one.store >= LOCKED)

        self.for_every_use(check)

    def test_a_read_only_directory_is_enough_where_the_state_is_remote(self):
        server = self.remote()
        self.prepare(server.block())
        self.forbid_writing()
        before = server.state

        def check(one, folder):
            self.reset(server, before, one)
            self.run_read_only(one, folder, one.files)
            self.assertIsNone(server.lock)
            self.assert_after(one, server.document())

        self.for_every_use(check, "http")


if __name__ == "__main__":
    unittest.main()

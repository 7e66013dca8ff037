"""A folder whose state is stored elsewhere, and another program that shares it."""

import os
import re
import shutil
import subprocess

from place import PlaceTest

ROUNDS = int(os.environ.get("TOFU_TEST_ROUNDS", "1"))
PEER = os.environ.get("TOFU_PEER_OPENTOFU") or shutil.which("tofu") or ""
OBJECT = 'resource "terraform_data" "a" {\n  input = "one"\n}\n'
OUTPUT = 'output "o" {\n  value = "one"\n}\n'


def peer(folder, *arguments, **more):
    return subprocess.run([PEER, *arguments], cwd=folder.path, env={**folder.environment, **more},
                          capture_output=True, text=True, timeout=60)


class StoreTest(PlaceTest):
    def setUp(self):
        super().setUp()
        self.environment["TF_CLI_ARGS"] = "-no-color"

    def skip_without_peer(self):
        if not os.access(PEER, os.X_OK):
            self.skipTest("OpenTofu is not there (TOFU_PEER_OPENTOFU)")

    @staticmethod
    def other(folder, *arguments, **more):
        """A command of OpenTofu."""
        return peer(folder, *arguments, **more)

    def other_ok(self, folder, *arguments, **more):
        done = peer(folder, *arguments, **more)
        self.assertEqual(done.returncode, 0, (arguments, done.stdout, done.stderr))
        return done

    @staticmethod
    def start_other(folder, *arguments, **more):
        return subprocess.Popen([PEER, *arguments], cwd=folder.path,
                                env={**folder.environment, **more}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def serve(self, server):
        self.addCleanup(server.end)
        return server

    def run_ok(self, *arguments, folder=None, **more):
        run = (folder or self.work).tofu(*arguments, **more)
        self.assertEqual(run.status, 0, run.said)
        return run

    def apply(self, *arguments, folder=None, **more):
        return self.run_ok("apply", "-auto-approve", *arguments, folder=folder, **more)

    def reads(self, block, **more):
        """Outputs of a state that another configuration has stored there."""
        kind, settings = re.search(r'backend "(\w+)" \{(.*?)\n  \}', block, re.DOTALL).groups()
        reader = self.folder("reader")
        reader.write({"main.tf": f'''
data "terraform_remote_state" "other" {{
  backend   = "{kind}"
  workspace = "two"
  config = {{{settings}
  }}
}}
output "read" {{
  value = data.terraform_remote_state.other.outputs.o
}}
'''})
        self.init(folder=reader, **more)
        self.apply(folder=reader, **more)
        self.assertEqual(self.run_ok("output", "-raw", "read", folder=reader, **more).stdout, "one")

    def exchange(self, block, **more):
        """This program and OpenTofu use one store after the other, in both orders."""
        self.skip_without_peer()
        theirs = self.folder("theirs")
        for folder in (self.work, theirs):
            folder.write({"main.tf": block + OBJECT + OUTPUT})
        self.init(**more)
        self.apply(**more)
        self.run_ok("workspace", "new", "two", **more)
        self.apply(**more)
        for arguments in (["init"], ["plan", "-detailed-exitcode"], ["workspace", "select", "two"],
                          ["plan", "-detailed-exitcode"],
                          ["apply", "-auto-approve", "-replace=terraform_data.a"],
                          ["workspace", "new", "three"], ["apply", "-auto-approve"]):
            self.other_ok(theirs, *arguments, **more)
        self.run_ok("plan", "-detailed-exitcode", **more)
        self.run_ok("workspace", "select", "three", **more)
        self.run_ok("plan", "-detailed-exitcode", **more)
        listed = self.run_ok("workspace", "list", **more).stdout.split()
        self.assertEqual([name for name in listed if name != "*"],
                         ["default", "three", "two"])
        self.reads(block, **more)
        self.run_ok("workspace", "select", "default", **more)
        self.run_ok("workspace", "delete", "-force", "three", **more)
        # What the one recorded by init is what the other takes.
        shutil.copytree(self.work.path / ".terraform", theirs.path / ".terraform",
                        dirs_exist_ok=True)
        self.other_ok(theirs, "plan", "-detailed-exitcode", **more)
        return theirs

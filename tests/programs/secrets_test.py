"""Secrets, durability, and what a tofu that was killed leaves running."""

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import unittest

from place import TOFU, PlaceTest
from sources import Repository, ServedTest, archive

MODULE = 'output "x" {\n  value = 1\n}\n'


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


class SecretsTest(ServedTest):
    def call(self, source):
        self.work.write({"main.tf": f'module "a" {{\n  source = "{source}"\n}}\n'})

    def test_passwords_in_sources_are_neither_shown_nor_readable_by_others(self):
        self.server.put("/m.tar.gz", archive({"main.tf": MODULE}))
        secret = self.server.url.replace("http://", "http://me:hush@")
        self.call(f"{secret}/m.tar.gz")
        manifest = self.work.path / ".terraform/modules/modules.json"
        self.assertNotIn("hush", self.init().said)
        self.assertEqual(mode(manifest), 0o600)
        # One that an older version left is closed.
        manifest.chmod(0o644)
        self.init()
        self.assertEqual(mode(manifest), 0o600)
        # No other file has it.
        for folder, _, names in os.walk(self.work.path / ".terraform"):
            for name in names:
                path = os.path.join(folder, name)
                if path != str(manifest):
                    with open(path, encoding="utf-8") as file:
                        self.assertNotIn("hush", file.read(), path)
        self.assertNotIn("hush", self.work.lock())
        # What the record says of it is shown without.
        self.call(f"{self.server.url}/m.tar.gz")
        run = self.work.tofu("validate", "-no-color")
        self.assertIn("Module source has changed", run.said)
        self.assertNotIn("hush", run.said)

    def test_a_log_has_requests_without_their_passwords_and_queries(self):
        self.server.put("/m.tar.gz", archive({"main.tf": MODULE}))
        secret = self.server.url.replace("http://", "http://me:hush@")
        self.call(f"{secret}/m.tar.gz?archive=tar.gz&token=hush")
        said = self.init(TF_LOG="trace", TF_TOKEN_example_com="hush").said
        self.assertRegex(said, r"\[DEBUG\] GET http://[^ ]*/m\.tar\.gz: 200 after \d+ ms")
        self.assertNotIn("hush", said)

    def test_a_log_has_programs_that_fetch_without_what_they_are_told(self):
        self.repository("p", {"main.tf": MODULE})
        secret = self.server.url.replace("http://", "http://me:hush@")
        self.call(f"git::{secret}/git/p")
        said = self.init(TF_LOG="debug").said
        self.assertRegex(said, r"\[DEBUG\] Started git, process \d+")
        self.assertRegex(said, r"\[DEBUG\] git, process \d+, ended with status 0 after \d+ ms")
        self.assertNotIn("hush", said)

    def test_a_record_without_passwords_is_for_everybody(self):
        self.server.put("/m.tar.gz", archive({"main.tf": MODULE}))
        self.call(f"{self.server.url}/m.tar.gz")
        self.init()
        self.assertEqual(mode(self.work.path / ".terraform/modules/modules.json"), 0o644)

    def test_the_source_of_from_module_is_shown_without_its_password(self):
        self.server.put("/m.tar.gz", archive({"main.tf": MODULE}))
        secret = self.server.url.replace("http://", "http://me:hush@")
        self.assertNotIn("hush", self.init(f"-from-module={secret}/m.tar.gz").said)

    def test_json_into_closes_a_file_that_others_could_read(self):
        self.work.write({"main.tf": MODULE, "out.json": "old and longer than nothing\n" * 1000})
        (self.work.path / "out.json").chmod(0o644)
        self.assertEqual(self.work.tofu("validate", "-json-into=out.json").status, 0)
        self.assertEqual(mode(self.work.path / "out.json"), 0o600)
        self.assertNotIn("old", (self.work.path / "out.json").read_text())


class DurabilityTest(ServedTest):
    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_packages_are_on_disk_before_a_record_names_them(self):
        self.server.put("/m.tar.gz", archive({"main.tf": MODULE, "module-package.meta.hcl": ""}))
        self.work.write({"main.tf": f'module "a" {{\n  source = "{self.server.url}/m.tar.gz"\n}}\n'})
        log = self.top / "calls"
        done = subprocess.run(
            ["strace", "-f", "-qq", "-o", str(log), "-e", "trace=rename,syncfs", TOFU, "init"],
            cwd=self.work.path, env=self.environment, capture_output=True, check=False)
        if b"ptrace" in done.stderr.lower():
            self.skipTest("tracing is not allowed here")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = log.read_text().splitlines()

        def first(pattern):
            return next(i for i, line in enumerate(calls) if re.search(pattern, line))
        synced = first(r"syncfs\(")
        self.assertLess(first(r"rename\(.*\.terraform/packages/m-"), synced)
        for record in (r"modules\.json", r"packages\.json", r"\.terraform\.lock\.hcl"):
            self.assertLess(synced, first(rf'rename\(.*{record}"\)'))
        self.assertEqual(sum("syncfs(" in line for line in calls), 1)

    def test_names_of_packages_have_128_bits_of_their_content(self):
        self.server.put("/m.tar.gz", archive({"main.tf": MODULE, "module-package.meta.hcl": ""}))
        self.work.write({"main.tf": f'module "a" {{\n  source = "{self.server.url}/m.tar.gz"\n}}\n'})
        self.init()
        self.assertRegex(self.work.packages()[0].name, r"^m-[0-9a-f]{32}$")

    def test_a_wait_for_the_lock_of_the_cache_can_be_interrupted(self):
        repository = Repository(self.top / "r", {"main.tf": MODULE, "module-package.meta.hcl": ""})
        self.work.write({"main.tf": f'module "a" {{\n  source = "git::file://{repository.path}"\n}}\n'})
        cache = self.top / "cache"
        self.init(TF_MODULE_CACHE_DIR=str(cache))
        lock = next(cache.glob("*.lock"))
        hold = ("import fcntl, sys, time; file = open(sys.argv[1], 'r+'); "
                "fcntl.lockf(file, fcntl.LOCK_EX); print('held', flush=True); time.sleep(1000)")
        holder = subprocess.Popen([sys.executable, "-c", hold, str(lock)],
                                  stdout=subprocess.PIPE, start_new_session=True)
        self.addCleanup(lambda: (os.killpg(holder.pid, signal.SIGKILL), holder.wait(),
                                 holder.stdout.close()))
        self.assertEqual(holder.stdout.readline(), b"held\n")
        # Another directory needs the package, and the cache's copy is damaged.
        package = next(path for path in cache.iterdir() if (path / "main.tf").exists())
        (package / "main.tf").chmod(0o644)
        (package / "main.tf").write_text("damaged")
        other = self.folder("other")
        other.write({"main.tf": (self.work.path / "main.tf").read_text()})
        process = other.start("init", "-no-color", TF_MODULE_CACHE_DIR=str(cache))
        self.wait_for_descriptor(process.pid, str(lock))
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate()
        self.assertEqual(process.returncode, 1)
        self.assertIn("interrupted", (stdout + stderr).decode())

    def wait_for_descriptor(self, process, path):
        """Until the process has opened the file."""
        while True:
            for name in os.listdir(f"/proc/{process}/fd"):
                try:
                    if os.readlink(f"/proc/{process}/fd/{name}") == path:
                        return
                except OSError:
                    pass


class KilledTest(PlaceTest):
    def test_git_and_its_helpers_end_with_a_tofu_that_is_killed(self):
        # An ssh that never answers, as a stand-in for a server that does not.
        pids = self.top / "pids"
        os.mkfifo(pids)
        script = self.top / "ssh"
        script.write_text(f'#!/bin/sh\necho $$ $PPID "$2" > {pids}\nexec sleep 1000\n')
        script.chmod(0o755)
        key = "c2VjcmV0a2V5"
        self.work.write({"main.tf":
                         f'module "a" {{\n  source = "git::ssh://git@localhost/r?sshkey={key}"\n}}\n'})
        process = self.work.start("init", GIT_SSH_COMMAND=str(script))
        ssh, git, identity = pids.read_text().split()
        self.assertTrue(identity.startswith(f"/proc/{process.pid}/"), identity)
        process.kill()
        process.communicate()
        for each in (ssh, git):
            while self.is_running(each):
                pass
        for folder, _, names in os.walk(self.work.path):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    self.assertNotIn(b"secretkey", file.read(), name)

    def is_running(self, process):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8") as file:
                return file.read().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False


if __name__ == "__main__":
    unittest.main()

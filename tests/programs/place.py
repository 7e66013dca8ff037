"""A fresh folder for one test, and the program in it."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

TOFU = os.path.abspath(os.environ.get("TOFU", "build/release/tofu"))
TIME_LIMIT = 120  # seconds for one command


def write_files(folder, files):
    """Writes {path: text}. A path that ends with an arrow is a link to the text."""
    for name, text in files.items():
        path = pathlib.Path(folder, name.removesuffix("->"))
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("->"):
            path.symlink_to(text)
        else:
            path.write_text(text)


class Run:
    """What one command did. Lines are joined, since messages are wrapped anywhere."""

    def __init__(self, done):
        self.status = done.returncode
        self.stdout = done.stdout.decode(errors="backslashreplace")
        self.stderr = done.stderr.decode(errors="backslashreplace")
        self.said = " ".join((self.stdout + self.stderr).replace("\u2502", " ").split())


class Folder:
    """One working directory."""

    def __init__(self, path, environment):
        self.path = pathlib.Path(path)
        self.path.mkdir(parents=True, exist_ok=True)
        self.environment = environment

    def write(self, files):
        write_files(self.path, files)

    def start(self, *arguments, **more):
        return subprocess.Popen([TOFU, *arguments], cwd=self.path,
                                env={**self.environment, **more},
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def tofu(self, *arguments, **more):
        done = subprocess.run([TOFU, *arguments], cwd=self.path,
                              env={**self.environment, **more}, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIME_LIMIT)
        return Run(done)

    def entry(self, key):
        """Where the call's files are: .terraform/modules/<key>."""
        return self.path / ".terraform/modules" / key

    def placement(self, key):
        """How the entry of a call looks on disk."""
        entry = self.entry(key)
        if entry.is_symlink():
            return "link"
        return "copy" if entry.is_dir() else "none"

    def packages(self):
        """The directories of shared packages."""
        folder = self.path / ".terraform/packages"
        if not folder.is_dir():
            return []
        return sorted(each for each in folder.iterdir() if each.is_dir())

    def manifest(self):
        text = (self.path / ".terraform/modules/modules.json").read_text()
        return {entry["Key"]: entry for entry in json.loads(text)["Modules"]}

    def modules(self):
        """What `tofu modules -json` says, by key."""
        run = self.tofu("modules", "-json")
        assert run.status == 0, run.said
        return {row["key"]: row for row in json.loads(run.stdout)["modules"]}

    def lock(self):
        path = self.path / ".terraform.lock.hcl"
        return path.read_text() if path.exists() else ""

    def state(self):
        """Everything on disk with the times and numbers that show any change."""
        found = {}
        for folder, names, files in os.walk(self.path):
            for name in names + files:
                path = os.path.join(folder, name)
                info = os.lstat(path)
                found[path] = (info.st_ino, info.st_mode, info.st_mtime_ns, info.st_size)
        return found


class PlaceTest(unittest.TestCase):
    """Gives every test a folder, an environment and a clean end."""

    def setUp(self):
        self.top = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="tofu-program-")))
        self.addCleanup(shutil.rmtree, self.top, True)
        home = self.top / "home"
        home.mkdir()
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(self.top), "TZ": "UTC",
            "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", "NO_COLOR": "1",
        }
        # How a sanitizer reports, and where counts go, is for the caller of the tests to decide.
        self.environment |= {name: value for name, value in os.environ.items()
                             if name.endswith("SAN_OPTIONS") or name == "LLVM_PROFILE_FILE"}
        self.work = self.folder("work")

    def folder(self, name):
        return Folder(self.top / name, self.environment)

    def init(self, *arguments, folder=None, **more):
        """Runs init, which has to succeed."""
        run = (folder or self.work).tofu("init", "-no-color", *arguments, **more)
        self.assertEqual(run.status, 0, run.said)
        return run

    def refused(self, *patterns, arguments=(), folder=None, **more):
        """Runs init, which has to fail and to say all of these."""
        run = (folder or self.work).tofu("init", "-no-color", *arguments, **more)
        self.assertEqual(run.status, 1, run.said)
        for pattern in patterns:
            self.assertRegex(run.said, pattern)
        return run

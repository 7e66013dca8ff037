"""Benches of a platform: 500 calls of 40 module packages and 10 symbol libraries from git."""

import os
import pathlib
import shutil
import subprocess

CALLS, PACKAGES, LIBRARIES = 500, 40, 10
NAME = f"platform of {CALLS} calls, {PACKAGES} packages, {LIBRARIES} libraries"


def commit(folder, files):
    """A repository with the files in one commit."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git = ["git", "-C", str(folder), "-c", "user.name=bench", "-c", "user.email=bench@example.com"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "package"]):
        subprocess.run(git + command, check=True, capture_output=True)


def make_repositories(folder):
    for number in range(LIBRARIES):
        commit(folder / f"lib{number}", {
            "main.sym.hcl": "values {\n" + f"  port = {number}\n" + "}\n"})
    for number in range(PACKAGES):
        library = f"git::file://{folder}/lib{number % LIBRARIES}"
        variables = "".join(f'variable "v{each}" {{\n  type    = string\n  default = "x"\n}}\n'
                            for each in range(20))
        commit(folder / f"p{number}", {
            "module-package.meta.hcl": "",
            "variables.tf": variables + 'variable "old" {\n  default    = 1\n'
                                        '  deprecated = "Use v0."\n}\n',
            "main.tf": f'symbols "lib" {{\n  source = "{library}"\n}}\n'
                       'resource "terraform_data" "a" {\n  input = symbols.lib.port\n}\n'
                       'output "a" {\n  value = terraform_data.a.output\n}\n'})


def write_calls(folder, repositories):
    folder.mkdir()
    calls = (f'module "m{number}" {{\n'
             f'  source = "git::file://{repositories}/p{number % PACKAGES}"\n  v0     = "y"\n}}\n'
             for number in range(CALLS))
    (folder / "main.tf").write_text("".join(calls))


class Platform:
    def __init__(self, bench):
        self.bench = bench
        self.repositories = pathlib.Path(bench.folder) / "platform"
        self.repositories.mkdir()
        make_repositories(self.repositories)
        self.count = 0
        self.folder = None

    def fresh(self):
        self.count += 1
        self.folder = pathlib.Path(self.bench.folder) / f"platform-{self.count}"
        write_calls(self.folder, self.repositories)
        os.sync()

    def init(self, path, *arguments, fresh=True, lock=None, **variables):
        """An init, in a folder that never was if `fresh`, with the lock file of another run."""
        if fresh:
            self.fresh()
        if lock:
            shutil.copy(lock, self.folder / ".terraform.lock.hcl")
        saved = dict(self.bench.environment)
        self.bench.environment.update(variables)
        try:
            return self.bench.run(path, ["init", "-backend=false", *arguments], cwd=self.folder)
        finally:
            self.bench.environment.clear()
            self.bench.environment.update(saved)

    def validate(self, path):
        return self.bench.run(path, ["validate", "-json"], cwd=self.folder)


def read_only(folder):
    for parent, _, files in os.walk(folder):
        for name in files:
            os.chmod(os.path.join(parent, name), 0o444)
        os.chmod(parent, 0o555)


def writable(folder):
    for parent, _, _ in os.walk(folder):
        os.chmod(parent, 0o755)


def run(bench, bar):
    """`bar` makes a Bar, see run.py. Peers have no symbol libraries."""
    if not bench.wanted(NAME):
        return
    platform = Platform(bench)
    cache = pathlib.Path(bench.folder) / "platform-cache"

    def compare(what, limit, rounds, attempt):
        bench.compare(f"{what}, {NAME}", bar(seconds=limit), rounds, attempt, same=False,
                      peers=False)

    compare("init, cold", 10, 2, platform.init)
    compare("init, again", 0.2, 5, lambda path: platform.init(path, fresh=False))
    compare("validate", 0.2, 5, platform.validate)
    lock = pathlib.Path(bench.folder) / "platform.lock.hcl"
    shutil.copy(platform.folder / ".terraform.lock.hcl", lock)
    variables = {"TF_MODULE_CACHE_DIR": str(cache)}
    platform.init(bench.programs["tofu"], **variables)
    compare("init, from the cache", 1, 3,
            lambda path: platform.init(path, lock=lock, **variables))
    compare("init -offline, from the cache", 1, 3,
            lambda path: platform.init(path, "-offline", lock=lock, **variables))
    read_only(cache)
    compare("init, from a read-only cache", 1, 3,
            lambda path: platform.init(path, lock=lock, **variables))
    writable(cache)

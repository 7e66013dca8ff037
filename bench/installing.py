"""Benches of `init`: many calls of one package from a repository on this machine."""

import dataclasses
import os
import pathlib
import random
import shutil
import subprocess

CALLS = 1_000
PACKAGE_BYTES = 5_000_000


def make_package(folder, metadata):
    """A repository with a module and PACKAGE_BYTES of files that do not compress."""
    folder.mkdir()
    (folder / "main.tf").write_text('output "where" {\n  value = path.module\n}\n')
    if metadata:
        (folder / "module-package.meta.hcl").write_text("")
    noise = random.Random(1)
    for number in range(20):
        path = folder / "files" / f"{number}.bin"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(noise.randbytes(PACKAGE_BYTES // 20))
    git = ["git", "-C", str(folder), "-c", "user.name=bench", "-c", "user.email=bench@example.com"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "package"]):
        subprocess.run(git + command, check=True, capture_output=True)


def write_calls(folder, package):
    folder.mkdir()
    calls = (f'module "m{number}" {{\n  source = "git::file://{package}"\n}}\n'
             for number in range(CALLS))
    (folder / "main.tf").write_text("".join(calls))


def disk_bytes(folder):
    """What a folder takes on disk, every file once however many links lead to it."""
    seen, total = set(), 0
    for parent, _, files in os.walk(folder):
        for name in files:
            info = os.lstat(os.path.join(parent, name))
            if info.st_ino not in seen:
                seen.add(info.st_ino)
                total += info.st_blocks * 512
    return total


@dataclasses.dataclass
class Disk:
    """Bytes that each program's last init left."""

    bytes: dict = dataclasses.field(default_factory=dict)

    def line(self, name, ours):
        mine = self.bytes.get(ours)
        others = {program: size for program, size in self.bytes.items() if program != ours}
        text = ", ".join(f"{program} {size / 1e6:.1f} MB" for program, size in self.bytes.items())
        ratios = ", ".join(f"1/{size / mine:.0f} of {program}" for program, size in others.items())
        return f"{name}: on disk {text}" + (f" ({ratios})" if ratios else "")


def attempt_init(bench, package, disk, again=False):
    def attempt(path):
        program = next(name for name, known in bench.programs.items() if known == path)
        folder = pathlib.Path(bench.folder) / f"init-{program}"
        if not again:
            shutil.rmtree(folder, ignore_errors=True)
            write_calls(folder, package)
        cost = bench.run(path, ["init", "-backend=false"], cwd=folder)
        disk.bytes[program] = disk_bytes(folder / ".terraform")
        return cost

    return attempt


def run(bench, bar):
    """All benches of init. `bar` makes a Bar, see run.py."""
    ours = next(iter(bench.programs))
    for kind, metadata, faster in (("one shared package", True, 50), ("one package, copied", False, 1)):
        name = f"init, {CALLS:,} calls of {kind}"
        if not bench.wanted(name):
            continue
        package = pathlib.Path(bench.folder) / ("shared" if metadata else "silent")
        make_package(package, metadata)
        disk = Disk()
        bench.compare(name, bar(faster=faster), 2, attempt_init(bench, package, disk), same=False)
        bench.notes.append(disk.line(name, ours))
        peer = disk.bytes.get("OpenTofu")
        if metadata and peer and disk.bytes[ours] * 100 > peer:
            bench.problems.append(f"{name}: more than 1/100 of OpenTofu's disk")
        if metadata:
            bench.compare(f"{name}, again", bar(seconds=0.050), 5,
                          attempt_init(bench, package, disk, again=True), same=False, peers=False)

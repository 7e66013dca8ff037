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


def empty_files(folder):
    """Gives the room of a folder's files back, but not their inodes; see Inits."""
    for parent, _, files in os.walk(folder):
        for path in (os.path.join(parent, name) for name in files):
            if not os.path.islink(path):
                os.truncate(path, 0)


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


class Inits:
    """Inits, each in a folder that never was: a file system does not give out again at once what
    was freed, and looks for room the longer for it. ext4 takes ten times as long for 1,000 links
    in the minutes after 1,000 files were removed."""

    def __init__(self, bench, name, package, disk):
        self.bench, self.name, self.package, self.disk = bench, name, package, disk
        self.folders = {}  # of each program, one for each of its attempts

    def attempt(self, path):
        folders = self.folders.setdefault(self.program(path), [])
        if folders:
            empty_files(folders[-1])
        folder = pathlib.Path(self.bench.folder) / f"{self.name}-{self.program(path)}-{len(folders)}"
        write_calls(folder, self.package)
        folders.append(folder)
        os.sync()  # the writes of the one before are not ours to wait for
        return self.init(path, folder)

    def again(self, path):
        return self.init(path, self.folders[self.program(path)][-1])

    def init(self, path, folder):
        cost = self.bench.run(path, ["init", "-backend=false"], cwd=folder)
        self.disk.bytes[self.program(path)] = disk_bytes(folder / ".terraform")
        return cost

    def program(self, path):
        return next(name for name, known in self.bench.programs.items() if known == path)

    def remove(self):
        for folder in (each for folders in self.folders.values() for each in folders):
            shutil.rmtree(folder, ignore_errors=True)


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
        inits = Inits(bench, f"init-{package.name}", package, disk)
        bench.compare(name, bar(faster=faster), 2, inits.attempt, same=False)
        bench.notes.append(disk.line(name, ours))
        peer = disk.bytes.get("OpenTofu")
        if metadata and peer and disk.bytes[ours] * 100 > peer:
            bench.problems.append(f"{name}: more than 1/100 of OpenTofu's disk")
        if metadata:
            bench.compare(f"{name}, again", bar(seconds=0.050), 5, inits.again, same=False,
                          peers=False)
        inits.remove()

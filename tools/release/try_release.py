#!/usr/bin/env python3
"""Runs the portable program where users may run it, in roots of other systems, and prints a table.

Each root gets the program and nothing else of this machine; the script cases run in it through
chroot. `empty` has only the program and certificate authorities: cases that need git, ssh or a
shell are expected to fail there, and are listed. Needs root, and debootstrap for new roots.
"""

import argparse
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

from sysroot import Missing, run

SOURCES = pathlib.Path(__file__).resolve().parents[2]
SUITES = {"debian11": "bullseye", "debian12": "bookworm", "debian13": "trixie"}

# Enters the root, keeps the working directory, and becomes the program.
ENTER = """\
#!{python}
import os, sys
folder = os.getcwd()
os.chroot({root!r})
os.chdir(folder)
os.execv({program!r}, {words!r} + sys.argv[1:])
"""


def archive_address():
    """The address of the archive of Debian that this system uses."""
    for path in (*pathlib.Path("/etc/apt/sources.list.d").glob("*.sources"),
                 pathlib.Path("/etc/apt/sources.list")):
        match = path.exists() and re.search(r"^(?:URIs:|deb(?: \[.*?\])?)\s+(\S+)", path.read_text(),
                                            re.MULTILINE)
        if match:
            return match[1]
    raise Missing("apt has no source configured")


def make_root(name, cache):
    """The folder of a root, made if it is not there."""
    root = cache / "roots" / name
    if name == "empty":
        for folder in ("etc/ssl/certs", "tmp", "proc", "dev"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy("/etc/ssl/certs/ca-certificates.crt", root / "etc/ssl/certs")
        return root
    if not (root / "usr/bin/git").exists():
        if not shutil.which("debootstrap"):
            raise Missing("the program debootstrap is missing")
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        run("debootstrap", "--variant=minbase", "--include=ca-certificates,git", SUITES[name], root,
            archive_address())
    return root


def enter(root, program, place, emulator):
    """A program of this machine that runs `program` in the root."""
    inside = root / "opt/tofu-under-test"
    inside.mkdir(parents=True, exist_ok=True)
    shutil.copy(program, inside / "tofu")
    words = ["tofu"]
    start = "/opt/tofu-under-test/tofu"
    if emulator:
        shutil.copy(emulator, inside / "emulator")
        start, words = "/opt/tofu-under-test/emulator", ["emulator", "-0", "tofu", start]
    wrapper = place / "tofu"
    wrapper.write_text(ENTER.format(python=sys.executable, root=str(root), program=start, words=words))
    wrapper.chmod(0o755)
    for folder in ("/tmp", "/proc", "/dev"):
        (root / folder[1:]).mkdir(exist_ok=True)
        run("mount", "--rbind", folder, root / folder[1:])
    return wrapper


def start_up(program, emulator):
    """Milliseconds that `version` takes, the best of 20, on this system: entering a root takes longer."""
    best = float("inf")
    for _ in range(20):
        begin = time.perf_counter()
        subprocess.run([*([emulator] if emulator else []), program, "version"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - begin)
    return best * 1000


def test_in(name, program, options, emulator):
    """One row of the table, and the names of the cases that failed."""
    root = make_root(name, options.cache)
    with tempfile.TemporaryDirectory() as place:
        wrapper = enter(root, program, pathlib.Path(place), emulator)
        done = subprocess.run(
            [sys.executable, SOURCES / "tools/run_scripts.py", "--jobs", str(options.jobs), "--tofu",
             wrapper, *(options.cases or [SOURCES / "tests/scripts"])],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        milliseconds = start_up(program, emulator)
        for folder in ("dev", "proc", "tmp"):
            run("umount", "--recursive", "--lazy", root / folder)
    counts = re.search(r"^script cases: (\d+) passed, (\d+) failed", done.stdout, re.MULTILINE)
    if not counts:
        raise Missing(f"the cases did not run in {name}:\n{done.stdout[-2000:]}")
    failed = re.findall(r"^FAIL(?:ED)?:? (\S+)", done.stdout, re.MULTILINE)
    size = program.stat().st_size / 1e6
    return (f"| {program.name} | {size:.1f} MB | {name} | {counts[1]} of "
            f"{int(counts[1]) + int(counts[2])} | {milliseconds:.1f} ms |", failed, done.stdout)


def needs(program):
    """The shared libraries that a program names."""
    text = run("readelf", "--wide", "--dynamic", program)
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def emulator_of(program):
    """What runs a program of another architecture, or None."""
    machine = re.search(r"Machine:\s+(.*)", run("readelf", "-h", program))[1]
    wanted = "aarch64" if "AArch64" in machine else "x86_64"
    if wanted == platform.machine():
        return None
    found = shutil.which(f"qemu-{wanted}-static")
    if not found:
        raise Missing(f"the program qemu-{wanted}-static is missing")
    return found


def parse(arguments):
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="./dev release-test", description=__doc__)
    parser.add_argument("programs", nargs="*", type=pathlib.Path,
                        help="programs (default: those in build/dist)")
    parser.add_argument("--roots", default="debian11,debian12,debian13,empty",
                        type=lambda text: text.split(","))
    parser.add_argument("--cache", type=pathlib.Path, default=SOURCES / "build/release-libs")
    parser.add_argument("--cases", action="append",
                        help="a folder of script cases, for a sample (default: all)")
    parser.add_argument("--log", type=pathlib.Path, help="a file for the cases that failed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    options.cache = options.cache.resolve()
    return options


def main():
    if os.geteuid() != 0:
        sys.exit("./dev release-test: entering other roots needs the user root")
    if os.environ.get("TOFU_RELEASE_TEST_MOUNTS") != "own":
        os.environ["TOFU_RELEASE_TEST_MOUNTS"] = "own"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable,
                              __file__, *sys.argv[1:]])
    options = parse(sys.argv[1:])
    programs = options.programs or [
        path for path in sorted((SOURCES / "build/dist").glob("tofu_*_linux_*"))
        if not path.suffix in (".debug", ".json")]
    try:
        if not programs:
            raise Missing("there is no release in build/dist; ./dev release makes one")
        report, worst = ["| artefact | size | where | script cases | start-up |",
                         "| --- | --- | --- | --- | --- |"], 0
        for program in map(pathlib.Path.resolve, programs):
            if needs(program):
                raise Missing(f"{program} needs {', '.join(needs(program))}")
            for name in options.roots:
                row, failed, text = test_in(name, program, options, emulator_of(program))
                report.append(row)
                if options.log:
                    with open(options.log, "a", encoding="utf-8") as log:
                        log.write(f"== {program.name} in {name}\n{text}\n")
                worst |= bool(failed) and name != "empty"
        print("\n".join(report))
        sys.exit(worst)
    except Missing as error:
        sys.exit(f"./dev release-test: {error}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs the script cases: whole-program tests, one text file each.

tests/scripts/README.md tells the format. TOFU_TEST_ACCEPT=1 rewrites the exact
expectations of cases that fail with what the program did.
"""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from script_case import BadCase, Item, parse

TIME_LIMIT = 60  # seconds for one command


class Place:
    """A fresh folder for one case, and the closed environment of its commands."""

    def __init__(self, folder, tofu, version):
        self.work = pathlib.Path(folder, "work")
        self.home = pathlib.Path(folder, "home")
        self.work.mkdir()
        self.home.mkdir()
        self.tofu = tofu
        # Longer values first, since hide() must not replace a part of one.
        self.names = {"${WORK}": str(self.work), "${HOME}": str(self.home), "${VERSION}": version}
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(self.home), "TMPDIR": str(folder), "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
        }
        # How a sanitizer reports, and where counts go, is for the caller of the tests to decide.
        for name, value in os.environ.items():
            if name.endswith("SAN_OPTIONS") or name == "LLVM_PROFILE_FILE":
                self.environment[name] = value

    def expand(self, text, quote=str):
        for name, value in self.names.items():
            text = text.replace(name, quote(value))
        return text

    def hide(self, text):
        """The reverse of expand, for output that is to be compared or kept."""
        for name, value in self.names.items():
            text = text.replace(value, name)
        return text

    def path(self, name):
        path = (self.work / self.expand(name)).resolve()
        if not path.is_relative_to(self.work.parent.resolve()):
            raise BadCase(f"{name} is outside the case's folder")
        return path

    def write(self, name, text):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def prepare(self, item):
        if item.kind == "env":
            name, equals, value = item.argument.partition("=")
            if not equals:
                raise BadCase("write `env NAME=VALUE`")
            self.environment[name] = self.expand(value)
        elif item.kind == "write":
            self.write(item.argument, item.text())
        else:
            self.path(item.argument).unlink()

    def run(self, command, stdin):
        words = shlex.split(self.expand(command))
        if not words or words[0] != "tofu":
            raise BadCase(f"a command must begin with `tofu`: {command}")
        done = subprocess.run([self.tofu, *words[1:]], cwd=self.work, env=self.environment,
                              input=stdin.encode(), capture_output=True, timeout=TIME_LIMIT)
        streams = {name: getattr(done, name).decode(errors="backslashreplace")
                   for name in ("stdout", "stderr")}
        return done.returncode, streams


def difference(what, wanted, got):
    lines = difflib.unified_diff(wanted.splitlines(), got.splitlines(), "expected", "got", lineterm="")
    text = "\n".join(list(lines)[2:]) or "only the final newline differs"
    return f"{what} differs:\n{text}"


def check_stream(item, streams, place):
    """Problem of one expectation about a stream, or None."""
    if item.kind in streams:
        got = place.hide(streams[item.kind])
        wanted = place.hide(place.expand(item.text())) if item.block else ""
        if wanted == got:
            return None
        problem = difference(item.kind, wanted, got)
        item.argument, item.block, item.newline = "empty", None, True
        if got:
            item.argument = ""
            item.set_text(got)
        return problem
    stream, negative = item.kind.rstrip("~!"), "!" in item.kind
    found = re.search(place.expand(item.argument, re.escape), streams[stream], re.MULTILINE)
    if bool(found) != negative:
        return None
    verb = "must not match" if negative else "must match"
    return f"{stream} {verb} {item.argument!r}, and is:\n{streams[stream]}"


def check_file(item, place):
    path = place.path(item.argument)
    if item.kind == "no-file":
        return f"{item.argument} must not be there" if path.exists() else None
    if not path.exists():
        return f"{item.argument} is not there"
    got = place.hide(path.read_bytes().decode(errors="backslashreplace"))
    wanted = place.hide(place.expand(item.text()))
    if got == wanted:
        return None
    item.set_text(got)
    return difference(item.argument, wanted, got)


def run_step(place, setup, command, expected, case):
    """Runs one command. Problems come back; the items take what was got, for accepting."""
    for item in setup:
        place.prepare(item)
    stdin = "".join(place.expand(item.text()) for item in expected if item.kind == "stdin")
    status, streams = place.run(command.argument, stdin)

    problems = []
    exits = [item for item in expected if item.kind == "exit"]
    wanted = int(exits[-1].argument) if exits else 0
    if status != wanted:
        # What it said is mostly why, unless it is compared below anyway.
        why = "" if any(item.kind == "stderr" for item in expected) else "\n" + streams["stderr"]
        problems.append(f"exit status is {status}, not {wanted}{why}")
        if exits:
            exits[-1].argument = str(status)
        else:
            case.items.insert(case.items.index(command) + 1, Item("exit", str(status)))
    for item in expected:
        if item.kind in ("exit", "stdin"):
            continue
        problem = (check_file(item, place) if item.kind.endswith("file")
                   else check_stream(item, streams, place))
        if problem:
            problems.append(problem)
    return [f"$ {command.argument}\n{problem}" for problem in problems]


def run_case(path, options):
    """Gives the problems of one case, an empty list if it passes."""
    text = path.read_bytes().decode()
    try:
        case = parse(text)
        with tempfile.TemporaryDirectory(prefix="tofu-script-") as folder:
            place = Place(os.path.realpath(folder), options.tofu, options.version)
            for name, content in case.files.items():
                place.write(name, content)
            problems = []
            for setup, command, expected in list(case.steps()):
                problems += run_step(place, setup, command, expected, case)
    except BadCase as problem:
        return [f"cannot read the case: {problem}"]
    except subprocess.TimeoutExpired as problem:
        return [f"no end after {problem.timeout:.0f} s"]
    except OSError as problem:
        return [str(problem)]
    if problems and options.accept:
        path.write_bytes(case.render().encode())
        problems.append("rewritten with what the program does now; read the difference")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tofu", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--filter", default="", help="only cases whose path matches this pattern")
    parser.add_argument("--version-file", type=pathlib.Path, default=pathlib.Path("VERSION"))
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    options.tofu = os.path.abspath(options.tofu)
    options.accept = os.environ.get("TOFU_TEST_ACCEPT") == "1"
    versions = dict(line.split() for line in options.version_file.read_text().splitlines())
    options.version = versions["opentofu"]
    if not os.access(options.tofu, os.X_OK):
        sys.exit(f"{options.tofu} is not a program")

    cases = sorted(path for path in options.folder.rglob("*.txt")
                   if re.search(options.filter, str(path)))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, problems in zip(cases, pool.map(lambda path: run_case(path, options), cases)):
            if problems:
                failed += 1
                print(f"FAIL {path}")
                for problem in problems:
                    print("    " + problem.rstrip("\n").replace("\n", "\n    "))
    print(f"script cases: {len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

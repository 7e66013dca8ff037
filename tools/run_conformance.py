#!/usr/bin/env python3
"""Runs the conformance suites and sums their counts per suite.

The suites of this repository are in tests/conformance. Cases that come from other projects stay
outside the repository, under their own license; --outside names their folder, in the same format,
and their suites are reported as `suite+outside`.

With --floor FILE, only the suites named there are run, and each must pass at least as many cases as
its line (`suite count`) says. Where there are provider plugins (TOFU_TEST_PLUGINS), a line
`suite+plugins count` counts instead. Lines with +outside count where --outside is given. The
cases beyond the floor belong to features that are not there yet.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

SUITES = pathlib.Path(__file__).resolve().parents[1] / "tests/conformance"
PLUGINS = "+plugins"
OUTSIDE = "+outside"
# The groups that come from other projects, as SUITE/GROUP.
OUTSIDE_GROUPS = r"^(hcl/|validate/(upstream|adapted)-)"
GROUP = re.compile(r"^(\w+)/\S+: (\d+) passed, (\d+) failed$")


def read_floors(path, with_plugins=False, with_outside=False):
    """{suite: floor}, in the order of the file."""
    floors = {}
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            floors[words[0]] = int(words[1])
    for name in [name for name in floors if name.endswith(PLUGINS)]:
        floor = floors.pop(name)
        if with_plugins:
            floors[name.removesuffix(PLUGINS)] = floor
    return {name: floor for name, floor in floors.items()
            if with_outside or not name.endswith(OUTSIDE)}


def commands(options, floors, rest):
    """(what the names of suites end in, command) of each run of the runner."""
    base = [SUITES / "run.py", "--tofu", os.path.abspath(options.tofu), *rest]
    runs = [("", SUITES, base)]
    if options.outside:
        outside = [*base, "--dir", options.outside, "--group", OUTSIDE_GROUPS]
        runs.append((OUTSIDE, options.outside, outside))
    for ending, folder, command in runs:
        names = [path.name for path in folder.iterdir() if (SUITES / f"lib/{path.name}.py").exists()]
        if floors is not None:
            names = [name for name in names if name + ending in floors]
            command.append("--summary")
        if options.suite:
            names = [name for name in names if name in options.suite]
        if names:
            yield ending, command + [f"--suite={name}" for name in sorted(names)]


def run(command, ending, counts):
    """Runs suites; adds to {suite: [passed, failed]}."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            match = GROUP.match(line)
            if match:
                counts[match[1] + ending][0] += int(match[2])
                counts[match[1] + ending][1] += int(match[3])
            elif line.startswith("FAIL") or line.startswith("pass"):
                print(line, end="", flush=True)
    return process.returncode


def judge(counts, floors):
    """Prints one line per suite with its floor; gives the number of required cases that failed."""
    passed = failed = 0
    for suite, floor in floors.items():
        good, bad = counts.get(suite, [0, 0])
        missing = max(0, floor - good)
        passed, failed = passed + good, failed + missing
        verdict = f"missed by {missing}" if missing else "holds"
        print(f"conformance {suite}: {good} of {good + bad} passed, floor {floor} {verdict}")
    print(f"conformance: {passed} passed, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter,
                                     epilog="Further arguments go to tests/conformance/run.py.")
    parser.add_argument("--tofu", required=True)
    parser.add_argument("--outside", type=pathlib.Path, help="folder of the cases of other projects")
    parser.add_argument("--suite", action="append", help="run only this suite (may be repeated)")
    parser.add_argument("--floor", type=pathlib.Path)
    options, rest = parser.parse_known_args()

    floors = None
    if options.floor:
        floors = read_floors(options.floor, with_plugins=bool(os.environ.get("TOFU_TEST_PLUGINS")),
                             with_outside=bool(options.outside))
    counts, status = collections.defaultdict(lambda: [0, 0]), 0
    chosen = list(commands(options, floors, rest))
    if not chosen:
        sys.exit(f"There is no suite named {' or '.join(options.suite or [])}.")
    for ending, command in chosen:
        status |= run(command, ending, counts)
    if floors is not None:
        return 1 if judge(counts, floors) else 0
    for suite, (good, bad) in counts.items():
        print(f"conformance {suite}: {good} of {good + bad} passed")
    return status


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the conformance suites and sums their counts per suite.

With --floor FILE, only the suites named there are run, and each must pass at
least as many cases as its line (`suite count`) says. Where there are provider
plugins (TOFU_TEST_PLUGINS), a line `suite+plugins count` counts instead. The cases
beyond the floor belong to features that are not there yet.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

PLUGINS = "+plugins"
GROUP = re.compile(r"^(\w+)/\S+: (\d+) passed, (\d+) failed$")


def read_floors(path, with_plugins=False):
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
    return floors


def run(command):
    """Runs the suites; gives {suite: [passed, failed]} and the exit status."""
    counts = collections.defaultdict(lambda: [0, 0])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            match = GROUP.match(line)
            if match:
                counts[match[1]][0] += int(match[2])
                counts[match[1]][1] += int(match[3])
            elif line.startswith("FAIL") or line.startswith("pass"):
                print(line, end="")
    return counts, process.returncode


def judge(counts, floors):
    """Prints one line per suite with its floor; gives the totals of required cases."""
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner", required=True)
    parser.add_argument("--tofu", required=True)
    parser.add_argument("--floor", type=pathlib.Path)
    options, rest = parser.parse_known_args()

    command = [options.runner, "--tofu", os.path.abspath(options.tofu), *rest]
    if not options.floor:
        counts, status = run(command)
        for suite, (good, bad) in counts.items():
            print(f"conformance {suite}: {good} of {good + bad} passed")
        return status
    floors = read_floors(options.floor, bool(os.environ.get("TOFU_TEST_PLUGINS")))
    for suite in floors:
        command += ["--suite", suite]
    counts, _ = run(command + ["--summary"])
    return 1 if judge(counts, floors) else 0


if __name__ == "__main__":
    sys.exit(main())

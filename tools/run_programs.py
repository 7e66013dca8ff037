#!/usr/bin/env python3
"""Runs the test programs: whole-program tests in Python, several files at once.

tests/programs/README.md tells what they are. Each file is a process of its own;
what it says is printed if a test in it fails.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys


def run_file(path, options):
    """Gives how many tests passed, failed and were skipped why, and what was said."""
    command = [sys.executable, "-m", "unittest", "-v", path.name.removesuffix(".py")]
    if options.filter:
        command += ["-k", options.filter]
    done = subprocess.run(command, cwd=path.parent, env={**os.environ, "TOFU": options.tofu},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    # The result stands on a line of its own if something was printed on the way.
    results = collections.Counter(re.findall(r"(?: \.\.\. |^)(ok|FAIL|ERROR)$", done.stdout,
                                             re.MULTILINE))
    skipped = re.findall(r"^(test\w+) .* \.\.\. skipped '(.*)'$", done.stdout, re.MULTILINE)
    failed = results["FAIL"] + results["ERROR"]
    # A file that cannot even be run counts as one failure.
    return results["ok"], failed or int(done.returncode != 0), skipped, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tofu", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--filter", default="", help="only tests whose name has this in it")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    options.tofu = os.path.abspath(options.tofu)

    files = sorted(options.folder.glob("*_test.py"))
    passed, failed = 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, (good, bad, skipped, said) in zip(
                files, pool.map(lambda file: run_file(file, options), files)):
            passed, failed = passed + good, failed + bad
            for name, why in skipped:
                print(f"skipped {path.name} {name}: {why}")
            if bad:
                print(f"FAIL {path}\n{said}")
    print(f"test programs: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

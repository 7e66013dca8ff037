#!/usr/bin/env python3
"""Runs the test programs: whole-program tests in Python, several files at once.

tests/programs/README.md tells what they are. Each file is a process of its own;
what it says is printed if a test in it fails. With --allowed-skips, a skipped test
that the list does not name is a failure.
"""

import argparse
import ast
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

from allowed_skips import AllowedSkips, report


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
    # The description of a test stands between its name and the result. A class that is skipped
    # as a whole is one entry, under the name of its set-up.
    skipped = [(f"{path.name} {name}", ast.literal_eval(why)) for name, _, why in re.findall(
        r"^(\w+) \(.*\)(\n.*)?? \.\.\. skipped (.*)$", done.stdout, re.MULTILINE)]
    failed = results["FAIL"] + results["ERROR"]
    # A file that cannot even be run counts as one failure.
    return results["ok"], failed or int(done.returncode != 0), skipped, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tofu", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--filter", default="", help="only tests whose name has this in it")
    parser.add_argument("--allowed-skips", type=pathlib.Path, metavar="FILE",
                        help="a skip that this list does not name is a failure")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    allowed = AllowedSkips.read(options.allowed_skips)
    options.tofu = os.path.abspath(options.tofu)

    files = sorted(options.folder.glob("*_test.py"))
    passed, failed, left_out = 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, (good, bad, skipped, said) in zip(
                files, pool.map(lambda file: run_file(file, options), files)):
            may, may_not = report("program", skipped, allowed)
            passed, failed, left_out = passed + good, failed + bad + may_not, left_out + may
            if bad:
                print(f"FAIL {path}\n{said}")
    print(f"test programs: {passed} passed, {failed} failed, {left_out} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

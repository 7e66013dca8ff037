#!/usr/bin/env python3
"""Runs the test programs: whole-program tests in Python, several files at once.

tests/programs/README.md tells what they are. Each file is a process of its own;
what it says is printed if a test in it fails.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys


def run_file(path, options):
    """Gives the number of tests, whether all passed, and what was said."""
    command = [sys.executable, "-m", "unittest", "-q", path.name.removesuffix(".py")]
    if options.filter:
        command += ["-k", options.filter]
    done = subprocess.run(command, cwd=path.parent, env={**os.environ, "TOFU": options.tofu},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    count = re.search(r"^Ran (\d+) test", done.stdout, re.MULTILINE)
    return int(count[1]) if count else 0, done.returncode == 0, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tofu", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--filter", default="", help="only tests whose name has this in it")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    options.tofu = os.path.abspath(options.tofu)

    files = sorted(options.folder.glob("*_test.py"))
    tests, failed = 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, (count, passed, said) in zip(files, pool.map(lambda file: run_file(file, options),
                                                               files)):
            tests += count
            if not passed:
                failed += 1
                print(f"FAIL {path}\n{said}")
    print(f"test programs: {tests} tests in {len(files)} files, {failed} files failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

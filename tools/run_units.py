#!/usr/bin/env python3
"""Runs the unit tests of a build folder and says how many tests passed.

ctest runs one program per room; each leaves its counts in test-results/. A
program that dies without leaving counts is one failure.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree


def count(results, junit):
    """Gives (passed, failed) over all entries of ctest's report."""
    passed = failed = 0
    for case in xml.etree.ElementTree.parse(junit).getroot().iter("testcase"):
        good = case.get("status") == "run"
        counts = results / (case.get("name") + ".json")
        if not counts.exists():
            passed, failed = passed + good, failed + (not good)
            continue
        told = json.loads(counts.read_text())
        bad = told["failures"] + told.get("errors", 0)
        # All tests passed but the program did not: a sanitizer spoke at its end.
        if not good and not bad:
            failed += 1
        failed += bad
        passed += told["tests"] - bad - told.get("disabled", 0)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--only", default=".", help="only programs whose name matches this pattern")
    parser.add_argument("build", type=pathlib.Path)
    options = parser.parse_args()

    results = options.build / "test-results"
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir()
    junit = results.resolve() / "ctest.xml"
    status = subprocess.run(
        ["ctest", "--test-dir", options.build, "--output-on-failure", "--no-tests=error",
         "--parallel", options.jobs, "--tests-regex", options.only,
         "--output-junit", junit]).returncode
    if not junit.exists():
        print("unit tests: ctest did not run")
        return 1
    passed, failed = count(results, junit)
    if status and not failed:
        failed = 1
    print(f"unit tests: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the unit tests of a build folder and says how many passed, failed and were skipped.

ctest runs one program per component; each leaves its results in test-results/. A
program that dies without leaving counts is one failure. With --allowed-skips, a
skipped test that the list does not name is a failure, too.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree

from allowed_skips import AllowedSkips, report


def count(results, junit):
    """Gives (passed, failed, [(name, why) of skipped tests]) over all entries of ctest's report."""
    passed = failed = 0
    skipped = []
    for case in xml.etree.ElementTree.parse(junit).getroot().iter("testcase"):
        good = case.get("status") == "run"
        report_file = results / (case.get("name") + ".xml")
        if not report_file.exists():
            passed, failed = passed + good, failed + (not good)
            continue
        root = xml.etree.ElementTree.parse(report_file).getroot()
        bad = int(root.get("failures")) + int(root.get("errors"))
        # All tests passed but the program did not: a sanitizer spoke at its end.
        if not good and not bad:
            failed += 1
        failed += bad
        left_out = [(f"{test.get('classname')}.{test.get('name')}", why_skipped(test))
                    for test in root.iter("testcase") if test.get("result") == "skipped"]
        skipped += left_out
        passed += int(root.get("tests")) - bad - int(root.get("disabled")) - len(left_out)
    return passed, failed, skipped


def why_skipped(test):
    """The text given to GTEST_SKIP(), which stands below a line with the place."""
    messages = [skip.get("message", "").partition("\n")[2] for skip in test.iter("skipped")]
    return " ".join(" ".join(messages).split()) or "no reason given"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--only", default=".", help="only programs whose name matches this pattern")
    parser.add_argument("--allowed-skips", type=pathlib.Path, metavar="FILE",
                        help="a skip that this list does not name is a failure")
    parser.add_argument("build", type=pathlib.Path)
    options = parser.parse_args()
    allowed = AllowedSkips.read(options.allowed_skips)

    results = options.build / "test-results"
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir()
    junit = results.resolve() / "ctest.xml"
    status = subprocess.run(
        ["ctest", "--test-dir", options.build, "--output-on-failure", "--no-tests=error",
         "--parallel", options.jobs, "--tests-regex", options.only,
         "--label-exclude", "whole_program",
         "--output-junit", junit]).returncode
    if not junit.exists():
        print("unit tests: ctest did not run")
        return 1
    passed, failed, skipped = count(results, junit)
    if status and not failed:
        failed = 1
    left_out, not_allowed = report("unit", skipped, allowed)
    failed += not_allowed
    print(f"unit tests: {passed} passed, {failed} failed, {left_out} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

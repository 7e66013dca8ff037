#!/usr/bin/env python3
"""Runs the conformance suites against a `tofu` binary.

A suite is a folder NAME/ beside this file (or under --dir) for which there is
a module lib/NAME.py with two functions:

    cases(directory) -> the cases: objects with at least .id and .group
    check(tofu, case, workdir) -> (passed, message)

`check` gets a fresh, empty working directory for every case.
"""

import argparse
import collections
import concurrent.futures
import importlib
import os
import re
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

from lib import process  # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser(description="Run the conformance suites against a tofu binary.")
    parser.add_argument("--tofu", required=True, help="path of the binary to test")
    parser.add_argument("--suite", action="append", help="run only this suite (may be repeated)")
    parser.add_argument("--dir", default=HERE, help="folder holding the suites (default: beside this file)")
    parser.add_argument("--filter", default="", help="run only the cases whose SUITE/ID matches this regex")
    parser.add_argument("--group", default="", help="run only the groups whose SUITE/GROUP matches this regex")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="cases to run at a time")
    parser.add_argument("--verbose", action="store_true", help="also name the cases that pass")
    parser.add_argument("--summary", action="store_true", help="print only the counts")
    return parser.parse_args()


def find_suites(root, wanted):
    """Yields (name, folder, module) for every suite under root."""
    names = sorted(
        entry for entry in os.listdir(root)
        if os.path.isdir(os.path.join(root, entry))
        and os.path.exists(os.path.join(HERE, "lib", entry + ".py"))
    )
    for name in wanted or []:
        if name not in names:
            sys.exit(f"no suite named {name!r} in {root}")
    for name in names:
        if not wanted or name in wanted:
            yield name, os.path.join(root, name), importlib.import_module("lib." + name)


def run_case(module, tofu, case):
    workdir = tempfile.mkdtemp(prefix="conformance-")
    try:
        return module.check(tofu, case, workdir)
    except process.Timeout as timeout:
        return False, str(timeout)
    except Exception as problem:  # one bad case must not end the whole run
        return False, f"{type(problem).__name__}: {problem}"
    finally:
        shutil.rmtree(workdir, ignore_errors=True)


def run_suite(name, folder, module, options):
    """Runs one suite and returns {group: [passed, failed]}."""
    chosen = [
        case for case in module.cases(folder)
        if re.search(options.filter, f"{name}/{case.id}") and re.search(options.group, f"{name}/{case.group}")
    ]
    counts = collections.defaultdict(lambda: [0, 0])
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = pool.map(lambda case: run_case(module, options.tofu, case), chosen)
        for case, (passed, message) in zip(chosen, outcomes):
            counts[case.group][0 if passed else 1] += 1
            report(f"{name}/{case.id}", passed, message, options)
    return counts


def report(label, passed, message, options):
    if options.summary:
        return
    if not passed:
        print(f"FAIL {label}: " + message.replace("\n", " "), flush=True)
    elif options.verbose:
        print(f"pass {label}", flush=True)


def main():
    options = parse_arguments()
    options.tofu = os.path.abspath(options.tofu)
    if not os.access(options.tofu, os.X_OK):
        sys.exit(f"{options.tofu} is not an executable file")

    total_passed = total_failed = 0
    for name, folder, module in find_suites(options.dir, options.suite):
        counts = run_suite(name, folder, module, options)
        for group in sorted(counts):
            passed, failed = counts[group]
            print(f"{name}/{group}: {passed} passed, {failed} failed")
            total_passed += passed
            total_failed += failed
    print(f"{total_passed} passed, {total_failed} failed")
    return 1 if total_failed else 0


if __name__ == "__main__":
    sys.exit(main())

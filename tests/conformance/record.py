#!/usr/bin/env python3
"""Records the conformance suites anew from a reference program.

Every case is run with the program. A case that passes stays as it is. The others are run twice
more: where both runs agree, the case is written with what they showed; where they differ or one of
them fails, the case stays and is reported. Cases with `differs` are never touched, because
they expect what OpenTofu does not do. Read the resulting difference as you would read code.

A new case needs its input only: a step without its exit status, an expression without `want`.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import tempfile

from lib import process
from run import HERE, find_suites, run_case

VERSION_FILE = pathlib.Path(HERE).parents[1] / "VERSION"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tofu", required=True, help="path of the reference program")
    parser.add_argument("--suite", action="append", help="record only this suite (may be repeated)")
    parser.add_argument("--dir", default=HERE, help="folder holding the suites (default: beside this file)")
    parser.add_argument("--filter", default="", help="record only the cases whose SUITE/ID matches this regex")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="cases to run at a time")
    parser.add_argument("--any-version", action="store_true",
                        help="record from a program that is not the OpenTofu release of the file VERSION")
    return parser.parse_args()


def check_reference(tofu):
    """Refuses a program that is not the OpenTofu release that the cases are recorded from."""
    wanted = re.search(r"^opentofu (\S+)$", VERSION_FILE.read_text(), re.MULTILINE)[1]
    report = json.loads(process.run_tofu(tofu, ["version", "-json"], HERE).stdout)
    if report["terraform_version"] != wanted:
        sys.exit(f"{tofu} is version {report['terraform_version']}; cases are recorded from OpenTofu {wanted}")
    if "implementation" in report:
        sys.exit(f"{tofu} is {report['implementation']['name']}; cases are recorded from OpenTofu itself")


def differs_on_purpose(case):
    return "differs" in (case.load() if hasattr(case, "load") else vars(case))


def record_case(name, module, tofu, case):
    """Records one case if it has to be; returns a line to report, or None."""
    label = f"{name}/{case.id}"
    if differs_on_purpose(case):
        return f"kept {label}: it differs from OpenTofu on purpose"
    if run_case(module, tofu, case)[0]:
        return None
    seen = []
    try:
        for _ in range(2):
            with tempfile.TemporaryDirectory(prefix="conformance-") as workdir:
                seen.append(module.record(tofu, case, workdir))
    except Exception as problem:  # one bad case must not end the whole run
        return f"FAIL {label}: {type(problem).__name__}: {problem}"
    if seen[0] != seen[1]:
        return f"FAIL {label}: two runs differ"
    module.save(case, seen[0])
    return f"recorded {label}"


def record_suite(name, folder, module, options):
    """Records one suite; returns how many cases could not be recorded."""
    cases = list(module.cases(folder))
    chosen = [case for case in cases if re.search(options.filter, f"{name}/{case.id}")]
    failed = recorded = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for line in pool.map(lambda case: record_case(name, module, options.tofu, case), chosen):
            if line:
                print(line, flush=True)
                failed += line.startswith("FAIL")
                recorded += line.startswith("recorded")
    if recorded and hasattr(module, "finish"):
        module.finish(folder, cases)
    print(f"{name}: {len(chosen)} cases, {recorded} recorded, {failed} failed")
    return failed


def main():
    options = parse_arguments()
    options.tofu = os.path.abspath(options.tofu)
    if not options.any_version:
        check_reference(options.tofu)
    failed = 0
    for name, folder, module in find_suites(options.dir, options.suite):
        if hasattr(module, "record"):
            failed += record_suite(name, folder, module, options)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Applies deliberate bugs, one at a time, and has the simulator look for each.

A simulator that misses one proves less than it claims. Each mutation of mutations.toml is put into
a source file, `simulate` is built again and plays histories until one fails; the file is as before
afterwards. The table says after how many histories that was.

    tools/mutations/run.py [--build DIR] [--seed SEED] [--only TEXT] [--check]
"""

import argparse
import pathlib
import re
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
WITHIN = 20_000
LONGEST = 900  # seconds


def read_mutations():
    """The mutations, and what is wrong with the list itself."""
    path = pathlib.Path(__file__).with_name("mutations.toml")
    mutations = tomllib.loads(path.read_text())["mutation"]
    problems = []
    for mutation in mutations:
        count = (ROOT / mutation["file"]).read_text().count(mutation["find"])
        if count != 1:
            problems.append(f"{mutation['name']}: its text occurs {count} times in "
                            f"{mutation['file']}")
    return mutations, problems


def build(directory):
    made = subprocess.run(["cmake", "--build", str(directory), "--target", "simulate"],
                          cwd=ROOT, capture_output=True, text=True, check=False)
    return made.returncode == 0, made.stdout[-2000:] + made.stderr[-2000:]


def play(directory, seed, count):
    """The number of histories up to the first that fails, and why it fails; or None."""
    try:
        played = subprocess.run(
            [str(directory / "tests/simulate"), "--first", str(seed), str(count)],
            capture_output=True, text=True, check=False, errors="replace", timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return None
    found = re.search(r"^seed (\d+): (.*)$", played.stdout, re.MULTILINE)
    if found:
        return int(found[1]) - seed + 1, found[2]
    if played.returncode < 0 or played.returncode > 1:
        return 1, f"the simulator ended with {played.returncode}"
    return None


def try_mutation(mutation, directory, seed):
    path = ROOT / mutation["file"]
    before = path.read_text()
    try:
        path.write_text(before.replace(mutation["find"], mutation["replace"]))
        ok, log = build(directory)
        if not ok:
            return "does not build", log
        found = play(directory, seed, mutation.get("within", WITHIN))
        return ("missed", "") if found is None else (f"{found[0]:,}", found[1])
    finally:
        path.write_text(before)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="mutations with this text in their names")
    parser.add_argument("--check", action="store_true", help="check the list and try nothing")
    options = parser.parse_args()
    mutations, problems = read_mutations()
    if problems:
        print("\n".join(problems))
        return 1
    if options.check:
        print(f"{len(mutations)} mutations fit the sources")
        return 0
    chosen = [each for each in mutations if options.only in each["name"]]
    failed = 0
    print("| mutation | histories | found as |\n| --- | --- | --- |", flush=True)
    start = time.monotonic()
    for mutation in chosen:
        result, why = try_mutation(mutation, options.build.resolve(), options.seed)
        failed += not result[0].isdigit()
        print(f"| {mutation['name']} | {result} | {why} |", flush=True)
    build(options.build.resolve())
    print(f"{len(chosen) - failed} of {len(chosen)} mutations found in "
          f"{time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

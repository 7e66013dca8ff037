#!/usr/bin/env python3
"""Runs every fuzz target of a build folder for a while, from its seeds.

New inputs and findings go to the build folder, never into fuzz/corpus/: a
finding becomes a seed by hand, together with its mend.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import time

DONE = re.compile(r"^Done (\d+) runs", re.MULTILINE)
COVERAGE = re.compile(r"cov: (\d+)")


def run(program, options):
    """Gives (name, whether it went without a finding, one line about it)."""
    name = program.name
    corpus = options.build / "fuzz-corpus" / name
    findings = options.build / "fuzz-findings" / name
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    seeds = options.seeds / name
    log = options.build / f"fuzz-{name}.log"
    command = [program, f"-max_total_time={options.seconds}", "-timeout=20", "-rss_limit_mb=2048",
               f"-max_len={options.max_len}", "-print_final_stats=0", f"-artifact_prefix={findings}/",
               corpus, *([seeds] if seeds.is_dir() else [])]
    started = time.monotonic()
    with open(log, "wb") as output:
        status = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT).returncode
    text = log.read_text(errors="replace")
    if status:
        return name, False, f"FINDING, see {log} and {findings}/"
    runs = int(DONE.findall(text)[-1]) if DONE.search(text) else 0
    coverage = (COVERAGE.findall(text) or ["?"])[-1]
    took = time.monotonic() - started
    return name, True, f"{runs} inputs in {took:.0f} s, {coverage} places covered, no finding"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--max-len", type=int, default=4096)
    parser.add_argument("--only", help="run only the targets whose name matches this pattern")
    parser.add_argument("--seeds", type=pathlib.Path, default=pathlib.Path("fuzz/corpus"))
    parser.add_argument("build", type=pathlib.Path)
    options = parser.parse_args()

    programs = sorted(path for path in (options.build / "fuzzers").glob("*")
                      if path.is_file() and re.search(options.only or "", path.name))
    if not programs:
        print("fuzz: no targets")
        return 0
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, good, line in pool.map(lambda program: run(program, options), programs):
            print(f"fuzz {name}: {line}", flush=True)
            failed += not good
    print(f"fuzz: {len(programs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

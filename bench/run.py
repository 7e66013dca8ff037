#!/usr/bin/env python3
"""Times the program beside its peers and holds it to its bars.

Peers are OpenTofu (TOFU_PEER_OPENTOFU) and Terraform (TOFU_PEER_TERRAFORM, or
`terraform` on the PATH). Every program runs in an environment of its own, in
turn on the same machine; the answers of all must be equal. A time is the best of
several rounds; a peer that takes longer than --limit is stopped, and then its
numbers, and the ratios, are lower bounds.

The exit status is 1 if a bar is missed or an answer differs.
"""

import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import generate
import installing
import measure
import packages
import providers
import running
import storing

OURS = "tofu"
MILLION = "[for i in range(1000) : [for j in range(1000) : {}]]"
EXPRESSIONS = {
    "nested for": "length(" + MILLION.format("i * 1000 + j") + ")",
    "flatten": "length(flatten(" + MILLION.format("i * 1000 + j") + "))",
    "merge": 'length(merge([for i in range(1000) : '
             '{ for j in range(1000) : "k${i * 1000 + j}" => j }]...))',
    "distinct": "length(distinct(flatten(" + MILLION.format("(i + j) % 4") + ")))",
    "jsonencode": "length(jsonencode(" + MILLION.format("i * 1000 + j") + "))",
}


@dataclasses.dataclass
class Bar:
    """What a bench must reach; times and memory against OpenTofu."""

    faster: float = 0  # at least this many times
    seconds: float = 0  # at most
    memory: float = 0  # at most this share of the peer's


# The most that instance_bench may report, by what stands before the first comma. Strings
# of an instance are allocations, too: three of them.
INSTANCE_BARS = {"one instance": 2, "allocations of one instance": 6, "a million instances": 3, "memory": 1000}


class Bench:
    """Everything that the benches share: programs, places and options."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = pathlib.Path(folder)
        self.programs = {OURS: str(options.build.resolve() / "tofu")}
        self.launcher = str(options.build.resolve() / "bench" / "launch")
        for name, variable, fallback in (("OpenTofu", "TOFU_PEER_OPENTOFU", None),
                                         ("Terraform", "TOFU_PEER_TERRAFORM", "terraform")):
            path = os.environ.get(variable) or (fallback and shutil.which(fallback))
            if path and not options.alone:
                self.programs[name] = path
        for part in ("home", "tmp"):
            (self.folder / part).mkdir()
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder / "home"),
                            "TMPDIR": str(self.folder / "tmp"), "CHECKPOINT_DISABLE": "1"}
        self.rows = []  # (bench, bar, {program: Cost})
        self.problems = []
        self.notes = []  # what no table holds
        self.tree = None

    def make_tree(self):
        if not self.tree:
            self.tree = self.folder / "tree"
            files, size = generate.generate(self.tree, self.options.megabytes)
            print(f"generated {files} files, {size / 1e6:.1f} MB", file=sys.stderr)
        return self.tree

    def wanted(self, name):
        return re.search(self.options.only, name)

    def compare(self, name, bar, rounds, attempt, same=True, peers=True):
        """Runs `attempt(program path)` for every program. If `same`, answers must be equal."""
        if not self.wanted(name):
            return
        costs = {}
        for program, path in self.programs.items():
            if program != OURS and not peers:
                continue
            print(f"{name}: {program} …", file=sys.stderr)
            costs[program] = measure.best(rounds, self.options.budget, lambda: attempt(path))
        self.rows.append((name, bar, costs))
        for program, cost in costs.items():
            if cost.status and not (cost.cut_off and program != OURS):
                self.problems.append(f"{name}: {program} ended with status {cost.status}")
        answers = {cost.output for cost in costs.values() if not cost.cut_off}
        if same and len(answers) > 1:
            self.problems.append(f"{name}: the answers of the programs are not all equal")

    def run(self, path, arguments, cwd=None, stdin=b""):
        # A program that was stopped may leave a lock behind, so each has its own folder.
        cwd = cwd or tempfile.mkdtemp(dir=self.folder)
        return measure.run(self.launcher, [path, *arguments], cwd, self.environment, stdin,
                           self.options.limit)

    def version(self):
        self.compare("version", Bar(faster=10, seconds=0.010), 20,
                     lambda path: self.run(path, ["version"]), same=False)

    def console(self):
        for name, expression in EXPRESSIONS.items():
            stdin = expression.encode() + b"\n"
            self.compare(f"console: {name}, 1,000,000 elements", Bar(faster=10, memory=0.25), 3,
                         lambda path, stdin=stdin: self.run(path, ["console"], stdin=stdin))

    def fmt(self):
        name = f"fmt -recursive, {self.options.megabytes:g} MB"
        if not self.wanted(name):
            return
        tree, copy = self.make_tree(), self.folder / "copy"

        def attempt(path):
            # Formatting changes the files, so that every round needs them fresh.
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(tree, copy)
            cost = self.run(path, ["fmt", "-recursive"], cwd=copy)
            return dataclasses.replace(cost, output=fingerprint(copy))

        self.compare(name, Bar(faster=20), 3, attempt)

    def validate(self):
        """Peers see the middle size; time per block must not grow with the number of blocks."""
        seconds = {}
        for blocks in (1_000, 10_000, 100_000):
            name = f"validate, {blocks:,} resource blocks"
            if not self.wanted(name):
                continue
            folder = self.folder / f"flat{blocks}"
            generate.flat_configuration(folder, blocks)
            middle = blocks == 10_000
            self.compare(name, Bar(faster=20, memory=0.25) if middle else Bar(), 3,
                         lambda path, cwd=folder: self.run(path, ["validate", "-json"], cwd=cwd),
                         same=False, peers=middle)
            seconds[blocks] = self.rows[-1][2][OURS].seconds / blocks
        if seconds and max(seconds.values()) > 1.5 * max(seconds.get(1_000, 0), seconds.get(10_000, 0)):
            self.problems.append("validate: time per block grows with the number of blocks")

    def lint(self):
        """No peer has such a command; the time is for the whole program."""
        name = "lint, 10,000 resource blocks"
        if not self.wanted(name):
            return
        folder = self.folder / "lint"
        generate.flat_configuration(folder, 10_000)
        self.compare(name, Bar(seconds=0.2), 5,
                     lambda path: self.run(path, ["lint", "-json", "-fail-on=never"], cwd=folder),
                     same=False, peers=False)

    def validate_calls(self):
        name = "validate, 2,000 module calls"
        if not self.wanted(name):
            return
        folders = {}
        for program, path in self.programs.items():
            folders[path] = self.folder / f"calls-{program}"
            generate.calling_configuration(folders[path], 2_000)
            self.run(path, ["init", "-backend=false"], cwd=folders[path])
        self.compare(name, Bar(faster=20, memory=0.25), 3,
                     lambda path: self.run(path, ["validate", "-json"], cwd=folders[path]),
                     same=False)

    def parse(self):
        """Megabytes a second, and whether the bar is for it, by name."""
        program = self.options.build.resolve() / "bench" / "parse_bench"
        if not self.wanted("parse"):
            return None
        if not program.exists():
            self.problems.append("parse: parse_bench is not built")
            return None
        plain = self.folder / "plain"
        generate.generate(plain, self.options.megabytes, writer=generate.PlainWriter)
        return {"parse, as in public modules": (self.parse_speed(program, plain), True),
                "parse, dense": (self.parse_speed(program, self.make_tree()), False)}

    def instances(self):
        """What evaluating instances costs, as notes, held to the bars below."""
        if not self.wanted("instances"):
            return
        program = self.options.build.resolve() / "bench" / "instance_bench"
        if not program.exists():
            self.problems.append("instances: instance_bench is not built")
            return
        done = subprocess.run([program], capture_output=True, text=True, check=True,
                              env=self.environment)
        for line in done.stdout.splitlines():
            told = json.loads(line)
            text = f"{told['name']}: {told['amount']:.2f} {told['unit']}".rstrip()
            self.notes.append(text)
            bar = INSTANCE_BARS.get(told["name"].split(",")[0])
            if bar and told["amount"] > bar:
                self.problems.append(f"{text}, more than {bar}")

    def parse_speed(self, program, tree):
        """The best of three rounds, as for whole programs."""
        done = subprocess.run([program, "--benchmark_format=json", "--benchmark_repetitions=3"],
                              capture_output=True, check=True,
                              env={**self.environment, "TOFU_BENCH_TREE": str(tree)})
        rounds = [entry["bytes_per_second"] for entry in json.loads(done.stdout)["benchmarks"]
                  if entry["run_type"] == "iteration"]
        return max(rounds) / 1e6


def fingerprint(folder):
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.tf")):
        digest.update(path.read_bytes())
    return digest.digest()


def time_text(cost):
    text = f"{cost.seconds * 1000:.1f} ms" if cost.seconds < 1 else f"{cost.seconds:.2f} s"
    return ("> " if cost.cut_off else "") + text


def ratio_text(peer, ours):
    return f"{'> ' if peer.cut_off else ''}{peer.seconds / ours.seconds:.1f}×"


def bar_text(bar, ours, peer):
    """(the bar in words with its verdict, whether it is missed)"""
    parts, missed = [], False
    checks = []
    if bar.faster and peer:
        checks.append((f"≥ {bar.faster:g}×", peer.seconds / ours.seconds >= bar.faster))
    if bar.seconds:
        checks.append((f"< {bar.seconds * 1000:g} ms", ours.seconds < bar.seconds))
    if bar.memory and peer:
        checks.append((f"≤ {bar.memory:g} memory", ours.megabytes <= peer.megabytes * bar.memory))
    for text, held in checks:
        parts.append(text + (" ok" if held else " MISSED"))
        missed = missed or not held
    return ", ".join(parts), missed


def table(bench, parse):
    """Rows of text, the first one the heads; adds missed bars to the problems."""
    peers = [name for name in bench.programs if name != OURS]
    rows = [["bench", OURS, *peers, *(f"vs {name}" for name in peers), "memory " + OURS,
             *("memory " + name for name in peers), "bars"]]
    for name, bar, costs in bench.rows:
        ours = costs[OURS]
        verdict, missed = bar_text(bar, ours, costs.get("OpenTofu"))
        if missed:
            bench.problems.append(f"{name}: {verdict}")
        theirs = [costs.get(peer) for peer in peers]
        rows.append([name, time_text(ours), *(time_text(cost) if cost else "" for cost in theirs),
                     *(ratio_text(cost, ours) if cost else "" for cost in theirs),
                     f"{ours.megabytes:.0f} MB",
                     *(f"{cost.megabytes:.0f} MB" if cost else "" for cost in theirs), verdict])
    for name, (speed, has_bar) in (parse or {}).items():
        held = speed >= 200
        if has_bar and not held:
            bench.problems.append(f"{name}: {speed:.0f} MB/s, less than 200")
        rows.append([name, f"{speed:.0f} MB/s", *[""] * (3 * len(peers) + 1),
                     "≥ 200 MB/s " + ("ok" if held else "MISSED") if has_bar else ""])
    return rows


def print_table(rows, markdown):
    if markdown:
        for number, row in enumerate(rows):
            print("| " + " | ".join(row) + " |")
            if number == 0:
                print("|" + " --- |" * len(row))
        return
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                  if line.startswith("model name")), platform.processor())
    return f"{os.cpu_count()} cores of {model}"


def versions(bench):
    for name, path in bench.programs.items():
        done = subprocess.run([path, "version"], capture_output=True, text=True,
                              env=bench.environment, cwd=bench.folder)
        first = (done.stdout.splitlines() or ["?"])[0]
        yield name if name == OURS else first


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--only", default="", help="only benches whose name matches this pattern")
    parser.add_argument("--alone", action="store_true", help="leave the peers out")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--megabytes", type=float, default=20, help="size of the tree for fmt")
    parser.add_argument("--limit", type=float, default=120, help="most seconds for one run")
    parser.add_argument("--budget", type=float, default=20,
                        help="no further round once a bench took so many seconds")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="tofu-bench-") as folder:
        bench = Bench(options, folder)
        bench.version()
        bench.fmt()
        bench.console()
        bench.validate()
        bench.lint()
        bench.validate_calls()
        installing.run(bench, Bar)
        packages.run(bench, Bar)
        running.run(bench, Bar)
        storing.run(bench, Bar)
        providers.run(bench, Bar)
        bench.instances()
        parse = bench.parse()
        rows = table(bench, parse)
        print(f"{', '.join(versions(bench))}; {machine()}\n")
    print_table(rows, options.markdown)
    if len(bench.programs) == 1:
        print("\nNo peer to compare with; see --help.")
    for note in bench.notes:
        print(note)
    for problem in bench.problems:
        print(f"MISSED {problem}")
    return 1 if bench.problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Prints the lines and branches of each component that the tests of a build folder executed.

The build counts them (preset `coverage`), and its test runs have left their counts in profiles/.
Each file is counted once, whatever number of test programs it is linked into.
"""

import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
KINDS = ("lines", "branches")


def llvm_tool(name, build):
    """The tool of the same LLVM release as the compiler of the build folder."""
    cache = (build / "CMakeCache.txt").read_text()
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", cache, re.MULTILINE)[1]
    version = re.search(r"version (\d+)", subprocess.run(
        [compiler, "--version"], capture_output=True, text=True, check=True).stdout)[1]
    path = shutil.which(f"{name}-{version}") or shutil.which(f"/usr/lib/llvm-{version}/bin/{name}")
    if not path:
        sys.exit(f"There is no {name} of LLVM {version}; './dev coverage' installs it.")
    return path


def merge(build):
    """One file of all counts."""
    raw = sorted((build / "profiles").glob("*.profraw"))
    if not raw:
        sys.exit(f"There are no counts in {build / 'profiles'}: no test has run.")
    merged = build / "profiles/all.profdata"
    subprocess.run([llvm_tool("llvm-profdata", build), "merge", "--sparse", "--failure-mode=all",
                    "-o", merged, *raw], check=True)
    return merged


def summary(build, programs):
    """llvm-cov's counts of every file of src."""
    first, *others = programs
    done = subprocess.run(
        [llvm_tool("llvm-cov", build), "export", "--summary-only", "--instr-profile", merge(build),
         first, *(word for path in others for word in ("--object", path)), "--sources", ROOT / "src"],
        stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["data"][0]["files"]


def by_component(files, root=ROOT):
    """{component: {kind: [covered, all]}}, of the files in src."""
    counts = collections.defaultdict(lambda: {kind: [0, 0] for kind in KINDS})
    for file in files:
        path = pathlib.PurePath(file["filename"])
        if not path.is_relative_to(root / "src"):
            continue
        component = counts[path.relative_to(root / "src").parts[0]]
        for kind in KINDS:
            component[kind][0] += file["summary"][kind]["covered"]
            component[kind][1] += file["summary"][kind]["count"]
    return counts


def share(covered, count):
    return f"{100 * covered / count:.1f} %" if count else "-"


def table(counts):
    """Lines of a table, with the sum last."""
    total = {kind: [sum(each[kind][part] for each in counts.values()) for part in (0, 1)]
             for kind in KINDS}
    yield f"{'component':14}" + "".join(f"{kind:>10}{'':>16}" for kind in KINDS).rstrip()
    for name, each in [*sorted(counts.items()), ("all", total)]:
        yield f"{name:14}" + "".join(
            f"{share(*each[kind]):>10}{'{} of {}'.format(*each[kind]):>16}" for kind in KINDS)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("component", nargs="*", help="only these, by their own unit tests")
    options = parser.parse_args()
    programs = sorted((options.build / "tests").glob("*_test"))
    if options.component:
        programs = [options.build / f"tests/{name}_test" for name in options.component]
    else:
        programs.append(options.build / "tofu")
    counts = by_component(summary(options.build, programs))
    if options.component:
        counts = {name: each for name, each in counts.items() if name in options.component}
    print("\n".join(table(counts)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

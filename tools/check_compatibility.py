#!/usr/bin/env python3
"""Keeps docs/compatibility.md true: what it says works is shown by tests that exist.

Every row of its tables has a number, a feature, a state and the tests that show it.
Refused: a number that is missing or out of order, a state that begins with another word
than the page explains, a row that works or differs without a test, and a test that is not there.
Tests are named by their paths below `tests/`, in backticks; `FILE:NAME` names one of
the tests in a file.
"""

import pathlib
import re
import sys

from sources import finish

PAGE = "docs/compatibility.md"
STATES = {"works": True, "differs": True, "missing": False}  # whether a test is needed
ROW = re.compile(r"^\|\s*(\d+)\s*\|")
QUOTED = re.compile(r"`([^`]+)`")


def missing_test(root, name):
    """Why the named test cannot be there, or nothing."""
    path, _, test = name.partition(":")
    path = root / "tests" / path
    if not path.is_file():
        return f"no such file: tests/{name.partition(':')[0]}"
    if test and not re.search(rf"\b{re.escape(test)}\b", path.read_text()):
        return f"tests/{name.partition(':')[0]} has no test {test}"
    return None


def check_row(root, cells):
    """The problems of one row: number, feature, state, tests and words about them."""
    if len(cells) != 4:
        return [f"{len(cells)} cells instead of 4; write a bar inside a cell as \\|"]
    state, shown = re.match(r"\w*", cells[2])[0], cells[3]
    if state not in STATES:
        return [f"the state is one of {', '.join(STATES)}, not \"{state}\""]
    tests = QUOTED.findall(shown)
    problems = [problem for problem in (missing_test(root, name) for name in tests) if problem]
    if STATES[state] and not tests:
        problems.append(f"\"{state}\" needs a test that shows it")
    return problems


def check(root):
    root = pathlib.Path(root)
    problems, last = [], 0
    for number, line in enumerate((root / PAGE).read_text().splitlines(), 1):
        found = ROW.match(line)
        if not found:
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        row = int(found[1])
        if row != last + 1:
            problems.append(f"{PAGE}:{number}: row {row} follows row {last}")
        last = row
        problems += [f"{PAGE}:{number}: {problem}" for problem in check_row(root, cells)]
    if not last:
        problems.append(f"{PAGE}: no rows")
    return problems, f"the tests of {last} rows are there"


if __name__ == "__main__":
    sys.exit(finish("compatibility", *check(sys.argv[1] if len(sys.argv) > 1 else ".")))

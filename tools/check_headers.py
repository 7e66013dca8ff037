#!/usr/bin/env python3
"""Every header opens with prose: what it is, what may enter, what it promises.

At least three lines of `//` comment stand before `#pragma once`, beginning on
the first line of the file, and nothing else does.
"""

import pathlib
import re
import sys

from sources import cpp_files, finish

LEAST = 3
WORD = re.compile(r"[`\"'(]?\w")


def problem_of(text):
    lines = text.splitlines()
    if "#pragma once" not in lines:
        return "there is no `#pragma once`"
    opening = lines[:lines.index("#pragma once")]
    if not opening or not opening[0].startswith("// ") or not WORD.match(opening[0][3:]):
        return "the first line must begin a paragraph that says what this is"
    if any(line and not line.startswith("//") for line in opening):
        return "only the opening comment may stand before `#pragma once`"
    if sum(len(line.split()) > 1 for line in opening) < LEAST:
        return f"the opening comment needs at least {LEAST} lines of prose"
    return None


def check(root):
    headers = [path for path in cpp_files(pathlib.Path(root), "src", "tests", "fuzz", "bench")
               if path.suffix == ".h"]
    problems = []
    for path in headers:
        problem = problem_of(path.read_text())
        if problem:
            problems.append(f"{path}:1: {problem}")
    return problems, f"{len(headers)} headers open with prose"


if __name__ == "__main__":
    sys.exit(finish("headers", *check(sys.argv[1] if len(sys.argv) > 1 else ".")))

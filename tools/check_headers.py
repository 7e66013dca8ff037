#!/usr/bin/env python3
"""Every header opens with prose: what it is, what may enter, what it promises.

At least two lines of `//` comment stand before `#pragma once`, beginning on
the first line of the file, and nothing else does. In src/, a source includes the
header of its own name first, so that compiling it shows that the header is complete, and
the README.md of a component lists all its headers (`name.h` or `name`) and no others.
"""

import pathlib
import re
import sys

from sources import Allowed, cpp_files, finish

RULE = "readme-headers"
LEAST = 2
INCLUDE = re.compile(r"^#include (.*)$", re.MULTILINE)
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


def unproved(header, src):
    """A problem if the source of this header includes something before it."""
    source = header.with_suffix(".cc")
    if not header.is_relative_to(src) or not source.exists():
        return []
    first = INCLUDE.search(source.read_text())
    if first and first[1] == f'"{header.relative_to(src).as_posix()}"':
        return []
    return [f"{source}:1: the header of the same name must be included first"]


def unlisted(src, allowed):
    """Problems of the READMEs of components."""
    problems = []
    for readme in sorted(src.glob("*/README.md")):
        headers = {path.stem for path in readme.parent.glob("*.h")}
        named = re.findall(r"`(\w+)(?:\.h)?`", readme.read_text())
        of_one = [f"{readme}:1: list the header {name}.h" for name in sorted(headers - set(named))]
        of_one += [f"{readme}:1: there is no header {name}.h"
                   for name in re.findall(r"`(\w+)\.h`", readme.read_text()) if name not in headers]
        problems += of_one if of_one and not allowed.excuses(RULE, readme) else []
    return problems


def check(root):
    allowed = Allowed(root, {RULE})
    headers = [path for path in cpp_files(pathlib.Path(root), "src", "tests", "fuzz", "bench")
               if path.suffix == ".h"]
    problems = []
    for path in headers:
        problem = problem_of(path.read_text())
        if problem:
            problems.append(f"{path}:1: {problem}")
        problems += unproved(path, pathlib.Path(root, "src"))
    problems += unlisted(pathlib.Path(root, "src"), allowed) + allowed.leftovers()
    return problems, f"{len(headers)} headers open with prose and are listed"


if __name__ == "__main__":
    sys.exit(finish("headers", *check(sys.argv[1] if len(sys.argv) > 1 else ".")))

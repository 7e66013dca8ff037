#!/usr/bin/env python3
"""Which tests may be skipped, and why: a list that turns every other skip into a failure.

Without such a list a test that stops running looks like a test that passes. Each line of the
list is a regular expression, two spaces or more, and the reason why the tests may be skipped.
The expression is searched for in `KIND NAME: WHY`, where KIND is `unit` or `program` and WHY is
what the test gave as its reason, such as

    unit HgFetch.ClonesARepository: hg is not installed

A `#` begins a comment line.
"""

import re


class BadList(Exception):
    """A line that is not a pattern and a reason."""


class AllowedSkips:
    """The patterns of a list; with no list, everything may be skipped."""

    def __init__(self, text=None):
        self.patterns = None if text is None else []
        for number, line in enumerate((text or "").splitlines(), 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            pattern, _, reason = (part.strip() for part in line.partition("  "))
            if not reason:
                raise BadList(f"line {number}: \"{line}\" has no reason: write PATTERN, two spaces, "
                              "and why the tests may be skipped")
            try:
                self.patterns.append(re.compile(pattern))
            except re.error as problem:
                raise BadList(f"line {number}: {pattern} is not a regular expression: "
                              f"{problem}") from problem

    @classmethod
    def read(cls, path):
        """The list in this file. A path of None means no list."""
        return cls(path.read_text(encoding="utf-8") if path else None)

    def allows(self, skip):
        return self.patterns is None or any(pattern.search(skip) for pattern in self.patterns)


def report(kind, skips, allowed):
    """Prints a line for each (name, why). Gives how many may be skipped and how many may not."""
    counts = [0, 0]
    for name, why in skips:
        skip = f"{kind} {name}: {why}"
        good = allowed.allows(skip)
        counts[0 if good else 1] += 1
        print(f"skipped {skip}" if good else
              f"FAIL {skip}\n  This test was skipped, and the list of allowed skips does not name it.")
    return tuple(counts)

"""What the lint tools share: finding C++ files, blanking comments and strings,
and the list of allowed exceptions."""

import pathlib
import re

# Longest match first: a raw string may hold anything, comments included.
_TOKENS = re.compile(
    r'R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'"
    r"|//[^\n]*"
    r"|/\*.*?\*/",
    re.DOTALL,
)


def blank(text):
    """`text` with comments and the insides of literals blanked, line by line as long."""

    def spaces(match):
        return re.sub(r"[^\n]", " ", match[0])

    return _TOKENS.sub(spaces, text)


def cpp_files(root, *folders):
    """The .h and .cc files under these folders of root, sorted."""
    found = []
    for folder in folders:
        for ending in ("*.h", "*.cc"):
            found += pathlib.Path(root, folder).rglob(ending)
    return sorted(found)


class Allowed:
    """tools/lint_allow.txt: lines `rule path reason`, for exceptions to a rule.

    An entry that no longer excuses anything is itself a problem, so that the
    list only ever names what is really there.
    """

    def __init__(self, root, rules):
        self.root = pathlib.Path(root)
        self.entries = {}
        self.problems = []
        path = self.root / "tools/lint_allow.txt"
        lines = path.read_text().splitlines() if path.exists() else []
        for number, line in enumerate(lines, 1):
            words = line.split("#")[0].split(None, 2)
            if not words or words[0] not in rules:
                continue
            if len(words) < 3:
                self.problems.append(f"tools/lint_allow.txt:{number}: an exception needs a reason")
                continue
            self.entries[words[0], words[1]] = number
        self.used = set()

    def excuses(self, rule, path):
        key = rule, path.relative_to(self.root).as_posix()
        self.used.add(key)
        return key in self.entries

    def leftovers(self):
        stale = [
            f"tools/lint_allow.txt:{number}: {rule} {path} excuses nothing any more"
            for (rule, path), number in self.entries.items()
            if (rule, path) not in self.used
        ]
        return self.problems + stale


def finish(name, problems, summary):
    """Prints the problems, or the summary if there are none; gives the exit status."""
    for problem in problems:
        print(problem)
    print(f"{name}: {len(problems)} problems" if problems else f"{name}: {summary}")
    return 1 if problems else 0

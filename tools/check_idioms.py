#!/usr/bin/env python3
"""Refuses what the house does without.

In src/: `throw` (one place breaks promises), `catch` (one
place reports them, one brings them there from other threads),
`dynamic_cast`, `new` outside base, variables that all can change. Everywhere:
`using namespace`, `TODO` without an issue number, FIXME and XXX, and two types of
one name in a namespace, of which the linker would keep one's functions for both.
Exceptions stand with their reason in tools/lint_allow.txt.
"""

import pathlib
import re
import sys

from sources import Allowed, blank, cpp_files, finish

# rule, pattern in code, path prefixes where it is at home, what to do
CODE_RULES = [
    ("throw", re.compile(r"\bthrow\b"), ("src/base/check.",),
     "only a broken promise is thrown, by TOFU_CHECK"),
    ("catch", re.compile(r"\bcatch\s*\("), ("src/commands/main.cc", "src/base/task.cc"),
     "problems are values; return them"),
    ("dynamic_cast", re.compile(r"\bdynamic_cast\b"), (), "a closed set has a tag; switch on it"),
    ("new", re.compile(r"(?<!operator )(?<!<)\bnew\b"), ("src/base/",),
     "use make_unique, a container or the arena"),
    ("mutable-global", re.compile(
        r"^[ \t]*(?:static|thread_local|inline)\s(?![^;={(\n]*\b(?:const|constexpr|namespace)\b)"
        r"[^()\n;={]*[\w>]\s*[;={]", re.MULTILINE),
     (), "nothing global may change"),
    # Without such a word: what begins in the first column is of a namespace, since
    # clang-format indents everything else.
    ("mutable-global", re.compile(
        r"^(?!(?:using|namespace|class|struct|enum|union|template|extern|typedef|friend|static|"
        r"thread_local|inline|static_assert|__extension__|throw|new|public|private|protected)\b)"
        r"(?![^;={(\n]*\b(?:const|constexpr|operator)\b)"
        r"[A-Za-z_:][^()\n;={]*[\w>*&\]][ \t]+[*&]*[A-Za-z_]\w*(?:\[\w*\])*[ \t]*(?:;|\{|=(?!=))",
        re.MULTILINE), (), "nothing global may change"),
]
USING_NAMESPACE = re.compile(r"\busing\s+namespace\b")
MARK = re.compile(r"\b(TODO(?!\(#\d+\))|FIXME|XXX)\b")


NAMESPACE = re.compile(r"^namespace(?: ([\w:]+))? \{|^\}  // namespace", re.MULTILINE)
TYPE = re.compile(r"^(?:struct|class|enum class) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: : [^;{]*)? ?\{",
                  re.MULTILINE)


def types_of(text):
    """(namespace, name, match) of each type that other files could name. What stands in
    the first column is of a namespace, since clang-format indents everything else."""
    begins = sorted([*NAMESPACE.finditer(text), *TYPE.finditer(text)], key=lambda m: m.start())
    around = []  # namespaces; the one without a name is empty
    for match in begins:
        if match.re is TYPE:
            if "" not in around:
                yield "::".join(around), match[1], match
        elif match[0].startswith("namespace"):
            around.append(match[1] or "")
        elif around:
            around.pop()


def line_of(text, match):
    # A pattern may begin with the blanks of its line.
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    return text.count("\n", 0, start) + 1


def check_code(path, relative, code, allowed):
    problems = []
    for rule, pattern, homes, advice in CODE_RULES:
        if any(relative.startswith(home) for home in homes):
            continue
        for match in pattern.finditer(code):
            if not allowed.excuses(rule, path):
                problems.append(f"{path}:{line_of(code, match)}: {rule}: {advice}")
    return problems


def check(root):
    root = pathlib.Path(root)
    allowed = Allowed(root, {rule for rule, *_ in CODE_RULES})
    problems = []
    types = {}  # the first place of each
    files = cpp_files(root, "src", "tests", "fuzz", "bench")
    for path in files:
        text = path.read_text()
        code = blank(text)
        relative = path.relative_to(root).as_posix()
        if relative.startswith("src/"):
            problems += check_code(path, relative, code, allowed)
        for namespace, name, match in types_of(text):
            first = types.setdefault((namespace, name), path)
            if first != path:
                problems.append(f"{path}:{line_of(code, match)}: {namespace}::{name} is also in {first}")
        problems += [f"{path}:{line_of(code, match)}: no `using namespace`; an alias in a .cc will do"
                     for match in USING_NAMESPACE.finditer(code)]
        problems += [f"{path}:{line_of(text, match)}: write TODO(#issue), with the number of an issue"
                     for match in MARK.finditer(text)]
    return problems + allowed.leftovers(), f"{len(files)} files hold to the idioms"


if __name__ == "__main__":
    sys.exit(finish("idioms", *check(sys.argv[1] if len(sys.argv) > 1 else ".")))

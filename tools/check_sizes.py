#!/usr/bin/env python3
"""Keeps files, functions and classes small enough to read in one go.

Refused: a file of more than 800 lines, a function of more than 100. From 500 and
60 on there is a note, which asks whether two things live in one. A class in src with more than
30 functions or 15 fields says why in a comment above it: `// Large: REASON`.
"""

import pathlib
import re
import sys

from sources import Allowed, blank, cpp_files, finish

FILE_REFUSE, FILE_ASK = 800, 500
FUNCTION_REFUSE, FUNCTION_ASK = 100, 60
CLASS_FUNCTIONS, CLASS_FIELDS = 30, 15

SCOPE = re.compile(r"^\s*(?:template\s*<.*>\s*)?(?:\[\[.*?\]\]\s*)*"
                   r"(?:inline\s+)?(namespace|class|struct|union|enum|extern)\b", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
OPERATOR = re.compile(r"\boperator\s*[^\s\w(]+")
TEMPLATE = re.compile(r"\btemplate\s*<[^;{]*?>\s*(?=[A-Za-z\[])")
NAME = re.compile(r"([\w:~]+)\s*\(")
CLASS = re.compile(r"^(?:class|struct)\s+(?:\[\[\w+\]\]\s*)?(\w+)[^;{}]*\{", re.MULTILINE)
MEMBER_FUNCTION = re.compile(
    r"\b\w+\s*\([^()]*(?:\([^()]*\)[^()]*)*\)"
    r"(?:\s*(?:const|noexcept|override|final|= 0|= default|= delete)\b)*\s*(?=;|\n|:)")
FIELD = re.compile(r"\b\w+_\s*(?:=[^;]*)?;")
REASON = re.compile(r"^// Large: \S.*\n(?://.*\n)*\Z", re.MULTILINE)


def matching_brace(text, start):
    depth = 0
    for place in range(start, len(text)):
        if text[place] == "{":
            depth += 1
        elif text[place] == "}":
            depth -= 1
            if depth == 0:
                return place
    return len(text) - 1


def is_function(head):
    """Whether the text before a `{` opens a function and not a table or a type."""
    head = TEMPLATE.sub("", OPERATOR.sub("operator_", head))
    parenthesis, equals = head.find("("), head.find("=")
    return parenthesis >= 0 and not 0 <= equals < parenthesis


def functions(source):
    """Yields (name, first line, number of lines) for function bodies.

    A sketch of a parser: it only tells scopes, which are entered, from functions
    and tables, which are stepped over whole.
    """
    # Preprocessor lines would run into the next declaration.
    text = DIRECTIVE.sub(lambda match: "\n" * match[0].count("\n"), blank(source))
    head_start = place = 0
    while place < len(text):
        character = text[place]
        if character in ";}":
            head_start = place + 1
        elif character == "{":
            head = re.sub(r"\b(?:public|private|protected)\s*:", "", text[head_start:place])
            if SCOPE.match(head) and not re.search(r"\)\s*(const|noexcept|override)*\s*$", head):
                head_start = place + 1
            else:
                end = matching_brace(text, place)
                if is_function(head):
                    name = NAME.search(OPERATOR.sub("operator_", head))
                    lead = len(head) - len(head.lstrip())
                    first = text.count("\n", 0, place - len(head) + lead) + 1
                    last = text.count("\n", 0, end) + 1
                    yield name[1] if name else "?", first, last - first + 1
                place = end
                head_start = end + 1
        place += 1


def classes(source):
    """Yields (name, line, functions, fields, whether a reason stands above it) for the classes of
    a namespace. A sketch, too: it counts what is written like members.
    """
    text = blank(source)
    for match in CLASS.finditer(text):
        members, depth = [], 0
        for character in text[match.end() - 1:matching_brace(text, match.end() - 1)]:
            depth -= character == "}"
            if depth == 1 and character not in "{}":
                members.append(character)
            depth += character == "{"
        body = "".join(members)
        yield (match[1], text.count("\n", 0, match.start()) + 1, len(MEMBER_FUNCTION.findall(body)),
               len(FIELD.findall(body)), bool(REASON.search(source[:match.start()])))


def class_problems(path, source):
    return [f"{path}:{line}: {name} has {functions} functions and {fields} fields "
            f"({CLASS_FUNCTIONS} and {CLASS_FIELDS} at most); divide it, or say why above it: "
            "// Large: REASON"
            for name, line, functions, fields, has_reason in classes(source)
            if (functions > CLASS_FUNCTIONS or fields > CLASS_FIELDS) and not has_reason]


def check(root):
    root = pathlib.Path(root)
    allowed = Allowed(root, {"file-size", "function-size"})
    problems, notes, files = [], [], 0
    for path in cpp_files(root, "src", "tests", "fuzz", "bench"):
        source = path.read_text()
        files += 1
        lines = source.count("\n")
        if lines > FILE_REFUSE and not allowed.excuses("file-size", path):
            problems.append(f"{path}: {lines} lines; split it ({FILE_REFUSE} at most)")
        elif FILE_ASK < lines <= FILE_REFUSE:
            notes.append(f"note: {path}: {lines} lines; do two things live here?")
        if path.relative_to(root).parts[0] == "src":
            problems += class_problems(path, source)
        for name, first, length in functions(source):
            if length > FUNCTION_REFUSE and not allowed.excuses("function-size", path):
                problems.append(f"{path}:{first}: {name} has {length} lines "
                                f"({FUNCTION_REFUSE} at most)")
            elif FUNCTION_ASK < length <= FUNCTION_REFUSE:
                notes.append(f"note: {path}:{first}: {name} has {length} lines; can a part be named?")
    for note in notes:
        print(note)
    return problems + allowed.leftovers(), f"{files} files and their functions are short enough"


if __name__ == "__main__":
    sys.exit(finish("sizes", *check(sys.argv[1] if len(sys.argv) > 1 else ".")))

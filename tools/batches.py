#!/usr/bin/env python3
"""Puts source files into batches that are compiled as one file each (cmake/TofuBatches.cmake).

What a file keeps to itself is then seen by the rest of its batch. So files go together only
if none of them uses a name that another one declares for itself: in an unnamed namespace,
with `using`, as static or constexpr, as a macro. Two `using` of the same thing agree.

Usage: batches.py MOST FILE...; prints a line `NUMBER FILE` for each file.
"""

import pathlib
import re
import sys

from sources import blank

# clang-format begins what stands in a namespace at the left.
USING = re.compile(r"^using (?:::)?([\w:<>, ]*::)?(\w+)(\s*[;=][^\n]*)", re.MULTILINE)
MACRO = re.compile(r"^#define (\w+)", re.MULTILINE)
CONSTANT = re.compile(r"^(?:static |inline )*(?:constexpr|const)\b[^;({=\[]*?\b(\w+)\s*[;{=\[]", re.MULTILINE)
TYPE = re.compile(r"^(?:class|struct|union|enum(?: class)?) (\w+)", re.MULTILINE)
ENUM = re.compile(r"^enum (?!class)[^{;]*\{([^}]*)\}", re.MULTILINE)
VARIABLE = re.compile(r"^(?!using|class|struct|union|enum|#)\w[^;({=]*?[\w>&*] [&*]?(\w+)\s*[;{=\[]", re.MULTILINE)
FUNCTION = re.compile(r"^(?!using|TEST|#)\w[^;({=]*?(?<!::)\b(\w+)\(", re.MULTILINE)
UNNAMED = re.compile(r"^namespace \{", re.MULTILINE)
# Members, and names with their namespace, are found where they belong.
MENTIONED = re.compile(r"(?:(?<![\w.>:])|(?<=[^-]>))([A-Za-z_]\w*)(\()?")


def unnamed_parts(text):
    """The insides of unnamed namespaces of a text without comments and strings."""
    for begin in UNNAMED.finditer(text):
        depth = 1
        for brace in re.finditer(r"[{}]", text[begin.end():]):
            depth += 1 if brace[0] == "{" else -1
            if depth == 0:
                yield text[begin.end():begin.end() + brace.start()]
                break


class Names:
    """What a file declares for itself, and what it mentions."""

    def __init__(self, text):
        text = blank(text)
        self.same = {name: (space, rest) for space, name, rest in USING.findall(text)}
        self.things = set(self.same) | set(MACRO.findall(text)) | set(CONSTANT.findall(text))
        self.functions = set()
        for part in unnamed_parts(text):
            self.things.update(TYPE.findall(part), VARIABLE.findall(part))
            for enumerators in ENUM.findall(part):
                self.things.update(re.findall(r"[A-Za-z_]\w*", enumerators))
            self.functions.update(FUNCTION.findall(part))
        mentioned = MENTIONED.findall(text)
        self.mentioned = {name for name, _ in mentioned}
        self.called = {name for name, call in mentioned if call}

    def bothers(self, other):
        """Whether `other` would find a name of this file in place of its own."""
        if self.functions & other.called:
            return True
        return any(self.same.get(name, 1) != other.same.get(name, 2)
                   for name in self.things & other.mentioned)


def batches(texts, most):
    """The number of the batch for each of these texts, in order."""
    made, numbers = [], []
    for text in texts:
        one = Names(text)
        fits = (number for number, batch in enumerate(made) if len(batch) < most and
                not any(one.bothers(other) or other.bothers(one) for other in batch))
        number = next(fits, len(made))
        if number == len(made):
            made.append([])
        made[number].append(one)
        numbers.append(number)
    return numbers


def main(arguments):
    most, files = int(arguments[0]), arguments[1:]
    for number, file in zip(batches([pathlib.Path(file).read_text() for file in files], most), files):
        print(number, file)


if __name__ == "__main__":
    main(sys.argv[1:])

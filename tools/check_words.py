#!/usr/bin/env python3
"""Refuses words that this project has replaced by plainer ones.

tools/words.txt lists patterns and what to write instead. `[names]` are whole identifiers in C++
code; those that cannot be an ordinary word are refused in comments, too. `[comments]` are
words in comments: of C++, Python (docstrings included), CMake and shell. `[messages]` are words in
texts for users: string literals of `src`, adjacent ones as one. `[unchecked]` are folders that
are not checked, with the reason, and `[unchecked_messages]` those whose messages are not; an
entry that excuses nothing is refused.
"""

import io
import pathlib
import re
import sys
import tokenize

from sources import cpp_files, finish

PARTS = ("names", "comments", "messages", "unchecked", "unchecked_messages")
FOLDERS = ("src", "tests", "fuzz", "bench")
# Strings and characters, so that a URL in a string is not a comment.
LITERAL = re.compile(
    r'R"(?P<tag>[^\s()\\]{0,16})\((?P<raw>.*?)\)(?P=tag)"'
    r'|"(?P<text>(?:\\.|[^"\\\n])*)"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'"
    r"|(?P<comment>//[^\n]*)",
    re.DOTALL)
# In shell and CMake; # may also be part of a word or of an expansion.
HASH_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)
# Up to a text for developers, about what cannot happen.
PROMISE = re.compile(r"\b(?:TOFU_CHECK|broken_promise)\([^;]*\Z")
WORD = re.compile(r"\w+")
IDENTIFIER = re.compile(r"\w*(?:_|[a-z][A-Z])\w*")


def read_words(path):
    """({part: [(pattern, advice)]}, problems) of a list of words."""
    words, problems, part = {name: [] for name in PARTS}, [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if re.fullmatch(r"\[\w+\]", line):
            part = line.strip("[]")
            if part not in PARTS:
                problems.append(f"{path}:{number}: unknown part {part!r}")
                part = None
            continue
        pattern, arrow, advice = line.partition(" -> ")
        if part is None or not arrow or not advice.strip():
            problems.append(f"{path}:{number}: expected `PATTERN -> REPLACEMENT` in a part")
        elif part.startswith("unchecked"):
            words[part].append((pattern.strip(), number))
        else:
            words[part].append((pattern.strip(), advice.strip()))
    return words, problems


def spaces(text):
    return re.sub(r"[^\n]", " ", text)


def only(text, spans):
    """`text` with everything blanked but these spans, in order."""
    parts, end = [], 0
    for start, stop in spans:
        parts += [spaces(text[end:start]), text[start:stop]]
        end = stop
    return "".join(parts)


def cpp_parts(text):
    """(code, comments): the text twice, with the other kind and all literals blanked."""
    comments = [match.span() for match in LITERAL.finditer(text) if match["comment"] is not None]
    return LITERAL.sub(lambda match: spaces(match[0]), text), only(text, comments)


def cpp_messages(text):
    """(offset, text) of the string literals; adjacent ones are one."""
    end, start, parts = 0, None, []
    for match in LITERAL.finditer(text):
        piece = match["raw"] if match["raw"] is not None else match["text"]
        if piece is None:
            continue
        if parts and text[end:match.start()].strip():
            yield start, "".join(parts)
            parts = []
        start, end = match.start() if not parts else start, match.end()
        parts.append(piece.replace("\\n", " "))
    if parts:
        yield start, "".join(parts)


def python_comments(text):
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    spans, begins_statement = [], True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = token.type == tokenize.STRING and begins_statement
        if token.type == tokenize.COMMENT or is_docstring:
            spans.append(tuple(starts[row - 1] + column for row, column in (token.start, token.end)))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            begins_statement = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return only(text, spans)


def hash_comments(text):
    return only(text, [match.span() for match in HASH_COMMENT.finditer(text)])


def script_files(root):
    """(path, function that blanks all but comments) of files that are not C++."""
    for folder in (*FOLDERS, "tools"):
        for path in sorted(pathlib.Path(root, folder).rglob("*.py")):
            yield path, python_comments
    for path in [root / "dev", root / "CMakeLists.txt", *sorted(root.glob("cmake/*.cmake")),
                 *(root / "src").rglob("CMakeLists.txt"), *(root / "tests").rglob("CMakeLists.txt")]:
        if path.exists():
            yield path, hash_comments


class Words:
    """The patterns of a part. Most are for one word, and are tried once for each distinct word."""

    def __init__(self, patterns):
        self.words = [(pattern, advice) for pattern, advice in patterns if " " not in pattern]
        self.phrases = [(re.compile(rf"\b(?:{pattern})\b"), advice)
                        for pattern, advice in patterns if " " in pattern]
        self.known = {}

    def advice(self, word):
        if word not in self.known:
            self.known[word] = next((advice for pattern, advice in self.words
                                     if re.fullmatch(pattern, word)), None)
        return self.known[word]

    def find(self, text):
        """(match, advice) of each."""
        for match in WORD.finditer(text):
            if advice := self.advice(match[0]):
                yield match, advice
        for pattern, advice in self.phrases:
            for match in pattern.finditer(text):
                yield match, advice


def check_file(path, parts):
    """Problems of (text, words, only identifiers) parts."""
    for text, words, only_identifiers in parts:
        for match, advice in words.find(text):
            if not only_identifiers or IDENTIFIER.fullmatch(match[0]):
                yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]!r}: write {advice}"


def check_messages(path, text, words):
    """Problems of the texts for users. Those without a blank are names."""
    for offset, message in cpp_messages(text):
        if " " not in message or PROMISE.search(text, max(0, offset - 400), offset):
            continue
        for match, advice in words.find(message):
            line = text.count(chr(10), 0, offset) + 1
            yield f"{path}:{line}: {match[0]!r} in a message: write {advice}"


def check(root):
    root = pathlib.Path(root)
    listing = root / "tools/words.txt"
    words, problems = read_words(listing)
    names, comments = Words(words["names"]), Words(words["comments"])
    messages = Words(words["messages"])
    found, said = [], []  # (path, problems)
    for path in cpp_files(root, *FOLDERS):
        code, prose = cpp_parts(path.read_text())
        found.append((path, check_file(
            path, [(code, names, False), (prose, names, True), (prose, comments, False)])))
        if path.is_relative_to(root / "src"):
            said.append((path, check_messages(path, path.read_text(), messages)))
    for path, blanked in script_files(root):
        found.append((path, check_file(path, [(blanked(path.read_text()), comments, False)])))

    for part, each in (("unchecked", found), ("unchecked_messages", said)):
        used = set()
        for path, of_file in each:
            relative = path.relative_to(root).as_posix()
            excuses = [folder for folder, _ in words[part] if relative.startswith(folder + "/")]
            for problem in of_file:
                used.update(excuses)
                problems += [] if excuses else [problem]
        problems += [f"{listing}:{number}: {folder} has no problems; remove this exception"
                     for folder, number in words[part] if folder not in used]
    return problems, f"{len(found)} files use plain words"


if __name__ == "__main__":
    sys.exit(finish("words", *check(sys.argv[1] if len(sys.argv) > 1 else ".")))

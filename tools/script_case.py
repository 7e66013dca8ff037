"""Reads and writes one script case; tests/scripts/README.md tells the format."""

import dataclasses
import re

SECTION = re.compile(r"^-- (?P<path>.+?)(?: \| (?P<option>crlf|no-newline))? --$")
NO_NEWLINE = "\\ no newline"

# Lines of these kinds come in blocks, one line of text each behind the mark.
BLOCKS = {"<": "stdin", ">": "stdout", "!": "stderr", "|": "content"}
MARKS = {kind: mark for mark, kind in BLOCKS.items()}
WITH_CONTENT = {"file", "write"}
SETUP = {"env", "write", "remove"}
EXPECT = {"exit", "stdout", "stderr", "stdout~", "stderr~", "stdout!~", "stderr!~", "file", "no-file"}

# Characters that cannot be seen are written as their picture in Unicode.
PICTURES = {"\x1b": "\u241b", "\r": "\u240d", "\t": "\u2409"}


class BadCase(Exception):
    """The case itself cannot be understood."""


@dataclasses.dataclass
class Item:
    """One thing of the run section: a command, a directive or a block of lines."""

    kind: str
    argument: str = ""
    block: list = None  # text lines behind the marks, of blocks and `file`, `write`
    newline: bool = True  # whether the last line of the block has its line end

    def text(self):
        """The block as the bytes it stands for, as text."""
        text = "\n".join(self.block) + ("\n" if self.newline and self.block else "")
        return unpicture(text)

    def set_text(self, text):
        self.newline = text.endswith("\n") or not text
        self.block = picture(text).removesuffix("\n").split("\n") if text else []

    def lines(self):
        if self.kind == "blank":
            return [self.argument]
        if self.kind == "$":
            return ["$ " + self.argument]
        lines = []
        mark = MARKS.get(self.kind)
        if not mark or self.block is None:
            lines.append(f"{self.kind} {self.argument}".rstrip())
            mark = "|"
        for line in self.block or []:
            lines.append(f"{mark} {line}" if line else mark)
        return lines + ([] if self.newline else [NO_NEWLINE])


def picture(text):
    # A tab is easily seen as such inside a line; only the others must be shown.
    for raw, shown in PICTURES.items():
        if raw != "\t":
            text = text.replace(raw, shown)
    return text


def unpicture(text):
    for raw, shown in PICTURES.items():
        text = text.replace(shown, raw)
    return text


@dataclasses.dataclass
class Case:
    head: list  # lines up to and with `-- run --`
    files: dict  # path: content
    items: list

    def steps(self):
        """Yields (setup items, command, expectation items) for every command."""
        setup, command, expected = [], None, []
        for item in self.items:
            if item.kind == "blank":
                continue
            if item.kind in SETUP or item.kind == "$":
                if command:
                    yield setup, command, expected
                    setup, command, expected = [], None, []
                if item.kind == "$":
                    command = item
                else:
                    setup.append(item)
            elif not command:
                raise BadCase(f"{item.lines()[0]!r} stands before the first command")
            else:
                expected.append(item)
        if command:
            yield setup, command, expected

    def render(self):
        lines = list(self.head)
        for item in self.items:
            lines += item.lines()
        return "\n".join(lines) + "\n"


def parse(text):
    head, files, run = [], {}, None
    path, option, content = None, None, []

    def close():
        if path is not None:
            end = "\r\n" if option == "crlf" else "\n"
            whole = end.join(content) + (end if content else "")
            files[path] = whole.removesuffix("\n") if option == "no-newline" else whole

    lines = text.removesuffix("\n").split("\n")
    for number, line in enumerate(lines):
        match = SECTION.match(line)
        if not match:
            content.append(line)
            continue
        if path is None and not any(content):
            raise BadCase("the case must begin with a sentence that says what it shows")
        close()
        path, option, content = match["path"], match["option"], []
        if path == "run":
            head, run = lines[:number + 1], lines[number + 1:]
            break
    if run is None:
        raise BadCase("there is no `-- run --` section")
    case = Case(head, files, parse_run(run))
    if not list(case.steps()):
        raise BadCase("no command is run")
    return case


def parse_run(lines):
    items = []
    for line in lines:
        mark, _, rest = line.partition(" ")
        last = items[-1] if items else None
        if not line.strip() or line.startswith("#"):
            items.append(Item("blank", line))
        elif line == NO_NEWLINE and last and last.block:
            last.newline = False
        elif mark == "|" and last and last.kind in WITH_CONTENT:
            last.block.append(rest)
        elif mark in BLOCKS and mark != "|":
            if last and last.kind == BLOCKS[mark] and last.block:
                last.block.append(rest)
            else:
                items.append(Item(BLOCKS[mark], block=[rest]))
        elif mark == "$":
            items.append(Item("$", rest))
        elif mark in ("stdout", "stderr") and rest != "empty":
            raise BadCase(f"write `{mark} empty`, or the lines of the stream")
        elif mark in SETUP | EXPECT:
            items.append(Item(mark, rest, [] if mark in WITH_CONTENT else None))
        else:
            raise BadCase(f"cannot read the line {line!r}")
    return items

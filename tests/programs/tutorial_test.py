"""Tutorials are followed as they are written: their files are written, their commands run.

A fence marked `hcl` after a line that ends with the name of a file is that file. A fence marked
`console` is a transcript: what follows a line with `$` is what that command prints. A line `…`
stands for any number of lines and `…` inside a line for an id; what is typed after
`Enter a value:` is given to the command.
"""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

from place import TIME_LIMIT, TOFU, PlaceTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A place that only a page has; the test has another.
SERVER = "/srv/git"
FENCE = re.compile(r"^```(hcl|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`([\w./]+)`[^`]*\Z")
TYPED = re.compile(r"(Enter a value:) (\w+)")
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def commands(transcript):
    """(command, what it prints) for each line with a `$`."""
    for part in re.split(r"^\$ ", transcript, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


def pattern(printed):
    """A regular expression for the text that was printed, without regard to outer empty lines."""
    lines = [r"(.*\n)*?" if line == "…" else re.escape(line) + r"[ ]*\n"
             for line in TYPED.sub(r"\1", printed).strip("\n").split("\n")]
    return re.compile("".join(lines) if printed.strip() else "")


class TutorialTest(PlaceTest):
    def run_command(self, command, printed):
        bin_folder = self.top / "bin"
        if not bin_folder.is_dir():
            bin_folder.mkdir()
            (bin_folder / "tofu").symlink_to(TOFU)
        typed = "".join(text + "\n" for _, text in TYPED.findall(printed))
        done = subprocess.run(["sh", "-c", command], cwd=self.work.path, input=typed, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIME_LIMIT,
                              env={**self.environment, "TF_CLI_ARGS": "-no-color",
                                   "PATH": f"{bin_folder}{os.pathsep}{self.environment['PATH']}"})
        said = ID.sub("…", done.stdout).strip("\n")
        said = said + "\n" if said else ""
        if not pattern(printed).fullmatch(said):
            self.fail(f"{command} printed\n{said}\nand not\n{printed}")

    def follow(self, page):
        """How many commands the page has."""
        text = (ROOT / page).read_text()
        ran = 0
        for fence in FENCE.finditer(text):
            if fence[1] == "hcl":
                name = FILE.search(text[:fence.start()])[1]
                self.work.write({name: fence[2].replace(SERVER, str(self.work.path))})
                continue
            for command, printed in commands(fence[2]):
                with self.subTest(command):
                    self.run_command(command, printed)
                ran += 1
        return ran

    def test_every_command_prints_what_the_tutorial_shows(self):
        self.assertGreater(self.follow("docs/tutorial.md"), 10)

    def test_a_library_is_published_as_its_page_shows(self):
        shutil.copytree(ROOT / "examples/library", self.work.path / "network")
        for who in ("AUTHOR", "COMMITTER"):
            self.environment |= {f"GIT_{who}_NAME": "T", f"GIT_{who}_EMAIL": "t@example.com"}
        self.assertGreater(self.follow("docs/publishing-symbol-libraries.md"), 10)


if __name__ == "__main__":
    unittest.main()

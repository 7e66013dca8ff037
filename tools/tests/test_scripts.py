"""Tries the runner of script cases on a small program that stands in for ours."""

import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent

STAND_IN = """#!/bin/sh
case $1 in
  echo) shift; echo "$@" ;;
  bare) printf '%s' bare ;;
  cat) cat ;;
  fail) echo "went wrong" >&2; exit 3 ;;
  put) printf '%s\\n' "$3" > "$2" ;;
  show) cat "$2" ;;
  env) env ;;
  color) printf '\\033[1mbold\\033[0m\\n' ;;
esac
"""

GOOD = """\
Everything that can be expected, once.

-- a/in.txt --
one

two
-- dos.txt | crlf --
x
-- bare.txt | no-newline --
y
-- run --
# a remark
$ tofu show a/in.txt
> one
>
> two
stderr empty

$ tofu show dos.txt
> x\u240d
$ tofu show bare.txt
> y
\\ no newline
$ tofu fail
exit 3
stdout empty
! went wrong
stderr~ ^went
stderr!~ right
$ tofu cat
< typed
> typed
env GREETING=hello ${VERSION}
$ tofu env
stdout~ ^GREETING=hello ${VERSION}$
stdout!~ ^SECRET=
$ tofu put out.txt "two words"
file out.txt
| two words
no-file other.txt
$ tofu echo ${WORK}/x 1.2.3
> ${WORK}/x ${VERSION}
$ tofu color
> \u241b[1mbold\u241b[0m
write later.txt
| written
remove out.txt
$ tofu show later.txt
> written
no-file out.txt
"""


class Scripts(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name)
        self.tofu = self.root / "tofu"
        self.tofu.write_text(STAND_IN)
        self.tofu.chmod(0o755)
        (self.root / "VERSION").write_text("release 0.1.0\nopentofu 1.2.3\nterraform 1.2\n")
        self.case = self.root / "cases" / "case.txt"
        self.case.parent.mkdir()

    def run_case(self, text, accept="0"):
        self.case.write_text(text)
        return subprocess.run(
            [sys.executable, TOOLS / "run_scripts.py", "--tofu", self.tofu,
             "--version-file", self.root / "VERSION", self.case.parent],
            env={**os.environ, "TOFU_TEST_ACCEPT": accept, "SECRET": "x"},
            capture_output=True, text=True)

    def assert_fails(self, run, with_text):
        done = self.run_case("A case.\n\n-- run --\n" + textwrap.dedent(run))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(with_text, done.stdout)
        self.assertIn("0 passed, 1 failed", done.stdout)

    def test_a_case_that_holds_passes(self):
        done = self.run_case(GOOD)
        self.assertEqual(done.stdout, "script cases: 1 passed, 0 failed\n", done.stderr)

    def test_each_kind_of_difference_fails(self):
        for run, problem in (
            ("$ tofu fail\n", "exit status is 3, not 0"),
            ("$ tofu echo a\n> b\n", "+a"),
            ("$ tofu bare\n> bare\n", "only the final newline differs"),
            ("$ tofu echo a\nstdout empty\n", "stdout differs"),
            ("$ tofu fail\nexit 3\n! other\n", "stderr differs"),
            ("$ tofu echo a\nstdout~ b\n", "must match 'b'"),
            ("$ tofu echo a\nstdout!~ a\n", "must not match 'a'"),
            ("$ tofu put f a\nfile f\n| b\n", "f differs"),
            ("$ tofu put f a\nno-file f\n", "must not be there"),
            ("$ tofu echo\nfile f\n", "is not there"),
            ("$ rm x\n", "must begin with `tofu`"),
            ("$ tofu echo\nfile ../../x\n", "outside the case's folder"),
            ("hello\n", "cannot read the line 'hello'"),
            ("", "no command is run"),
        ):
            with self.subTest(run=run):
                self.assert_fails(run, problem)

    def test_accepting_writes_what_was_got_and_keeps_the_rest(self):
        wrong = "A case.\n\n-- run --\n# why\n$ tofu echo ${WORK} 1.2.3\n> x\n\n" \
                "$ tofu fail\n! y\n$ tofu bare\n> z\n$ tofu put f g\nstdout empty\nfile f\n$ tofu put f g\n> h\n"
        right = "A case.\n\n-- run --\n# why\n$ tofu echo ${WORK} 1.2.3\n> ${WORK} ${VERSION}\n\n" \
                "$ tofu fail\nexit 3\n! went wrong\n$ tofu bare\n> bare\n\\ no newline\n" \
                "$ tofu put f g\nstdout empty\nfile f\n| g\n$ tofu put f g\nstdout empty\n"

        self.assertEqual(self.run_case(wrong, accept="1").returncode, 1)

        self.assertEqual(self.case.read_text(), right)
        self.assertEqual(self.run_case(right).returncode, 0)

    def test_reading_and_writing_a_case_changes_nothing(self):
        sys.path.insert(0, str(TOOLS))
        from script_case import parse
        self.assertEqual(parse(GOOD).render(), GOOD)


if __name__ == "__main__":
    unittest.main()

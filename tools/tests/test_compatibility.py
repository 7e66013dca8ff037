"""Pages that promise something without a test, and one that keeps its promises."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import check_compatibility  # noqa: E402

HEAD = "# Page\n\n| | feature | state | shown by |\n| --- | --- | --- | --- |\n"


class Compatibility(unittest.TestCase):
    def problems(self, *rows):
        with tempfile.TemporaryDirectory() as folder:
            files = {
                "docs/compatibility.md": HEAD + "".join(row + "\n" for row in rows),
                "tests/scripts/plan/one.txt": "",
                "tests/engine/one_test.cc": "TEST(Moves, AreFollowed) {}\n",
            }
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return "\n".join(check_compatibility.check(folder)[0])

    def test_a_page_whose_tests_are_there_passes(self):
        self.assertEqual("", self.problems(
            "| 1 | files | works | `scripts/plan/one.txt` |",
            "| 2 | `a \\| b` | differs: said twice | `engine/one_test.cc:AreFollowed`, `scripts/plan/one.txt` |",
            "| 3 | moons | missing | |"))

    def test_a_test_that_is_not_there_is_refused(self):
        self.assertIn("compatibility.md:5: no such file: tests/scripts/plan/two.txt",
                      self.problems("| 1 | files | works | `scripts/plan/two.txt` |"))
        self.assertIn("tests/engine/one_test.cc has no test Are",
                      self.problems("| 1 | files | works | `engine/one_test.cc:Are` |"))
        self.assertIn("no such file", self.problems("| 1 | moons | missing | `scripts/plan/two.txt` |"))

    def test_a_promise_without_a_test_is_refused(self):
        for state in ("works", "differs: otherwise"):
            self.assertIn("needs a test", self.problems(f"| 1 | files | {state} | some words |"))

    def test_a_state_that_is_not_explained_is_refused(self):
        self.assertIn('not "perhaps"', self.problems("| 1 | files | perhaps | `scripts/plan/one.txt` |"))

    def test_rows_are_numbered_without_gaps(self):
        self.assertIn("compatibility.md:6: row 3 follows row 1", self.problems(
            "| 1 | moons | missing | |", "| 3 | moons | missing | |"))
        self.assertIn("no rows", self.problems())

    def test_a_row_has_four_cells(self):
        self.assertIn("5 cells", self.problems("| 1 | a | b | missing | |"))


if __name__ == "__main__":
    unittest.main()

"""What the floors of the conformance suites mean."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import run_conformance


class Floors(unittest.TestCase):
    def read(self, text, **how):
        with tempfile.NamedTemporaryFile("w", suffix="floor") as file:
            file.write(text)
            file.flush()
            return run_conformance.read_floors(pathlib.Path(file.name), **how)

    def test_lines_for_plugins_count_only_with_plugins(self):
        text = "# words\nexpr 5\nplan 7\nplan+plugins 9\n"
        self.assertEqual(self.read(text), {"expr": 5, "plan": 7})
        self.assertEqual(self.read(text, with_plugins=True), {"expr": 5, "plan": 9})


if __name__ == "__main__":
    unittest.main()

"""What the floors of the conformance suites mean."""

import argparse
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

    def test_lines_for_outside_cases_count_only_where_these_are(self):
        text = "hcl+outside 15\nvalidate 9\nvalidate+outside 20\n"
        self.assertEqual(self.read(text), {"validate": 9})
        self.assertEqual(self.read(text, with_outside=True),
                         {"hcl+outside": 15, "validate": 9, "validate+outside": 20})

    def test_the_committed_floors_name_suites_of_the_repository_or_outside_ones(self):
        root = pathlib.Path(__file__).parents[2]
        floors = run_conformance.read_floors(root / ".ci/conformance-floor", with_plugins=True,
                                             with_outside=True)
        for suite in floors:
            if not suite.endswith(run_conformance.OUTSIDE):
                self.assertTrue((run_conformance.SUITES / suite).is_dir(), suite)


class Commands(unittest.TestCase):
    def commands(self, outside=None, floors=None, suite=None):
        options = argparse.Namespace(tofu="tofu", outside=outside, suite=suite)
        return [(ending, [word for word in map(str, command) if word.startswith("--suite=")])
                for ending, command in run_conformance.commands(options, floors, [])]

    def test_floors_and_arguments_choose_the_suites_of_each_run(self):
        with tempfile.TemporaryDirectory() as folder:
            outside = pathlib.Path(folder)
            for name in ("hcl", "validate", "other"):
                (outside / name).mkdir()
            floors = {"expr": 1, "validate": 1, "hcl+outside": 1}
            self.assertEqual(self.commands(outside, floors),
                             [("", ["--suite=expr", "--suite=validate"]), ("+outside", ["--suite=hcl"])])
            self.assertEqual(self.commands(outside, suite=["validate"]),
                             [("", ["--suite=validate"]), ("+outside", ["--suite=validate"])])
            self.assertEqual(self.commands(suite=["hcl"]), [])


if __name__ == "__main__":
    unittest.main()

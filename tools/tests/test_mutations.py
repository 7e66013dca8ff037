"""The list of mutations fits the sources, so that none of them is silently not tried."""

import importlib.util
import pathlib
import unittest

RUN = pathlib.Path(__file__).resolve().parents[1] / "mutations/run.py"


def load():
    spec = importlib.util.spec_from_file_location("mutations_run", RUN)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class MutationsTest(unittest.TestCase):
    def test_each_text_occurs_once_in_its_file(self):
        _, problems = load().read_mutations()
        self.assertEqual(problems, [])

    def test_names_are_distinct_and_each_changes_something(self):
        mutations, _ = load().read_mutations()
        names = [each["name"] for each in mutations]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(len(names), 30)
        for each in mutations:
            self.assertNotEqual(each["find"], each["replace"], each["name"])


if __name__ == "__main__":
    unittest.main()

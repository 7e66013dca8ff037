"""How counts of files become counts of components."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import coverage


def counted(name, lines, branches):
    return {"filename": name, "summary": {
        kind: {"covered": covered, "count": count}
        for kind, (covered, count) in (("lines", lines), ("branches", branches))}}


class Components(unittest.TestCase):
    def test_files_of_a_component_are_summed_and_others_left_out(self):
        counts = coverage.by_component(
            [counted("/x/src/base/a.cc", (1, 2), (0, 1)), counted("/x/src/base/b.h", (3, 4), (1, 1)),
             counted("/x/src/diag/a.cc", (5, 5), (0, 0)), counted("/x/tests/base/a.cc", (9, 9), (9, 9))],
            root=pathlib.Path("/x"))
        self.assertEqual(dict(counts), {"base": {"lines": [4, 6], "branches": [1, 2]},
                                        "diag": {"lines": [5, 5], "branches": [0, 0]}})

    def test_the_last_row_is_the_sum(self):
        rows = list(coverage.table({"base": {"lines": [4, 6], "branches": [1, 2]},
                                    "diag": {"lines": [5, 5], "branches": [0, 0]}}))
        self.assertIn("66.7 %", rows[1])
        self.assertEqual(rows[2].split(), ["diag", "100.0", "%", "5", "of", "5", "-", "0", "of", "0"])
        self.assertEqual(rows[3].split(), ["all", "81.8", "%", "9", "of", "11", "50.0", "%", "1", "of", "2"])


if __name__ == "__main__":
    unittest.main()

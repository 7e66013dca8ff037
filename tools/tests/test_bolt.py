"""Tests of what the profile of the program is made of."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import bolt_program
import training


class FunctionsOfAProfileTest(unittest.TestCase):
    def test_both_ends_of_a_jump_are_functions_that_ran(self):
        profile = "1 _ZN1aEv/1 10 1 _ZN1bEv/2(*2) 0 0 5\n1 _ZN1aEv/1 12 1 _ZN1aEv/1 20 0 7\n"
        self.assertEqual(bolt_program.functions_of(profile), ["_ZN1aEv/1", "_ZN1bEv/2(*2)"])

    def test_functions_of_libraries_in_c_are_left_out(self):
        profile = "1 _ZN1aEv/1 10 1 __gmpn_mul_1/1 0 0 5\n"
        self.assertEqual(bolt_program.functions_of(profile), ["_ZN1aEv/1"])

    def test_other_lines_are_passed_over(self):
        self.assertEqual(bolt_program.functions_of("boltedcollection\n\nno_lbr\n"), [])


class ProjectTest(unittest.TestCase):
    def test_it_has_many_blocks_and_a_module(self):
        files = training.project()
        self.assertEqual(sorted(files), ["blocks.tf", "main.tf", "part/main.tf"])
        self.assertGreater(files["blocks.tf"].count("\nresource "), 300)


if __name__ == "__main__":
    unittest.main()

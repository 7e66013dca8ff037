import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import torture


class Rules(unittest.TestCase):
    def test_a_state_goes_on_from_the_old_one_or_is_no_state(self):
        old = json.dumps({"version": 4, "lineage": "a", "serial": 1})
        new = json.dumps({"version": 4, "lineage": "a", "serial": 2})
        other = json.dumps({"version": 4, "lineage": "b", "serial": 2})
        self.assertTrue(torture.is_whole_state(new, old))
        self.assertTrue(torture.is_whole_state(new, None))
        self.assertTrue(torture.is_whole_state("", None))
        self.assertFalse(torture.is_whole_state("", old))
        self.assertFalse(torture.is_whole_state(new[:-1], old))
        self.assertFalse(torture.is_whole_state(other, old))

    def test_leftovers_are_temporary_files_locks_and_journals(self):
        for name in ("work/.terraform.tfstate.lock.info", "work/terraform.tfstate.journal",
                     "work/terraform.tfstate.tmp12-0"):
            self.assertTrue(torture.is_leftover(name), name)
        self.assertFalse(torture.is_leftover("work/errored.tfstate"))

    def test_outputs_are_files_that_the_command_line_names(self):
        words = ["plan", "-out=plan", "-no-color"]
        self.assertTrue(torture.is_output("work/plan", words))
        self.assertFalse(torture.is_output("work/terraform.tfstate", words))


if __name__ == "__main__":
    unittest.main()

"""What the runners of tests count: a skipped test neither passed nor failed."""

import argparse
import contextlib
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).parent.parent
sys.path.insert(0, str(TOOLS))

import allowed_skips  # noqa: E402
import run_programs  # noqa: E402
import run_units  # noqa: E402

PROGRAM = '''
import unittest

class SomeTest(unittest.TestCase):
    def test_good(self):
        """Described in words."""

    def test_bad(self):
        self.fail("as it should")

    @unittest.skip("no server")
    def test_left_out(self):
        pass

    @unittest.skip("no peer")
    def test_described(self):
        """Described, and skipped."""

@unittest.skip("not here")
class OtherTest(unittest.TestCase):
    def test_other(self):
        pass
'''


class RunnersTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def test_skipped_unit_tests_did_not_pass(self):
        (self.path / "component.xml").write_text(
            '<testsuites tests="4" failures="1" disabled="0" errors="0"><testsuite name="Some">'
            '<testcase name="Good" classname="Some" result="completed"/>'
            '<testcase name="LeftOut" classname="Some" result="skipped">'
            '<skipped message="a_test.cc:12&#x0A;hg is not&#x0A;installed"/></testcase>'
            '<testcase name="Silent" classname="Some" result="skipped">'
            '<skipped message="a_test.cc:13&#x0A;"/></testcase>'
            '<testcase name="Bad" classname="Some" result="completed"><failure/></testcase>'
            '</testsuite></testsuites>')
        junit = self.path / "ctest.xml"
        junit.write_text('<testsuite><testcase name="component" status="fail"/></testsuite>')
        self.assertEqual(run_units.count(self.path, junit), (
            1, 1, [("Some.LeftOut", "hg is not installed"), ("Some.Silent", "no reason given")]))

    def test_skipped_program_tests_did_not_pass(self):
        path = self.path / "some_test.py"
        path.write_text(PROGRAM)
        options = argparse.Namespace(filter="", tofu="tofu")
        passed, failed, skipped, _ = run_programs.run_file(path, options)
        self.assertEqual((passed, failed), (1, 1))
        self.assertEqual(sorted(skipped), [("some_test.py test_described", "no peer"),
                                           ("some_test.py test_left_out", "no server"),
                                           ("some_test.py test_other", "not here")])

    def test_a_skip_that_the_list_does_not_name_fails(self):
        allowed = allowed_skips.AllowedSkips(
            "# comment\n\nunit Hg.*: hg is not installed  this machine has none\n")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            counts = allowed_skips.report("unit", [
                ("HgFetch.Clones", "hg is not installed"),
                ("HgFetch.Clones", "no reason given"),
                ("Journal.Writes", "hg is not installed")], allowed)
        self.assertEqual(counts, (1, 2))
        lines = said.getvalue().splitlines()
        self.assertEqual([line for line in lines if not line.startswith(" ")], [
            "skipped unit HgFetch.Clones: hg is not installed",
            "FAIL unit HgFetch.Clones: no reason given",
            "FAIL unit Journal.Writes: hg is not installed"])

    def test_without_a_list_everything_may_be_skipped(self):
        with contextlib.redirect_stdout(io.StringIO()):
            counts = allowed_skips.report("unit", [("A.B", "why")],
                                          allowed_skips.AllowedSkips.read(None))
        self.assertEqual(counts, (1, 0))

    def test_a_list_gives_a_reason_for_each_pattern(self):
        for text, problem in (("unit A: why\n", "line 1: .* has no reason"),
                              ("# one\nunit (A  why\n", "line 2: .* is not a regular expression")):
            with self.assertRaisesRegex(allowed_skips.BadList, problem):
                allowed_skips.AllowedSkips(text)

    def test_the_list_of_the_continuous_build_can_be_read(self):
        allowed = allowed_skips.AllowedSkips.read(TOOLS.parent / ".ci/allowed-skips")
        self.assertTrue(allowed.allows(
            "program every_store_test.py test_x_in_s3: "
            "moto is not there (tools/install_test_servers.py)"))
        self.assertFalse(allowed.allows("unit Type.IsOne: no reason given"))

    def test_the_continuous_build_reads_counts_with_and_without_skipped_tests(self):
        script = (TOOLS.parent / ".ci/run").read_text()
        pattern = re.search(r"'(s/\^\(unit tests.*/p)'", script)[1]
        said = ("unit tests: 12 passed, 1 failed, 3 skipped\nscript cases: 5 passed, 0 failed\n"
                "skipped some_test.py test_x: why\n")
        done = subprocess.run(["sed", "-nE", pattern], input=said, capture_output=True, text=True,
                              check=True)
        self.assertEqual(done.stdout.split("\n"), ["12 1 3", "5 0 ", ""])


if __name__ == "__main__":
    unittest.main()

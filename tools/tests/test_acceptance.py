"""How results of acceptance tests are read and compared."""

import json
import os
import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import acceptance


def events(*pairs):
    return [json.dumps({"Action": action, "Test": test}) for action, test in pairs]


class Results(unittest.TestCase):
    def test_results_belong_to_package_and_test(self):
        results, _ = acceptance.read_results(events(("run", "A"), ("pass", "A"), ("run", "B/x"), ("skip", "B/x")), "p")
        self.assertEqual(results, {"p.A": "pass", "p.B/x": "skip"})

    def test_a_test_without_a_result_is_lost(self):
        results, output = acceptance.read_results(events(("run", "A")), "p")
        self.assertEqual(results, {"p.A": "lost"})
        with self.assertRaises(acceptance.Unavailable):
            acceptance.require_whole(results, output)

    def test_lines_that_are_no_events_are_left_out(self):
        results, output = acceptance.read_results(
            ["panic: x\n", json.dumps({"Action": "output", "Test": "A", "Output": "why\n"}), '{"Action":"start"}'], "p")
        self.assertEqual((results, output), ({}, {"p.A": "why\n"}))


class Comparison(unittest.TestCase):
    def test_broken_tests_pass_with_the_peer_only(self):
        peer = {"both": "pass", "neither": "fail", "ours": "fail", "broken": "pass", "missing": "pass", "skipped": "pass"}
        ours = {"both": "pass", "neither": "fail", "ours": "pass", "broken": "fail", "skipped": "skip"}
        self.assertEqual(acceptance.broken_tests(peer, ours), ["broken", "missing", "skipped"])

    def test_the_part_of_a_test_stands_for_the_test(self):
        peer = {"T": "pass", "T/a": "pass", "T/b": "pass"}
        self.assertEqual(acceptance.broken_tests(peer, {"T": "fail", "T/a": "fail", "T/b": "pass"}), ["T/a"])

    def test_go_runs_whole_tests_again(self):
        self.assertEqual(acceptance.only_tests(["p.T/a", "p.S", "pq.R"], "p"), "^(S|T)$")
        self.assertIsNone(acceptance.only_tests(["q.T"], "p"))


class Packages(unittest.TestCase):
    def test_packages_whose_tests_run_the_program_are_found(self):
        library = "github.com/hashicorp/terraform-plugin-testing/helper/resource"
        packages = [
            {"ImportPath": "x/unit", "Dir": "/unit", "TestGoFiles": ["a_test.go"], "TestImports": ["testing"]},
            {"ImportPath": "x/inside", "Dir": "/inside", "TestGoFiles": ["a_test.go"], "TestImports": [library]},
            {"ImportPath": "x/outside", "Dir": "/outside", "XTestGoFiles": ["a_test.go"], "XTestImports": [library]},
            {"ImportPath": library, "Dir": "/itself", "TestGoFiles": ["a_test.go"]},
        ]
        text = "\n".join(json.dumps(package) for package in packages)
        found = acceptance.packages_with_acceptance_tests(acceptance.decode_all(text))
        self.assertEqual([folder for _, folder in found], ["/inside", "/outside", "/itself"])


class Skips(unittest.TestCase):
    def run_without_go(self, **environment):
        with mock.patch.dict(os.environ, {"PATH": "", **environment}), mock.patch("sys.stderr"):
            return acceptance.main([])

    def test_without_go_everything_is_skipped(self):
        self.assertEqual(self.run_without_go(CI=""), 0)

    def test_in_a_continuous_build_a_skip_is_a_failure(self):
        self.assertEqual(self.run_without_go(CI="true"), 1)


if __name__ == "__main__":
    unittest.main()

"""What `tofu version` says of the program is what the sources say."""

import json
import pathlib
import subprocess
import unittest

from place import PlaceTest

SOURCES = pathlib.Path(__file__).resolve().parents[2]


def git(*arguments):
    return subprocess.run(["git", "-C", SOURCES, *arguments], capture_output=True)


class VersionTest(PlaceTest):
    def test_releases_are_those_of_the_file_version(self):
        versions = dict(line.split() for line in (SOURCES / "VERSION").read_text().splitlines())
        report = json.loads(self.work.tofu("version", "-json").stdout)
        self.assertEqual(report["terraform_version"], versions["opentofu"])
        self.assertEqual(report["terraform_equivalent"], versions["terraform"] + ".x")
        self.assertEqual(report["implementation"]["name"], "tofu-cpp")
        self.assertEqual(report["implementation"]["version"], versions["release"])

    def test_the_commit_is_one_of_the_history_of_the_sources(self):
        if git("rev-parse", "HEAD").returncode != 0:
            self.skipTest("these sources are not in a git checkout")
        report = json.loads(self.work.tofu("version", "-json").stdout)
        commit = report["implementation"]["commit"].removesuffix("-dirty")
        self.assertEqual(git("merge-base", "--is-ancestor", commit, "HEAD").returncode, 0, commit)

    def test_linked_libraries_have_versions(self):
        lines = self.work.tofu("version", "-verbose").stdout.splitlines()
        libraries = lines[lines.index("Linked libraries:") + 1:]
        self.assertTrue(any(line.startswith("  re2 ") for line in libraries), libraries)
        for line in libraries:
            self.assertRegex(line, r"^  [a-z0-9.+-]+ [0-9]\S*$")

    def test_people_and_programs_are_told_the_same(self):
        about = json.loads(self.work.tofu("version", "-json").stdout)["implementation"]
        lines = self.work.tofu("version").stdout.splitlines()
        self.assertEqual(lines[-1], f"{about['name']} v{about['version']} "
                                    f"(commit {about['commit']}, {about['build']})")


if __name__ == "__main__":
    unittest.main()

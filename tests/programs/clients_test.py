"""Programs that call this one, run for real: as `tofu` and as `terraform`.

Each is looked for in the directories of TOFU_TEST_CLIENTS and of the PATH, and skipped where it
is not there.
"""

import os
import shutil
import subprocess
import unittest

from place import TOFU, PlaceTest

TIME_LIMIT = 300  # seconds for one run of a client


def find(name):
    places = os.pathsep.join(filter(None, (os.environ.get("TOFU_TEST_CLIENTS"),
                                           os.environ.get("PATH"))))
    return shutil.which(name, path=places)


def needs(name):
    return unittest.skipUnless(find(name), f"{name} is not there: see TOFU_TEST_CLIENTS")


class ClientsTest(PlaceTest):
    def setUp(self):
        super().setUp()
        self.bin = self.top / "bin"
        self.bin.mkdir()
        for name in ("tofu", "terraform"):
            (self.bin / name).symlink_to(TOFU)
        self.environment["PATH"] = f"{self.bin}:{self.environment['PATH']}"

    def client(self, *words, folder=None, **more):
        done = subprocess.run([find(words[0]), *words[1:]], cwd=folder or self.work.path,
                              env={**self.environment, **more}, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIME_LIMIT, text=True)
        return done

    @needs("tfcmt")
    def test_tfcmt_makes_comments_of_plans_and_applies(self):
        self.work.write({
            "main.tf": ('variable "n" {\n  default = 1\n}\n'
                        'resource "terraform_data" "a" {\n  input = var.n\n}\n'
                        'resource "terraform_data" "b" {\n  triggers_replace = var.n\n}\n'
                        'output "n" {\n  value = var.n\n}\n'),
            "tfcmt.yaml": "terraform:\n  plan:\n    disable_label: true\n"})
        for program in ("tofu", "terraform"):
            comment = self.work.path / f"{program}.md"

            def commented(kind, *words):
                comment.unlink(missing_ok=True)
                done = self.client("tfcmt", "-config", "tfcmt.yaml", "-output", str(comment), kind,
                                   "--", program, *words, "-no-color")
                return done.returncode, comment.read_text()

            status, text = commented("plan", "plan", "-detailed-exitcode", "-var", "n=5")
            self.assertEqual(status, 2)
            self.assertIn("* Create\n  * terraform_data.a\n  * terraform_data.b\n", text)
            status, text = commented("apply", "apply", "-auto-approve")
            self.assertEqual(status, 0)
            self.assertIn("Apply complete! Resources: 2 added, 0 changed, 0 destroyed.", text)
            status, text = commented("plan", "plan", "-var", "n=2")
            self.assertEqual(status, 0)
            self.assertIn("Resource Deletion will happen", text)
            self.assertIn("* Update\n  * terraform_data.a\n* Replace\n  * terraform_data.b\n", text)
            status, text = commented("plan", "plan")
            self.assertIn("No changes.", text)
            status, text = commented("plan", "plan", "-var", "unknown=1")
            self.assertEqual(status, 1)
            self.assertIn("Error: ", text)
            (self.work.path / "terraform.tfstate").unlink()


if __name__ == "__main__":
    unittest.main()

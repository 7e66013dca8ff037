"""Programs that call this one, run for real: as `tofu` and as `terraform`.

Each is looked for in the directories of TOFU_TEST_CLIENTS and of the PATH, and skipped where it
is not there. Terratest is a library: its test is `terratest.test`, made by
`go test -c` in tests/clients/terratest.
"""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from place import TOFU, PlaceTest

TIME_LIMIT = 300  # seconds for one run of a client
TERRATEST = pathlib.Path(__file__).resolve().parents[1] / "clients/terratest"


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

    def works(self, *words, **more):
        done = self.client(*words, **more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
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

    @needs("terragrunt")
    def test_terragrunt_runs_units_in_the_order_of_their_dependencies(self):
        self.work.write({
            "root.hcl": "",
            "network/terragrunt.hcl": 'include "root" {\n  path = find_in_parent_folders("root.hcl")\n}\n',
            "network/main.tf": ('resource "terraform_data" "n" {\n  input = "10.0.0.0/16"\n}\n'
                                'output "cidr" {\n  value = terraform_data.n.output\n}\n'),
            "app/terragrunt.hcl": (
                'dependency "network" {\n  config_path = "../network"\n'
                '  mock_outputs = {\n    cidr = "none"\n  }\n}\n'
                'inputs = {\n  cidr = dependency.network.outputs.cidr\n}\n'),
            "app/main.tf": ('variable "cidr" {\n  type = string\n}\n'
                            'resource "terraform_data" "a" {\n  input = var.cidr\n}\n'
                            'output "where" {\n  value = "in ${terraform_data.a.output}"\n}\n')})
        for program in ("tofu", "terraform"):
            more = {"TG_TF_PATH": str(self.bin / program), "TG_NON_INTERACTIVE": "true",
                    "TG_NO_COLOR": "true"}
            self.works("terragrunt", "run", "--all", "plan", **more)
            self.works("terragrunt", "run", "--all", "apply", **more)
            done = self.works("terragrunt", "output", "-json", folder=self.work.path / "app", **more)
            self.assertEqual(json.loads(done.stdout)["where"]["value"], "in 10.0.0.0/16")
            done = self.works("terragrunt", "run", "--all", "destroy", **more)
            self.assertIn("Destroy complete! Resources: 1 destroyed.", done.stdout + done.stderr)

    @needs("terratest.test")
    def test_terratest_plans_applies_and_reads_outputs(self):
        for program in ("tofu", "terraform"):
            copy = self.top / f"terratest-{program}"
            shutil.copytree(TERRATEST, copy)
            self.works("terratest.test", "-test.v", folder=copy,
                       TERRATEST_BINARY=str(self.bin / program))

    @needs("terraform-docs")
    def test_terraform_docs_reads_outputs_of_a_configuration(self):
        self.work.write({"main.tf": ('variable "size" {\n  description = "How much"\n  default = 1\n}\n'
                                     'output "size" {\n  description = "That much"\n  value = var.size\n}\n')})
        self.assertEqual(self.work.tofu("apply", "-auto-approve").status, 0)
        values = self.work.path / "values.json"
        values.write_text(self.work.tofu("output", "-json").stdout)
        done = self.works("terraform-docs", "json", "--output-values", "--output-values-from",
                          str(values), ".")
        shown = json.loads(done.stdout)
        self.assertEqual(shown["inputs"][0]["description"], "How much")
        self.assertEqual(shown["outputs"][0]["value"], 1)


if __name__ == "__main__":
    unittest.main()

"""The crash report after an error in the program itself."""

import pathlib
import signal
import unittest

from place import TOFU, PlaceTest

SECRET = "hunter2"
CONFIGURATION = """
variable "password" {}
resource "terraform_data" "first" {
  input = "done"
}
resource "terraform_data" "second" {
  depends_on = [terraform_data.first]
  provisioner "local-exec" {
    command = "kill -$FAULT $(cut -d' ' -f4 /proc/$PPID/stat); sleep 5"
  }
}
"""


@unittest.skipIf(b"__asan_init" in pathlib.Path(TOFU).read_bytes(),
                 "a sanitizer reports faults in its own words")
class Crash(PlaceTest):
    def test_a_fault_is_reported_without_secrets_and_loses_nothing(self):
        for fault in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS):
            folder = self.folder(fault.name)
            folder.write({"main.tf": CONFIGURATION})
            self.init(folder=folder)
            died = folder.tofu("apply", "-auto-approve", f"-var=password={SECRET}",
                               FAULT=fault.name.removeprefix("SIG"))
            self.assertEqual(died.status, -fault)
            self.assertIn("This is a bug in tofu", died.stderr)
            self.assertNotIn(SECRET, died.stdout + died.stderr)
            self.assertIn("terraform_data.first", folder.tofu("state", "list").stdout)


if __name__ == "__main__":
    unittest.main()

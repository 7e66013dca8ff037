"""An installation without one of the shared libraries: an error with the loader's words."""

import pathlib
import unittest

from place import TOFU, PlaceTest

HTTP = """terraform {
  backend "http" {
    address = "http://127.0.0.1:1/state"
  }
}
"""
HASH = 'output "hash" {\n  value = sha256("text")\n}\n'


def links_its_libraries():
    """Whether the build folder of the program was configured so; its loader starts no program without them."""
    cache = pathlib.Path(TOFU).parent / "CMakeCache.txt"
    return cache.exists() and "TOFU_SHARED:BOOL=ON\n" in cache.read_text()


@unittest.skipIf(links_its_libraries(), "this build links its libraries")
class MissingLibraryTest(PlaceTest):
    def without(self, library):
        """The environment in which the loader finds something else in its place."""
        folder = self.top / "libraries"
        folder.mkdir(exist_ok=True)
        (folder / library).write_text("This is no library. " * 100)
        return {"LD_LIBRARY_PATH": str(folder)}

    def refused(self, *arguments, library):
        run = self.work.tofu(*arguments, "-no-color", **self.without(library))
        self.assertEqual(run.status, 1, run.said)
        self.assertIn(library, run.said)
        self.assertIn("invalid ELF header", run.said)
        self.assertIn("Error:", run.said)
        self.assertNotIn("bug in tofu", run.said)
        self.assertFalse((self.work.path / "terraform.tfstate").exists())
        return run

    def test_libcurl_is_named_when_a_state_is_read(self):
        self.work.write({"main.tf": HTTP})
        self.refused("init", library="libcurl.so.4")

    def test_libcrypto_is_named_when_something_is_hashed(self):
        self.work.write({"main.tf": HASH})
        self.refused("plan", library="libcrypto.so.3")
        self.refused("apply", "-auto-approve", library="libcrypto.so.3")

    def test_a_library_that_applying_needs_is_missed_before_planning(self):
        self.work.write({"main.tf": 'resource "terraform_data" "a" {}\n'})
        run = self.refused("apply", "-auto-approve", library="libcrypto.so.3")
        self.assertNotIn("will be created", run.said)
        run = self.refused("import", "terraform_data.a", "x", library="libcrypto.so.3")
        self.assertNotIn("Importing", run.said)


if __name__ == "__main__":
    unittest.main()

"""Modules of a registry on loopback: versions, constraints, locks, credentials."""

import shutil
import unittest

from sources import ServedTest, archive

META = "module-package.meta.hcl"
HOST = "registry.example.com"


def call(name, source, version):
    return f'module "{name}" {{\n  source  = "{source}"\n  version = "{version}"\n}}\n'


class RegistryTest(ServedTest):
    def setUp(self):
        super().setUp()
        (self.top / "home/.tofurc").write_text(self.server.cli_configuration(HOST))

    def offer(self, version, name="a/b/c", subdir="", **files):
        path = f"/{name.replace('/', '-')}-{version}.tar.gz"
        content = {"main.tf": f"# {version}\n", META: "", **files}
        self.server.put(path, archive(content))
        self.server.put_module(name, version, self.server.url + path + subdir)
        return path

    def version_of(self, key):
        return self.work.manifest()[key]["Version"]

    def test_the_newest_version_that_is_allowed_is_installed_once(self):
        for version in ("1.0.0", "1.9.0", "1.10.0", "2.0.0", "1.11.0-beta1"):
            self.offer(version)
        source = f"{HOST}/a/b/c"
        self.work.write({"main.tf": call("x", source, "~> 1.2") + call("y", source, ">= 1.9, < 2")
                         + call("z", source, "1.0.0")})
        self.init()
        self.assertEqual([self.version_of(key) for key in "xyz"], ["1.10.0", "1.10.0", "1.0.0"])
        self.assertEqual(self.server.asked["/registry/a/b/c/versions"], 1)
        self.assertEqual(self.server.asked["/a-b-c-1.10.0.tar.gz"], 1)
        self.assertEqual(len(self.work.packages()), 2)
        self.assertEqual(self.work.lock().count(f'module "{source}"'), 2)
        self.assertIn("~> 1.2", self.work.lock())

    def test_the_lock_holds_the_version_until_upgrade(self):
        self.offer("1.0.0")
        self.work.write({"main.tf": call("x", f"{HOST}/a/b/c", "~> 1.0")})
        self.init()
        self.offer("1.1.0")
        shutil.rmtree(self.work.path / ".terraform")
        self.init()
        self.assertEqual(self.version_of("x"), "1.0.0")
        self.init("-upgrade")
        self.assertEqual(self.version_of("x"), "1.1.0")
        self.assertNotIn('"1.0.0"', self.work.lock())

    def test_a_module_that_is_locked_twice_does_not_hinder_a_read_only_lock(self):
        self.offer("1.0.0")
        self.offer("2.0.0")
        self.offer("1.0.0", name="a/b/gone")
        source = f"{HOST}/a/b/c"
        kept = call("x", source, "1.0.0") + call("y", source, "2.0.0")
        self.work.write({"main.tf": kept + call("z", f"{HOST}/a/b/gone", "1.0.0")})
        self.init()
        before = self.work.lock()
        self.work.write({"main.tf": kept})
        self.init("-lockfile=readonly")
        self.assertEqual(self.work.lock(), before)

    def test_an_upgrade_with_a_read_only_lock_changes_nothing(self):
        self.offer("1.0.0")
        self.work.write({"main.tf": call("x", f"{HOST}/a/b/c", "~> 1.0")})
        self.init()
        self.offer("1.1.0")
        self.refused("-upgrade", arguments=("-upgrade", "-lockfile=readonly"))
        self.assertEqual(self.version_of("x"), "1.0.0")
        self.assertEqual((self.work.entry("x") / "main.tf").read_text(), "# 1.0.0\n")

    def test_a_locked_version_that_is_not_allowed_any_more_is_refused(self):
        self.offer("1.0.0")
        self.offer("2.0.0")
        self.work.write({"main.tf": call("x", f"{HOST}/a/b/c", "1.0.0")})
        self.init()
        self.work.write({"main.tf": call("x", f"{HOST}/a/b/c", "~> 2.0")})
        self.refused("-upgrade", r"1\.0\.0")
        self.init("-upgrade")
        self.assertEqual(self.version_of("x"), "2.0.0")

    def test_subdirectories_of_the_registry_and_of_the_call_are_joined(self):
        self.offer("1.0.0", subdir="//modules", **{"modules/net/main.tf": "# net\n"})
        self.work.write({"main.tf": call("x", f"{HOST}/a/b/c//net", "1.0.0")})
        self.init()
        self.assertEqual(self.work.manifest()["x"]["Dir"], ".terraform/modules/x/modules/net")

    def test_versions_that_are_not_there_are_named(self):
        self.offer("1.0.0")
        self.work.write({"main.tf": call("x", f"{HOST}/a/b/c", "~> 3.0")})
        self.refused(r"~> 3\.0")
        self.work.write({"main.tf": call("x", f"{HOST}/a/b/missing", "1.0.0")})
        self.refused("missing")

    def test_a_prerelease_is_selected_by_its_exact_version_only(self):
        self.offer("2.0.0")
        self.offer("2.1.0-beta1")
        self.work.write({"main.tf": call("x", f"{HOST}/a/b/c", ">= 2.1.0-beta1")})
        self.refused(r'write\s+"2\.1\.0-beta1"')
        self.work.write({"main.tf": call("x", f"{HOST}/a/b/c", "2.1.0-beta1")})
        self.init()
        self.assertEqual(self.version_of("x"), "2.1.0-beta1")

    def test_packages_name_local_files_in_vain(self):
        secret = self.top / "secret"
        secret.mkdir()
        (secret / "main.tf").write_text("# secret\n")
        for location in (f"file://{secret}", f"git::file://{secret}", str(secret),
                         f"git::ext::sh -c touch% {self.top}/ran"):
            with self.subTest(location=location):
                self.server.answers.clear()
                self.server.put_module("a/b/c", "1.0.0", location)
                self.work.write({"main.tf": call("x", f"{HOST}/a/b/c", "1.0.0")})
                self.refused()
                self.assertEqual(self.work.placement("x"), "none")
        self.assertFalse((self.top / "ran").exists())


if __name__ == "__main__":
    unittest.main()

"""Installing packages: once each, locked, repaired, side by side, and after a kill."""

import os
import random
import shutil
import signal
import time
import unittest

from sources import ServedTest, archive

META = "module-package.meta.hcl"
MODULE = 'output "here" {\n  value = path.module\n}\n'
# More of them take minutes; these find most.
KILLS = int(os.environ.get("TOFU_TEST_KILLS", "8"))
ROUNDS = int(os.environ.get("TOFU_TEST_ROUNDS", "5"))


def call(name, source, more=""):
    return f'module "{name}" {{\n  source = "{source}"\n{more}}}\n'


class InstallingTest(ServedTest):
    def setUp(self):
        super().setUp()
        self.cache = self.top / "cache"

    def shared_package(self, name="p", **files):
        return self.repository(name, {"main.tf": MODULE, META: "", **files})

    def put_archives(self, count):
        """Distinct read-only packages, each with some files; gives calls of all."""
        calls = ""
        for i in range(count):
            files = {"main.tf": MODULE, META: "", **{f"f{k}": f"{i} {k}\n" * 500 for k in range(20)}}
            self.server.put(f"/p{i}.tar.gz", archive(files))
            calls += call(f"m{i}", f"{self.server.url}/p{i}.tar.gz")
        return calls

    def leftovers(self, folder):
        """What is beside the packages and records that belong there."""
        wanted = {each.readlink().name
                  for each in (folder / ".terraform/modules").iterdir() if each.is_symlink()}
        return {each.name for each in (folder / ".terraform/packages").iterdir()
                if each.is_dir()} - wanted

    def test_300_calls_of_one_package_are_one_download_and_one_directory(self):
        self.shared_package(big="x" * 100_000)
        self.work.write({"main.tf": "".join(call(f"m{i}", self.source()) for i in range(300))})
        run = self.init()
        self.assertEqual(self.server.fetches["p"], 1)
        self.assertEqual(len(self.work.packages()), 1)
        self.assertEqual({self.work.placement(f"m{i}") for i in range(300)}, {"link"})
        size = sum(each.lstat().st_size for each in self.work.path.rglob("*")
                   if each.is_file() and not each.is_symlink())
        self.assertLess(size, 400_000)
        self.assertIn("1 fetched, 1 shared by 300 calls", run.said)

    def test_a_package_that_cannot_be_fetched_is_one_error_with_its_calls(self):
        source = self.source("missing")
        self.work.write({"main.tf": "".join(
            f'module "m{i:03}" {{\n  source = "{source}"\n}}\n' for i in range(100))})
        run = self.refused("Could not download module package", "m000")
        self.assertEqual(run.said.count("Error: "), 1, run.said)
        self.assertIn("module.m001, module.m002", run.said)
        self.assertRegex(run.said, r"module\.m020 and 79 more")

    def test_a_second_init_touches_nothing(self):
        self.shared_package()
        self.server.put("/z.tar.gz", archive({"main.tf": MODULE}))
        self.work.write({"main.tf": call("a", self.source())
                         + call("b", f"{self.server.url}/z.tar.gz")})
        self.init()
        before, asked = self.work.state(), sum(self.server.asked.values())
        self.init()
        self.assertEqual(self.work.state(), before)
        self.assertEqual(sum(self.server.asked.values()), asked)

    def test_packages_that_nobody_calls_any_more_are_removed(self):
        self.shared_package("p")
        self.shared_package("q", other="q")
        self.work.write({"main.tf": call("a", self.source("p")) + call("b", self.source("q"))})
        self.init()
        self.assertEqual(len(self.work.packages()), 2)
        self.assertEqual(self.work.lock().count("module "), 2)
        self.work.write({"main.tf": call("a", self.source("p"))})
        self.init()
        self.assertEqual(len(self.work.packages()), 1)
        self.assertEqual(self.work.placement("b"), "none")
        self.assertEqual(self.work.lock().count("module "), 1)

    def test_the_locked_commit_stays_where_the_branch_moves_on(self):
        repository = self.shared_package()
        first = repository.git("rev-parse", "HEAD")
        self.work.write({"main.tf": call("a", self.source())})
        self.init()
        self.assertIn(first, self.work.lock())
        second = repository.commit({"new.tf": "# new\n"})
        shutil.rmtree(self.work.path / ".terraform")
        self.init()
        self.assertFalse((self.work.entry("a") / "new.tf").exists())
        self.assertIn(first, self.work.lock())
        self.init("-upgrade")
        self.assertTrue((self.work.entry("a") / "new.tf").exists())
        self.assertIn(second, self.work.lock())
        self.assertNotIn(first, self.work.lock())

    def test_a_package_that_differs_from_the_lock_is_refused(self):
        path = "/p.tar.gz"
        self.server.put(path, archive({"main.tf": MODULE, META: ""}))
        self.work.write({"main.tf": call("a", self.server.url + path)})
        self.init()
        lock = self.work.lock()
        hashes = [word.strip('",') for word in lock.split() if word.startswith('"h1:')]
        self.assertEqual(len(hashes), 1)
        self.assertIn('"zh:', lock)
        self.server.put(path, archive({"main.tf": "# other\n", META: ""}))
        shutil.rmtree(self.work.path / ".terraform")
        run = self.refused("-upgrade")
        self.assertIn(hashes[0], run.said)
        self.assertEqual(run.said.count("h1:"), 2)
        self.assertEqual(self.work.packages(), [])
        self.assertEqual(self.work.lock(), lock)
        self.init("-upgrade")
        self.assertNotIn(hashes[0], self.work.lock())

    def test_a_read_only_lock_file_is_not_added_to(self):
        self.shared_package()
        self.work.write({"main.tf": call("a", self.source())})
        self.refused("-lockfile|readonly|read-only", arguments=("-lockfile=readonly",))
        self.assertEqual(self.work.lock(), "")
        self.init()
        lock = self.work.lock()
        self.init("-lockfile=readonly")
        self.assertEqual(self.work.lock(), lock)

    def test_from_module_leaves_no_link_out_of_a_subdirectory(self):
        (self.top / "inside.tf").write_text("# the user's\n")
        self.repository("p", {"inside.tf": "# shared\n", "sub/main.tf": "# sub\n",
                              "sub/inside.tf->": "../inside.tf"})
        self.init(f"-from-module={self.source(subdir='//sub')}")
        copied = self.work.path / "inside.tf"
        self.assertFalse(copied.is_symlink())
        self.assertEqual(copied.read_text(), "# shared\n")
        self.assertEqual(self.work.manifest()[""]["Dir"], ".")

    def test_a_damaged_record_of_modules_is_made_anew(self):
        self.repository("p", {"main.tf": "# p\n"})
        self.work.write({"main.tf": call("a", self.source())})
        self.init()
        right = self.work.manifest()
        record = self.work.path / ".terraform/modules/modules.json"
        record.write_text(record.read_text()[:-20])
        self.assertNotEqual(self.work.tofu("validate").status, 0)
        done = self.init()
        self.assertRegex(done.said, "Invalid record of installed modules")
        self.assertEqual(self.work.manifest(), right)
        self.assertEqual(self.work.tofu("validate").status, 0)

    def test_a_damaged_record_of_packages_is_made_anew(self):
        self.shared_package()
        self.work.write({"main.tf": call("a", self.source())})
        self.init()
        record = self.work.path / ".terraform/packages/packages.json"
        right = record.read_text()
        record.write_text(right[:-20])
        self.assertRegex(self.init().said, "Invalid record of installed packages")
        self.assertEqual(record.read_text(), right)

    def test_get_leaves_blocks_of_providers_in_the_lock_file(self):
        self.shared_package()
        block = ('provider "registry.opentofu.org/hashicorp/null" {\n  version = "3.2.1"\n'
                 '  hashes = [\n    "h1:abc",\n  ]\n}\n')
        self.work.write({".terraform.lock.hcl": block, "main.tf": call("a", self.source())})
        self.work.tofu("get", "-no-color")
        self.assertIn(block, self.work.lock())
        self.assertIn("module ", self.work.lock())
        self.init()  # which knows that the provider is unused
        self.assertNotIn("provider ", self.work.lock())
        self.assertIn("module ", self.work.lock())

    def test_a_shared_package_that_was_changed_is_repaired(self):
        self.shared_package()
        self.work.write({"main.tf": call("a", self.source())})
        self.init()
        file = self.work.entry("a") / "main.tf"
        file.chmod(0o644)
        file.write_text("# changed\n")
        run = self.init()
        self.assertEqual((self.work.entry("a") / "main.tf").read_text(), MODULE)
        self.assertIn("were modified", run.said)

    def test_a_cache_is_shared_by_directories(self):
        self.shared_package()
        folders = [self.folder(f"work{i}") for i in range(3)]
        for folder in folders:
            # What a branch means is known from the lock, which is under version control.
            folder.write({".terraform.lock.hcl": folders[0].lock(),
                          "main.tf": call("a", self.source()) + call("b", self.source())})
            self.init(folder=folder, TF_MODULE_CACHE_DIR=str(self.cache))
        self.assertEqual(self.server.fetches["p"], 1)
        self.assertEqual({folder.placement("a") for folder in folders}, {"link"})
        for folder in folders:
            self.assertTrue(folder.entry("a").resolve().is_relative_to(self.cache))

    def test_a_damaged_package_in_the_cache_is_not_believed(self):
        self.shared_package()
        first, second = self.folder("first"), self.folder("second")
        first.write({"main.tf": call("a", self.source())})
        self.init(folder=first, TF_MODULE_CACHE_DIR=str(self.cache))
        for file in self.cache.rglob("main.tf"):
            file.chmod(0o644)
            file.write_text("# changed\n")
        second.write({".terraform.lock.hcl": first.lock(), "main.tf": call("a", self.source())})
        self.init(folder=second, TF_MODULE_CACHE_DIR=str(self.cache))
        self.assertEqual((second.entry("a") / "main.tf").read_text(), MODULE)
        self.init(folder=first, TF_MODULE_CACHE_DIR=str(self.cache))
        self.assertEqual((first.entry("a") / "main.tf").read_text(), MODULE)

    def test_the_cli_configuration_can_name_the_cache(self):
        self.shared_package()
        (self.top / "home/.tofurc").write_text(f'module_cache_dir = "{self.cache}"\n')
        self.work.write({"main.tf": call("a", self.source())})
        self.init()
        self.assertTrue(self.work.entry("a").resolve().is_relative_to(self.cache))

    def test_another_data_directory(self):
        self.shared_package()
        self.work.write({"main.tf": call("a", self.source())})
        self.init(TF_DATA_DIR="data")
        self.assertTrue((self.work.path / "data/modules/a/main.tf").is_file())
        self.assertFalse((self.work.path / ".terraform").exists())
        self.assertEqual(self.work.tofu("validate", "-no-color", TF_DATA_DIR="data").status, 0)

    def test_many_inits_at_once_on_one_cache(self):
        calls = self.put_archives(6)
        for number in range(ROUNDS):
            shutil.rmtree(self.cache, ignore_errors=True)
            folders = [self.folder(f"round{number}-{i}") for i in range(4)]
            for folder in folders:
                folder.write({"main.tf": calls})
            running = [folder.start("init", "-no-color", TF_MODULE_CACHE_DIR=str(self.cache))
                       for folder in folders]
            for process in running:
                out, err = process.communicate(timeout=120)
                self.assertEqual(process.returncode, 0, out + err)
            for folder in folders:
                self.assertEqual(folder.tofu("validate", "-no-color").status, 0)
                self.assertEqual({folder.placement(f"m{i}") for i in range(6)}, {"link"})

    def test_many_inits_at_once_in_one_directory(self):
        self.work.write({"main.tf": self.put_archives(4)})
        running = [self.work.start("init", "-no-color") for _ in range(3)]
        for process in running:
            out, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, out + err)
        self.init()
        self.assertEqual(self.leftovers(self.work.path), set())
        self.assertEqual(self.work.tofu("validate", "-no-color").status, 0)

    def test_an_interrupted_init_ends_soon_and_leaves_nothing_half_done(self):
        self.server.delay = 5
        self.work.write({"main.tf": self.put_archives(2)})
        process = self.work.start("init", "-no-color")
        while not self.server.asked:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        process.communicate()
        self.assertNotEqual(process.returncode, 0)
        self.assertLess(time.monotonic() - started, 4)
        self.server.delay = 0
        self.init()
        self.assertEqual(self.leftovers(self.work.path), set())

    def test_after_a_killed_init_the_next_is_good(self):
        chance = random.Random(5)
        calls = self.put_archives(6)
        self.server.delay = 0.02
        self.work.write({"main.tf": calls})
        started = time.monotonic()
        self.init()
        whole = time.monotonic() - started
        for number in range(KILLS):
            shutil.rmtree(self.work.path / ".terraform")
            # With a lock, packages come from the cache while others are fetched.
            if chance.random() < 0.5:
                (self.work.path / ".terraform.lock.hcl").unlink(missing_ok=True)
            process = self.work.start("init", "-no-color", TF_MODULE_CACHE_DIR=str(self.cache))
            time.sleep(whole * chance.random())
            process.send_signal(signal.SIGKILL)
            process.communicate()
            with self.subTest(number=number):
                self.init(TF_MODULE_CACHE_DIR=str(self.cache))
                self.assertEqual({self.work.placement(f"m{i}") for i in range(6)}, {"link"})
                self.assertEqual(self.leftovers(self.work.path), set())
                self.assertEqual(list(self.cache.glob(".new-*")), [])
                self.assertEqual(self.work.tofu("validate", "-no-color").status, 0)
            if number % 2:
                shutil.rmtree(self.cache, ignore_errors=True)


if __name__ == "__main__":
    unittest.main()

"""Module packages over their life: locked, upgraded, cached, mirrored, vendored, listed."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from sources import ServedTest

META = "module-package.meta.hcl"
MODULE = 'output "here" {\n  value = path.module\n}\n'
LIBRARY = {"main.sym.hcl": "values {\n  port = 160\n}\n"}
MIT = ("MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a "
       "copy\n")


def call(name, source, more=""):
    return f'module "{name}" {{\n  source = "{source}"\n{more}}}\n'


def read_only(path):
    for folder, _, files in os.walk(path):
        for name in files:
            os.chmod(os.path.join(folder, name), 0o444)
        os.chmod(folder, 0o555)


def writable(path):
    for folder, _, _ in os.walk(path):
        os.chmod(folder, 0o755)


class PackagesTest(ServedTest):
    def setUp(self):
        super().setUp()
        self.environment["TF_CLI_ARGS"] = "-no-color"

    def shared(self, name="p", files=None):
        return self.repository(name, {"main.tf": MODULE, META: "", **(files or {})})

    def fails(self, *arguments, folder=None, pattern="", **more):
        run = (folder or self.work).tofu(*arguments, **more)
        self.assertEqual(run.status, 1, run.said)
        self.assertRegex(run.said, pattern)
        return run

    def works(self, *arguments, folder=None, **more):
        run = (folder or self.work).tofu(*arguments, **more)
        self.assertEqual(run.status, 0, run.said)
        return run

    def edit_lock(self, old, new):
        path = self.work.path / ".terraform.lock.hcl"
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new))


class LockTest(PackagesTest):
    COMMANDS = (("plan",), ("validate",), ("apply", "-auto-approve"), ("graph",), ("refresh",),
                ("providers", "schema", "-json"), ("test",), ("console",))

    def test_commands_compare_what_is_installed_with_the_lock(self):
        first = self.shared().commit({})
        self.work.write({"main.tf": call("a", self.source()) + call("b", self.source())})
        self.init()
        for moved in ("0" * 40, None):
            saved = self.work.lock()
            if moved:
                self.edit_lock(first, moved)
            else:
                (self.work.path / ".terraform.lock.hcl").write_text("")
            for command in self.COMMANDS:
                with self.subTest(command=command, moved=moved):
                    run = self.fails(*command, pattern="Inconsistent dependency lock file")
                    self.assertRegex(run.said, "module.a, module.b")
                    self.assertRegex(run.said, "tofu init")
            # What lists or mends does not need the lock.
            for command in (("modules",), ("providers",), ("lint", "-fail-on=never"), ("version",)):
                self.works(*command)
            (self.work.path / ".terraform.lock.hcl").write_text(saved)
            self.works("validate")

    def test_a_lock_that_moved_is_installed_and_reported(self):
        repository = self.shared()
        first = repository.git("rev-parse", "HEAD")
        self.work.write({"main.tf": call("a", self.source())})
        self.init()
        before = self.work.lock()
        second = repository.commit({"main.tf": MODULE + 'variable "more" {\n  default = 1\n}\n'})
        self.init("-upgrade")
        (self.work.path / ".terraform.lock.hcl").write_text(before)
        self.fails("validate", pattern=f"is installed at {second}, but is locked at {first}")
        run = self.init()
        self.assertRegex(run.said, f"{second[:12]} -> {first[:12]}")
        self.works("validate")

    def test_a_dropped_entry_is_added_again_and_reported(self):
        self.shared()
        self.shared("q")
        self.work.write({"main.tf": call("a", self.source()) + call("b", self.source("q"))})
        self.init()
        lock = self.work.lock()
        (self.work.path / ".terraform.lock.hcl").write_text(
            lock[:lock.index('module "git', lock.index('module "git') + 1)])
        self.fails("validate", pattern="no entry for it")
        self.assertRegex(self.init().said, "Added git::.*/q.ref=main to the lock file")
        self.assertEqual(self.work.lock(), lock)
        self.work.write({"main.tf": call("a", self.source())})
        self.assertRegex(self.init().said, "Removed git::.*/q.ref=main from the lock file")

    def test_a_locked_commit_that_vanished_says_what_to_do(self):
        repository = self.shared()
        self.work.write({"main.tf": call("a", self.source())})
        self.init()
        self.edit_lock(repository.git("rev-parse", "HEAD"), "1" * 40)
        self.refused("Locked commit does not exist", "init -upgrade")
        self.init("-upgrade")
        self.works("validate")

    def test_an_upgrade_lists_what_callers_see(self):
        repository = self.shared(files={"main.tf": MODULE + 'variable "old" {\n  default = 1\n}\n'
                                                   'variable "kept" {\n  default = 1\n}\n'})
        self.work.write({"main.tf": call("a", self.source()) + call("b", self.source())})
        self.init()
        repository.commit({"main.tf": 'variable "new" {\n  default = 1\n}\n'
                           'variable "kept" {\n  default    = 1\n  deprecated = "Use new."\n}\n'
                           'output "there" {\n  value = 1\n}\n'})
        run = self.init("-upgrade")
        for pattern in (r"-> \w{12} \(module.a, module.b\)", r'\+ variable "new"',
                        r'- variable "old"', r'~ variable "kept" \(deprecated: Use new.\)',
                        r'- output "here"', r'\+ output "there"'):
            self.assertRegex(run.said, pattern)
        self.assertNotIn("->", self.init("-upgrade").said)

    def test_an_upgrade_that_breaks_a_call_still_lists_the_changes(self):
        repository = self.repository("p", {"main.tf": 'variable "old" {}\n'})
        self.work.write({"main.tf": call("a", self.source(), "  old = 1\n")})
        self.init()
        repository.commit({"main.tf": 'variable "new" {\n  default = 1\n}\n'})
        run = self.work.tofu("init", "-upgrade")
        self.assertRegex(run.said, '- variable "old"')

    def test_verify_compares_files_with_hashes(self):
        self.shared()
        self.repository("lib", LIBRARY)
        self.work.write({"main.tf": call("a", self.source())
                         + f'symbols "net" {{\n  source = "{self.source("lib")}"\n}}\n'})
        self.init()
        run = self.works("modules", "-verify")
        self.assertEqual(run.stdout.count("ok "), 2)
        for package in self.work.packages():
            with self.subTest(package=package.name):
                saved = self.top / "saved"
                shutil.copytree(package, saved)
                file = next(package.glob("main*"))
                file.chmod(0o644)
                file.write_text("# edited\n")
                self.fails("modules", "-verify", pattern="was changed after it was installed")
                document = json.loads(self.work.tofu("modules", "-verify", "-json").stdout)
                self.assertFalse(document["verified"])
                self.init()
                self.works("modules", "-verify")
                writable(saved)
                shutil.rmtree(saved)
        self.edit_lock("h1:", "h1:x")
        self.fails("modules", "-verify", pattern="but is locked with h1:x")


class CacheTest(PackagesTest):
    def cached_init(self, folder, *arguments, **more):
        return self.init(*arguments, folder=folder,
                         TF_MODULE_CACHE_DIR=str(self.top / "cache"), **more)

    def test_a_cached_commit_is_never_fetched_again(self):
        commit = self.shared().git("rev-parse", "HEAD")
        references = ("main", commit, "v1")
        pathlib.Path(self.top / "repositories/p")
        subprocess.run(["git", "-C", self.top / "repositories/p", "tag", "v1"], check=True)
        for number, reference in enumerate(references):
            folder = self.folder(f"w{number}")
            folder.write({"main.tf": call("a", self.source(reference=reference))})
            self.cached_init(folder)
            self.assertEqual(folder.placement("a"), "link")
        self.assertEqual(self.server.fetches["p"], 1)

    def test_a_cached_commit_needs_no_network(self):
        commit = self.shared().git("rev-parse", "HEAD")
        first, second = self.folder("w1"), self.folder("w2")
        for folder in (first, second):
            folder.write({"main.tf": call("a", self.source(reference=commit))})
        self.cached_init(first)
        asked = sum(self.server.asked.values())
        self.cached_init(second)
        self.assertEqual(sum(self.server.asked.values()), asked)

    def test_an_upgrade_to_the_same_commit_fetches_nothing(self):
        self.shared()
        self.work.write({"main.tf": call("a", self.source())})
        self.init()
        self.init("-upgrade")
        self.assertEqual(self.server.fetches["p"], 1)

    def test_a_read_only_cache_is_used_and_a_miss_falls_back(self):
        self.shared()
        self.shared("q", {"other.tf": "# q\n"})
        self.repository("lib", LIBRARY)
        first, second = self.folder("w1"), self.folder("w2")
        first.write({"main.tf": call("a", self.source())
                     + f'symbols "net" {{\n  source = "{self.source("lib")}"\n}}\n'})
        self.cached_init(first)
        read_only(self.top / "cache")
        self.addCleanup(writable, self.top / "cache")
        before = sorted((self.top / "cache").rglob("*"))
        second.write({"main.tf": first.path.joinpath("main.tf").read_text()
                      + call("b", self.source("q"))})
        # Permissions mean nothing to root.
        as_first = ("TF_MODULE_CACHE_DIR",) if os.geteuid() else ()
        for variable in (*as_first, "TF_MODULE_CACHE_READONLY_DIRS"):
            with self.subTest(variable=variable):
                shutil.rmtree(second.path / ".terraform", ignore_errors=True)
                self.init(folder=second, **{variable: str(self.top / "cache")})
                self.assertIn(str(self.top / "cache"), str(second.entry("a").resolve()))
                self.assertIn(str(second.path), str(second.entry("b").resolve()))
                self.works("validate", folder=second)
        self.assertEqual(sorted((self.top / "cache").rglob("*")), before)

    def test_layers_are_looked_at_in_order_and_the_first_is_filled(self):
        self.shared()
        self.shared("q", {"other.tf": "# q\n"})
        baked = self.folder("w1")
        baked.write({"main.tf": call("a", self.source())})
        self.cached_init(baked)
        self.work.write({"main.tf": call("a", self.source()) + call("b", self.source("q"))})
        self.init(TF_MODULE_CACHE_DIR=str(self.top / "own"),
                  TF_MODULE_CACHE_READONLY_DIRS=f"{self.top / 'none'}:{self.top / 'cache'}")
        self.assertEqual(self.work.entry("a").resolve().parent, self.top / "cache")
        self.assertEqual(self.work.entry("b").resolve().parent, self.top / "own")
        self.assertEqual(self.server.fetches["p"], 1)

    def test_two_sources_with_one_content_are_both_found(self):
        for owner in ("one", "two"):
            self.shared(f"{owner}/p")
        sources = [self.source(f"{owner}/p") for owner in ("one", "two")]
        first, second = self.folder("w1"), self.folder("w2")
        for folder in (first, second):
            folder.write({"main.tf": call("a", sources[0]) + call("b", sources[1])})
        self.cached_init(first)
        asked = self.server.fetches.copy()
        shutil.copy(first.path / ".terraform.lock.hcl", second.path)
        self.cached_init(second)
        self.assertEqual(self.server.fetches, asked)
        for folder in (first, second):
            self.works("validate", folder=folder)
            state = folder.state()
            self.cached_init(folder)
            self.assertEqual(folder.state(), state, "a second init touches nothing")

    def test_the_cache_of_the_user_is_used_on_request(self):
        self.shared()
        self.work.write({"main.tf": call("a", self.source())})
        self.init(TF_MODULE_CACHE_DIR="auto", XDG_CACHE_HOME=str(self.top / "xdg"))
        self.assertEqual(self.work.entry("a").resolve().parent, self.top / "xdg/opentofu/modules")

    def test_pruning_removes_what_nobody_used(self):
        self.shared()
        self.work.write({"main.tf": call("a", self.source())})
        self.cached_init(self.work)
        cache = {"TF_MODULE_CACHE_DIR": str(self.top / "cache")}
        self.assertRegex(self.works("modules", "prune", **cache).said, "0 packages removed")
        for path in (self.top / "cache/index").iterdir():
            os.utime(path, (0, 0))
        self.assertRegex(self.works("modules", "prune", "-dry-run", **cache).said,
                         "1 package would be removed")
        self.works("validate")
        self.assertRegex(self.works("modules", "prune", **cache).said, "1 package removed")
        self.assertEqual(list((self.top / "cache/index").iterdir()), [])
        self.fails("validate", pattern="Module not installed")
        self.cached_init(self.work)
        self.works("validate")
        self.fails("modules", "prune", pattern="No module cache")

    def test_inits_at_once_on_one_cache_agree(self):
        self.shared()
        folders = [self.folder(f"w{number}") for number in range(4)]
        for folder in folders:
            folder.write({"main.tf": call("a", self.source())})
        started = [folder.start("init", TF_MODULE_CACHE_DIR=str(self.top / "cache"))
                   for folder in folders]
        for process in started:
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0)
        self.assertEqual(len({folder.entry("a").resolve() for folder in folders}), 1)


class AirGapTest(PackagesTest):
    def configuration(self):
        self.shared("inner", {"LICENSE": MIT})
        self.shared("p", {"main.tf": MODULE + call("inner", self.source("inner"))})
        self.repository("copied", {"main.tf": MODULE})
        self.repository("lib", LIBRARY)
        return (call("a", self.source()) + call("b", self.source("copied"))
                + f'symbols "net" {{\n  source = "{self.source("lib")}"\n}}\n'
                + 'output "port" {\n  value = symbols.net.port\n}\n')

    def disconnected(self, rules):
        """A folder with the same configuration, whose repositories cannot be reached."""
        far = self.folder("far")
        shutil.copy(self.work.path / "main.tf", far.path)
        shutil.move(self.top / "repositories", self.top / "unreachable")
        (self.top / "home/.tofurc").write_text(rules)
        return far

    def test_a_mirror_stands_in_for_all_sources(self):
        self.work.write({"main.tf": self.configuration()})
        self.init()
        self.works("modules", "mirror", str(self.top / "mirror"))
        self.works("modules", "mirror", str(self.top / "mirror"))
        far = self.disconnected('module_installation {\n  filesystem_mirror {\n'
                                f'    path = "{self.top / "mirror"}"\n  }}\n}}\n')
        for locked in (False, True):
            with self.subTest(locked=locked):
                shutil.rmtree(far.path / ".terraform", ignore_errors=True)
                if locked:
                    shutil.copy(self.work.path / ".terraform.lock.hcl", far.path)
                self.init(folder=far)
                self.works("apply", "-auto-approve", folder=far)
                self.assertEqual(far.lock(), self.work.lock())

    def test_rules_decide_which_packages_come_from_where(self):
        self.work.write({"main.tf": self.configuration()})
        self.init()
        self.works("modules", "mirror", str(self.top / "mirror"))
        rule = (f'module_installation {{\n  filesystem_mirror {{\n    path = "{self.top / "mirror"}"'
                '\n    include = ["*/p?ref=*"]\n  }\n  direct {\n    exclude = ["*/lib*"]\n  }\n}\n')
        (self.top / "home/.tofurc").write_text(rule)
        far = self.folder("far")
        shutil.copy(self.work.path / "main.tf", far.path)
        fetched = self.server.fetches.copy()
        run = self.fails("init", folder=far, pattern="Module packages not available")
        self.assertRegex(run.said, r"/lib\?ref=main")
        (self.top / "home/.tofurc").write_text(rule.replace('["*/lib*"]', '["*/p?ref=*"]'))
        self.init(folder=far)
        self.assertEqual(self.server.fetches["p"], fetched["p"])
        self.assertGreater(self.server.fetches["copied"], fetched["copied"])

    def test_offline_names_everything_that_is_missing(self):
        self.work.write({"main.tf": self.configuration()})
        asked = sum(self.server.asked.values())
        run = self.fails("init", "-offline", pattern="Module packages not available")
        self.assertRegex(run.said, r"/lib\?ref=main")
        # Without its libraries the calls of a module are not known.
        shutil.copy(self.work.path / "main.tf", self.top)
        self.work.write({"main.tf": call("a", self.source()) + call("b", self.source("copied"))})
        run = self.fails("init", "-offline", pattern="Module packages not available")
        for name in ("p", "copied"):
            self.assertRegex(run.said, rf"/{name}\?ref=main")
        self.assertEqual(run.said.count("Error:"), 1, run.said)
        shutil.copy(self.top / "main.tf", self.work.path)
        self.assertEqual(sum(self.server.asked.values()), asked)
        self.init()
        self.init("-offline")
        self.works("get", "-offline")

    def test_offline_names_missing_providers(self):
        self.work.write({"main.tf": 'resource "null_resource" "a" {}\n'})
        self.fails("init", "-offline", pattern="hashicorp/null.*-offline forbids")

    def test_vendored_packages_travel_with_the_configuration(self):
        self.work.write({"main.tf": self.configuration()})
        self.init()
        self.works("modules", "vendor")
        self.assertEqual(list((self.work.path / "vendor/modules").glob("*.lock")), [])
        far = self.disconnected("")
        shutil.copytree(self.work.path / "vendor", far.path / "vendor")
        shutil.copy(self.work.path / ".terraform.lock.hcl", far.path)
        self.init("-offline", folder=far)
        self.works("apply", "-auto-approve", folder=far)
        self.assertFalse(far.entry("a").resolve().is_relative_to(far.path / "vendor"))
        # What was changed there is not what is locked.
        changed = next((far.path / "vendor/modules").glob("p-*")) / "main.tf"
        changed.chmod(0o644)
        changed.write_text("# changed\n")
        shutil.rmtree(far.path / ".terraform")
        self.fails("init", "-offline", folder=far, pattern="Module packages not available")
        # Vendoring again leaves only what is used.
        self.work.write({"main.tf": call("a", "git::file:///nowhere")})
        shutil.move(self.top / "unreachable", self.top / "repositories")
        self.work.write({"main.tf": call("b", self.source("copied"))})
        self.init()
        self.works("modules", "vendor")
        self.assertEqual(len(list((self.work.path / "vendor/modules").glob("*-*"))), 1)

    def test_commands_that_mirror_say_what_they_need(self):
        self.work.write({"main.tf": ""})
        self.init()
        self.fails("modules", "mirror", pattern="No output directory specified")
        self.fails("modules", "mirror", "m", pattern="Nothing to mirror")
        self.fails("modules", "vendor", pattern="Nothing to mirror")


class VersionTest(PackagesTest):
    def tagged(self, *tags, name="p", meta=True):
        repository = self.repository(name, {"main.tf": MODULE, **({META: ""} if meta else {})})
        for tag in tags:
            repository.commit({"version.tf": f'output "version" {{\n  value = "{tag}"\n}}\n'})
            repository.git("tag", "-a", "-m", tag, tag)
        return repository

    def source_of(self, name="p"):
        return f"git::{self.server.url}/git/{name}"

    def versioned(self, constraint, name="p"):
        return call("a", self.source_of(name), f'  version = "{constraint}"\n')

    def version(self):
        return self.work.modules()["a"]["version"]

    def test_a_constraint_selects_the_newest_tag(self):
        repository = self.tagged("v1.0.0", "v1.1.0", "v2.0.0", "nightly", "v2.1.0-rc1")
        self.work.write({"main.tf": self.versioned("~> 1.0")})
        self.init()
        self.assertEqual(self.version(), "1.1.0")
        self.assertEqual(self.work.manifest()["a"]["Version"], "1.1.0")
        commit = repository.git("rev-parse", "v1.1.0^{commit}")
        self.assertRegex(self.work.lock(), rf'version     = "1.1.0"\n  commit      = "{commit}"\n'
                                           r'  constraints = "~> 1.0"')
        self.works("validate")
        state = self.work.state()
        self.init()
        self.assertEqual(self.work.state(), state)

    def test_the_locked_tag_stays_until_an_upgrade(self):
        repository = self.tagged("v1.0.0")
        self.work.write({"main.tf": self.versioned(">= 1.0.0")})
        self.init()
        repository.commit({"more.tf": 'variable "more" {\n  default = 1\n}\n'})
        repository.git("tag", "1.2.0")
        shutil.rmtree(self.work.path / ".terraform")
        self.init()
        self.assertEqual(self.version(), "1.0.0")
        self.assertRegex(self.init("-upgrade").said, r'1.0.0 -> 1.2.0 .*\+ variable "more"')
        self.assertEqual(self.version(), "1.2.0")

    def test_a_tag_that_moved_does_not_change_what_is_installed(self):
        repository = self.tagged("v1.0.0")
        self.work.write({"main.tf": self.versioned("1.0.0")})
        self.init()
        lock = self.work.lock()
        repository.commit({"evil.tf": "# moved\n"})
        repository.git("tag", "-f", "v1.0.0")
        shutil.rmtree(self.work.path / ".terraform")
        self.init()
        self.assertEqual(self.work.lock(), lock)
        self.assertFalse((self.work.entry("a") / "evil.tf").exists())

    def test_copies_have_versions_too(self):
        self.tagged("v1.0.0", "v1.3.0", meta=False)
        self.work.write({"main.tf": self.versioned("~> 1.0")})
        self.init()
        self.assertEqual(self.version(), "1.3.0")
        self.work.write({"main.tf": self.versioned("1.0.0")})
        self.fails("validate", pattern="Module version has changed")
        self.init()
        self.assertEqual(self.version(), "1.0.0")

    def test_mistakes_are_errors(self):
        self.tagged("v1.0.0")
        self.tagged(name="untagged")
        for source, constraint, pattern in (
                (self.source_of(), "~> 3.0", "No version of .* meets ~> 3.0. The newest is 1.0.0"),
                (self.source_of("untagged"), "~> 1.0", "has no tag that is a version"),
                (self.source_of() + "?ref=main", "~> 1.0", "Use only one of them"),
                ("./local", "~> 1.0", "Only modules in registries and git repositories")):
            with self.subTest(source=source):
                self.work.write({"main.tf": call("a", source, f'  version = "{constraint}"\n')})
                self.fails("init", pattern=pattern)

    def test_a_library_has_versions(self):
        repository = self.repository("lib", LIBRARY)
        repository.git("tag", "v0.1.0")
        self.work.write({"main.tf": f'symbols "net" {{\n  source  = "{self.source_of("lib")}"\n'
                                    '  version = "~> 0.1"\n}\n'
                                    'output "port" {\n  value = symbols.net.port\n}\n'})
        self.init()
        self.works("apply", "-auto-approve")
        self.assertRegex(self.work.lock(), '"0.1.0"')

    def test_versions_come_from_a_mirror(self):
        self.tagged("v1.0.0", "v1.1.0")
        self.work.write({"main.tf": self.versioned("~> 1.0")})
        self.init()
        self.works("modules", "mirror", str(self.top / "mirror"))
        shutil.move(self.top / "repositories", self.top / "unreachable")
        (self.top / "home/.tofurc").write_text(
            f'module_installation {{\n  filesystem_mirror {{\n    path = "{self.top / "mirror"}"\n'
            '  }\n}\n')
        lock = self.work.lock()
        (self.work.path / ".terraform.lock.hcl").unlink()
        shutil.rmtree(self.work.path / ".terraform")
        self.init()
        self.assertEqual(self.work.lock(), lock)


class DependencyTest(PackagesTest):
    def test_a_dependency_block_is_about_one_package(self):
        for name in ("writes", "still"):
            self.repository(name, {"main.tf": MODULE})
        self.repository("silent", {"main.tf": call("deep", self.source("writes"))})
        bare = self.source("writes").partition("?")[0]
        self.work.write({
            "main.tf": call("a", self.source("writes")) + call("b", self.source("still"))
            + call("c", self.source("silent")),
            META: f'dependency "{bare}" {{\n  read-only = false\n}}\n'})
        self.init()
        found = {key: self.work.placement(key) for key in ("a", "b", "c", "c.deep")}
        self.assertEqual(found, {"a": "copy", "b": "link", "c": "link", "c.deep": "copy"})
        self.works("validate")
        self.work.write({META: f'dependency "{self.source("writes")}" {{\n  read-only = true\n}}\n'
                         f'dependency "{bare}" {{\n  read-only = false\n}}\n'})
        self.init()
        self.assertEqual(self.work.placement("a"), "link")

    def test_mistakes_in_dependency_blocks_have_places(self):
        for text, pattern in (
                ('dependency "./local" {\n  read-only = true\n}\n', "Invalid dependency source"),
                ('dependency "a/b/c//sub" {\n  read-only = true\n}\n', "Remove the subdirectory"),
                ('dependency "a/b/c" {}\n', "read-only"),
                ('dependency "a/b/c" {\n  read-only = true\n}\n' * 2, "Duplicate dependency")):
            with self.subTest(text=text):
                self.work.write({"main.tf": "", META: text})
                self.assertRegex(self.fails("init", pattern=pattern).said, f"on {META} line")

    def test_a_broken_promise_is_found(self):
        self.shared()
        self.work.write({"main.tf": call("a", self.source())})
        self.init()
        package = self.work.packages()[0]
        package.chmod(0o755)
        (package / "written").write_text("by a module")
        self.fails("modules", "-verify", pattern=f"is read-only according to {META} of git::")


class ListTest(PackagesTest):
    def setUp(self):
        super().setUp()
        inner = self.shared("inner", {"LICENSE": MIT})
        self.inner = inner.git("rev-parse", "HEAD")
        self.shared("p", {"main.tf": MODULE + call("inner", self.source("inner"))})
        self.repository("copied", {"main.tf": MODULE})
        self.repository("lib", LIBRARY)
        self.shared("helper", {"helper.tf": ""})
        self.work.write({
            "main.tf": call("a", self.source()) + call("b", self.source("copied"))
            + f'symbols "net" {{\n  source = "{self.source("lib")}"\n}}\n',
            "tests/main.tftest.hcl": f'run "setup" {{\n  module {{\n    source = '
                                     f'"{self.source("helper")}"\n  }}\n}}\n'})
        self.init()

    def test_the_list_has_libraries_test_modules_and_who_asked(self):
        document = json.loads(self.works("modules", "-json").stdout)
        packages = {row["source"].rpartition("/")[2].partition("?")[0]: row
                    for row in document["packages"]}
        self.assertEqual(sorted(packages), ["copied", "helper", "inner", "lib", "p"])
        inner = packages["inner"]
        self.assertEqual((inner["requested_ref"], inner["revision"], inner["lock"]),
                         ("main", self.inner, "locked"))
        self.assertEqual((inner["license"], inner["license_file"]), ("MIT", "LICENSE"))
        self.assertEqual(inner["used_by"], ["module.a.module.inner"])
        self.assertEqual((packages["copied"]["files"], packages["copied"]["lock"]),
                         ("own", "none"))
        self.assertRegex(packages["lib"]["used_by"][0], '^symbols "net"')
        self.assertTrue(any("run.setup in tests/main.tftest.hcl" == row["address"]
                            for row in document["modules"]), document["modules"])
        self.assertRegex(self.works("modules").said, r"Package\s+Ref\s+Version\s+Lock\s+License")

    def test_a_lock_that_differs_is_in_the_list(self):
        self.edit_lock(self.inner, "2" * 40)
        document = json.loads(self.works("modules", "-json").stdout)
        row = next(row for row in document["packages"] if "/inner" in row["source"])
        self.assertEqual(row["lock"], "differs")
        self.assertRegex(row["lock_problem"], "is locked at 2222")

    def test_bills_of_materials(self):
        document = json.loads(self.works("modules", "-sbom=cyclonedx").stdout)
        self.assertEqual((document["bomFormat"], document["specVersion"]), ("CycloneDX", "1.5"))
        by_name = {each["name"].rpartition("/")[2]: each for each in document["components"]}
        self.assertEqual(by_name["inner"]["version"], self.inner)
        self.assertEqual(by_name["inner"]["licenses"], [{"license": {"id": "MIT"}}])
        needs = {each["ref"]: each["dependsOn"] for each in document["dependencies"]}
        self.assertEqual(needs[by_name["p"]["bom-ref"]], [by_name["inner"]["bom-ref"]])
        self.assertNotIn(by_name["inner"]["bom-ref"], needs["root-module"])
        self.assertEqual(document, json.loads(self.works("modules", "-sbom=cyclonedx").stdout))
        document = json.loads(self.works("modules", "-sbom=spdx").stdout)
        self.assertEqual(document["spdxVersion"], "SPDX-2.3")
        identifiers = {each["SPDXID"] for each in document["packages"]} | {"SPDXRef-DOCUMENT"}
        for each in document["relationships"]:
            self.assertIn(each["spdxElementId"], identifiers)
            self.assertIn(each["relatedSpdxElement"], identifiers)
        self.fails("modules", "-sbom=spdx", "-verify", pattern="Conflicting options")


if __name__ == "__main__":
    unittest.main()

"""Who shares a package, on real git repositories: the table of the specification."""

import unittest

from sources import ServedTest

META = "module-package.meta.hcl"
MODULE = 'output "here" {\n  value = path.module\n}\n'


def call(name, source, more=""):
    return f'module "{name}" {{\n  source = "{source}"\n{more}}}\n'


class SharingTest(ServedTest):
    def expect(self, **placements):
        found = {key.replace("__", "."): self.work.placement(key.replace("__", "."))
                 for key in placements}
        self.assertEqual(found, {key.replace("__", "."): value
                                 for key, value in placements.items()})

    def test_a_package_without_a_file_is_copied_for_each_call(self):
        self.repository("p", {"main.tf": MODULE})
        self.work.write({"main.tf": call("a", self.source("p")) + call("b", self.source("p"))})
        self.init()
        self.expect(a="copy", b="copy")
        self.assertEqual(self.server.fetches["p"], 1)
        self.assertEqual(self.work.packages(), [])
        self.assertNotIn("module ", self.work.lock())
        # Each copy can be written without the other seeing it.
        (self.work.entry("a") / "main.tf").write_text("# changed\n")
        self.assertEqual((self.work.entry("b") / "main.tf").read_text(), MODULE)

    def test_an_empty_file_makes_calls_share_one_package(self):
        self.repository("p", {"main.tf": MODULE, META: ""})
        self.work.write({"main.tf": call("a", self.source("p")) + call("b", self.source("p"))})
        self.init()
        self.expect(a="link", b="link")
        self.assertEqual(len(self.work.packages()), 1)
        self.assertEqual(self.work.entry("a").resolve(), self.work.entry("b").resolve())
        file = self.work.entry("a") / "main.tf"
        self.assertEqual(file.stat().st_mode & 0o222, 0)
        self.assertEqual(self.work.manifest()["a"]["Dir"], ".terraform/modules/a")
        self.assertFalse((self.work.entry("a") / ".git").exists())

    def test_a_module_that_changes_itself_is_copied_and_its_siblings_are_not(self):
        self.repository("p", {
            "changing/main.tf": MODULE, "still/main.tf": MODULE + call("s", "../changing"),
            META: 'module "changing" {\n  path = "./changing"\n  read-only = { self = false }\n}\n',
        })
        self.work.write({"main.tf": call("a", self.source("p", "//changing"))
                         + call("b", self.source("p", "//changing"))
                         + call("c", self.source("p", "//still"))})
        self.init()
        self.expect(a="copy", b="copy", c="link")
        rows = self.work.modules()
        self.assertEqual((rows["a"]["files"], rows["a"]["read_only"]), ("own", False))
        self.assertEqual((rows["c"]["files"], rows["c"]["read_only"]), ("shared", True))
        # A copy is of the whole package.
        self.assertTrue((self.work.entry("a") / "still/main.tf").is_file())
        self.assertNotEqual(rows["a"]["directory"], rows["b"]["directory"])
        # The sibling's own call of the changing module is a directory of its own, too.
        self.assertEqual(rows["c.s"]["files"], "own")

    def test_modules_that_a_file_does_not_list_are_shared(self):
        self.repository("p", {
            "one/main.tf": MODULE, "two/main.tf": MODULE,
            META: 'package {\n  description = "two modules"\n}\n'
                  'module "one" {\n  path = "one"\n}\n',
        })
        self.work.write({"main.tf": call("a", self.source("p", "//one"))
                         + call("b", self.source("p", "//two"))})
        self.init()
        self.expect(a="link", b="link")
        self.assertEqual(self.server.fetches["p"], 1)
        self.assertEqual(len(self.work.packages()), 1)

    def test_each_caller_decides_about_packages_that_say_nothing(self):
        self.repository("silent", {"main.tf": MODULE})
        self.repository("trusting", {"main.tf": call("s", self.source("silent")), META: ""})
        self.repository("careful", {
            "main.tf": call("s", self.source("silent")),
            META: 'module "main" {\n  path = "."\n  read-only = { dependencies = false }\n}\n',
        })
        self.work.write({"main.tf": call("t", self.source("trusting"))
                         + call("c", self.source("careful")) + call("s", self.source("silent"))})
        self.init()
        self.expect(t="link", c="link", t__s="link", c__s="copy", s="copy")
        rows = self.work.modules()
        self.assertIn("trusting", rows["t.s"]["decided_by"])
        self.assertIn("careful", rows["c.s"]["decided_by"])
        self.assertEqual(rows["s"]["read_only"], None)
        self.assertEqual(self.server.fetches["silent"], 1)

    def test_what_a_caller_says_holds_further_down(self):
        self.repository("deep", {"main.tf": MODULE})
        self.repository("middle", {"main.tf": call("d", self.source("deep"))})
        self.work.write({META: "", "main.tf": call("m", self.source("middle"))})
        self.init()
        self.expect(m="link", m__d="link")

    def test_a_package_decides_for_itself_whatever_its_caller_says(self):
        self.repository("p", {
            "main.tf": MODULE,
            META: 'module "main" {\n  path = "."\n  read-only = { self = false }\n}\n'})
        self.work.write({META: "", "main.tf": call("a", self.source("p"))})
        self.init()
        self.expect(a="copy")

    def test_a_local_helper_gets_a_directory_for_each_call(self):
        self.work.write({
            META: 'module "helper" {\n  path = "./helpers/helper"\n'
                  '  read-only = { self = false }\n}\n',
            "helpers/helper/main.tf": MODULE + call("n", "../near"),
            "helpers/near/main.tf": MODULE,
            "main.tf": call("one", "./helpers/helper") + call("two", "./helpers/helper")
                       + call("near", "./helpers/near")})
        self.init()
        rows = self.work.modules()
        directories = {rows["one"]["directory"], rows["two"]["directory"]}
        self.assertEqual(len(directories), 2)
        for directory in directories:
            self.assertTrue((self.work.path / directory / "main.tf").is_file())
            self.assertTrue((self.work.path / directory / "../near/main.tf").is_file())
        self.assertEqual(rows["near"]["directory"], "helpers/near")
        self.assertEqual(self.work.tofu("validate", "-no-color").status, 0)
        # The next init notices that the original changed.
        self.work.write({"helpers/helper/more.tf": 'variable "x" {\n  default = 1\n}\n'})
        self.init()
        for directory in directories:
            self.assertTrue((self.work.path / directory / "more.tf").is_file())

    def test_instances_of_a_module_that_changes_itself_are_warned_about_or_refused(self):
        meta = 'module "main" {{\n  path = "."\n  read-only = {{ self = false }}\n{}}}\n'
        changing = self.repository("changing", {"main.tf": MODULE, META: meta.format("")})
        self.repository("outer", {"main.tf": call("inner", self.source("changing")), META: ""})
        self.work.write({"main.tf": call("top", self.source("outer"), "  count = 5\n")})
        run = self.init()
        self.assertIn("Warning", run.said)
        self.assertRegex(run.said, r"module\.top.*module\.inner|module\.top\.inner")

        changing.commit({META: meta.format('  instances = "single"\n')})
        self.refused(r"module\.top", arguments=("-upgrade",))

        self.work.write({"main.tf": call("top", self.source("outer"))})
        self.assertNotIn("Warning", self.init("-upgrade").said)

    def test_mistakes_in_the_file_are_told_at_their_place(self):
        self.repository("p", {"main.tf": MODULE,
                              META: 'module "x" {\n  path = "../out"\n  read_only = {}\n}\n'})
        self.work.write({"main.tf": call("a", self.source("p"))})
        self.refused(r"module-package\.meta\.hcl line 2", r"module-package\.meta\.hcl line 3")


if __name__ == "__main__":
    unittest.main()

"""Packages that mean harm, through the whole program: refused, nothing left behind."""

import io
import tarfile
import unittest
import zipfile

from place import PlaceTest
from sources import ServedTest, archive

MODULE = 'output "here" {\n  value = path.module\n}\n'


def call(name, source):
    return f'module "{name}" {{\n  source = "{source}"\n}}\n'


def tar_of(*entries):
    """Entries are (name, type, link target or content)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, kind, text in (("main.tf", tarfile.REGTYPE, MODULE), *entries):
            entry = tarfile.TarInfo(name)
            entry.type = kind
            content = b""
            if kind == tarfile.REGTYPE:
                content = text.encode()
                entry.size = len(content)
            else:
                entry.linkname = text
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def zip_of(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return out.getvalue()


class HostileTest(ServedTest):
    def setUp(self):
        super().setUp()
        self.outside = self.top / "outside"
        self.outside.mkdir()
        (self.outside / "secret").write_text("secret")

    def refuse_archive(self, content, name, path="/p.tar.gz"):
        """The archive is refused, the entry is named, and nothing is there."""
        self.server.put(path, content)
        self.work.write({"main.tf": call("a", self.server.url + path)})
        run = self.refused("(?s)" + name)
        self.assertEqual(self.work.placement("a"), "none")
        self.assertEqual(self.work.packages(), [])
        left = [each for each in self.work.path.rglob("*")
                if each.is_file() and each.name not in ("main.tf", "modules.json", "packages.json")
                and "lock" not in each.name]
        self.assertEqual(left, [])
        self.assertEqual([each.name for each in self.outside.iterdir()], ["secret"])
        self.assertFalse((self.top / "evil").exists())
        return run

    def test_names_that_leave_the_package(self):
        for name in ("../evil", "x/../../evil", "../../../evil", str(self.top / "evil")):
            with self.subTest(name=name):
                self.refuse_archive(tar_of((name, tarfile.REGTYPE, "x")), "evil")
        self.refuse_archive(zip_of({"main.tf": MODULE, "../evil": "x"}), "evil", "/p.zip")

    def test_links_that_leave_the_package(self):
        outside = str(self.outside)
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
            for target in (outside, f"{outside}/secret", "../../../outside", "/etc/passwd"):
                with self.subTest(kind=kind, target=target):
                    self.refuse_archive(tar_of(("way", kind, target)), "way")
        self.refuse_archive(tar_of(("way", tarfile.SYMTYPE, outside),
                                   ("way/evil", tarfile.REGTYPE, "x")), "way")

    def test_a_link_in_a_repository_that_leaves_it(self):
        self.repository("p", {"main.tf": MODULE, "way->": str(self.outside)})
        self.work.write({"main.tf": call("a", f"git::{self.server.url}/git/p")})
        self.refused("way")
        self.assertEqual(self.work.placement("a"), "none")

    def test_links_inside_the_package_are_kept(self):
        self.server.put("/p.tar.gz", archive({"main.tf": MODULE, "real/f": "x"},
                                             links=[("way", "real/f"), ("real/up", "../main.tf")]))
        self.work.write({"main.tf": call("a", f"{self.server.url}/p.tar.gz")})
        self.init()
        self.assertEqual((self.work.entry("a") / "way").read_text(), "x")

    def test_devices_and_pipes(self):
        for kind in (tarfile.FIFOTYPE, tarfile.CHRTYPE):
            self.refuse_archive(tar_of(("thing", kind, "")), "thing")

    def test_a_bomb(self):
        bomb = archive({"main.tf": MODULE, "zeros": "\0" * (40 << 20)}, kind="bz2")
        self.assertLess(len(bomb), 10_000)
        self.refuse_archive(bomb, "", "/p.tar.bz2")

    def test_options_in_place_of_references_and_addresses(self):
        self.repository("p", {"main.tf": MODULE})
        mark = self.top / "evil"
        script = self.top / "script"
        script.write_text(f"#!/bin/sh\ntouch {mark}\n")
        script.chmod(0o755)
        for source in (f"git::{self.server.url}/git/p?ref=--upload-pack={script}",
                       f"git::{self.server.url}/git/p?ref=-u{script}",
                       f"git::--upload-pack={script}",
                       f"git::ssh://-oProxyCommand={script}/p",
                       f"git::ext::{script}",
                       f"hg::{self.server.url}/p?rev=--config=hooks.x={script}"):
            with self.subTest(source=source):
                self.work.write({"main.tf": call("a", source)})
                self.refused()
                self.assertFalse(mark.exists())
                self.assertEqual(self.work.placement("a"), "none")

    def test_a_planted_link_is_not_written_through(self):
        self.repository("p", {"main.tf": MODULE,
                                                 "module-package.meta.hcl": ""})
        (self.work.path / ".terraform/modules").mkdir(parents=True)
        self.work.entry("a").symlink_to(self.outside)
        self.work.write({"main.tf": call("a", f"git::{self.server.url}/git/p")})
        self.init()
        self.assertEqual([each.name for each in self.outside.iterdir()], ["secret"])
        self.assertTrue((self.work.entry("a") / "main.tf").is_file())

    def test_passwords_in_addresses_are_not_told(self):
        address = self.server.url.replace("http://", "http://user:hunter2@")
        self.work.write({"main.tf": call("a", f"git::{address}/git/missing")})
        run = self.refused("missing")
        self.assertNotIn("hunter2", run.said)



class NamesOfFilesTest(PlaceTest):
    """An untrusted directory has files with control sequences in their names."""

    EVIL = "a\x1b]0;x\x07\x1b[2J\r\u009b2J\u202e"

    def check(self, run):
        for bad in ("\x1b]", "\x1b[2J", "\r", "\u009b", "\u202e", "\x07"):
            self.assertNotIn(bad, run.stdout + run.stderr)

    def test_names_of_workspaces_and_tests_are_shown_and_not_obeyed(self):
        (self.work.path / "terraform.tfstate.d" / self.EVIL).mkdir(parents=True)
        self.work.write({"main.tf": "", f"{self.EVIL}.tftest.hcl":
                         'run "a" {\n  command = plan\n}\n'})
        self.init()
        run = self.work.tofu("workspace", "list")
        self.assertEqual(run.status, 0, run.said)
        self.assertIn("\u241b", run.stdout)
        self.check(run)
        run = self.work.tofu("test", "-no-color")
        self.assertIn("\u241b", run.stdout)
        self.check(run)


if __name__ == "__main__":
    unittest.main()

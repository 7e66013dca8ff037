"""Every kind of source that can be served on loopback, and what is asked of it."""

import hashlib
import io
import shutil
import unittest
import zipfile

from sources import ServedTest, archive

META = "module-package.meta.hcl"
MODULE = 'output "here" {\n  value = path.module\n}\n'


def call(name, source, more=""):
    return f'module "{name}" {{\n  source = "{source}"\n{more}}}\n'


def zip_of(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return out.getvalue()


class SourcesTest(ServedTest):
    def installs(self, source, file="main.tf"):
        """The source can be called, and its module has this file."""
        shutil.rmtree(self.work.path / ".terraform", ignore_errors=True)
        (self.work.path / ".terraform.lock.hcl").unlink(missing_ok=True)
        self.work.write({"main.tf": call("a", source)})
        self.init()
        directory = self.work.path / self.work.manifest()["a"]["Dir"]
        self.assertTrue((directory / file).is_file(), source)
        return directory

    def test_archives_of_every_form(self):
        files = {"main.tf": MODULE, "deep/er/main.tf": MODULE, "deep/er/there": ""}
        forms = {"zip": zip_of(files), "tar": archive(files, kind=""),
                 "tar.gz": archive(files), "tgz": archive(files),
                 "tar.bz2": archive(files, kind="bz2"), "tar.xz": archive(files, kind="xz")}
        for form, content in forms.items():
            with self.subTest(form=form):
                self.server.put(f"/p.{form}", content)
                self.installs(f"{self.server.url}/p.{form}")
                self.installs(f"{self.server.url}/p.{form}//deep/er", "there")
        self.server.put("/nameless", forms["tar.gz"])
        self.installs(f"{self.server.url}/nameless?archive=tar.gz")

    def test_checksums_in_the_address(self):
        content = archive({"main.tf": MODULE})
        self.server.put("/p.tar.gz", content)
        right = hashlib.sha256(content).hexdigest()
        self.installs(f"{self.server.url}/p.tar.gz?checksum=sha256:{right}")
        wrong = hashlib.sha256(b"").hexdigest()
        self.work.write({"main.tf": call("a", f"{self.server.url}/p.tar.gz?checksum=sha256:{wrong}")})
        self.refused("(?i)checksum")

    def test_redirections_by_header_and_by_page(self):
        self.server.put("/p.tar.gz", archive({"main.tf": MODULE, "sub/main.tf": MODULE,
                                              "sub/there": ""}))
        where = f"{self.server.url}/p.tar.gz//sub"
        self.server.put("/header", b"", X_Terraform_Get=where)
        self.server.put("/page", f'<html><head><meta name="terraform-get" content="{where}">'
                                 "</head></html>", Content_Type="text/html")
        self.installs(f"{self.server.url}/header", "there")
        self.installs(f"{self.server.url}/page", "there")
        self.server.put("/local", b"", X_Terraform_Get=f"file://{self.top}/home")
        self.work.write({"main.tf": call("a", f"{self.server.url}/local")})
        self.refused()

    def test_references_of_git(self):
        repository = self.repository("p", {"main.tf": MODULE, "one": ""})
        first = repository.git("rev-parse", "HEAD")
        repository.git("tag", "v1")
        repository.git("checkout", "-q", "-b", "feature/x")
        repository.commit({"two": "", "sub/main.tf": MODULE, "sub/there": ""})
        repository.git("checkout", "-q", "main")
        base = f"git::{self.server.url}/git/p"
        for reference, has_two in ((None, False), ("v1", False), ("main", False),
                                   ("feature/x", True), (first, False), (first[:10], False)):
            with self.subTest(reference=reference):
                directory = self.installs(base + (f"?ref={reference}" if reference else ""), "one")
                self.assertEqual((directory / "two").exists(), has_two)
        self.installs(f"{base}//sub?ref=feature/x&depth=1", "there")
        self.work.write({"main.tf": call("a", f"{base}?ref=nowhere")})
        self.refused("nowhere")

    def test_one_fetch_serves_all_subdirectories_and_libraries(self):
        self.repository("p", {
            META: "", "x/main.tf": MODULE, "y/main.tf": MODULE,
            "lib/main.sym.hcl": 'values {\n  word = "hello"\n}\n'})
        base = f"git::{self.server.url}/git/p"
        self.work.write({"main.tf": call("x", f"{base}//x") + call("y", f"{base}//y")
                         + f'symbols "lib" {{\n  source = "{base}//lib"\n}}\n'
                         + 'output "word" {\n  value = symbols.lib.word\n}\n'})
        self.init()
        self.assertEqual(self.server.fetches["p"], 1)
        self.assertEqual(self.work.tofu("validate", "-no-color").status, 0)
        before = self.work.state()
        self.init()
        self.assertEqual(self.work.state(), before)

    def test_a_directory_on_this_disk_as_a_package(self):
        package = self.top / "package"
        package.mkdir()
        (package / "main.tf").write_text(MODULE)
        (package / META).write_text("")
        self.work.write({"main.tf": call("a", str(package)) + call("b", str(package))})
        self.init()
        self.assertEqual(self.work.placement("a"), "link")
        self.assertEqual(self.work.tofu("validate", "-no-color").status, 0)

    def test_passwords_are_kept_out_of_what_others_read(self):
        self.repository("p", {"main.tf": MODULE, META: ""})
        address = self.server.url.replace("http://", "http://user:hunter2@")
        self.work.write({"main.tf": call("a", f"git::{address}/git/p")})
        said = self.init().said + self.work.tofu("modules").said + self.work.lock()
        for each in (self.work.path / ".terraform/packages").rglob("*.json"):
            said += each.read_text()
        self.assertIn("git::", said)
        self.assertNotIn("hunter2", said)

    def test_get_updates_when_asked(self):
        repository = self.repository("p", {"main.tf": MODULE})
        self.work.write({"main.tf": call("a", f"git::{self.server.url}/git/p")})
        self.assertEqual(self.work.tofu("get", "-no-color").status, 0)
        repository.commit({"new": ""})
        self.assertEqual(self.work.tofu("get", "-no-color").status, 0)
        self.assertFalse((self.work.entry("a") / "new").exists())
        self.assertEqual(self.work.tofu("get", "-no-color", "-update").status, 0)
        self.assertTrue((self.work.entry("a") / "new").exists())

    def test_a_configuration_begins_as_a_copy_of_a_module(self):
        self.repository("p", {"main.tf": call("m", "./m"), "m/main.tf": MODULE})
        run = self.init(f"-from-module=git::{self.server.url}/git/p")
        self.assertTrue((self.work.path / "main.tf").is_file(), run.said)
        self.assertTrue((self.work.path / "m/main.tf").is_file())
        self.assertEqual(self.work.tofu("validate", "-no-color").status, 0)


if __name__ == "__main__":
    unittest.main()

"""What ./dev release makes of a program: sources, packages, image, bill of materials, installation."""

import gzip
import hashlib
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

TOOLS = pathlib.Path(__file__).parent.parent
sys.path.insert(0, str(TOOLS / "release"))

import bill  # noqa: E402  pylint: disable=wrong-import-position
import image  # noqa: E402  pylint: disable=wrong-import-position
import packages  # noqa: E402  pylint: disable=wrong-import-position
import release  # noqa: E402  pylint: disable=wrong-import-position
import sysroot  # noqa: E402  pylint: disable=wrong-import-position
import tree  # noqa: E402  pylint: disable=wrong-import-position

DATE = 1700000000
PROGRAM = b"#!/bin/sh\necho 'OpenTofu v1.0.0'\n"


class ReleaseTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.top = pathlib.Path(holder.name)
        self.out = self.top / "dist"
        self.out.mkdir()

    def stage(self, name="staged", program=PROGRAM):
        staged = self.top / name
        shutil.rmtree(staged, ignore_errors=True)
        (staged / "usr/bin").mkdir(parents=True)
        (staged / "usr/share/doc/tofu-cpp").mkdir(parents=True)
        (staged / "usr/bin/tofu").write_bytes(program)
        (staged / "usr/bin/tofu").chmod(0o755)
        (staged / "usr/share/doc/tofu-cpp/LICENSE").write_text("Mozilla Public License\n")
        return staged

    def about(self, version="0.3.0", architecture="amd64"):
        return packages.Release(version, architecture, DATE, "https://example.invalid/")


class SourcesTest(ReleaseTest):
    def write(self, name, text):
        path = self.top / "apt" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_both_forms_of_apt_sources_are_read(self):
        self.write("sources.list", "# deb http://old.invalid/ bookworm main\n"
                   "deb [arch=amd64 signed-by=/keys/debian.gpg] http://one.invalid/ bookworm main contrib\n")
        self.write("sources.list.d/debian.sources", "Types: deb\nURIs: http://two.invalid/\n"
                   "Suites: bookworm-security bookworm-backports\nComponents: main\n"
                   "Signed-By: /keys/debian.gpg\n")
        text = sysroot.debian_sources("bookworm", self.top / "apt")
        self.assertEqual([line for line in text.splitlines() if not line.startswith("Signed-By")], [
            "Types: deb deb-src", "URIs: http://one.invalid/", "Suites: bookworm", "Components: main",
            "", "Types: deb deb-src", "URIs: http://two.invalid/", "Suites: bookworm-security",
            "Components: main"])
        self.assertEqual(text.count("Signed-By: /keys/debian.gpg"), 2)

    def test_sources_of_others_and_disabled_ones_are_left_out(self):
        self.write("sources.list.d/other.list", "deb http://other.invalid/ cloud-bookworm main\n")
        self.write("sources.list.d/off.sources", "Types: deb\nEnabled: no\nURIs: http://off.invalid/\n"
                   "Suites: bookworm\nComponents: main\n")
        with self.assertRaisesRegex(sysroot.Missing, "no source of Debian bookworm"):
            sysroot.debian_sources("bookworm", self.top / "apt")

    @unittest.skipUnless(shutil.which("dpkg"), "this is not Debian")
    def test_the_newest_version_comes_first(self):
        self.assertEqual(sysroot.sort_versions({"15.18-0+deb12u1", "15.20-0+deb12u1", "15.9-1"}),
                         ["15.20-0+deb12u1", "15.18-0+deb12u1", "15.9-1"])


class PackagesTest(ReleaseTest):
    def test_packages_are_equal_byte_for_byte(self):
        first, second = self.top / "first", self.top / "second"
        for out, staged in ((first, self.stage("one")), (second, self.stage("two"))):
            out.mkdir()
            for write in (packages.write_archives, packages.write_deb, packages.write_apk):
                write(self.about(), staged, out)
        names = sorted(path.name for path in first.iterdir())
        self.assertEqual(len(names), 4)
        for name in names:
            self.assertEqual((first / name).read_bytes(), (second / name).read_bytes(), name)

    def test_archives_have_one_folder_and_an_executable_program(self):
        tar, zipped = packages.write_archives(self.about(), self.stage(), self.out)
        with tarfile.open(self.out / tar) as archive:
            member = archive.getmember("tofu-cpp-0.3.0/bin/tofu")
            self.assertEqual((member.mode, member.uname, member.mtime), (0o755, "root", DATE))
            self.assertTrue(all(name.startswith("tofu-cpp-0.3.0/") for name in archive.getnames()))
        with zipfile.ZipFile(self.out / zipped) as archive:
            self.assertEqual(archive.read("tofu-cpp-0.3.0/bin/tofu"), PROGRAM)
            mode = archive.getinfo("tofu-cpp-0.3.0/bin/tofu").external_attr >> 16
            self.assertEqual(mode, 0o100755)

    @unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg is not installed")
    def test_dpkg_reads_the_debian_package(self):
        (name,) = packages.write_deb(self.about(), self.stage(), self.out)
        fields = subprocess.run(["dpkg-deb", "--field", self.out / name], check=True, text=True,
                                stdout=subprocess.PIPE).stdout
        self.assertIn("Conflicts: tofu, opentofu\n", fields)
        subprocess.run(["dpkg-deb", "--extract", self.out / name, self.top / "root"], check=True)
        self.assertEqual((self.top / "root/usr/bin/tofu").read_bytes(), PROGRAM)

    def test_an_apk_has_the_hash_of_its_data(self):
        (name,) = packages.write_apk(self.about(architecture="arm64"), self.stage(), self.out)
        self.assertEqual(name, "tofu-cpp-0.3.0-r0.aarch64.apk")
        package = (self.out / name).read_bytes()
        # Two gzip members, of which the second begins where a header is found again.
        start = package.index(b"\x1f\x8b\x08", 10)
        control = gzip.decompress(package[:start])
        with tarfile.open(fileobj=io.BytesIO(control + bytes(1024))) as archive:
            about = archive.extractfile(".PKGINFO").read().decode()
        self.assertIn(f"datahash = {hashlib.sha256(package[start:]).hexdigest()}\n", about)
        self.assertIn("depend = !opentofu\n", about)

    @unittest.skipUnless(shutil.which("rpmbuild"), "rpm is not installed")
    def test_rpm_reads_its_package(self):
        (name,) = packages.write_rpm(self.about(architecture="arm64"), self.stage(), self.out)
        query = subprocess.run(["rpm", "-qp", "--qf", "%{NAME} %{VERSION} %{ARCH} [%{CONFLICTS} ]",
                                self.out / name], check=True, text=True, stdout=subprocess.PIPE)
        self.assertEqual(query.stdout.split()[:3], ["tofu-cpp", "0.3.0", "aarch64"])
        self.assertEqual(set(query.stdout.split()[3:]), {"tofu", "opentofu"})


class ImageTest(ReleaseTest):
    def test_every_blob_has_the_hash_of_its_name_and_each_architecture_an_image(self):
        image.write_layout(self.top / "image", {"amd64": b"one", "arm64": b"two"}, b"pem", "0.3.0",
                           DATE, "2023-11-14T22:13:20Z")
        blobs = self.top / "image/blobs/sha256"
        for blob in blobs.iterdir():
            self.assertEqual(hashlib.sha256(blob.read_bytes()).hexdigest(), blob.name)

        def load(descriptor):
            content = (blobs / descriptor["digest"].removeprefix("sha256:")).read_bytes()
            self.assertEqual(len(content), descriptor["size"])
            return content

        top = json.loads((self.top / "image/index.json").read_text())
        index = json.loads(load(top["manifests"][0]))
        self.assertEqual([entry["platform"]["architecture"] for entry in index["manifests"]],
                         ["amd64", "arm64"])
        manifest = json.loads(load(index["manifests"][1]))
        layer = gzip.decompress(load(manifest["layers"][0]))
        configuration = json.loads(load(manifest["config"]))
        self.assertEqual(configuration["rootfs"]["diff_ids"],
                         ["sha256:" + hashlib.sha256(layer).hexdigest()])
        with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
            self.assertEqual(archive.extractfile("usr/bin/tofu").read(), b"two")
            self.assertEqual(archive.getmember("tmp").mode, 0o1777)


    def test_the_image_is_one_archive_of_its_layout(self):
        if not pathlib.Path("/etc/ssl/certs/ca-certificates.crt").exists():
            self.skipTest("ca-certificates is not installed")
        (name,) = release.write_image(self.out, {"amd64": b"one"}, "0.3.0", DATE)
        with tarfile.open(self.out / name) as archive:
            self.assertLessEqual({"blobs/sha256", "index.json", "oci-layout"},
                                 set(archive.getnames()))


class BillTest(ReleaseTest):
    def test_only_what_was_linked_is_named(self):
        link_map = "240670  1  16  /s/lib/libcrypto.a(libcrypto-lib-a_int.o):(.rodata)\n"
        libraries = [
            {"name": "libssl-dev", "version": "3.0.19-1", "source": "openssl",
             "source_version": "3.0.19-1", "sha256": "0" * 64, "archives": ["libcrypto.a", "libssl.a"]},
            {"name": "libzstd-dev", "version": "1.5.4", "source": "libzstd",
             "source_version": "1.5.4", "sha256": "0" * 64, "archives": ["libzstd.a"]},
            {"name": "libfmt-dev", "version": "9.1", "source": "fmtlib", "source_version": "9.1",
             "sha256": "0" * 64, "archives": []}]
        text = bill.bill(self.about(), libraries, bill.linked_archives(link_map), "1" * 64)
        names = [part["name"] for part in json.loads(text)["components"]]
        self.assertEqual(names, ["openssl", "fmtlib"])


@unittest.skipUnless(shutil.which("minisign"), "minisign is not installed")
class InstallTest(ReleaseTest):
    def publish(self, version="0.3.0", program=PROGRAM):
        for architecture in ("amd64", "arm64"):
            packages.write_archives(self.about(version, architecture),
                                    self.stage(f"staged-{version}-{architecture}", program), self.out)
        release.sign(self.out, [path.name for path in self.out.glob("*.tar.gz")], None)

    def install(self, *options):
        return subprocess.run(
            ["sh", TOOLS.parent / "packaging/install.sh", "--prefix", self.top / "prefix", *options],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def install_release(self, version="0.3.0"):
        return self.install("--from", self.out, "--version", version, "--key",
                            self.out / "test-key.pub")

    def test_a_release_is_installed_upgraded_and_removed(self):
        self.publish()
        self.assertEqual(self.install_release().returncode, 0)
        program = self.top / "prefix/bin/tofu"
        self.assertEqual(program.read_bytes(), PROGRAM)
        self.publish("0.3.1", PROGRAM + b"# newer\n")
        self.assertEqual(self.install_release("0.3.1").returncode, 0)
        self.assertEqual(program.read_bytes(), PROGRAM + b"# newer\n")
        (self.top / "prefix/bin/other").write_text("")
        self.assertEqual(self.install("--uninstall").returncode, 0)
        files = [path for path in (self.top / "prefix").rglob("*") if path.is_file()]
        self.assertEqual(files, [self.top / "prefix/bin/other"])

    def test_an_archive_that_was_changed_is_refused(self):
        self.publish()
        for archive in self.out.glob("*.tar.gz"):
            archive.write_bytes(archive.read_bytes() + b" ")
        done = self.install_release()
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not the signed one", done.stdout)
        self.assertFalse((self.top / "prefix").exists())

    def test_hashes_that_were_changed_are_refused(self):
        self.publish()
        with open(self.out / "SHA256SUMS", "a", encoding="utf-8") as sums:
            sums.write("0  other\n")
        done = self.install_release()
        self.assertEqual(done.returncode, 1)
        self.assertIn("the signature of SHA256SUMS is not valid", done.stdout)
        self.assertFalse((self.top / "prefix").exists())

    def test_a_signature_of_another_key_is_refused(self):
        self.publish()
        shutil.copy(self.out / "test-key.pub", self.top / "first.pub")
        self.publish()
        done = self.install("--from", self.out, "--version", "0.3.0", "--key", self.top / "first.pub")
        self.assertEqual(done.returncode, 1)
        self.assertFalse((self.top / "prefix").exists())


class TemplatesTest(ReleaseTest):
    def test_formula_and_expression_name_the_release(self):
        archive = self.out / "tofu-cpp_0.3.0_linux_amd64.tar.gz"
        archive.write_bytes(b"archive")
        release.fill_templates(self.out, "0.3.0", "https://releases.invalid")
        for name in ("tofu-cpp.rb", "tofu-cpp.nix"):
            text = (self.out / name).read_text()
            self.assertIn(hashlib.sha256(b"archive").hexdigest(), text)
            self.assertIn("https://releases.invalid/v0.3.0/tofu-cpp_0.3.0_linux_", text)
            self.assertNotRegex(text, "@[A-Z]")


if __name__ == "__main__":
    unittest.main()

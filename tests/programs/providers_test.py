"""Providers of registries, mirrors and caches: what init, lock and mirror do."""

import hashlib
import json
import os
import shutil
import subprocess
import threading
import unittest

from provider_packages import (HOST, PLATFORM, SPACE, ProviderServer, ProviderTest, h1, has_gpg,
                               package_files, packed_mirror, required, unpacked_mirror, use_tls,
                               zh, zip_of)

ROUNDS = int(os.environ.get("TOFU_TEST_ROUNDS", "2"))


@unittest.skipUnless(has_gpg(), "GnuPG is not installed")
class RegistryTest(ProviderTest):
    def setUp(self):
        super().setUp()
        self.configure(self.server.cli_configuration())

    def offer(self, name, version, **more):
        if not hasattr(self, "developer"):
            self.developer = self.signer()
        return self.server.offer(name, version, self.developer, **more)

    def test_the_newest_version_that_all_modules_allow_is_installed_and_locked(self):
        for version in ("1.0.0", "1.4.0", "1.10.0", "2.0.0", "1.11.0-beta1"):
            archives = self.offer("one", version, platforms=(PLATFORM, "darwin_arm64"))
            if version == "1.10.0":
                wanted = archives
        self.work.write({"main.tf": required(one=">= 1.2") + 'module "m" {\n  source = "./m"\n}\n',
                         "m/main.tf": required(one="< 2.0.0")})
        run = self.init()
        self.assertIn(f'- Finding {SPACE}/one versions matching ">= 1.2.0, < 2.0.0"...', run.stdout)
        self.assertIn(f"- Installing {SPACE}/one v1.10.0...\n", run.stdout)
        self.assertIn(f"- Installed {SPACE}/one v1.10.0 (signed, key ID {self.developer.key_id})\n",
                      run.stdout)
        files = package_files("one", "1.10.0") | {"platform": PLATFORM.encode()}
        hashes = sorted([h1(files)] + [zh(archive) for archive in wanted.values()])
        self.assertEqual(self.work.lock(), (
            '# This file is maintained automatically by "tofu init".\n'
            "# Manual edits may be lost in future updates.\n\n"
            f'provider "{SPACE}/one" {{\n  version     = "1.10.0"\n'
            '  constraints = ">= 1.2.0, < 2.0.0"\n  hashes = [\n'
            + "".join(f'    "{each}",\n' for each in hashes) + "  ]\n}\n"))
        self.assertTrue((self.package("one", "1.10.0")
                         / "terraform-provider-one_v1.10.0").stat().st_mode & 0o100)

    def test_a_second_run_downloads_nothing_and_changes_nothing(self):
        self.offer("one", "1.0.0")
        self.need(one="~> 1.0")
        self.init()
        before = self.work.state()
        run = self.init()
        self.assertIn(f"- Reusing previous version of {SPACE}/one from the dependency lock file",
                      run.stdout)
        self.assertIn(f"- Using previously-installed {SPACE}/one v1.0.0", run.stdout)
        self.assertEqual(self.server.asked[f"/files/one_1.0.0_{PLATFORM}.zip"], 1)
        self.assertEqual(self.work.state(), before)

    def test_the_lock_holds_the_version_until_upgrade(self):
        self.offer("one", "1.0.0")
        self.need(one="~> 1.0")
        self.init()
        self.offer("one", "1.1.0")
        shutil.rmtree(self.work.path / ".terraform")
        self.init()
        self.assertTrue(self.package("one", "1.0.0").is_dir())
        self.need(one="~> 1.1")
        self.refused(r"1\.0\.0", "-upgrade")
        self.init("-upgrade")
        self.assertTrue(self.package("one", "1.1.0").is_dir())
        self.assertNotIn('"1.0.0"', self.work.lock())

    def test_what_is_not_needed_any_more_leaves_the_lock(self):
        self.offer("one", "1.0.0")
        self.offer("two", "1.0.0")
        self.need(one="", two="")
        self.init()
        self.need(two="")
        self.init()
        self.assertNotIn(f"{SPACE}/one", self.work.lock())
        self.assertIn(f"{SPACE}/two", self.work.lock())

    def test_a_package_that_is_not_the_locked_one_is_refused(self):
        self.offer("one", "1.0.0")
        self.need(one="")
        self.init()
        lock = self.work.lock()
        shutil.rmtree(self.work.path / ".terraform")
        self.server.answers.clear()
        self.offer("one", "1.0.0", files=package_files("one", "1.0.0") | {"worm": b"inside"})
        self.refused("not among those in the lock file")
        self.assertFalse(self.package("one", "1.0.0").exists())
        self.assertEqual(self.work.lock(), lock)

    def test_a_damaged_package_is_installed_again(self):
        self.offer("one", "1.0.0")
        self.need(one="")
        self.init()
        program = self.package("one", "1.0.0") / "terraform-provider-one_v1.0.0"
        program.write_bytes(b"something else")
        self.init()
        self.assertEqual(program.read_bytes(), package_files("one", "1.0.0")[program.name])

    def test_an_archive_with_another_checksum_is_refused(self):
        self.offer("one", "1.0.0")
        self.server.put(f"/files/one_1.0.0_{PLATFORM}.zip", zip_of({"terraform-provider-one": b""}))
        self.need(one="")
        self.refused("checksum")
        self.assertEqual(self.work.lock(), "")
        self.assertEqual(self.providers_in(self.work.path / ".terraform/providers"), [])

    def test_checksums_that_another_key_signed_are_refused_before_the_download(self):
        self.offer("one", "1.0.0")
        stranger = self.signer("stranger")
        sums = self.server.answers["/files/one_1.0.0_SHA256SUMS"][2]
        self.need(one="")
        self.server.put("/files/one_1.0.0_SHA256SUMS.sig", stranger.sign(sums))
        self.refused("signed by a key that the registry does not know")
        self.server.put("/files/one_1.0.0_SHA256SUMS.sig", self.developer.sign(b"other"))
        self.refused("signature of its checksums is not valid")
        self.server.put("/files/one_1.0.0_SHA256SUMS.sig", b"nothing")
        self.refused("signature of its checksums is not valid")
        self.assertEqual(self.server.asked[f"/files/one_1.0.0_{PLATFORM}.zip"], 0)

    def test_checksums_without_the_package_or_with_another_are_refused(self):
        self.offer("one", "1.0.0")
        self.need(one="")
        other = "0" * 64 + f"  one_1.0.0_{PLATFORM}.zip\n"
        for sums in (other, "", "not checksums\n"):
            self.server.put("/files/one_1.0.0_SHA256SUMS", sums)
            self.server.put("/files/one_1.0.0_SHA256SUMS.sig", self.developer.sign(sums.encode()))
            self.refused("list of checksums")

    def test_a_registry_without_keys_is_refused_unless_it_is_the_default_one(self):
        self.server.offer("one", "1.0.0")
        self.need(one="")
        self.refused("no readable signing key")
        self.configure(self.server.cli_configuration("registry.opentofu.org"))
        self.work.write({"main.tf": required(one="").replace(SPACE, "team")})
        run = self.init()
        self.assertIn("Installed team/one v1.0.0. Signature validation was skipped", run.stdout)
        shutil.rmtree(self.work.path / ".terraform")
        self.refused("no readable signing key", OPENTOFU_ENFORCE_GPG_VALIDATION="true")

    def test_a_truncated_download_is_resumed(self):
        archive = self.offer("one", "1.0.0")[PLATFORM]
        path = f"/files/one_1.0.0_{PLATFORM}.zip"
        self.server.cuts[path] = [100, 50]
        self.need(one="")
        self.init()
        ranges = [headers.get("Range") for headers in self.server.headers[path]]
        self.assertEqual(ranges, [None, "bytes=100-", "bytes=150-"])
        self.assertIn(zh(archive), self.work.lock())

    def test_a_download_that_is_always_truncated_is_an_error(self):
        self.offer("one", "1.0.0")
        self.server.cuts[f"/files/one_1.0.0_{PLATFORM}.zip"] = [10] * 10
        self.need(one="")
        self.refused("EOF", TF_PROVIDER_DOWNLOAD_RETRY="1")
        self.assertEqual(self.server.asked[f"/files/one_1.0.0_{PLATFORM}.zip"], 2)
        self.assertEqual(self.providers_in(self.work.path / ".terraform/providers"), [])

    def test_more_than_the_registry_announced_is_not_downloaded(self):
        archive = self.offer("one", "1.0.0")[PLATFORM]
        self.server.change("one", "1.0.0", packages={
            PLATFORM: {"hashes": [zh(archive)], "package_size": len(archive)}})
        self.server.put(f"/files/one_1.0.0_{PLATFORM}.zip", bytes(1 << 24))
        self.need(one="")
        self.refused(f"longer than {len(archive)} bytes")

    def test_hashes_that_only_the_registry_names_are_not_locked_where_signatures_count(self):
        archive = self.offer("one", "1.0.0")[PLATFORM]
        self.server.change("one", "1.0.0", packages={
            PLATFORM: {"hashes": [zh(archive), "h1:told"], "package_size": len(archive)}})
        self.need(one="")
        self.init()
        self.assertNotIn("h1:told", self.work.lock())

    def test_hashes_of_other_platforms_are_locked_where_the_registry_is_believed(self):
        archive = self.server.offer("one", "1.0.0")[PLATFORM]
        other = h1({"terraform-provider-one": b"for another platform"})
        self.server.change("one", "1.0.0", packages={
            PLATFORM: {"hashes": [zh(archive)], "package_size": len(archive)},
            "windows_amd64": {"hashes": [other], "package_size": 1}})
        self.configure(self.server.cli_configuration("registry.opentofu.org"))
        self.work.write({"main.tf": required(one="").replace(SPACE, "team")})
        self.init()
        self.assertIn(other, self.work.lock())

    def test_tokens_go_to_the_registry_and_not_where_it_leads(self):
        self.offer("one", "1.0.0")
        other = ProviderServer(self.top / "other")
        self.addCleanup(other.close)
        path = f"/files/one_1.0.0_{PLATFORM}.zip"
        other.answers[path] = self.server.answers[path]
        self.server.put(path, b"", status=302, Location=other.url + path)
        self.configure(self.server.cli_configuration()
                       + f'credentials "{HOST}" {{\n  token = "secret"\n}}\n')
        self.need(one="")
        self.init()
        self.assertEqual(self.server.headers["/providers/team/one/versions"][0]["Authorization"],
                         "Bearer secret")
        for path, asked in (self.server.headers | other.headers).items():
            if not path.startswith("/providers/"):
                self.assertTrue(all("Authorization" not in each for each in asked), path)

    def test_a_registry_that_answers_slowly_is_given_up(self):
        self.offer("one", "1.0.0")
        self.server.delay = 3
        self.need(one="")
        self.refused("Client.Timeout", TF_REGISTRY_CLIENT_TIMEOUT="1", TF_REGISTRY_DISCOVERY_RETRY="0")

    def test_what_a_registry_does_not_have_is_told(self):
        self.offer("one", "1.0.0")
        self.need(missing="")
        self.refused("is not in the registry registry.example.com")
        self.need(one="> 5")
        self.refused(r"No version of .*one .*> 5\.0\.0")
        self.server.offer("two", "1.0.0", self.developer, platforms=("plan9_mips",))
        self.need(two="")
        self.refused(f"it has no package for {PLATFORM}")
        self.offer("old", "1.0.0", protocols=["4.0"])
        self.need(old="")
        self.refused("plugin protocols 4.0")

    def test_archives_that_leave_their_directory_are_refused(self):
        self.offer("one", "1.0.0", files={"../../escaped": b"x", "terraform-provider-one": b"y"})
        self.need(one="")
        self.refused("escaped")
        self.assertEqual([str(each) for each in self.top.rglob("escaped")], [])

    def test_a_read_only_lock_is_not_changed(self):
        self.offer("one", "1.0.0")
        self.need(one="")
        self.refused("-lockfile=readonly", arguments=("-lockfile=readonly",))
        self.init()
        before = self.work.lock()
        self.need(one=">= 1.0")
        self.init("-lockfile=readonly")
        self.init()
        self.assertEqual(self.work.lock(), before, "another constraint selects the same")
        lines = [line for line in before.splitlines(True) if "zh:" not in line]
        self.work.write({".terraform.lock.hcl": "".join(lines)})
        shutil.rmtree(self.work.path / ".terraform")
        run = self.init("-lockfile=readonly")
        self.assertIn("Provider lock file not updated", run.said)
        self.assertEqual(self.work.lock(), "".join(lines))
        self.offer("two", "1.0.0")
        self.need(one="", two="")
        self.refused("-lockfile=readonly", arguments=("-lockfile=readonly",))
        self.assertEqual(self.work.lock(), "".join(lines))

    def test_messages_for_programs_are_those_of_opentofu(self):
        self.offer("one", "1.0.0")
        self.need(one="~> 1.0")
        run = self.init("-json")
        messages = [json.loads(line)["@message"] for line in run.stdout.splitlines()]
        self.assertIn("Initializing provider plugins...", messages)
        self.assertIn(f'Finding {SPACE}/one versions matching "~> 1.0"...', messages)
        self.assertIn(f"Installing {SPACE}/one v1.0.0...", messages)
        self.assertIn(f"Installed {SPACE}/one v1.0.0 (signed, key ID {self.developer.key_id})",
                      messages)

    def test_many_runs_share_one_cold_cache(self):
        for name in ("one", "two"):
            self.offer(name, "1.0.0")
        for turn in range(ROUNDS):
            cache = self.top / f"cache-{turn}"
            cache.mkdir()
            folders = [self.folder(f"run-{turn}-{each}") for each in range(20)]
            for folder in folders:
                self.need(folder, one="", two="")
            started = [folder.start("init", "-no-color", TF_PLUGIN_CACHE_DIR=str(cache))
                       for folder in folders]
            for process in started:
                out, problems = process.communicate(timeout=120)
                self.assertEqual(process.returncode, 0, out.decode() + problems.decode())
            self.assertEqual(self.providers_in(cache), ["one 1.0.0", "two 1.0.0"])
            self.assertEqual(len({folder.lock() for folder in folders}), 1)
            for folder in folders:
                self.assertEqual(self.package("one", "1.0.0", folder).resolve(),
                                 cache / HOST / "team/one/1.0.0" / PLATFORM)

    def test_the_cache_is_used_for_what_is_locked(self):
        self.offer("one", "1.0.0")
        cache = self.top / "cache"
        cache.mkdir()
        self.need(one="")
        self.init(TF_PLUGIN_CACHE_DIR=str(cache))
        self.server.answers.clear()
        shutil.rmtree(self.work.path / ".terraform")
        run = self.init(TF_PLUGIN_CACHE_DIR=str(cache))
        self.assertIn("in the shared cache directory", run.stdout)
        self.assertTrue(self.package("one", "1.0.0").is_symlink())

    def test_the_lock_command_adds_hashes_of_other_platforms(self):
        archives = self.offer("one", "1.0.0", platforms=(PLATFORM, "windows_amd64"))
        self.need(one="")
        run = self.work.tofu("providers", "lock", f"-platform={PLATFORM}", "-platform=windows_amd64")
        self.assertEqual(run.status, 0, run.said)
        for platform, archive in archives.items():
            files = package_files("one", "1.0.0") | {"platform": platform.encode()}
            self.assertIn(h1(files), self.work.lock())
            self.assertIn(zh(archive), self.work.lock())
        self.assertFalse((self.work.path / ".terraform").exists())

    def test_packages_are_downloaded_side_by_side(self):
        names = ("one", "two")
        for name in names:
            self.offer(name, "1.0.0")
        both = threading.Barrier(len(names), timeout=60)
        answer = self.server.answer

        def answer_together(request):
            if request.path.endswith(".zip"):
                both.wait()
            answer(request)

        self.server.answer = answer_together
        self.need(**dict.fromkeys(names, ""))
        self.init()
        for name in names:
            self.assertTrue(self.package(name, "1.0.0").is_dir())

    def test_a_mirror_that_was_made_can_be_installed_from(self):
        self.offer("one", "1.0.0", platforms=(PLATFORM, "windows_amd64"))
        self.need(one="")
        run = self.work.tofu("providers", "mirror", f"-platform={PLATFORM}",
                             "-platform=windows_amd64", "mirror")
        self.assertEqual(run.status, 0, run.said)
        place = self.work.path / "mirror" / HOST / "team/one"
        self.assertEqual(json.loads((place / "index.json").read_text()), {"versions": {"1.0.0": {}}})
        listed = json.loads((place / "1.0.0.json").read_text())["archives"]
        self.assertEqual(sorted(listed), [PLATFORM, "windows_amd64"])
        files = package_files("one", "1.0.0") | {"platform": PLATFORM.encode()}
        self.assertIn(h1(files), listed[PLATFORM]["hashes"])
        self.server.answers.clear()
        self.init("-plugin-dir=mirror")
        self.assertTrue(self.package("one", "1.0.0").is_dir())


class MirrorTest(ProviderTest):
    def mirror(self, text):
        self.configure(f"provider_installation {{\n{text}\n}}\n")

    def test_an_unpacked_package_is_linked(self):
        package = unpacked_mirror(self.top / "mirror", "one", "1.0.0")
        self.mirror(f'filesystem_mirror {{\n  path = "{self.top}/mirror"\n}}')
        self.need(one="")
        run = self.init()
        self.assertIn(f"- Installed {SPACE}/one v1.0.0 (unauthenticated)", run.stdout)
        self.assertIn("Incomplete lock file information", run.said)
        self.assertEqual(os.readlink(self.package("one", "1.0.0")), str(package))
        self.assertIn(h1(package_files("one", "1.0.0")), self.work.lock())

    def test_a_packed_package_is_unpacked(self):
        packed_mirror(self.top / "mirror", "one", "1.0.0")
        self.need(one="")
        self.init(f"-plugin-dir={self.top}/mirror")
        self.assertFalse(self.package("one", "1.0.0").is_symlink())
        self.assertEqual(json.loads((self.work.path / ".terraform/plugin_path").read_text()),
                         [f"{self.top}/mirror"])

    def test_what_a_killed_run_left_is_removed(self):
        packed_mirror(self.top / "mirror", "one", "1.0.0")
        left = self.package("one", "1.0.0").parent / ".new-linux.amd64-1-0"
        left.mkdir(parents=True)
        (left / "half").write_text("of a package")
        left.with_name(left.name + ".zip").write_text("half of an archive")
        self.need(one="")
        self.init(f"-plugin-dir={self.top}/mirror")
        self.assertEqual(self.providers_in(self.work.path / ".terraform/providers"), ["one 1.0.0"])

    def test_a_mirror_whose_package_was_changed_is_refused(self):
        package = unpacked_mirror(self.top / "mirror", "one", "1.0.0")
        self.need(one="")
        self.init(f"-plugin-dir={self.top}/mirror")
        (package / "LICENSE").write_text("changed")
        shutil.rmtree(self.work.path / ".terraform")
        self.refused("not among those in the lock file",
                     arguments=(f"-plugin-dir={self.top}/mirror",))

    def test_the_usual_directories_are_mirrors(self):
        unpacked_mirror(self.work.path / "terraform.d/plugins", "one", "1.0.0")
        unpacked_mirror(self.top / "home/.terraform.d/plugins", "two", "1.0.0")
        self.need(one="", two="")
        self.init()
        self.assertTrue(self.package("one", "1.0.0").is_symlink())
        self.assertTrue(self.package("two", "1.0.0").is_symlink())

    def test_a_network_mirror_has_documents_and_archives(self):
        certificate = use_tls(self.server, self.top)
        files = package_files("one", "1.0.0")
        archive = zip_of(files)
        base = f"/mirror/{HOST}/team/one"
        self.server.put(f"{base}/index.json", '{"versions":{"1.0.0":{}}}',
                        Content_Type="application/json")
        document = {"archives": {PLATFORM: {"url": "one.zip", "hashes": [h1(files)]},
                                 "plan9_mips": {"url": "x.zip", "hashes": ["h1:other"]}}}
        self.server.put(f"{base}/1.0.0.json", json.dumps(document), Content_Type="application/json")
        self.server.put(f"{base}/one.zip", archive)
        rule = f'network_mirror {{\n  url = "{self.server.url}/mirror/"\n}}'
        self.mirror(rule)
        self.need(one="")
        secret = {"TF_TOKEN_localhost": "other", "SSL_CERT_FILE": str(certificate)}
        run = self.init(**secret)
        self.assertIn(f"- Installed {SPACE}/one v1.0.0 (verified checksum)", run.stdout)
        self.assertNotIn("h1:other", self.work.lock())
        self.assertTrue(all("Authorization" not in each
                            for each in self.server.headers[f"{base}/index.json"]),
                        "the token is for another port")
        document["archives"][PLATFORM]["hashes"] = ["h1:wrong", "zh:wrong"]
        self.server.put(f"{base}/1.0.0.json", json.dumps(document), Content_Type="application/json")
        shutil.rmtree(self.work.path / ".terraform")
        self.refused("not among those that the mirror names", **secret)
        self.server.put(f"{base}/index.json", "<html>", Content_Type="text/html")
        self.refused("text/html", **secret)

    def test_a_trusted_mirror_vouches_for_other_platforms_where_no_signature_is_needed(self):
        certificate = use_tls(self.server, self.top)
        files = package_files("one", "1.0.0")
        other = h1({"terraform-provider-one": b"for another platform"})
        document = json.dumps({"archives": {
            PLATFORM: {"url": "one.zip", "hashes": [h1(files)]},
            "plan9_mips": {"url": "x.zip", "hashes": [other]}}})
        for host in (HOST, "registry.opentofu.org"):
            base = f"/mirror/{host}/team/one"
            self.server.put(f"{base}/index.json", '{"versions":{"1.0.0":{}}}',
                            Content_Type="application/json")
            self.server.put(f"{base}/1.0.0.json", document, Content_Type="application/json")
            self.server.put(f"{base}/one.zip", zip_of(files))
        self.mirror(f'network_mirror {{\n  url = "{self.server.url}/mirror/"\n'
                    '  trust_all_hashes = true\n}')
        for source, locked in (("team", True), (SPACE, False)):
            folder = self.folder(f"in-{locked}")
            folder.write({"main.tf": required(one="").replace(SPACE, source)})
            self.init(folder=folder, SSL_CERT_FILE=str(certificate))
            self.assertIn(h1(files), folder.lock())
            self.assertEqual(other in folder.lock(), locked, source)

    def test_an_oci_mirror_has_an_index_for_each_version(self):
        certificate = use_tls(self.server, self.top)
        files = package_files("one", "1.0.0+build")
        archive = zip_of(files)
        base = "/v2/mirror/team-one"

        def blob(kind, content):
            digest = "sha256:" + hashlib.sha256(content).hexdigest()
            self.server.put(f"{base}/{kind}/{digest}", content)
            return {"digest": digest, "size": len(content)}

        layer = {"mediaType": "archive/zip"} | blob("blobs", archive)
        manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                    "artifactType": "application/vnd.opentofu.provider-target", "layers": [layer]}
        entry = {"mediaType": manifest["mediaType"], "artifactType": manifest["artifactType"],
                 "platform": {"os": "linux", "architecture": "amd64"}}
        entry |= blob("manifests", json.dumps(manifest).encode())
        index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
                 "artifactType": "application/vnd.opentofu.provider", "manifests": [entry]}
        self.server.put(f"{base}/manifests/1.0.0_build", json.dumps(index))
        self.server.put(f"{base}/tags/list", json.dumps({"tags": ["latest"]}),
                        Link=f'<{base}/tags/list2?last=latest>; rel="next"')
        pages = self.server.answer

        def paged(request):
            if request.path == f"{base}/tags/list?last=latest":
                request.path = "/second"
            pages(request)

        self.server.answer = paged
        self.server.put("/second", json.dumps({"tags": ["1.0.0_build"]}))
        rule = ('repository_template = '
                f'"localhost:{self.server.port}/mirror/${{namespace}}-${{type}}"\n')
        self.need(one="1.0.0+build")
        self.mirror(f'oci_mirror {{\n  {rule}  include = ["{HOST}/*/*"]\n}}')
        run = self.init(SSL_CERT_FILE=str(certificate))
        self.assertIn(f"- Installed {SPACE}/one v1.0.0+build (verified checksum)", run.stdout)
        self.assertIn(zh(archive), self.work.lock())
        self.assertIn(h1(files), self.work.lock())
        (self.work.path / ".terraform.lock.hcl").unlink()
        template = f"localhost:{self.server.port}/mirror/{{namespace}}-{{type}}"
        run = self.work.tofu("providers", "lock", f"-oci-mirror={template}",
                             "-platform=linux_amd64", SSL_CERT_FILE=str(certificate))
        self.assertEqual(run.status, 0, run.said)
        self.assertIn(h1(files), self.work.lock())
        self.server.put(f"{base}/blobs/{layer['digest']}", zip_of({"terraform-provider-one": b"x"}))
        shutil.rmtree(self.work.path / ".terraform")
        self.refused("oci|digest|longer", SSL_CERT_FILE=str(certificate))

    def test_a_mirror_at_http_is_refused(self):
        self.mirror('network_mirror {\n  url = "http://127.0.0.1/"\n}')
        self.need(one="")
        self.refused("https")

    def test_a_method_with_a_mistake_in_its_patterns_is_not_used(self):
        unpacked_mirror(self.top / "mirror", "one", "1.0.0")
        self.mirror(f'filesystem_mirror {{\n  path = "{self.top}/mirror"\n'
                    '  include = ["*/*/one"]\n}')
        self.need(one="")
        self.refused("not a pattern", "no installation method")

    def test_version_lists_what_is_locked(self):
        unpacked_mirror(self.top / "mirror", "one", "1.0.0")
        self.need(one="")
        self.init(f"-plugin-dir={self.top}/mirror")
        run = self.work.tofu("version", "-json")
        self.assertEqual(json.loads(run.stdout)["provider_selections"], {f"{SPACE}/one": "1.0.0"})
        self.assertIn(f"+ provider {SPACE}/one v1.0.0\n", self.work.tofu("version").stdout)

    def test_a_development_override_is_told(self):
        built = self.top / "built"
        built.mkdir()
        (built / "terraform-provider-one").write_bytes(b"x")
        mirror = self.top / "mirror"
        unpacked_mirror(mirror, "one", "1.0.0")
        self.mirror(f'dev_overrides {{\n  "{SPACE}/one" = "{built}"\n}}\n'
                    f'filesystem_mirror {{\n  path = "{mirror}"\n}}')
        self.need(one="")
        run = self.init()
        self.assertIn("Provider development overrides are in effect", run.said)

    def test_locks_of_the_other_registry_select_the_same_versions(self):
        host = "registry.opentofu.org"
        place = self.top / "mirror" / host / "hashicorp/null"
        for version in ("3.1.0", "3.2.0"):
            package = place / version / PLATFORM
            package.mkdir(parents=True)
            (package / "terraform-provider-null").write_bytes(version.encode())
        self.work.write({"main.tf": 'provider "null" {}\n', ".terraform.lock.hcl": (
            'provider "registry.terraform.io/hashicorp/null" {\n  version = "3.1.0"\n'
            '  hashes = [\n    "h1:another",\n  ]\n}\n')})
        run = self.init(f"-plugin-dir={self.top}/mirror")
        self.assertIn("Lock file entries reused for another registry", run.said)
        self.assertIn(f'provider "{host}/hashicorp/null"', self.work.lock())
        self.assertIn('"3.1.0"', self.work.lock())
        self.assertNotIn("registry.terraform.io", self.work.lock())

    def test_a_run_waits_for_the_lock_that_opentofu_takes(self):
        packed_mirror(self.top / "mirror", "one", "1.0.0")
        cache = self.top / "cache"
        lock = cache / HOST / "team/one/1.0.0" / f"{PLATFORM}.lock"
        lock.parent.mkdir(parents=True)
        self.need(one="")
        holder = subprocess.Popen(
            ["python3", "-c", "import fcntl, sys\nf = open(sys.argv[1], 'w')\n"
             "fcntl.lockf(f, fcntl.LOCK_EX)\nprint('held', flush=True)\nsys.stdin.read()\n",
             str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(holder.stdout.close)
        holder.stdout.readline()
        process = self.work.start("init", "-no-color", f"-plugin-dir={self.top}/mirror",
                                  TF_PLUGIN_CACHE_DIR=str(cache))
        line = b""
        while b"Installing" not in line:
            line = process.stdout.readline()
        self.assertIsNone(process.poll())
        self.assertEqual(self.providers_in(cache), [])
        holder.communicate()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.providers_in(cache), ["one 1.0.0"])


if __name__ == "__main__":
    unittest.main()

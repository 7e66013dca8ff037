"""Provider packages, and a registry and mirrors that offer them on loopback."""

import base64
import hashlib
import io
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import zipfile

from sources import ServedTest, Server

PLATFORM = "linux_amd64"
HOST = "registry.example.com"
SPACE = f"{HOST}/team"


def zip_of(files):
    """A zip archive of {name: bytes}, in which everything can be executed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (2021, 1, 1, 0, 0, 0))
            entry.external_attr = 0o100755 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return out.getvalue()


def package_files(name, version):
    """What a package has in it; the program is none, since nothing starts it here."""
    return {f"terraform-provider-{name}_v{version}": f"program {name} {version}\n".encode(),
            "LICENSE": b"do as you like\n"}


def h1(files):
    """The hash of unpacked files, as lock files have it."""
    lines = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n"
                    for name, content in sorted(files.items()))
    return "h1:" + base64.b64encode(hashlib.sha256(lines.encode()).digest()).decode()


def zh(archive):
    return "zh:" + hashlib.sha256(archive).hexdigest()


class Signer:
    """A developer with an OpenPGP key, made anew in `folder`."""

    def __init__(self, folder, name="developer"):
        self.home = pathlib.Path(folder, f"gnupg-{name}")
        self.home.mkdir(mode=0o700, parents=True)
        self.name = f"{name}@example.com"
        self.gpg("--passphrase", "", "--quick-gen-key", self.name, "ed25519", "sign", "never")
        self.armor = self.gpg("--armor", "--export", self.name).decode()
        listed = self.gpg("--list-keys", "--with-colons", self.name).decode()
        self.key_id = next(line.split(":")[4] for line in listed.splitlines()
                           if line.startswith("pub:"))

    def gpg(self, *arguments, content=b""):
        done = subprocess.run(["gpg", "--batch", "--quiet", "--homedir", str(self.home),
                               *arguments], input=content, capture_output=True, check=True)
        return done.stdout

    def sign(self, content):
        return self.gpg("--local-user", self.name, "--detach-sign", content=content)

    def close(self):
        subprocess.run(["gpgconf", "--homedir", str(self.home), "--kill", "all"],
                       capture_output=True)


class ProviderServer(Server):
    """A provider registry. What it says of a version can be changed afterwards."""

    def offer(self, name, version, signer=None, platforms=(PLATFORM,), files=None, **change):
        """Offers a version; `change` replaces fields of the answer about its package."""
        path = f"/providers/team/{name}"
        known = self.answers.get(f"{path}/versions")
        versions = json.loads(known[2])["versions"] if known else []
        versions.append({"version": version, "protocols": ["5.0"],
                         "platforms": [dict(zip(("os", "arch"), each.split("_")))
                                       for each in platforms]})
        self.put(f"{path}/versions", json.dumps({"versions": versions}),
                 Content_Type="application/json")
        archives = {}
        for platform in platforms:
            content = files or package_files(name, version)
            archives[platform] = zip_of(content | {"platform": platform.encode()})
        sums = "".join(f"{hashlib.sha256(archive).hexdigest()}  {name}_{version}_{platform}.zip\n"
                       for platform, archive in archives.items())
        self.put(f"/files/{name}_{version}_SHA256SUMS", sums)
        self.put(f"/files/{name}_{version}_SHA256SUMS.sig",
                 signer.sign(sums.encode()) if signer else b"")
        for platform, archive in archives.items():
            filename = f"{name}_{version}_{platform}.zip"
            self.put(f"/files/{filename}", archive, ETag=f'"{hashlib.md5(archive).hexdigest()}"')
            keys = [{"key_id": signer.key_id, "ascii_armor": signer.armor}] if signer else []
            answer = {
                "protocols": ["5.0"], "os": platform.split("_")[0], "arch": platform.split("_")[1],
                "filename": filename, "download_url": f"{self.url}/files/{filename}",
                "shasum": hashlib.sha256(archive).hexdigest(),
                "shasums_url": f"{self.url}/files/{name}_{version}_SHA256SUMS",
                "shasums_signature_url": f"{self.url}/files/{name}_{version}_SHA256SUMS.sig",
                "signing_keys": {"gpg_public_keys": keys}}
            self.put(f"{path}/{version}/download/{platform.replace('_', '/')}",
                     json.dumps(answer | change), Content_Type="application/json")
        return archives

    def change(self, name, version, **fields):
        """Replaces fields of what is said of a package."""
        path = f"/providers/team/{name}/{version}/download/{PLATFORM.replace('_', '/')}"
        status, headers, content = self.answers[path]
        self.answers[path] = (status, headers,
                              json.dumps(json.loads(content) | fields).encode())

    def cli_configuration(self, host=HOST):
        return (f'host "{host}" {{\n  services = {{\n'
                f'    "providers.v1" = "{self.url}/providers/"\n  }}\n}}\n')


def use_tls(server, folder):
    """Lets a server speak https; gives the file with its certificate."""
    certificate, key = folder / "server.pem", folder / "server.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out",
                    str(certificate)], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.server.socket = context.wrap_socket(server.server.socket, server_side=True)
    server.url = f"https://localhost:{server.port}"
    return certificate


def unpacked_mirror(folder, name, version, platform=PLATFORM, host=HOST):
    package = pathlib.Path(folder, host, "team", name, version, platform)
    package.mkdir(parents=True)
    for file, content in package_files(name, version).items():
        (package / file).write_bytes(content)
        (package / file).chmod(0o755)
    return package


def packed_mirror(folder, name, version, platform=PLATFORM, host=HOST, files=None):
    place = pathlib.Path(folder, host, "team", name)
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"terraform-provider-{name}_{version}_{platform}.zip"
    path.write_bytes(zip_of(files or package_files(name, version)))
    return path


def required(**providers):
    """A configuration that needs providers of the team: {name: constraint}."""
    entries = "".join(
        f'    {name} = {{\n      source  = "{SPACE}/{name}"\n'
        + (f'      version = "{constraint}"\n' if constraint else "") + "    }\n"
        for name, constraint in providers.items())
    return f"terraform {{\n  required_providers {{\n{entries}  }}\n}}\n"


def has_gpg():
    return shutil.which("gpg") is not None


class ProviderTest(ServedTest):
    """A test with a registry of providers, and a configuration in the working directory."""

    def make_server(self, repositories):
        return ProviderServer(repositories)

    def configure(self, text):
        (self.top / "home/.tofurc").write_text(text)

    def signer(self, name="developer"):
        signer = Signer(self.top, name)
        self.addCleanup(signer.close)
        return signer

    def need(self, folder=None, **providers):
        (folder or self.work).write({"main.tf": required(**providers)})

    def package(self, name, version, folder=None, platform=PLATFORM):
        return ((folder or self.work).path / ".terraform/providers" / HOST / "team" / name
                / version / platform)

    def providers_in(self, directory):
        """NAME VERSION of everything in a directory of packages; nothing unfinished."""
        found = []
        for path in sorted(pathlib.Path(directory).glob("*/*/*/*/*")):
            self.assertNotIn(".new", path.name)
            if not path.name.endswith(".lock"):
                found.append(f"{path.parts[-3]} {path.parts[-2]}")
        return found

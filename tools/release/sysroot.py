"""The folder that a portable program is compiled and linked in: Debian packages of the target
architecture, unpacked beside the system and never installed.

apt works with lists, caches and a configuration of its own, made from the sources that this system
has configured; the system itself is not changed.
"""

import hashlib
import pathlib
import re
import subprocess

# What the program is compiled with and linked from. Programs and shared libraries in them stay unused.
PACKAGES = """
libc6-dev linux-libc-dev libgcc-12-dev libstdc++-12-dev
libacl1-dev libarchive-dev libattr1-dev libbsd-dev libbz2-dev libcrypt-dev libedit-dev libfmt-dev
libgmp-dev libidn2-dev libjson-c-dev liblzma-dev libmd-dev libmpfr-dev libncurses-dev libnghttp2-dev
libprotobuf-dev libre2-dev libssl-dev libunistring-dev libutf8proc-dev libyaml-dev libzstd-dev
nettle-dev zlib1g-dev
""".split()


class Missing(Exception):
    """Something that this system lacks, as one line for the user."""


def run(*command, **options):
    """Runs a command quietly; what it printed is shown if it fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
                          **options)
    if done.returncode != 0:
        tail = "\n".join(done.stdout.splitlines()[-30:])
        raise Missing(f"{' '.join(str(word) for word in command[:6])} failed:\n{tail}")
    return done.stdout


def stanza_lines(line):
    """The stanza for one line of a sources.list, or None."""
    match = re.match(r"deb\s+(?:\[(.*?)\]\s+)?(\S+)\s+(\S+)\s+(.+)$", line.split("#")[0].strip())
    if not match:
        return None
    options = dict(word.partition("=")[::2] for word in (match[1] or "").split())
    fields = {"Types": "deb deb-src", "URIs": match[2], "Suites": match[3], "Components": match[4]}
    if "signed-by" in options:
        fields["Signed-By"] = options["signed-by"]
    if "trusted" in options:
        fields["Trusted"] = options["trusted"]
    return fields


def read_stanzas(text):
    """The stanzas of a file *.sources that name archives of packages."""
    for block in re.split(r"\n\s*\n", text):
        fields, name = {}, None
        for line in block.splitlines():
            if line.startswith("#"):
                continue
            if line[:1].isspace() and name:
                fields[name] += "\n" + line
            elif ":" in line:
                name, _, value = line.partition(":")
                name = name.strip()
                fields[name] = value.strip()
        if "deb" in fields.get("Types", "").split() and fields.get("Enabled", "yes") != "no":
            yield fields | {"Types": "deb deb-src"}


def debian_sources(codename, etc=pathlib.Path("/etc/apt")):
    """The configured sources of this release of Debian, with its source packages, as one text."""
    stanzas = []
    lists = [etc / "sources.list", *sorted(etc.glob("sources.list.d/*.list"))]
    for path in lists:
        if path.exists():
            stanzas += filter(None, map(stanza_lines, path.read_text().splitlines()))
    for path in sorted(etc.glob("sources.list.d/*.sources")):
        stanzas += read_stanzas(path.read_text())
    kept = []
    for fields in stanzas:
        suites = [suite for suite in fields["Suites"].split()
                  if re.fullmatch(rf"{codename}(-updates|-security)?|{codename}/updates", suite)]
        if not suites or "main" not in fields.get("Components", "").split():
            continue
        fields = {name: value for name, value in fields.items() if name != "Architectures"}
        fields |= {"Suites": " ".join(suites), "Components": "main"}
        kept.append("".join(f"{name}: {value}\n" for name, value in fields.items()))
    if not kept:
        raise Missing(f"apt has no source of Debian {codename} configured")
    return "\n".join(kept)


class Apt:
    """apt for one architecture, with all of its files in one folder."""

    def __init__(self, folder, architecture, codename):
        self.folder = folder
        self.architecture = architecture
        for name in ("state/lists/partial", "cache/archives/partial", "packages"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "status").write_text("")
        (folder / "debian.sources").write_text(debian_sources(codename))
        self.configuration = folder / "apt.conf"
        self.configuration.write_text(f"""\
Dir::State "{folder}/state";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}/cache";
Dir::Etc::SourceList "{folder}/debian.sources";
Dir::Etc::SourceParts "-";
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
""")

    def call(self, program, *arguments, cwd=None):
        """What an apt program prints."""
        return run("env", f"APT_CONFIG={self.configuration}", "LC_ALL=C", program, *arguments,
                   cwd=cwd)

    def update(self):
        """Fetches the lists of packages."""
        self.call("apt-get", "-q", "update", "-o", "APT::Update::Error-Mode=any")

    def source_versions(self, name):
        """The versions of a source package, the newest first."""
        text = self.call("apt-cache", "showsrc", "--only-source", name)
        versions = set()
        for block in text.split("\n\n"):
            fields = dict(re.findall(r"^(Package|Version): (.+)$", block, re.MULTILINE))
            if fields.get("Package") == name:
                versions.add(fields["Version"])
        if not versions:
            raise Missing(f"apt has no source package {name}")
        return sort_versions(versions)

    def fetch_source(self, name, into):
        """Unpacks a source package with Debian's patches, and returns its folder and version."""
        into.mkdir(parents=True, exist_ok=True)
        failure = None
        # A mirror may be behind the index of the newest version.
        for version in self.source_versions(name):
            try:
                self.call("apt-get", "-q", "source", f"{name}={version}", cwd=into)
            except Missing as error:
                failure = failure or error
                continue
            (folder,) = [path for path in into.iterdir() if path.is_dir()]
            return folder, version
        raise failure


def sort_versions(versions):
    """Versions as dpkg orders them, the newest first."""
    ordered = []
    for version in versions:
        place = 0
        while place < len(ordered) and subprocess.run(
                ["dpkg", "--compare-versions", version, "lt", ordered[place]],
                check=False).returncode == 0:
            place += 1
        ordered.insert(place, version)
    return ordered


def package_fields(deb):
    """Name, version, source, hash and archives of a package file."""
    text = run("dpkg-deb", "--show", "--showformat",
               "${Package}\\n${Version}\\n${source:Package}\\n${source:Version}\\n", deb)
    name, version, source, source_version = text.splitlines()[:4]
    return {"name": name, "version": version, "source": source, "source_version": source_version,
            "sha256": hashlib.sha256(deb.read_bytes()).hexdigest(),
            "archives": sorted(set(re.findall(r"/(lib[^/\s]+\.a)$", run("dpkg-deb", "-c", deb),
                                              re.MULTILINE)))}


def unpack(apt, root):
    """Unpacks PACKAGES in `root`, and returns what they are, by name."""
    packages = apt.folder / "packages"
    for old in packages.glob("*.deb"):
        old.unlink()
    apt.call("apt-get", "-q", "download", *PACKAGES, cwd=packages)
    # The merged /usr, as a package of its own makes it.
    for name in ("bin", "lib", "lib64", "sbin"):
        (root / "usr" / name).mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(f"usr/{name}")
    found = []
    for deb in sorted(packages.glob("*.deb")):
        found.append(package_fields(deb))
        with subprocess.Popen(["dpkg", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as tar:
            run("tar", "-x", "--keep-directory-symlink", "-C", root, stdin=tar.stdout)
    # Everything is linked from archives: what must not be found is not there.
    for library in root.glob("usr/lib/*/*.so*"):
        if library.is_symlink() or library.is_file():
            library.unlink()
    return sorted(found, key=lambda package: package["name"])

"""Packages of the program, made from one folder of installed files: deb, rpm, apk, tar.gz and zip."""

import dataclasses
import hashlib
import pathlib
import tempfile

from sysroot import Missing, run
from tree import Entry, folder_entries, gzipped, tar, with_folders, zipped

NAME = "tofu-cpp"
SUMMARY = "Drop-in OpenTofu, written in C++"
DESCRIPTION = ("A program with the commands, language and files of OpenTofu. It needs no other "
               "package; git and ssh are used where module sources name them.")
LICENSE = "MPL-2.0"
# OpenTofu's own packages, which have the same program: installing one removes the other.
RIVALS = ("tofu", "opentofu")
RPM_ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64"}


@dataclasses.dataclass(frozen=True)
class Release:
    """What every package of one architecture says."""
    version: str
    architecture: str  # as Debian names it
    date: int          # of the commit, in seconds; the time of every file
    home: str
    maintainer: str = "The authors of tofu-cpp <security@example.invalid>"

    @property
    def machine(self):
        """The architecture as the kernel names it."""
        return RPM_ARCHITECTURES[self.architecture]


def write_archives(release, staged, out):
    """tar.gz and zip, with one folder in them."""
    entries = with_folders(folder_entries(pathlib.Path(staged) / "usr"))
    stem = f"{NAME}_{release.version}_linux_{release.architecture}"
    prefix = f"{NAME}-{release.version}/"
    (out / f"{stem}.tar.gz").write_bytes(gzipped(tar(entries, release.date, prefix)))
    (out / f"{stem}.zip").write_bytes(zipped(entries, release.date, prefix))
    return [f"{stem}.tar.gz", f"{stem}.zip"]


def write_deb(release, staged, out):
    """A Debian package: an `ar` archive of two tar archives."""
    entries = with_folders(folder_entries(staged))
    size = sum(len(entry.content or b"") for entry in entries) // 1024 + len(entries)
    rivals = ", ".join(RIVALS)
    control = f"""\
Package: {NAME}
Version: {release.version}
Architecture: {release.architecture}
Maintainer: {release.maintainer}
Installed-Size: {size}
Recommends: ca-certificates, git
Suggests: openssh-client
Conflicts: {rivals}
Replaces: {rivals}
Section: admin
Priority: optional
Homepage: {release.home}
Description: {SUMMARY}
 {DESCRIPTION}
"""
    sums = "".join(f"{hashlib.md5(entry.content).hexdigest()}  {entry.name}\n"
                   for entry in entries if entry.content is not None)
    about = [Entry("control", control.encode()), Entry("md5sums", sums.encode())]
    parts = [("debian-binary", b"2.0\n"),
             ("control.tar.gz", gzipped(tar(about, release.date, "./"))),
             ("data.tar.gz", gzipped(tar(entries, release.date, "./")))]
    package = b"!<arch>\n"
    for name, content in parts:
        package += f"{name:<16}{release.date:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode()
        package += content + b"\n" * (len(content) % 2)
    name = f"{NAME}_{release.version}_{release.architecture}.deb"
    (out / name).write_bytes(package)
    return [name]


def write_apk(release, staged, out):
    """A package as apk of Alpine reads it, without a signature (`apk add --allow-untrusted`): two
    tar archives, each compressed on its own."""
    entries = with_folders(folder_entries(staged))

    def headers(entry):
        return {"APK-TOOLS.checksum.SHA1": hashlib.sha1(entry.content).hexdigest()}

    data = gzipped(tar(entries, release.date, headers=headers))
    about = {
        "pkgname": NAME, "pkgver": f"{release.version}-r0", "pkgdesc": SUMMARY,
        "url": release.home, "builddate": release.date, "arch": release.machine,
        "size": sum(len(entry.content or b"") for entry in entries), "license": LICENSE,
        "datahash": hashlib.sha256(data).hexdigest(),
    }
    text = "".join(f"{key} = {value}\n" for key, value in about.items())
    text += "".join(f"depend = !{rival}\n" for rival in RIVALS)
    control = gzipped(tar([Entry(".PKGINFO", text.encode())], release.date, trailer=False))
    name = f"{NAME}-{release.version}-r0.{release.machine}.apk"
    (out / name).write_bytes(control + data)
    return [name]


def write_rpm(release, staged, out):
    """A package of Fedora, RHEL and SUSE, by rpmbuild."""
    staged = pathlib.Path(staged).resolve()
    files = [f'%attr(0755,root,root) "/{entry.name}"' if entry.mode == 0o755 else
             f'%attr(0644,root,root) "/{entry.name}"'
             for entry in folder_entries(staged) if entry.content is not None]
    listing = "\n".join(files)
    rivals = "\n".join(f"Conflicts: {rival}" for rival in RIVALS)
    spec = f"""\
Name: {NAME}
Version: {release.version}
Release: 1
Summary: {SUMMARY}
License: {LICENSE}
URL: {release.home}
{rivals}
AutoReqProv: no
%description
{DESCRIPTION}
%install
mkdir -p "%{{buildroot}}"
cp -a "{staged}/." "%{{buildroot}}/"
find "%{{buildroot}}" -exec touch -h -d @{release.date} {{}} +
%files
{listing}
"""
    macros = {
        "_build_id_links": "none", "__os_install_post": "%{nil}", "debug_package": "%{nil}",
        "_buildhost": "reproducible", "use_source_date_epoch_as_buildtime": "1",
        "clamp_mtime_to_source_date_epoch": "1", "_binary_payload": "w9.gzdio",
        "_rpmfilename": "%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm",
    }
    with tempfile.TemporaryDirectory() as place:
        (pathlib.Path(place) / "tofu.spec").write_text(spec)
        run("env", f"SOURCE_DATE_EPOCH={release.date}", "rpmbuild", "-bb", "--target",
            f"{release.machine}-linux", "--define", f"_topdir {place}", "--define",
            f"_rpmdir {pathlib.Path(out).resolve()}",
            *(word for name, value in macros.items() for word in ("--define", f"{name} {value}")),
            f"{place}/tofu.spec")
    name = f"{NAME}-{release.version}-1.{release.machine}.rpm"
    if not (out / name).exists():
        raise Missing(f"rpmbuild wrote no {name}")
    return [name]


def write_all(release, staged, out):
    """Every kind of package; returns the names of the files."""
    names = []
    for write in (write_archives, write_deb, write_apk, write_rpm):
        names += write(release, staged, out)
    return names

#!/usr/bin/env python3
"""Makes a release: the portable program for each architecture, packages of it, a container image,
the bill of materials, check sums and a signature. docs/release.md tells how and what for."""

import argparse
import hashlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys

import bill
import image
import libraries
import packages
import sysroot
import tree
from sysroot import Missing, run

SOURCES = pathlib.Path(__file__).resolve().parents[2]
CODENAME = "bookworm"  # the release of Debian whose libraries are in the program
PROGRAMS = ("apt-get", "clang++-16", "cmake", "dpkg-deb", "dpkg-parsechangelog", "dpkg-source",
            "git", "ld.lld-16", "llvm-objcopy-16", "make", "minisign", "ninja", "protoc",
            "rpmbuild")


def check_machine(architectures):
    """Fails with one line if this machine cannot make a release."""
    release = platform.freedesktop_os_release() if pathlib.Path("/etc/os-release").exists() else {}
    if release.get("VERSION_CODENAME") != CODENAME:
        raise Missing(f"releases are made on Debian 12 ({CODENAME}); "
                      f"this is {release.get('PRETTY_NAME', 'another system')}")
    for program in PROGRAMS:
        if not shutil.which(program):
            raise Missing(f"the program {program} is missing; ./dev release installs it")
    if "arm64" in architectures and platform.machine() != "aarch64" and \
            not shutil.which("qemu-aarch64-static"):
        raise Missing("the program qemu-aarch64-static is missing; ./dev release installs it")


def recipe():
    """A hash of how the libraries are made: another recipe makes them anew."""
    digest = hashlib.sha256()
    for path in ("tools/release/sysroot.py", "tools/release/libraries.py",
                 "cmake/portable_toolchain.cmake"):
        digest.update((SOURCES / path).read_bytes())
    return digest.hexdigest()


def prepare_libraries(architecture, cache, jobs, refresh):
    """The folder with all libraries of an architecture, made if it is not there; and what is in it."""
    folder = cache / architecture
    done = folder / "libraries.json"
    if done.exists() and not refresh:
        known = json.loads(done.read_text())
        if known["recipe"] == recipe():
            return folder / "root", known["libraries"]
    print(f"Libraries for {architecture} (in {folder})", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    apt = sysroot.Apt(folder / "apt", architecture, CODENAME)
    apt.update()
    root = folder / "root"
    found = sysroot.unpack(apt, root)
    found += libraries.build(apt, libraries.Compiler(architecture, root, jobs), folder / "sources")
    write_notices(root, found)
    done.write_text(json.dumps({"recipe": recipe(), "libraries": found}, indent=1))
    return root, found


def write_notices(root, found):
    """What the build of the program reads: copyright notices, and versions for `version -verbose`."""
    notices = root / "copyrights"
    notices.mkdir()
    for entry in found:
        name = f"{entry['name']}-built" if entry.get("built") else entry["name"]
        notice = root / "usr/share/doc" / name / "copyright"
        if notice.exists():
            shutil.copy(notice, notices / entry["name"])
    with_code = [entry for entry in found if entry["archives"] or entry["name"] in bill.HEADERS]
    (root / "versions").write_text("".join(
        f"{line}\n" for line in sorted({f"{entry['source']} {entry['source_version']}"
                                       for entry in with_code})))


def build_program(architecture, root, build, jobs):
    """Builds the program and installs it in a folder; returns that folder."""
    triple = libraries.TRIPLES[architecture]
    run("cmake", "-S", SOURCES, "-B", build, "-G", "Ninja",
        f"-DCMAKE_TOOLCHAIN_FILE={SOURCES / 'cmake/portable_toolchain.cmake'}",
        f"-DTOFU_SYSROOT={root}", f"-DTOFU_TRIPLE={triple}", "-DCMAKE_BUILD_TYPE=Release",
        "-DTOFU_STATIC=ON", "-DTOFU_TESTS=OFF", "-DTOFU_BATCH_COMPONENTS=ON",
        "-DTOFU_PRECOMPILE_COMPONENTS=ON", "-DTOFU_WERROR=ON", "-DCMAKE_INSTALL_PREFIX=/usr")
    command = ["cmake", "--build", build, "--parallel", str(jobs), "--target", "tofu", "tofu_man"]
    if subprocess.run(command, check=False).returncode != 0:
        raise Missing("the program does not compile")
    staged = build / "staged"
    shutil.rmtree(staged, ignore_errors=True)
    run("cmake", "--install", build, env={**os.environ, "DESTDIR": str(staged)})
    return staged


def split_symbols(staged, out, stem):
    """Strips the installed program; what a debugger needs becomes a file of its own."""
    program = staged / "usr/bin/tofu"
    debug = out / f"{stem}.debug"
    run("llvm-objcopy-16", "--only-keep-debug", "--compress-debug-sections=zlib", program, debug)
    run("llvm-objcopy-16", "--strip-all", f"--add-gnu-debuglink={debug}", program)
    shutil.copy(program, out / stem)
    return [debug.name, stem]


def sign(out, names, key):
    """SHA256SUMS of all files, and its signature; without a key, by one made on the spot."""
    sums = "".join(f"{hashlib.sha256((out / name).read_bytes()).hexdigest()}  {name}\n"
                   for name in sorted(names))
    (out / "SHA256SUMS").write_text(sums)
    if key is None:
        key = out.parent / "test-key"
        key.unlink(missing_ok=True)
        run("minisign", "-G", "-W", "-f", "-p", out / "test-key.pub", "-s", key)
        print("Signed with a test key (TOFU_RELEASE_KEY names another one)")
    run("minisign", "-S", "-s", key, "-m", out / "SHA256SUMS", "-x", out / "SHA256SUMS.minisig",
        "-t", "tofu-cpp")


def fill_templates(out, version, address):
    """The Homebrew formula and the Nix expression of this release."""
    facts = {"VERSION": version, "ADDRESS": address}
    for architecture in ("amd64", "arm64"):
        archive = out / f"tofu-cpp_{version}_linux_{architecture}.tar.gz"
        facts[f"SHA256_{architecture.upper()}"] = (
            hashlib.sha256(archive.read_bytes()).hexdigest() if archive.exists() else "0" * 64)
    names = []
    for template in ("tofu-cpp.rb.in", "tofu-cpp.nix.in"):
        text = (SOURCES / "packaging" / template).read_text()
        for name, value in facts.items():
            text = text.replace(f"@{name}@", value)
        names.append(template.removesuffix(".in"))
        (out / names[-1]).write_text(text)
    shutil.copy(SOURCES / "packaging/install.sh", out / "install.sh")
    return [*names, "install.sh"]


def read_version():
    """The release of the file VERSION."""
    return dict(line.split() for line in (SOURCES / "VERSION").read_text().splitlines())["release"]


def make(options):
    """Makes the release that the options ask for."""
    check_machine(options.architectures)
    version, out = read_version(), options.out
    date = int(run("git", "-C", SOURCES, "log", "-1", "--format=%ct").strip())
    os.environ["SOURCE_DATE_EPOCH"] = str(date)
    os.environ["LC_ALL"], os.environ["TZ"] = "C.UTF-8", "UTC"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    names, programs = [], {}
    for architecture in options.architectures:
        root, found = prepare_libraries(architecture, options.cache, options.jobs, options.refresh)
        print(f"Program for {architecture}", flush=True)
        build = options.build / f"portable-{architecture}"
        staged = build_program(architecture, root, build, options.jobs)
        release = packages.Release(version, architecture, date, options.address)
        stem = f"tofu_{version}_linux_{architecture}"
        names += split_symbols(staged, out, stem)
        programs[architecture] = (out / stem).read_bytes()
        names += packages.write_all(release, staged, out)
        (out / f"{stem}.cdx.json").write_text(bill.bill(
            release, found, bill.linked_archives((build / "tofu.map").read_text()),
            hashlib.sha256(programs[architecture]).hexdigest()))
        names.append(f"{stem}.cdx.json")
    names += write_image(out, programs, version, date)
    names += fill_templates(out, version, options.address)
    sign(out, names, options.key)
    print(f"The release {version} is in {out}")


def write_image(out, programs, version, date):
    """The container image, as one tar archive of its layout."""
    authorities = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
    if not authorities.exists():
        raise Missing(f"{authorities} is missing: the image needs the package ca-certificates")
    layout = out.parent / "image"
    shutil.rmtree(layout, ignore_errors=True)
    created = run("date", "-u", "-d", f"@{date}", "+%Y-%m-%dT%H:%M:%SZ").strip()
    image.write_layout(layout, programs, authorities.read_bytes(), version, date, created)
    name = f"tofu-cpp_{version}_image.oci.tar"
    (out / name).write_bytes(tree.tar(tree.with_folders(tree.folder_entries(layout)), date))
    return [name]


def default_cache():
    """Where libraries are kept between releases."""
    folder = os.environ.get("XDG_CACHE_HOME")
    return pathlib.Path(folder) / "tofu-release" if folder else SOURCES / "build/release-libs"


def parse(arguments):
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="./dev release", description=__doc__)
    parser.add_argument("--arch", dest="architectures", default="amd64,arm64",
                        type=lambda text: text.split(","),
                        help="architectures, with commas between them (default: amd64,arm64)")
    parser.add_argument("--cache", type=pathlib.Path, default=default_cache(),
                        help="folder of unpacked and built libraries")
    parser.add_argument("--build", type=pathlib.Path, default=SOURCES / "build",
                        help="folder of the build folders")
    parser.add_argument("--out", type=pathlib.Path, default=SOURCES / "build/dist",
                        help="folder of the release; what is in it is removed")
    parser.add_argument("--refresh", action="store_true",
                        help="fetch the libraries again, for their security updates")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--address", default=os.environ.get(
        "TOFU_RELEASE_ADDRESS", "https://example.invalid/tofu-cpp"),
        help="where the release will be (TOFU_RELEASE_ADDRESS)")
    parser.add_argument("--key", type=pathlib.Path, default=os.environ.get("TOFU_RELEASE_KEY"),
                        help="secret key of minisign without a password (TOFU_RELEASE_KEY)")
    options = parser.parse_args(arguments)
    unknown = set(options.architectures) - set(libraries.TRIPLES)
    if unknown:
        parser.error(f"unknown architecture {sorted(unknown)[0]}; there are amd64 and arm64")
    for name in ("cache", "build", "out"):
        setattr(options, name, getattr(options, name).resolve())
    return options


def main():
    try:
        make(parse(sys.argv[1:]))
    except Missing as error:
        sys.exit(f"./dev release: {error}")


if __name__ == "__main__":
    main()

"""The libraries of which Debian has no archive that stands alone, built from Debian's sources.

They are built with the compiler and for the folder of sysroot.py, and installed in that folder. Each
is as small as the program needs it: what it can do is not what Debian's own package can.
"""

import hashlib
import os
import pathlib
import shutil

from sysroot import Missing, run

TRIPLES = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}


class Compiler:
    """The compiler of a portable program, and what every library is compiled with."""

    def __init__(self, architecture, root, jobs):
        self.architecture = architecture
        self.triple = TRIPLES[architecture]
        self.root = root
        self.jobs = jobs

    def flags(self, source):
        """The same defenses as for the program (cmake/TofuHardening.cmake); no path of this machine."""
        branches = {"amd64": "-fcf-protection=full", "arm64": "-mbranch-protection=standard"}
        return (f"-O2 -g1 -fPIE -ffunction-sections -fdata-sections -U_FORTIFY_SOURCE "
                f"-D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection "
                f"{branches[self.architecture]} -ffile-prefix-map={source.parent}=/usr/src "
                f"-ffile-prefix-map={self.root}=")

    def cmake(self, source, *options, target=None, environment=None):
        """Configures and builds with CMake, installs what has no `target`; returns the build folder."""
        toolchain = pathlib.Path(__file__).parents[2] / "cmake/portable_toolchain.cmake"
        build = source / "build-portable"
        flags = self.flags(source)
        run("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_TOOLCHAIN_FILE={toolchain}",
            f"-DTOFU_SYSROOT={self.root}", f"-DTOFU_TRIPLE={self.triple}", "-DCMAKE_BUILD_TYPE=None",
            f"-DCMAKE_C_FLAGS={flags}", f"-DCMAKE_CXX_FLAGS={flags}", "-DBUILD_SHARED_LIBS=OFF",
            "-DCMAKE_INSTALL_PREFIX=/usr", f"-DCMAKE_INSTALL_LIBDIR=lib/{self.triple}",
            "-DBUILD_TESTING=OFF", *options, env={**os.environ, **(environment or {})})
        run("cmake", "--build", build, "--parallel", self.jobs, "--target", target or "all")
        if target is None:
            run("cmake", "--install", build, env={**os.environ, "DESTDIR": str(self.root)})
        return build


def build_curl(compiler, source, _version):
    """HTTP and HTTPS with OpenSSL, HTTP/2, international names and gzip; no LDAP, SSH, Kerberos."""
    compiler.cmake(
        source, "-DBUILD_CURL_EXE=OFF", "-DHTTP_ONLY=ON", "-DCURL_USE_OPENSSL=ON",
        "-DUSE_NGHTTP2=ON", "-DUSE_LIBIDN2=ON", "-DCURL_ZLIB=ON", "-DCURL_ZSTD=OFF",
        "-DCURL_BROTLI=OFF", "-DCURL_USE_LIBSSH2=OFF", "-DCURL_USE_GSSAPI=OFF",
        "-DCURL_USE_LIBPSL=OFF", "-DENABLE_THREADED_RESOLVER=ON", "-DENABLE_UNIX_SOCKETS=ON",
        "-DCURL_DISABLE_INSTALL=OFF", "-DENABLE_MANUAL=OFF",
        # Where authorities are on this system is found at run time (src/net/authorities.cc).
        "-DCURL_CA_BUNDLE=none", "-DCURL_CA_PATH=none")


def build_xml2(compiler, source, _version):
    """Parsers of XML and HTML; no conversion of character sets but its own."""
    compiler.cmake(
        source, "-DLIBXML2_WITH_ICONV=OFF", "-DLIBXML2_WITH_ICU=OFF", "-DLIBXML2_WITH_LZMA=OFF",
        "-DLIBXML2_WITH_ZLIB=OFF", "-DLIBXML2_WITH_PYTHON=OFF", "-DLIBXML2_WITH_PROGRAMS=OFF",
        "-DLIBXML2_WITH_TESTS=OFF", "-DLIBXML2_WITH_HTTP=OFF", "-DLIBXML2_WITH_FTP=OFF",
        "-DLIBXML2_WITH_MODULES=OFF")


def build_pq(compiler, source, _version):
    """The client of PostgreSQL with OpenSSL; no Kerberos, LDAP."""
    cc = f"clang-16 --target={compiler.triple} --sysroot={compiler.root}"
    run("./configure", f"--host={compiler.triple}", "--with-openssl", "--without-readline",
        "--without-zlib", "--prefix=/usr", "--sysconfdir=/etc", f"CC={cc}", "AR=llvm-ar-16",
        f"CFLAGS={compiler.flags(source)}", "LDFLAGS=-fuse-ld=lld -static-pie", "LIBS=-lpthread",
        cwd=source, env={**os.environ, "ac_cv_file__dev_urandom": "yes"})
    run("make", "-C", "src/backend", "generated-headers", cwd=source)
    for folder, target in (("src/port", "libpgport_shlib.a"), ("src/common", "libpgcommon_shlib.a"),
                           ("src/interfaces/libpq", "libpq.a")):
        run("make", f"-j{compiler.jobs}", "-C", folder, target, cwd=source)
        shutil.copy(source / folder / target, compiler.root / "usr/lib" / compiler.triple)
    for header in ("interfaces/libpq/libpq-fe.h", "include/postgres_ext.h",
                   "include/pg_config_ext.h"):
        shutil.copy(source / "src" / header, compiler.root / "usr/include")


def edit(path, old, new):
    """Replaces a text of a source that has to be there."""
    text = path.read_text()
    if old not in text:
        raise Missing(f"{path.name} has no '{old.strip()}': tools/release/libraries.py does not fit")
    path.write_text(text.replace(old, new))


def build_rnp(compiler, source, version):
    """OpenPGP with OpenSSL's algorithms."""
    # Its file for pkg-config, which is not needed, cannot be written for archives.
    edit(source / "src/lib/CMakeLists.txt", "get_linked_libs(libs dirs librnp)\n", "")
    # OpenSSL's provider of old algorithms is a module, which a static program cannot load, and no
    # signature needs it. And the other one must stay loaded: the program goes on using it.
    providers = source / "src/lib/crypto/backend_version.cpp"
    edit(providers, 'OSSL_PROVIDER_load(NULL, "legacy")', 'OSSL_PROVIDER_load(NULL, "default")')
    edit(providers, "    OSSL_PROVIDER_unload(state->def);\n    OSSL_PROVIDER_unload(state->legacy);\n",
         "")
    date = run("dpkg-parsechangelog", "-S", "Timestamp", cwd=source).strip()
    build = compiler.cmake(source, "-DCRYPTO_BACKEND=openssl", "-DDOWNLOAD_GTEST=OFF",
                           "-DENABLE_DOC=OFF", "-DDOWNLOAD_RUBYRNP=OFF", target="librnp",
                           environment={"DEB_VERSION": version, "SOURCE_DATE_EPOCH": date})
    # Without its command-line programs, which the rules to install include.
    (archive,) = build.rglob("librnp.a")
    shutil.copy(archive, compiler.root / "usr/lib" / compiler.triple)
    headers = compiler.root / "usr/include/rnp"
    headers.mkdir(parents=True, exist_ok=True)
    for header in [*(source / "include/rnp").glob("*.h"), *build.rglob("rnp_export.h")]:
        shutil.copy(header, headers)


# By the name of the source package: how it is built, and the archives that come of it.
BUILT = {
    "curl": (build_curl, ["libcurl.a"]),
    "libxml2": (build_xml2, ["libxml2.a"]),
    "postgresql-15": (build_pq, ["libpgcommon_shlib.a", "libpgport_shlib.a", "libpq.a"]),
    "rnp": (build_rnp, ["librnp.a"]),
}


def build(apt, compiler, folder):
    """Builds all of them, and returns what they are, by name."""
    found = []
    for name, (make, archives) in BUILT.items():
        print(f"  {name}", flush=True)
        source, version = apt.fetch_source(name, folder / name)
        make(compiler, source, version)
        notices = compiler.root / "usr/share/doc" / f"{name}-built"
        notices.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / "debian/copyright", notices / "copyright")
        (described,) = (folder / name).glob("*.dsc")
        found.append({"name": name, "version": version, "source": name, "source_version": version,
                      "sha256": hashlib.sha256(described.read_bytes()).hexdigest(),
                      "archives": archives, "built": True})
    return found

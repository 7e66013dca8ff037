#!/usr/bin/env python3
"""Installs the servers that the test programs use, from package registries.

    python3 tools/install_test_servers.py [--into FOLDER] [NAME ...]

Each goes into a folder of its own; one that cannot be had is named, and the tests that need it
are skipped. TOFU_TEST_SERVERS tells the tests where they are, unless it is the usual place.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

USUAL = pathlib.Path(os.environ.get("TOFU_TEST_SERVERS", "")
                     or pathlib.Path.home() / ".cache/tofu-test-servers")


def run(*command, cwd=None, **environment):
    return subprocess.run([str(word) for word in command], cwd=cwd, check=True, text=True,
                          env={**os.environ, **environment}, stdout=subprocess.PIPE).stdout


def install_moto(folder):
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin/pip", "install", "--quiet", "moto[server]==5.2.5")


def install_azurite(folder):
    run("npm", "install", "--silent", "--prefix", folder, "azurite@3.35.0")


def install_gcs(folder):
    run("go", "install", "-p", "1", "github.com/fsouza/fake-gcs-server@v1.56.1", GOBIN=str(folder),
        GOFLAGS="-buildvcs=false")


SERVERS = {"moto": install_moto, "azurite": install_azurite, "fake-gcs-server": install_gcs}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=pathlib.Path, default=USUAL)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *SERVERS],
                        help=f"one of {', '.join(SERVERS)}; all if none is given")
    options = parser.parse_args()
    failed = []
    for name in options.names or SERVERS:
        folder = options.into.resolve() / name
        if folder.exists():
            print(f"{name}: is there already")
            continue
        folder.mkdir(parents=True)
        try:
            SERVERS[name](folder)
            print(f"{name}: installed")
        except (OSError, subprocess.CalledProcessError) as problem:
            shutil.rmtree(folder, True)
            print(f"{name}: {problem}", file=sys.stderr)
            failed.append(name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

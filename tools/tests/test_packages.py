"""Which commands of ./dev install which packages."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).parent.parent


def read_groups():
    groups, group = {}, None
    for line in (TOOLS / "packages.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("["):
            group = groups.setdefault(line.strip("[]"), [])
        elif line:
            group.append(line)
    return groups


class PackagesTest(unittest.TestCase):
    def test_only_who_asks_for_bolt_installs_it(self):
        self.assertEqual({name: sorted(packages) for name, packages in read_groups().items()
                          if {"bolt-16"} & set(packages)}, {"bolt": ["bolt-16", "lld-16"]})
        uses = re.findall(r"^.*\n.*need bolt$", (TOOLS.parent / "dev").read_text(), re.MULTILINE)
        self.assertEqual([use.split("\n")[0].strip() for use in uses],
                         ['if [ "${TOFU_BOLT:-0}" != 0 ]; then'])
        self.assertNotIn("TOFU_BOLT", (TOOLS.parent / "CMakePresets.json").read_text())

    def test_only_commands_that_run_tests_install_servers(self):
        groups = read_groups()
        self.assertEqual(groups["servers"], ["postgresql", "openssh-server"])
        self.assertEqual([name for name, packages in groups.items()
                          if name != "servers" and set(packages) & set(groups["servers"])], [])
        functions = re.findall(r"^(\w+)\(\) \{\n(.*?)^\}", (TOOLS.parent / "dev").read_text(),
                               re.MULTILINE | re.DOTALL)
        self.assertEqual([name for name, body in functions if "need servers" in body],
                         ["run_tests", "threads", "coverage"])

    def test_the_demonstration_installs_only_what_building_needs(self):
        functions = dict(re.findall(r"^(\w+)\(\) \{\n(.*?)^\}", (TOOLS.parent / "dev").read_text(),
                                    re.MULTILINE | re.DOTALL))
        self.assertEqual(re.findall(r"\bneed (.+)", functions["demo"]), ["build"])
        self.assertNotIn("build release", functions["demo"])


class NeedTest(unittest.TestCase):
    """`need` of ./dev, with stand-ins for the package manager that write down how they were called."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name)
        self.bin = self.root / "bin"
        (self.root / "tools").mkdir()
        self.bin.mkdir()
        shutil.copy(TOOLS.parent / "dev", self.root / "dev")
        (self.root / "tools/packages.txt").write_text(
            "[build]\none      # a reason\ntwo-16 | two-19\n\n[other]\nthree\n")
        for tool in ("awk", "bash", "cat", "dirname", "env", "flock", "head", "id", "mkdir", "nproc", "sed", "sort", "tail"):
            (self.bin / tool).symlink_to(shutil.which(tool))

    def stand_in(self, name, script):
        path = self.bin / name
        path.write_text(f'#!/bin/bash\n{script}\n')
        path.chmod(0o755)

    def debian(self, installed, known=(), update="exit 0"):
        lines = "".join(f"ii  {name}\\n" for name in installed)
        self.stand_in("dpkg-query", f"printf '{lines}rc  gone\\n'")
        self.stand_in("apt-cache", f"printf '%s\\n' {' '.join([*installed, *known])}")
        self.stand_in("sudo", '"$@"')
        self.stand_in("apt-get", f'echo "$*" >> "{self.root}/calls"; [ "$2" != update ] || {update}')

    def need(self, *groups, **environment):
        return subprocess.run(
            ["bash", "-c", 'source ./dev help > /dev/null; need "$@"', "bash", *groups],
            cwd=self.root, env={"PATH": str(self.bin), **environment}, capture_output=True, text=True)

    def calls(self):
        path = self.root / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def assert_one_line(self, run, with_text):
        self.assertEqual(run.returncode, 1)
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        self.assertIn(with_text, run.stderr)

    def test_what_is_installed_is_not_looked_for(self):
        self.debian(["one", "two-19"])
        run = self.need("build")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))
        self.assertEqual(self.calls(), [])

    def test_the_first_alternative_that_exists_is_installed(self):
        self.debian(["one"], known=["two-19", "three"])
        run = self.need("build", "other")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.calls()[-1].split()[-2:], ["three", "two-19"])

    def test_removed_packages_are_missing(self):
        (self.root / "tools/packages.txt").write_text("[build]\ngone\n")
        self.debian([], known=["gone"])
        self.assertEqual(self.need("build").returncode, 0)
        self.assertEqual(self.calls()[-1].split()[-1], "gone")

    def test_another_system_gets_one_clear_line(self):
        self.assert_one_line(self.need("build"), "This is not Debian")
        self.assertEqual(self.need("build", TOFU_PACKAGES="installed").returncode, 0)

    def test_a_release_without_a_package_gets_one_clear_line(self):
        self.debian(["one"])
        self.assert_one_line(self.need("build"), 'no package "two-16" or "two-19"')

    def test_a_missing_network_gets_one_clear_line(self):
        self.debian(["one"], update="exit 100")
        self.assert_one_line(self.need("build"), "does not answer (build/packages.log): two-16 two-19")


if __name__ == "__main__":
    unittest.main()

"""What `cmake --install` puts on a system works there, without the build folder."""

import pathlib
import shutil
import subprocess
import unittest

from place import TOFU, PlaceTest

BUILD = pathlib.Path(TOFU).parent


@unittest.skipUnless((BUILD / "cmake_install.cmake").exists(), "the program is not in a build folder")
@unittest.skipUnless((BUILD / "man1.made").exists(), "only the program was built")
class CmakeInstallTest(PlaceTest):
    def setUp(self):
        super().setUp()
        self.prefix = self.top / "usr"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", self.prefix], check=True,
                       stdout=subprocess.DEVNULL)

    def bash(self, script):
        return subprocess.run(["bash", "--norc", "-c", script], cwd=self.top, check=True, text=True,
                              stdout=subprocess.PIPE,
                              env={**self.environment, "PATH": f"{self.prefix}/bin:/usr/bin:/bin"}).stdout

    def test_the_installed_program_runs(self):
        self.assertTrue(self.bash("tofu version").startswith("OpenTofu v"))
        self.assertEqual([path.name for path in (self.prefix / "bin").iterdir()], ["tofu"])

    def test_each_command_has_a_manual_page(self):
        pages = {path.name for path in (self.prefix / "share/man/man1").iterdir()}
        self.assertLessEqual({"tofu.1", "tofu-plan.1", "tofu-state-mv.1"}, pages)
        self.assertIn("\n.SH NAME\ntofu", (self.prefix / "share/man/man1/tofu-plan.1").read_text())

    def test_bash_completes_by_the_installed_file(self):
        script = self.prefix / "share/bash-completion/completions/tofu"
        self.assertEqual(self.bash(f". {script}; complete -p tofu").replace("'", "").strip(),
                         "complete -C tofu tofu")
        self.assertIn("plan\n", self.bash("COMP_LINE='tofu pl' COMP_POINT=7 tofu"))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_completes_by_the_installed_file(self):
        folder = self.prefix / "share/zsh/site-functions"
        done = subprocess.run(
            ["zsh", "-f", "-c", f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; "
                                "print $_comps[tofu]"],
            text=True, stdout=subprocess.PIPE, check=True, env=self.environment)
        self.assertEqual(done.stdout, "_tofu\n")

    def test_licenses_are_installed(self):
        documents = self.prefix / "share/doc/tofu-cpp"
        self.assertIn("Mozilla Public License", (documents / "LICENSE").read_text())
        cache = (BUILD / "CMakeCache.txt").read_text()
        if "TOFU_SHARED:BOOL=ON" not in cache and shutil.which("dpkg-query"):
            self.assertTrue((documents / "licenses/libmpfr-dev").read_text())


if __name__ == "__main__":
    unittest.main()

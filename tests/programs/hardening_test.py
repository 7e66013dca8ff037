"""The program has the defenses that cmake/TofuHardening.cmake asks for.

What a compiler option promises is read from the file that users run, since a linker, BOLT or a
library can undo it without an error. Programs built otherwise (sanitizers, for a debugger) are skipped.
"""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

TOFU = pathlib.Path(os.environ["TOFU"]).resolve()


def is_configured(setting):
    """Whether the build folder of the program was configured like this."""
    cache = TOFU.parent / "CMakeCache.txt"
    return cache.exists() and f"{setting}\n" in cache.read_text()


def is_release():
    """Whether the program is what users run. One that was taken out of a build folder is meant to be."""
    return not (TOFU.parent / "CMakeCache.txt").exists() or is_configured(
        "CMAKE_BUILD_TYPE:STRING=Release")


def is_portable():
    """Whether the program needs no shared library; then it has no symbols of these, either."""
    return is_configured("TOFU_STATIC:BOOL=ON") or "(NEEDED)" not in readelf("-d")


def readelf(*options):
    return subprocess.run(["readelf", "--wide", *options, str(TOFU)], stdout=subprocess.PIPE,
                          text=True, check=True, env={**os.environ, "LC_ALL": "C"}).stdout


@unittest.skipUnless(is_release(), "this is not a release build")
@unittest.skipUnless(shutil.which("readelf"), "readelf is not installed")
class Hardening(unittest.TestCase):
    def test_code_is_position_independent(self):
        self.assertRegex(readelf("-h"), r"Type:\s+DYN")
        self.assertRegex(readelf("-d"), r"\(FLAGS_1\).*\bPIE\b")

    def test_relocated_data_is_read_only_before_main_runs(self):
        self.assertIn("GNU_RELRO", readelf("-l"))
        self.assertRegex(readelf("-d"), r"\(FLAGS_1\).*\bNOW\b")

    def test_no_segment_is_writable_and_executable(self):
        segments = re.findall(r"^\s+(LOAD|GNU_STACK)\s.*?0x\w+ 0x\w+ ([RWE ]{3}) ", readelf("-l"),
                              re.MULTILINE)
        self.assertIn("GNU_STACK", [kind for kind, _ in segments])
        for kind, flags in segments:
            self.assertFalse("W" in flags and "E" in flags, f"{kind} is {flags}")

    @unittest.skipUnless(is_portable(), "this is not the portable program")
    def test_the_portable_program_needs_no_other_file(self):
        self.assertNotIn("(NEEDED)", readelf("-d"))
        self.assertNotIn("INTERP", readelf("-l"))
        self.assertNotRegex(readelf("-d"), r"\((RPATH|RUNPATH|TEXTREL)\)")

    def test_buffers_and_return_addresses_are_checked(self):
        symbols = readelf("--symbols" if is_portable() else "--dyn-syms")
        if is_portable() and ".symtab" not in symbols:
            self.skipTest("the symbols are in a file of their own")
        self.assertRegex(symbols, r"\b__stack_chk_fail\b")
        self.assertRegex(symbols, r"\b__(memcpy|read|snprintf|vsnprintf|memset|memmove)_chk\b")


if __name__ == "__main__":
    unittest.main()

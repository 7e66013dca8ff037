#!/usr/bin/env python3
"""Lays the code of the linked program out by how it runs, in place, with LLVM's BOLT.

A command touches a tenth of the code, which a linker spreads over all of it; every piece of
64 KB that is touched is a page that the system has to load. So the program is made to count what
runs, is run as people run it (tools/training.py), and is then written anew: what runs stands
together, in the order in which it mostly runs, and the rest behind it. What the program does
stays the same.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

from training import Training

# Of C++ alone. The libraries in C have parts that were written by hand for one processor and jump
# in ways that cannot be followed; they stay where they are, as does all that never ran.
NAMES = "_Z"


def call(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with status {done.returncode}\n"
                           f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def functions_of(profile):
    """The names of functions that ran. A line is `1 FROM OFFSET 1 TO OFFSET MISSES COUNT`."""
    found = set()
    for line in profile.splitlines():
        words = line.split()
        if len(words) == 8:
            found.update(name for name in (words[1], words[4]) if name.startswith(NAMES))
    return sorted(found)


def bolt(tools, program, work):
    """Gives the path of the new program, below `work`."""
    counting, made = work / "counting", work / "tofu"
    call(tools / "llvm-bolt", program, "-o", counting, "-instrument", f"-funcs={NAMES}.*",
         f"--instrumentation-file={work / 'counts'}", "--instrumentation-file-append-pid")
    training = Training(counting, work / "training")
    training.all()
    profile = call(tools / "merge-fdata", *sorted(work.glob("counts.*")))
    functions = functions_of(profile)
    if not functions:
        raise RuntimeError("the program that counts has counted nothing")
    (work / "profile").write_text(profile)
    (work / "functions").write_text("\n".join(functions) + "\n")
    call(tools / "llvm-bolt", program, "-o", made, f"-data={work / 'profile'}",
         f"-funcs-file-no-regex={work / 'functions'}", "-reorder-blocks=ext-tsp",
         "-reorder-functions=hfsort+", "-split-functions", "-split-all-cold", "-split-eh",
         "-align-text=4096")
    if training.answer(made) != training.answer(program):
        raise RuntimeError("the new program does not say what the old one says")
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, required=True,
                        help="the folder with llvm-bolt and merge-fdata")
    parser.add_argument("program", type=pathlib.Path, help="linked with --emit-relocs")
    options = parser.parse_args()
    program = options.program.resolve()
    work = program.with_name(program.name + ".bolt")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    try:
        made = bolt(options.tools, program, work)
        shutil.copymode(program, made)
        os.replace(made, program)
    except RuntimeError as problem:
        sys.exit(f"bolt_program: {problem}")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Kills runs of several programs, and counts the objects that each has forgotten afterwards.

An object is a file that a provisioner makes; it is forgotten if "state list" does not name it once
the run was killed. Each trial is an apply of many such objects, killed by SIGKILL at a random
moment, the same ones for each program.

    tools/compare_kills.py [--trials N] [--seed S] NAME=PROGRAM...
"""

import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

CONFIGURATION = """
resource "terraform_data" "x" {
  count = %d
  provisioner "local-exec" {
    command = "echo > %s/${count.index}; sleep 0.05"
  }
}
"""


def trial(program, pause, objects):
    """(objects that exist, those that are forgotten, whether it was killed)"""
    with tempfile.TemporaryDirectory(prefix="tofu-kills-") as top:
        top = pathlib.Path(top)
        work, outside = top / "work", top / "outside"
        work.mkdir()
        outside.mkdir()
        (work / "main.tf").write_text(CONFIGURATION % (objects, outside))
        environment = {"PATH": os.environ["PATH"], "HOME": str(top), "CHECKPOINT_DISABLE": "1"}
        run = {"cwd": work, "env": environment, "stdin": subprocess.DEVNULL,
               "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        subprocess.run([program, "init"], check=True, **run)
        running = subprocess.Popen([program, "apply", "-auto-approve"], **run)
        # From its first object on: programs take different times to get there.
        while running.poll() is None and not any(outside.iterdir()):
            time.sleep(0.005)
        time.sleep(pause)
        was_killed = running.poll() is None
        if was_killed:
            running.send_signal(signal.SIGKILL)
        running.stdout.close()
        running.wait()
        time.sleep(0.3)  # what it had started may end
        listed = subprocess.run([program, "state", "list"], check=False, **run).stdout.decode()
        known = set(listed.split())
        exist = {f"terraform_data.x[{path.name}]" for path in outside.iterdir()}
        return len(exist), len(exist - known), was_killed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--objects", type=int, default=40)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("program", nargs="+", metavar="NAME=PROGRAM")
    options = parser.parse_args()
    print(f"Seed {options.seed}.\n\n| program | runs killed | objects that existed | forgotten |\n"
          "| --- | --- | --- | --- |", flush=True)
    for name, _, program in (each.partition("=") for each in options.program):
        numbers = random.Random(options.seed)
        results = [trial(os.path.abspath(program), numbers.random() * 0.6, options.objects)
                   for _ in range(options.trials)]
        killed = [each for each in results if each[2]]
        print(f"| {name} | {len(killed)} | {sum(each[0] for each in killed)} | "
              f"{sum(each[1] for each in killed)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the commands of script cases while one call to the system fails, and checks the outcome.

Each command of a case is repeated from the same files, each time with another call that fails
(tests/torture/failing_calls.cc): reading, writing, syncing and renaming files, mapping memory,
starting threads and programs, or allocating memory. A full disk refuses every change from some
moment on. A signal comes before or after a change. Then these must hold:

- the program ends, not by a signal (but for SIGKILL), within the time limit;
- if it reports success, all files are as without the failure;
- otherwise it reports an error in words, and each file has its old or its new content, a state at
  least is a whole state of the same lineage;
- no temporary file is left unless the program was killed (the next replacement of that file removes
  it, an hour later), and no lock and no journal once the same command ran again.

    tools/torture.py --tofu build/release/tofu --library build/release/tests/failing_calls.so \\
        [--sample N] [--seed S] [--all] [--mode MODE] [--filter RE] [--step K] [--at N] tests/scripts
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import errno
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from run_scripts import Place
from script_case import parse

TIME_LIMIT = 30  # seconds for one command
COMMANDS = r"/(apply|destroy|state|workspace|init|test)/"
REPORT_SIZE = 4096
ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES, errno.EMFILE, errno.EINTR)


@dataclasses.dataclass(frozen=True)
class Mode:
    """Which calls count, and what happens at the one that is due."""

    kinds: str
    goes_on: bool = False
    signal: int = 0
    error: int = 0  # 0: one of ERRORS


MODES = {
    "call": Mode("lcrpm"),
    "full": Mode("c", goes_on=True, error=errno.ENOSPC),
    "memory": Mode("h"),
    "kill": Mode("cr", signal=signal.SIGKILL),
    "interrupt": Mode("lcr", signal=signal.SIGINT),
    "terminate": Mode("lcr", signal=signal.SIGTERM),
    "hangup": Mode("lcr", signal=signal.SIGHUP),
    "pipe": Mode("lcr", signal=signal.SIGPIPE),
}

# TODO(#30): "memory" is left out unless it is asked for: where a message needs the lines of a file,
# it still ends the program (std::call_once in diag/source.cc, see base/once.h).
USUAL_MODES = [name for name in MODES if name != "memory"]

# What differs from run to run.
VOLATILE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
                      r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[0-9.]*(Z|[+ -]\S*)?")
SECONDS_IN_NAME = re.compile(r"\d{10}\.backup$")


@dataclasses.dataclass
class Outcome:
    status: int
    words: str
    files: dict  # path: content, normalized
    raw: dict  # path: content of states
    calls: int = 0
    failed: str = ""  # the call that failed; empty if none did


@dataclasses.dataclass
class Command:
    """A command of a case, with the files from which it starts."""

    case: pathlib.Path
    step: int
    words: list
    stdin: str
    place: Place
    before: pathlib.Path  # a copy of the files
    old: Outcome = None  # the files before it
    new: Outcome = None  # the outcome without a failure
    stable: set = None  # paths whose content does not differ from run to run


def is_state(path):
    return path.endswith((".tfstate", ".tfstate.backup"))


def is_leftover(path):
    """Whether a file must not stay behind: a temporary file, a lock or a journal."""
    name = path.rsplit("/", 1)[-1]
    return name.endswith((".lock.info", ".journal")) or ".tmp" in name or name.startswith(".tofu-")


def is_output(path, words):
    """Whether the command line names it as a file to write: plans hold times, messages may end."""
    return any(word.startswith("-") and "=" in word and path.endswith("/" + word.split("=", 1)[1])
               for word in words)


def read_files(place):
    files, raw = {}, {}
    for root in (place.work, place.home):
        for folder, _, names in os.walk(root):
            for name in names:
                path = pathlib.Path(folder, name)
                shown = SECONDS_IN_NAME.sub("*.backup", f"{root.name}/{path.relative_to(root)}")
                if path.is_symlink():
                    files[shown] = os.readlink(path)
                    continue
                text = path.read_bytes().decode(errors="replace")
                files[shown] = VOLATILE.sub("*", text)
                if is_state(shown):
                    raw[shown] = text
    return files, raw


def restore(command):
    """The files as before the command, at the same place."""
    for name in ("work", "home"):
        target = command.place.work.parent / name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(command.before / name, target, symlinks=True)


def run(command, options, mode=None, at=0, error=0):
    """Runs it, with the call number `at` failing as the mode says."""
    environment = dict(command.place.environment)
    report = command.before.parent / "report"
    if mode is not None:
        report.write_bytes(bytes(REPORT_SIZE))
        environment |= {
            "LD_PRELOAD": str(options.library), "TORTURE_REPORT": str(report),
            "TORTURE_AT": str(at), "TORTURE_KINDS": mode.kinds,
            "TORTURE_SIGNAL": str(int(mode.signal)), "TORTURE_ON": str(int(mode.goes_on)),
            "TORTURE_ERROR": str(error),
        }
    done = subprocess.run([options.tofu, *command.words], cwd=command.place.work, env=environment,
                          input=command.stdin.encode(), capture_output=True, timeout=TIME_LIMIT)
    outcome = Outcome(done.returncode, (done.stdout + done.stderr).decode(errors="replace"),
                      *read_files(command.place))
    if mode is not None:
        outcome.calls, failed, name = struct.unpack_from("QQ240s", report.read_bytes())
        if failed:
            outcome.failed = name.rstrip(b"\0").decode(errors="replace")
    return outcome


def is_json(text):
    try:
        return isinstance(json.loads(text), dict)
    except json.JSONDecodeError:
        return False


def is_whole_state(text, old):
    """Whether it is a state, and goes on from the old one."""
    if not text and not old:
        return True  # it exists from the moment when it is locked
    try:
        state = json.loads(text)
        before = json.loads(old) if old else None
    except json.JSONDecodeError:
        return False
    if "encrypted_data" in state:
        return True
    if state.get("version") != 4:
        return False
    return before is None or before.get("lineage") in (None, "", state["lineage"])


def settled(files, command):
    """The files without locks, and without those that may end anywhere."""
    return {path: text for path, text in files.items()
            if not is_leftover(path) and not is_output(path, command.words)}


def problems_of_files(command, outcome):
    problems = []
    for path, content in outcome.files.items():
        old, new = command.old.files.get(path), command.new.files.get(path)
        if content in (old, new) or is_leftover(path) or path.endswith(".damaged"):
            continue
        if path not in command.old.files and "/.terraform" not in path and not is_state(path):
            continue  # what a provisioner writes, and messages for programs, may end anywhere
        if is_state(path):
            if not is_whole_state(outcome.raw[path], command.old.raw.get(path)):
                problems.append(f"{path} is no whole state")
        elif path in command.stable and not is_json(content):
            problems.append(f"{path} is neither as before nor as after")
    for path in command.old.files:
        if path not in outcome.files and path in command.new.files:
            problems.append(f"{path} is gone")
    return problems


def leftovers(command, outcome):
    return sorted(path for path in outcome.files
                  if path not in command.old.files and path not in command.new.files and
                  is_leftover(path))


def problems_of(command, outcome, mode):
    """What must not be after one failure."""
    if not outcome.failed:
        return []  # another thread was faster, and no call had the number
    problems = []
    if outcome.status < 0 and outcome.status != -signal.SIGKILL:
        # A signal may end a command that has changed nothing yet, or that is done.
        # It may have a lock by then, which ends with it.
        kept, old, new = (settled(files, command) for files in
                          (outcome.files, command.old.files, command.new.files))
        if outcome.status != -mode.signal or kept not in (old, new):
            problems.append(f"it ended by {signal.Signals(-outcome.status).name}")
    if outcome.status < 0 or mode.signal:
        return problems + problems_of_files(command, outcome)
    says_error = re.search("error|failed|cannot", outcome.words, re.IGNORECASE)
    if outcome.status == 0 and command.new.status == 0 and not says_error:
        for path in command.stable:
            if outcome.files.get(path) != command.new.files.get(path) and not is_leftover(path):
                problems.append(f"it reports success, and {path} is not as it should be")
    elif outcome.status == 0 and command.new.status != 0:
        problems.append(f"it reports success instead of status {command.new.status}")
    elif not says_error and outcome.status != command.new.status:
        problems.append(f"status {outcome.status} without an error in words")
    problems += problems_of_files(command, outcome)
    if not mode.goes_on and not outcome.failed.startswith(("unlink", "remove", "after")):
        problems += [f"{path} was left behind" for path in leftovers(command, outcome)
                     if not path.endswith(".journal") and
                     not (mode.kinds == "h" and path.endswith(".lock.info"))]
    return problems


def torture(command, options, mode_name, at):
    """The problems of one failure, and which call failed."""
    mode = MODES[mode_name]
    error = mode.error or ERRORS[at % len(ERRORS)]
    restore(command)
    try:
        outcome = run(command, options, mode, at, error)
        problems = problems_of(command, outcome, mode)
        if outcome.failed and (outcome.status != command.new.status or mode.signal):
            again = run(command, options)
            if again.status < 0:
                problems.append(f"the same command again ends by "
                                f"{signal.Signals(-again.status).name}")
            if again.status == command.new.status:
                problems += [f"{path} is left after the same command ran again"
                             for path in leftovers(command, again) if not ".tmp" in path]
    except subprocess.TimeoutExpired:
        return [f"no end after {TIME_LIMIT} s"], "a call"
    if problems and options.verbose:
        problems.append(outcome.words)
    return problems, outcome.failed and f"{outcome.failed} ({errno.errorcode.get(error, error)})"


def commands_of(path, folder, options):
    """The commands of a case, each with a copy of the files from which it starts."""
    case = parse(path.read_bytes().decode())
    place = Place(os.path.realpath(folder), options.tofu, options.version)
    for name, content in case.files.items():
        place.write(name, content)
    for step, (setup, item, expected) in enumerate(case.steps()):
        for one in setup:
            place.prepare(one)
        stdin = "".join(place.expand(one.text()) for one in expected if one.kind == "stdin")
        words = shlex.split(place.expand(item.argument))[1:]
        before = pathlib.Path(folder, "before")
        shutil.rmtree(before, ignore_errors=True)
        for name in ("work", "home"):
            shutil.copytree(pathlib.Path(folder, name), before / name, symlinks=True)
        command = Command(path, step, words, stdin, place, before)
        command.old = Outcome(0, "", *read_files(place))
        yield command
        restore(command)
        run(command, options)


def trials_of(command, options):
    """(mode, number of the call), counted in runs without a failure."""
    random_numbers = random.Random(f"{options.seed} {command.case} {command.step}")
    trials = []
    for name, mode in MODES.items():
        if name not in options.mode:
            continue
        restore(command)
        counted = run(command, options, mode)
        if command.new is None:
            command.new = counted
            command.stable = {path for path in counted.files if not is_output(path, command.words)}
        else:
            command.stable -= {path for path, content in counted.files.items()
                               if command.new.files.get(path) != content}
        if options.at:
            trials.append((name, options.at))
            continue
        numbers = range(1, counted.calls + 1)
        if not options.all:
            numbers = random_numbers.sample(numbers, min(options.sample, len(numbers)))
        trials += [(name, number) for number in numbers]
    return trials


def torture_case(path, options):
    """(number of trials, problems, calls that failed) of a case."""
    count, problems, calls = 0, [], collections.Counter()
    with tempfile.TemporaryDirectory(prefix="tofu-torture-", dir=options.directory) as folder:
        for command in commands_of(path, folder, options):
            if options.step is not None and command.step != options.step:
                continue
            if time.monotonic() > options.end:
                break
            for mode, at in trials_of(command, options):
                found, failed = torture(command, options, mode, at)
                count += bool(failed)
                calls[failed.split(" ")[0]] += 1
                problems += [(f"--filter {path.stem} --step {command.step} --mode {mode} --at {at}",
                              " ".join(command.words), failed, problem) for problem in found]
    return count, problems, calls


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tofu", required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    parser.add_argument("--sample", type=int, default=2, help="failures of each mode per command")
    parser.add_argument("--all", action="store_true", help="every call of every command")
    parser.add_argument("--seed", default=str(time.time_ns() % 1_000_000))
    parser.add_argument("--seconds", type=int, default=1_000_000, help="begin nothing after them")
    parser.add_argument("--mode", action="append", choices=MODES, help="only these; without it all but memory")
    parser.add_argument("--filter", default=COMMANDS, help="cases whose path matches this pattern")
    parser.add_argument("--step", type=int, help="only this command of the cases, from 0")
    parser.add_argument("--at", type=int, help="only this call")
    parser.add_argument("--verbose", action="store_true", help="show the output of the program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--version-file", type=pathlib.Path, default=pathlib.Path("VERSION"))
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    options.tofu = os.path.abspath(options.tofu)
    options.library = options.library.resolve()
    options.mode = options.mode or USUAL_MODES
    options.end = time.monotonic() + options.seconds
    versions = dict(line.split() for line in options.version_file.read_text().splitlines())
    options.version = versions["opentofu"]
    # In memory, where the system has such a place: files are synced and removed all the time.
    options.directory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

    cases = sorted(path for path in options.folder.rglob("*.txt")
                   if re.search(options.filter, str(path)))
    print(f"Torture with the seed {options.seed}.", flush=True)
    start = time.monotonic()
    count, failed, calls = 0, 0, collections.Counter()
    random.Random(options.seed).shuffle(cases)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for trials, problems, failing in pool.map(lambda path: torture_case(path, options), cases):
            count += trials
            calls.update(failing)
            failed += len({where for where, *_ in problems})
            for where, words, call, problem in problems:
                print(f"FAIL tofu {words}\n    at {call}: {problem}\n    {where}", flush=True)
    print(f"{count} failures in {time.monotonic() - start:.0f} s: " +
          ", ".join(f"{name} {number}" for name, number in sorted(calls.items()) if name))
    # The continuous build counts this program as one, and each failure with a problem.
    print(f"test programs: {int(not failed)} passed, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())

"""Running one program once and saying what it cost."""

import dataclasses
import os
import subprocess


@dataclasses.dataclass
class Cost:
    seconds: float
    megabytes: float  # peak resident memory
    output: bytes
    status: int
    cut_off: bool = False  # ended by the time limit: the real cost is higher
    own_megabytes: float = 0  # without those of processes that it starts
    own_seconds: float = 0  # of processor time, likewise


def run(launcher, command, cwd, environment, stdin=b"", limit=60.0):
    """Runs `command` to its end or for `limit` seconds. `launcher` is bench/launch.cc's program."""
    with open(os.path.join(environment["TMPDIR"], "stdin"), "wb+") as source, \
            open(os.path.join(environment["TMPDIR"], "stdout"), "wb+") as sink:
        source.write(stdin)
        source.seek(0)
        reading, writing = os.pipe()
        process = subprocess.Popen([launcher, str(writing), str(limit), *command], cwd=cwd,
                                   env=environment, stdin=source, stdout=sink,
                                   stderr=subprocess.DEVNULL, pass_fds=[writing])
        os.close(writing)
        with open(reading, encoding="ascii") as report:
            words = report.read().split()
        process.wait()
        if len(words) != 6:
            raise RuntimeError(f"{launcher} could not run {command[0]}")
        sink.seek(0)
        return Cost(float(words[0]), int(words[1]) / 1024, sink.read(),
                    os.waitstatus_to_exitcode(int(words[2])), words[3] == "1", int(words[4]) / 1024,
                    float(words[5]))


def best(rounds, budget, attempt):
    """The cheapest of `rounds` attempts, fewer once they took `budget` seconds together."""
    costs = []
    while len(costs) < rounds and sum(cost.seconds for cost in costs) < budget:
        costs.append(attempt())
        if costs[-1].cut_off:
            break
    fastest = min(costs, key=lambda cost: cost.seconds)
    return dataclasses.replace(fastest, megabytes=min(cost.megabytes for cost in costs))

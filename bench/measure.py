"""Running one program once and saying what it cost."""

import dataclasses
import os
import signal
import subprocess
import threading
import time


@dataclasses.dataclass
class Cost:
    seconds: float
    megabytes: float  # peak resident memory; below this script's own it cannot be seen
    output: bytes
    status: int
    cut_off: bool = False  # ended by the time limit: the real cost is higher


def run(command, cwd, environment, stdin=b"", limit=60.0):
    """Runs `command` to its end or for `limit` seconds."""
    with open(os.path.join(environment["TMPDIR"], "stdin"), "wb+") as source, \
            open(os.path.join(environment["TMPDIR"], "stdout"), "wb+") as sink:
        source.write(stdin)
        source.seek(0)
        cut_off = threading.Event()

        def end():
            cut_off.set()
            os.kill(process.pid, signal.SIGKILL)

        started = time.perf_counter()
        process = subprocess.Popen(command, cwd=cwd, env=environment, stdin=source, stdout=sink,
                                   stderr=subprocess.DEVNULL)
        timer = threading.Timer(limit, end)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        timer.cancel()
        # wait4 has taken the status, so that Popen must not look for it.
        process.returncode = os.waitstatus_to_exitcode(status)
        sink.seek(0)
        return Cost(seconds, usage.ru_maxrss / 1024, sink.read(), process.returncode, cut_off.is_set())


def best(rounds, budget, attempt):
    """The cheapest of `rounds` attempts, fewer once they took `budget` seconds together."""
    costs = []
    while len(costs) < rounds and sum(cost.seconds for cost in costs) < budget:
        costs.append(attempt())
        if costs[-1].cut_off:
            break
    fastest = min(costs, key=lambda cost: cost.seconds)
    return dataclasses.replace(fastest, megabytes=min(cost.megabytes for cost in costs))

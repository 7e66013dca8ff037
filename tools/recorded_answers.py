"""What a program answered before, so that it need not be asked again.

OpenTofu takes most of the time of a comparison, and its answers to the same commands stay
the same. The answers of one round are one file. Each is found by everything that came
before it: the files of the round, the commands, and the changes made to its state. So an
answer to a configuration or a command that has changed since is not found, and a program
has to be asked from the start of the round on, because only the state is brought back.
"""

import gzip
import hashlib
import json
import subprocess


class NotRecorded(Exception):
    """An answer is missing behind others that are there."""


class Answers:
    """Those of one round."""

    def __init__(self, path):
        self.path = path
        self.known = json.loads(gzip.decompress(path.read_bytes())) if path.exists() else {}
        self.so_far = hashlib.sha256()
        self.replayed = 0
        self.added = False

    def note(self, *what):
        """Something that later answers depend on."""
        self.so_far.update(json.dumps(what).encode())

    def find(self, arguments, state_path):
        """The finished run, with the state brought to what it was then; or nothing."""
        self.note("run", arguments)
        answer = self.known.get(self.so_far.hexdigest())
        if answer is None:
            if self.replayed:
                raise NotRecorded
            return None
        self.replayed += 1
        if answer["state"] is None:
            state_path.unlink(missing_ok=True)
        else:
            state_path.write_text(answer["state"])
        return subprocess.CompletedProcess(arguments, answer["status"], answer["stdout"],
                                           answer["stderr"])

    def add(self, run, state_path):
        state = state_path.read_text() if state_path.exists() else None
        self.known[self.so_far.hexdigest()] = {"status": run.returncode, "stdout": run.stdout,
                                               "stderr": run.stderr, "state": state}
        self.added = True

    def save(self):
        if self.added:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_bytes(gzip.compress(json.dumps(self.known).encode()))


class NoAnswers:
    """For a program that is asked every time."""

    def note(self, *what):
        pass

    def find(self, _arguments, _state_path):
        return None

    def add(self, run, state_path):
        pass

    def save(self):
        pass

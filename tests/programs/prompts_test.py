"""Questions at a terminal: a secret is not shown while it is typed, and the terminal is as it
was before once the program has ended, however it ended."""

import json
import os
import re
import select
import signal
import subprocess
import termios
import time
import unittest

from place import TOFU
from provider_packages import use_tls
from sources import ServedTest

DEADLINE = 60  # seconds; far more than anything here takes
SECRET = "hunter2-secret"
VARIABLES = ('variable "open" {\n  type = string\n}\n'
             'variable "secret" {\n  type      = string\n  sensitive = true\n}\n'
             'resource "terraform_data" "a" {\n  input = [var.open, var.secret]\n}\n')


class Terminal:
    """A process at a pseudo-terminal. The terminal is not its controlling one, so that the end of
    the process neither closes nor resets it, and its mode can be read afterwards."""

    def __init__(self, folder, *arguments):
        self.master, self.slave = os.openpty()
        self.before = termios.tcgetattr(self.slave)
        self.seen = b""
        self.process = subprocess.Popen([TOFU, *arguments], cwd=folder.path,
                                        env=folder.environment, stdin=self.slave,
                                        stdout=self.slave, stderr=self.slave)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.slave)
        os.close(self.master)

    def mode(self):
        return termios.tcgetattr(self.slave)

    def echoes(self):
        return bool(self.mode()[3] & termios.ECHO)

    def read_some(self):
        """Takes what was printed, and waits a little for it if there is nothing."""
        if select.select([self.master], [], [], 0.05)[0]:
            self.seen += os.read(self.master, 65536)

    def wait_until(self, condition, what):
        end = time.monotonic() + DEADLINE
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"{what}; it printed: {self.seen.decode(errors='replace')}")
            self.read_some()

    def wait_for(self, pattern, echo):
        """Until the pattern was printed, and what is typed next is shown or not."""
        self.wait_until(lambda: re.search(pattern, self.seen), f"there was no {pattern}")
        self.wait_until(lambda: self.echoes() == echo, f"echo is not {echo}")

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self):
        """The status of the process, once it has ended and all it printed was read."""
        self.wait_until(lambda: self.process.poll() is not None, "it did not end")
        while select.select([self.master], [], [], 0)[0]:
            self.read_some()
        return self.process.returncode


class PromptsTest(ServedTest):
    def start(self, *arguments):
        terminal = Terminal(self.work, *arguments)
        self.addCleanup(terminal.close)
        return terminal

    def ask_for_secret(self):
        """A plan that waits for the second variable, which is sensitive."""
        self.work.write({"main.tf": VARIABLES})
        terminal = self.start("plan", "-no-color")
        terminal.wait_for(rb"var\.open\s+Enter a value: ", echo=True)
        terminal.type("visible\n")
        terminal.wait_for(rb"var\.secret\s+Enter a value: ", echo=False)
        return terminal

    def assert_restored(self, terminal):
        self.assertEqual(terminal.mode(), terminal.before, terminal.seen)
        self.assertNotIn(SECRET.encode(), terminal.seen)

    def test_a_sensitive_variable_is_not_shown_while_it_is_typed(self):
        terminal = self.ask_for_secret()
        terminal.type(SECRET + "\n")
        self.assertEqual(terminal.end(), 0, terminal.seen)
        self.assertIn(b"visible", terminal.seen)
        self.assertIn(b"1 to add", terminal.seen)
        self.assert_restored(terminal)

    def test_an_interrupted_prompt_leaves_the_terminal_as_it_was(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                terminal = self.ask_for_secret()
                terminal.type(SECRET)  # and no end of the line
                terminal.process.send_signal(number)
                self.assertEqual(terminal.end(), 1, terminal.seen)
                self.assert_restored(terminal)
                # The shell does not get what was typed and not read.
                os.set_blocking(terminal.slave, False)
                terminal.type("\n")
                terminal.wait_until(
                    lambda: select.select([terminal.slave], [], [], 0)[0], "nothing to read")
                self.assertEqual(os.read(terminal.slave, 100), b"\n")

    def test_a_process_that_a_signal_ends_at_a_prompt_restores_the_terminal(self):
        for number in (signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(signal=number):
                terminal = self.ask_for_secret()
                terminal.process.send_signal(number)
                self.assertEqual(terminal.end(), -number, terminal.seen)
                self.assert_restored(terminal)

    def test_the_end_of_input_leaves_the_terminal_as_it_was(self):
        terminal = self.ask_for_secret()
        terminal.type("\x04")
        self.assertEqual(terminal.end(), 1, terminal.seen)
        self.assertIn(b"required variable", terminal.seen)
        self.assert_restored(terminal)

    def test_the_token_of_login_is_not_shown_while_it_is_typed(self):
        certificate = use_tls(self.server, self.top)
        self.environment["SSL_CERT_FILE"] = str(certificate)
        self.server.put("/.well-known/terraform.json", json.dumps({"tfe.v2": "/api/v2/"}),
                        Content_Type="application/json")
        host = f"localhost:{self.server.port}"
        terminal = self.start("login", "-no-color", host)
        terminal.wait_for(rb"Enter a value: ", echo=True)
        terminal.type("yes\n")
        terminal.wait_for(rb"Token for localhost:\d+: ", echo=False)
        terminal.type(SECRET + "\n")
        self.assertEqual(terminal.end(), 0, terminal.seen)
        self.assert_restored(terminal)
        file = self.top / "home/.terraform.d/credentials.tfrc.json"
        self.assertEqual(json.loads(file.read_text())["credentials"][host], {"token": SECRET})


if __name__ == "__main__":
    unittest.main()

"""Servers of states that begin to answer and never go on."""

import signal
import socket
import struct
import subprocess
import threading
import unittest

import stores
from every_store import STORES, for_each_store
from place import TOFU
from store_place import OBJECT, ROUNDS, StoreTest

PATIENCE = 25  # seconds, less than the program has by itself


class SlowTest(StoreTest):
    def begin(self, store, folder):
        folder.write({"main.tf": store.block + OBJECT})
        self.init(folder=folder, **store.environment)
        self.apply(folder=folder, **store.environment)

    def start(self, store, folder, *arguments):
        return subprocess.Popen([TOFU, *arguments], cwd=folder.path, stdin=subprocess.DEVNULL,
                                env={**folder.environment, **store.environment},
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def finish(self, process, seconds):
        """What it said, in one line."""
        with process.stdout:
            try:
                said = process.communicate(timeout=seconds)[0].decode()
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return " ".join(said.replace("\u2502", " ").split())


@for_each_store()
class SlowStores(SlowTest):
    def check_an_interrupt_ends_the_waiting_for_a_lock(self, store):
        """The error names the lock, since the request may have been carried out."""
        self.begin(store, self.work)
        store.stall("head")
        process = self.start(store, self.work, "plan")
        stores.wait_until(store.is_stalled, "a request")
        process.send_signal(signal.SIGINT)
        said = self.finish(process, PATIENCE)
        self.assertEqual(process.returncode, 1, said)
        self.assertRegex(said, "Error: Error acquiring the state lock .*interrupted")

    def check_the_first_interrupt_ends_the_reading(self, store):
        self.begin(store, self.work)
        for where in ("head", "body"):
            for command in (["plan", "-lock=false"], ["init"]):
                store.calm()
                store.stall(where)
                process = self.start(store, self.work, *command)
                stores.wait_until(store.is_stalled, "a request")
                process.send_signal(signal.SIGINT)
                said = self.finish(process, PATIENCE)
                self.assertEqual(process.returncode, 1, said)
                self.assertRegex(said, "Error: Cannot .* the (state|workspaces).*: interrupted")

    def check_the_lock_is_given_back_after_an_interrupt(self, store):
        """Only the state is slow."""
        self.begin(store, self.work)
        for command in (["plan"], ["state", "rm", "terraform_data.a"]):
            store.stall_reading()
            process = self.start(store, self.work, *command)
            stores.wait_until(store.is_stalled, "a request")
            process.send_signal(signal.SIGINT)
            said = self.finish(process, PATIENCE)
            self.assertEqual(process.returncode, 1, said)
            self.assertRegex(said, "Error: Cannot read the state .*: interrupted")
            store.calm()
            # A lock that ends with its session ends a moment after it.
            self.run_ok("plan", "-detailed-exitcode", "-lock-timeout=10s", **store.environment)


class SilentDatabases(SlowTest):
    """Addresses where a PostgreSQL should be and only the system accepts connections."""

    def listen(self, backlog=8):
        listener = socket.create_server(("127.0.0.1", 0), backlog=backlog)
        listener.settimeout(PATIENCE)
        self.addCleanup(listener.close)
        return listener

    @staticmethod
    def settings(*listeners, wait):
        places = ",".join(f"127.0.0.1:{each.getsockname()[1]}" for each in listeners)
        return (f'conn_str = "postgres://tester@{places}/db?sslmode=disable'
                f'&connect_timeout={wait}"')

    def use(self, settings):
        self.work.write({"main.tf": 'terraform {\n  backend "pg" {\n    ' + settings +
                                    "\n  }\n}\n" + OBJECT})

    def interrupt_when_connected(self, listener, command):
        process = subprocess.Popen([TOFU, command], cwd=self.work.path, stdin=subprocess.DEVNULL,
                                   env=self.work.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        connection, _ = listener.accept()
        self.addCleanup(connection.close)
        connection.recv(1)
        process.send_signal(signal.SIGINT)
        said = self.finish(process, PATIENCE)
        self.assertEqual(process.returncode, 1, said)
        self.assertRegex(said, "Error: Cannot .* failed: interrupted")

    def test_an_interrupt_ends_the_connecting(self):
        listener = self.listen()
        self.use(self.settings(listener, wait=0))
        self.interrupt_when_connected(listener, "init")

    def test_an_interrupt_ends_the_connecting_for_another_state(self):
        listener = self.listen()
        self.work.write({"main.tf": (
            'data "terraform_remote_state" "r" {\n  backend = "pg"\n  config = {\n    ' +
            self.settings(listener, wait=0) + "\n  }\n}\n")})
        self.init()
        self.interrupt_when_connected(listener, "plan")

    def test_a_server_that_does_not_answer_is_given_up(self):
        self.use(self.settings(self.listen(), wait=1))
        self.refused(r"the server does not answer \(waited 2 seconds\)")

    def test_the_timeout_is_a_number(self):
        self.use(self.settings(self.listen(), wait="soon"))
        self.refused("its connect_timeout is \"soon\"; it must be a number of seconds")

    def answer(self, listener):
        """With an error that says where it is from."""
        def refuse():
            connection, _ = listener.accept()
            with connection:
                connection.recv(1024)
                fields = b"SFATAL\0C28000\0Mit is the other one\0\0"
                connection.sendall(b"E" + struct.pack("!I", len(fields) + 4) + fields)

        answering = threading.Thread(target=refuse)
        answering.start()
        self.addCleanup(answering.join)
        return listener

    def test_another_server_is_tried_after_the_timeout(self):
        full = self.listen(backlog=0)
        for _ in range(4):  # more than it queues, so that no other connection is accepted
            waiting = socket.socket()
            self.addCleanup(waiting.close)
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        self.use(self.settings(full, self.answer(self.listen()), wait=2))
        self.refused("it is the other one")

    def test_another_server_is_tried_where_one_is_silent(self):
        first, second = self.listen(), self.listen()
        self.use(self.settings(first, second, self.answer(self.listen()), wait=2))
        self.refused("it is the other one")


class NoAnswers(SlowTest):
    def test_a_server_that_does_not_go_on_is_given_up(self):
        """After half a minute without a byte, and after trying again; PostgreSQL after two."""
        waiting = []
        for name in STORES if ROUNDS > 1 else ["http"]:
            if STORES[name].needs:
                print(f"{name}: {STORES[name].needs}")
                continue
            for where in ("head", "body"):
                store = STORES[name](self)
                folder = self.folder(f"{name}_{where}")
                self.begin(store, folder)
                store.stall(where)
                waiting.append((name, where, store, self.start(store, folder, "plan", "-lock=false")))
        for name, where, store, process in waiting:
            said = self.finish(process, 500)
            self.assertEqual(process.returncode, 1, (name, where, said))
            self.assertRegex(said, "Error: Cannot .*(deadline exceeded|does not answer)",
                             (name, where))


if __name__ == "__main__":
    unittest.main()

"""Servers of states that begin to answer and never go on."""

import signal
import subprocess
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
    def check_a_second_interrupt_ends_the_waiting_for_a_lock(self, store):
        """What a request has done is worth waiting for, unless somebody insists."""
        self.begin(store, self.work)
        store.stall("head")
        process = self.start(store, self.work, "plan")
        stores.wait_until(store.is_stalled, "a request")
        process.send_signal(signal.SIGINT)
        while b"Interrupted" not in process.stdout.readline():
            self.assertIsNone(process.poll())
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        said = self.finish(process, PATIENCE)
        self.assertEqual(process.returncode, -signal.SIGINT, said)

    def check_the_first_interrupt_ends_the_reading(self, store):
        self.begin(store, self.work)
        for where in ("head", "body"):
            store.stall(where)
            process = self.start(store, self.work, "plan", "-lock=false")
            stores.wait_until(store.is_stalled, "a request")
            process.send_signal(signal.SIGINT)
            said = self.finish(process, PATIENCE)
            self.assertEqual(process.returncode, 1, said)
            self.assertRegex(said, "Error: Cannot read the state .*: interrupted")

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

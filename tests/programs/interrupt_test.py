"""An interrupt: what runs may end, and nothing new begins."""

import json
import os
import signal
import time
import unittest

from place import PlaceTest


class InterruptTest(PlaceTest):
    def test_no_provisioner_begins_after_an_interrupt(self):
        for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            folder = self.folder(sent.name)
            fifo, ran = self.top / f"{sent.name}.fifo", self.top / f"{sent.name}.ran"
            os.mkfifo(fifo)
            folder.write({"main.tofu": (
                'resource "terraform_data" "x" {\n  count = 4\n  provisioner "local-exec" {\n'
                f'    command = "echo ran >> {ran}; echo started > {fifo}; sleep 1000 & wait"\n'
                "  }\n}\n")})
            self.init(folder=folder)
            running = folder.start("apply", "-auto-approve", "-no-color", "-parallelism=1")
            fifo.read_text()
            running.send_signal(sent)
            running.communicate(timeout=60)
            self.assertEqual(running.returncode, 1)
            self.assertEqual(ran.read_text(), "ran\n")
            state = json.loads((folder.path / "terraform.tfstate").read_text())
            made = state["resources"][0]["instances"]
            self.assertEqual([each.get("status") for each in made], ["tainted"])

    def test_what_waits_for_its_place_is_not_begun(self):
        fifo = self.top / "fifo"
        os.mkfifo(fifo)
        self.work.write({"main.tofu": (
            'resource "terraform_data" "x" {\n  count = 4\n  provisioner "local-exec" {\n'
            f"    command = \"trap 'kill $!; exit 0' INT; sleep 1000 & echo > {fifo}; wait\"\n"
            "  }\n}\n")})
        self.assertEqual(self.work.tofu("init").status, 0)
        running = self.work.start("apply", "-auto-approve", "-json", "-parallelism=1")
        fifo.read_text()
        running.send_signal(signal.SIGINT)
        said = [json.loads(line) for line in running.communicate(timeout=60)[0].splitlines()]
        self.assertEqual(running.returncode, 1)
        types = [each["type"] for each in said]
        self.assertEqual(types.count("apply_start"), 1)
        self.assertEqual(types.count("apply_complete"), 1)
        self.assertEqual([each["diagnostic"]["summary"] for each in said
                          if each["type"] == "diagnostic"], ["execution halted"])
        state = json.loads((self.work.path / "terraform.tfstate").read_text())
        self.assertEqual(len(state["resources"][0]["instances"]), 1)
        self.assertFalse((self.work.path / "terraform.tfstate.journal").exists())

    def test_an_interrupt_ends_the_reading_of_a_pipe(self):
        pipe = self.top / "pipe"
        os.mkfifo(pipe)
        self.work.write({"main.tofu": f'output "a" {{\n  value = file("{pipe}")\n}}\n'})
        self.assertEqual(self.work.tofu("init").status, 0)
        running = self.work.start("plan", "-no-color")
        with pipe.open("w"):  # returns when the program has opened it
            running.send_signal(signal.SIGINT)
            said = running.communicate(timeout=60)[1].decode()
        self.assertEqual(running.returncode, 1)
        self.assertIn("interrupted", said)

    def test_an_interrupt_ends_long_evaluations(self):
        loops = "[for a in range(1024) : {}][0]"
        self.work.write({"main.tofu": 'output "a" {\n  value = ' + loops.format(loops.format(
            '[for c in range(1024) : sha256("${a}")][0]')) + "\n}\n"})
        running = self.work.start("plan", "-no-color")
        time.sleep(1)  # it would take minutes
        running.send_signal(signal.SIGINT)
        began = time.monotonic()
        said = running.communicate(timeout=60)[1].decode()
        self.assertLess(time.monotonic() - began, 5)
        self.assertEqual(running.returncode, 1)
        self.assertIn("on main.tofu line 2", said)
        self.assertIn("Error: Evaluation interrupted", said)


if __name__ == "__main__":
    unittest.main()

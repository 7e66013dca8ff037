"""The journal of an interrupted run: how commands use it, and what stays on disk."""

import json
import os
import resource as limits
import signal
import socket
import struct
import subprocess
import time
import unittest
import zlib

from place import TIME_LIMIT, TOFU, PlaceTest, Run

PROVIDER = 'provider["terraform.io/builtin/terraform"]'
LINEAGE = "11111111-2222-3333-4444-555555555555"


def resource(name, id):
    return {"mode": "managed", "type": "terraform_data", "name": name, "provider": PROVIDER,
            "instances": [{"schema_version": 0, "attributes": {"id": id},
                           "sensitive_attributes": []}]}


def state(serial, *resources):
    return json.dumps({"version": 4, "serial": serial, "lineage": LINEAGE,
                       "resources": list(resources)})


def begin(serial=5, lineage=LINEAGE, **more):
    return {"record": "begin", "lineage": lineage, "serial": serial, **more}


def intent(name, action="create"):
    return {"record": "intent", "address": "terraform_data." + name, "provider": PROVIDER,
            "action": action, "time": "2026-01-02T03:04:05Z"}


def done(name, id=None):
    record = {"record": "done", "address": "terraform_data." + name, "provider": PROVIDER}
    if id is not None:
        record["state"] = {"version": 4, "resources": [resource(name, id)]}
    return record


def journal(*records):
    out = b"tofu journal 1\n"
    for record in records:
        payload = json.dumps(record).encode()
        head = struct.pack("<II", len(payload), zlib.crc32(payload))
        out += head + struct.pack("<I", zlib.crc32(head)) + payload
    return out


class JournalTest(PlaceTest):
    def put(self, text, bytes_):
        if text is not None:
            (self.work.path / "terraform.tfstate").write_text(text)
        (self.work.path / "terraform.tfstate.journal").write_bytes(bytes_)

    def names(self):
        return sorted(each.name for each in self.work.path.iterdir())

    def listed(self):
        run = self.work.tofu("state", "list")
        self.assertEqual(run.status, 0, run.stderr)
        return run.stdout.split()

    def stored(self):
        return json.loads((self.work.path / "terraform.tfstate").read_text())

    def test_reading_sees_what_the_journal_adds_and_changes_nothing(self):
        self.put(state(5, resource("old", "1")), journal(begin(), done("new", "2"), done("old")))
        run = self.work.tofu("state", "list")
        self.assertEqual(run.stdout, "terraform_data.new\n")
        self.assertIn("Note: The state is shown with the changes of a journal", run.stderr)
        self.assertEqual(self.stored()["serial"], 5)
        self.assertEqual(self.names(), ["terraform.tfstate", "terraform.tfstate.journal"])

    def test_every_command_that_reads_the_state_reads_the_journal_and_dry_runs_store_nothing(self):
        self.work.write({"main.tf": 'resource "terraform_data" "new" {}\n'})
        self.init()
        output = {"record": "output", "name": "o",
                  "state": {"version": 4, "outputs": {"o": {"value": "found", "type": "string"}}}}
        self.put(state(5, resource("old", "1")),
                 journal(begin(), done("new", "object-2"), done("old"), output, intent("lost")))
        before = self.work.state()
        for command, expected in (
                (["show"], "object-2"), (["show", "-json"], '"object-2"'),
                (["output"], 'o = "found"'), (["output", "-raw", "o"], "found"),
                (["state", "list"], "terraform_data.new"),
                (["state", "show", "terraform_data.new"], "object-2"),
                (["state", "pull"], '"object-2"'), (["console"], ""), (["graph"], "digraph"),
                (["state", "mv", "-dry-run", "terraform_data.new", "terraform_data.b"],
                 "Would move terraform_data.new to terraform_data.b"),
                (["state", "rm", "-dry-run", "terraform_data.new"],
                 "Would remove terraform_data.new")):
            with self.subTest(command=command):
                run = self.work.tofu(*command, "-no-color")
                self.assertEqual(run.status, 0, run.said)
                self.assertIn(expected, run.stdout)
                notes = run.said if "-dry-run" in command else " ".join(run.stderr.split())
                self.assertIn("2 objects that differ from the state", notes)
                self.assertIn("create terraform_data.lost, since", notes)
                self.assertEqual(self.work.state(), before)

    def test_providers_of_objects_that_only_a_journal_has_are_required(self):
        self.work.write({"main.tf": ""})
        foreign = resource("r", "1") | {"type": "acme_thing",
                                        "provider": 'provider["example.com/acme/acme"]'}
        self.put(state(5), journal(begin(), {
            "record": "done", "address": "acme_thing.r", "provider": foreign["provider"],
            "state": {"version": 4, "resources": [foreign]}}))
        run = self.work.tofu("providers")
        self.assertEqual(run.status, 0, run.said)
        self.assertIn("provider[example.com/acme/acme]", run.stdout)
        # A journal that cannot be read is no reason not to begin.
        self.put(state(5), b"tofu journal 9\nwhatever it is")
        self.init()

    def test_changing_completes_the_state_first_and_names_calls_in_flight(self):
        self.put(state(5, resource("old", "1")),
                 journal(begin(), intent("new"), done("new", "2"), intent("lost")))
        run = self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
        self.assertEqual(run.status, 0, run.stderr)
        self.assertIn("create terraform_data.lost, since 2026-01-02T03:04:05Z",
                      run.said)
        self.assertIn("tofu import 'terraform_data.lost' ID", run.said)
        self.assertEqual(self.stored()["serial"], 6)
        self.assertEqual(self.listed(), ["terraform_data.new", "terraform_data.old"])
        self.assertNotIn("terraform.tfstate.journal", self.names())

    def test_proposed_commands_run_nothing_of_a_key(self):
        key = "'; touch ran; $(touch ran) '"
        call = intent("lost") | {"address": f'terraform_data.lost["{key}"]'}
        self.put(state(5), journal(begin(), call))
        run = self.work.tofu("untaint", "-allow-missing", "terraform_data.none", "-no-color")
        command = next(line for line in run.stdout.splitlines() if "run: tofu import" in line)
        words = command.partition("run: ")[2]
        done_ = subprocess.run(["sh", "-c", f"printf '%s\\n' {words}"], cwd=self.work.path,
                               capture_output=True, text=True, timeout=TIME_LIMIT)
        self.assertEqual(done_.stdout.splitlines(), ["tofu", "import", call["address"], "ID"])
        self.assertNotIn("ran", self.names())

    def test_of_many_objects_the_first_are_listed_and_every_call_in_flight(self):
        self.put(state(5), journal(begin(), *(done(f"new{i:04}", "2") for i in range(1000)),
                                   *(intent(f"lost{i:04}") for i in range(100))))
        run = self.work.tofu("state", "list")
        self.assertEqual(len(run.stdout.split()), 1000)
        for command in (("state", "list"), ("untaint", "-allow-missing", "terraform_data.none")):
            run = self.work.tofu(*command, "-no-color")
            self.assertEqual(run.status, 0, run.stderr)
            self.assertIn("has 1000 objects that differ from the state", run.said)
            self.assertIn("- terraform_data.new0019 (and 980 more) These operations", run.said)
            self.assertEqual(run.said.count("- create terraform_data.lost"), 100, run.said)
        self.assertEqual(len(self.listed()), 1000)

    def in_flight(self):
        """A configuration whose planning never ends, and a journal of calls in flight."""
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        self.work.write({"main.tf": 'data "terraform_remote_state" "silent" {\n'
                                    '  backend = "http"\n  config = {\n    address = '
                                    f'"http://127.0.0.1:{silent.getsockname()[1]}"\n  }}\n}}\n'})
        self.put(state(5, resource("old", "1")),
                 journal(begin(), done("new", "2"), intent("lost"), intent("old", "update")))
        silent.settimeout(TIME_LIMIT)
        return silent

    def test_a_recovery_is_told_before_its_journal_is_gone(self):
        """Killed while it plans, the command has told of the calls."""
        commands = (("plan",), ("plan", "-json"), ("plan", "-compact-warnings"),
                    ("apply", "-auto-approve"), ("refresh", "-json"), ("plan", "-lock=false"))
        for command in commands:
            with self.subTest(command=command), self.in_flight() as silent:
                running = self.work.start(*command)
                asked, _ = silent.accept()
                self.addCleanup(asked.close)
                self.assertEqual("terraform.tfstate.journal" in self.names(),
                                 "-lock=false" in command)
                running.kill()
                said = b"".join(running.communicate(timeout=TIME_LIMIT)).decode()
                self.assertIn("create terraform_data.lost, since 2026-01-02T03:04:05Z", said)
                self.assertIn("tofu import 'terraform_data.lost' ID", said)
                self.assertIn("update terraform_data.old, since", said)
                if "-json" in command:
                    told = [json.loads(line) for line in said.splitlines()]
                    self.assertEqual([each["diagnostic"]["summary"] for each in told
                                      if each["type"] == "diagnostic"],
                                     ["Completing an interrupted run"])

    def test_a_recovery_that_nobody_can_read_does_not_happen(self):
        self.put(state(5), journal(begin(), done("new", "2"), intent("lost")))
        before = self.stored()
        command = f"exec {TOFU} untaint -allow-missing terraform_data.none"
        for streams, status in ((">/dev/full 2>/dev/full", 1), (">/dev/full", 0)):
            done_ = subprocess.run(["sh", "-c", f"{command} {streams}"], cwd=self.work.path,
                                   env=self.work.environment, capture_output=True,
                                   timeout=TIME_LIMIT)
            if status == 1:
                self.assertEqual(done_.returncode, 1)
                self.assertEqual(self.stored(), before)
                self.assertIn("terraform.tfstate.journal", self.names())
        self.assertIn("tofu import 'terraform_data.lost' ID", done_.stderr.decode())
        self.assertNotIn("terraform.tfstate.journal", self.names())
        self.assertEqual(self.listed(), ["terraform_data.new"])

    def test_a_damaged_move_is_no_reason_to_destroy(self):
        moving, rest = journal(done("a"), done("b", "1")), journal(intent("b", "update"),
                                                                   done("b", "1"))
        head = len(journal())
        damaged = journal(begin()) + moving[head:-2] + b"xy" + rest[head:]
        text = state(5, resource("a", "1"))
        self.put(text, damaged.replace(moving[head:-2][:30], b"\0" * 30))
        run = self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("Damaged journal hides moved objects", run.said)
        self.assertIn("tofu state rm 'terraform_data.a'", run.said)
        self.assertEqual((self.work.path / "terraform.tfstate").read_text(), text)
        run = self.work.tofu("state", "recover", "-auto-approve")
        self.assertEqual(run.status, 0, run.said)
        self.assertIn("tofu state rm 'terraform_data.a'", run.said)
        self.assertEqual(self.listed(), ["terraform_data.a", "terraform_data.b"])

    def test_a_first_run_is_recovered_without_a_state(self):
        self.put(None, journal({**begin(0), "new": True}, done("new", "2")))
        self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
        self.assertEqual(self.stored()["lineage"], LINEAGE)
        self.assertEqual(self.listed(), ["terraform_data.new"])

    def test_a_torn_record_is_ignored_and_a_damaged_journal_is_kept(self):
        whole = journal(begin(), done("a", "1"), done("b", "2"))
        self.put(state(5), whole[:-3])
        self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
        self.assertEqual(self.listed(), ["terraform_data.a"])
        self.assertNotIn("terraform.tfstate.journal.damaged", self.names())

        self.put(state(5), whole[:-3] + b"xyz")
        run = self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
        self.assertRegex(run.said, "damaged at byte [0-9]+")
        self.assertEqual(self.listed(), ["terraform_data.a"])
        self.assertIn("terraform.tfstate.journal.damaged", self.names())

    def test_a_newer_state_that_has_it_all_only_loses_the_journal(self):
        self.put(state(6, resource("a", "1")), journal(begin(), done("a", "1")))
        self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
        self.assertEqual(self.stored()["serial"], 6)
        self.assertEqual(self.names(), ["terraform.tfstate"])

    def test_a_journal_of_another_history_stops_every_change(self):
        for text, first in ((state(3, resource("x", "1")), begin()),
                            (state(5, resource("x", "1")), begin(lineage="other"))):
            self.put(text, journal(first, done("a", "1")))
            run = self.work.tofu("state", "rm", "terraform_data.x")
            self.assertEqual(run.status, 1)
            self.assertIn("does not match the state", run.said)
            self.assertEqual((self.work.path / "terraform.tfstate").read_text(), text)
            self.assertIn("terraform.tfstate.journal", self.names())
            self.assertEqual(self.listed()[0], "terraform_data.x")

    def test_a_newer_state_wins_and_runs_go_on(self):
        self.put(state(9, resource("x", "1"), resource("y", "2")),
                 journal(begin(), done("a", "1"), done("x", "stale"), done("y")))
        run = self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
        self.assertEqual(run.status, 0, run.said)
        self.assertIn("which has 1 object not in the state:", run.said)
        self.assertIn("- terraform_data.a", run.said)
        self.assertEqual(self.stored()["serial"], 9)
        self.assertEqual(self.listed(), ["terraform_data.x", "terraform_data.y"])
        self.assertEqual(self.names(), ["terraform.tfstate", "terraform.tfstate.journal"])

        # A run keeps its own journal beside the other and ends it.
        self.work.write({"main.tf": 'resource "terraform_data" "new" {}\n'})
        self.init()
        run = self.work.tofu("apply", "-auto-approve", "-target=terraform_data.new")
        self.assertEqual(run.status, 0, run.said)
        self.assertIn("terraform.tfstate.journal", self.names())
        self.assertNotIn("terraform.tfstate.journal.1", self.names())
        self.assertIn("terraform_data.new", self.listed())

    def test_a_newer_state_that_knows_every_object_ends_the_journal(self):
        """As after a run that stored the state but could not remove its journal."""
        text = state(9, resource("x", "1"))
        self.put(text, journal(begin(), done("x", "stale"), intent("x", "update")))
        run = self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
        self.assertEqual(run.status, 0, run.said)
        self.assertNotIn("journal", run.said)
        self.assertEqual((self.work.path / "terraform.tfstate").read_text(), text)
        self.assertEqual(self.names(), ["terraform.tfstate"])

    def test_recovery_by_hand_shows_each_object_and_asks(self):
        self.put(state(9, resource("x", "1")),
                 journal(begin(), done("a", "1"), done("x", "stale"), intent("b")))
        before = self.stored()
        run = self.work.tofu("state", "recover", "-dry-run")
        self.assertEqual(run.status, 0, run.said)
        self.assertIn("+ terraform_data.a", run.said)
        self.assertIn("terraform_data.x: the journal differs, but the state is newer", run.said)
        self.assertIn("create terraform_data.b", run.said)
        for arguments in ([], ["-json"]):
            run = self.work.tofu("state", "recover", *arguments)
            self.assertEqual(run.status, 1, run.said)
            self.assertIn("Approval required", run.said)
        self.assertEqual(self.stored(), before)
        self.assertEqual(self.names(), ["terraform.tfstate", "terraform.tfstate.journal"])

        run = self.work.tofu("state", "recover", "-json", "-auto-approve")
        self.assertEqual(run.status, 0, run.said)
        messages = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual([(each["address"], each["action"]) for each in messages
                          if each.get("type") == "journal_object"],
                         [("terraform_data.a", "add"), ("terraform_data.x", "keep")])
        self.assertEqual(self.listed(), ["terraform_data.a", "terraform_data.x"])
        self.assertEqual(self.stored()["serial"], 10)
        self.assertEqual(self.attributes("x"), {"id": "1"})
        self.assertNotIn("terraform.tfstate.journal", self.names())

    def attributes(self, name):
        return next(each["instances"][0]["attributes"] for each in self.stored()["resources"]
                    if each["name"] == name)

    def test_objects_of_another_lineage_are_not_replaced(self):
        self.put(state(5, resource("x", "1")),
                 journal(begin(lineage="other"), done("a", "1"), done("x", "theirs")))
        run = self.work.tofu("state", "recover", "-auto-approve")
        self.assertEqual(run.status, 0, run.said)
        self.assertEqual(self.listed(), ["terraform_data.a", "terraform_data.x"])
        self.assertEqual(self.attributes("x"), {"id": "1"})
        self.assertIn("terraform.tfstate.journal.kept", self.names())
        self.assertIn("terraform.tfstate.journal.kept", run.said)

    def test_an_older_state_is_completed_by_hand(self):
        self.put(state(3, resource("x", "1")), journal(begin(), done("a", "1"), done("x", "2")))
        run = self.work.tofu("state", "recover", "-auto-approve")
        self.assertEqual(run.status, 0, run.said)
        self.assertIn("~ terraform_data.x", run.said)
        self.assertEqual(self.attributes("x"), {"id": "2"})
        self.assertEqual(self.names(), ["terraform.tfstate", "terraform.tfstate.backup"])

    def test_pushing_the_state_of_the_same_run_ends_the_journal(self):
        for text, first in ((state(5, resource("x", "1")), begin()), (None, begin(0, new=True))):
            self.put(text, journal(first, done("a", "1"), done("x", "2")))
            self.work.write({"errored.tfstate": state(6, resource("a", "1"), resource("x", "2"))})
            run = self.work.tofu("state", "push", "errored.tfstate")
            self.assertEqual(run.status, 0, run.said)
            self.assertEqual(self.stored()["serial"], 6)
            self.assertEqual(self.listed(), ["terraform_data.a", "terraform_data.x"])
            self.assertNotIn("terraform.tfstate.journal", self.names())
            (self.work.path / "terraform.tfstate").unlink()

    def test_a_backup_may_take_the_place_of_a_state_that_was_lost(self):
        """The journal is completed on what was pushed."""
        for lost in (None, state(3, resource("x", "0"))):
            self.put(lost, journal(begin(), done("a", "1")))
            self.work.write({"saved.tfstate": state(5, resource("x", "1"))})
            run = self.work.tofu("state", "push", "saved.tfstate")
            self.assertEqual(run.status, 0, run.said)
            self.assertIn("terraform.tfstate.journal", self.names())
            run = self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
            self.assertEqual(run.status, 0, run.said)
            self.assertEqual(self.listed(), ["terraform_data.a", "terraform_data.x"])
            self.assertNotIn("terraform.tfstate.journal", self.names())
            (self.work.path / "terraform.tfstate").unlink()

    def test_a_migration_names_a_journal_that_it_cannot_complete(self):
        self.work.write({"main.tf": ""})
        self.init()
        self.put(state(9, resource("x", "1")), journal(begin(), done("a", "1")))
        self.work.write({"main.tf": 'terraform {\n  backend "local" {\n    path = "b"\n  }\n}\n'})
        run = self.init("-migrate-state", "-force-copy")
        self.assertEqual(run.said.count("Objects only in a journal"), 1, run.said)
        self.assertIn("Interrupted run in the previous backend", run.said)
        self.assertIn("terraform.tfstate.journal", self.names())
        self.assertEqual(self.listed(), ["terraform_data.x"])

    def test_pushing_another_state_completes_the_stored_one_first(self):
        self.put(state(5), journal(begin(), done("a", "1")))
        self.work.write({"other.tfstate": state(6, resource("x", "1"))})
        run = self.work.tofu("state", "push", "other.tfstate")
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("State cannot be replaced", run.said)
        self.assertEqual(self.listed(), ["terraform_data.a"])

    def test_a_journal_of_another_backend_is_left_alone(self):
        text = state(5, resource("x", "1"))
        self.put(text, journal(begin(backend="s3://bucket/key", workspace="default"),
                               done("a", "1")))
        run = self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
        self.assertEqual(run.status, 0, run.said)
        self.assertEqual(run.said.count("terraform.tfstate.journal"), 1, run.said)
        self.assertIn("s3://bucket/key", run.said)
        self.assertEqual(self.listed(), ["terraform_data.x"])
        self.assertEqual(self.names(), ["terraform.tfstate", "terraform.tfstate.journal"])
        run = self.work.tofu("state", "recover", "-discard")
        self.assertEqual(run.status, 0, run.said)
        self.assertIn("terraform.tfstate.journal", self.names())

    @unittest.skipUnless(os.geteuid() == 0, "only root may give files away")
    def test_a_journal_that_anybody_could_have_left_is_not_used(self):
        self.put(state(5), journal(begin(), done("a", "1")))
        os.chown(self.work.path / "terraform.tfstate.journal", 1234, 1234)
        os.chmod(self.work.path, 0o777)
        run = self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("Journal owned by another user", run.said)
        os.chmod(self.work.path, 0o755)
        self.assertEqual(self.listed(), ["terraform_data.a"])

    def test_a_run_without_the_lock_keeps_a_journal_beside_the_other(self):
        self.put(state(5), journal(begin(), done("a", "1")))
        self.work.write({"main.tf": '''
resource "terraform_data" "a" {}
resource "terraform_data" "slow" {
  provisioner "local-exec" {
    command = "touch started; while [ ! -e go ]; do sleep 0.1; done"
  }
}
'''})
        self.init()
        running = self.work.start("apply", "-lock=false", "-auto-approve", "-refresh=false")
        deadline = time.monotonic() + 60
        while not (self.work.path / "started").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        running.kill()
        running.communicate()
        (self.work.path / "go").touch()
        self.assertIn("terraform.tfstate.journal", self.names())
        self.assertIn("terraform.tfstate.journal.1", self.names())
        self.assertEqual(self.stored()["serial"], 5)

        run = self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
        self.assertEqual(run.status, 0, run.said)
        self.assertEqual(self.listed(), ["terraform_data.a", "terraform_data.slow"])
        self.assertEqual([name for name in self.names() if "journal" in name], [])

    def test_the_journal_of_a_run_in_progress_is_left_to_it(self):
        """Where nothing is locked, or no longer, other runs see it."""
        first = ('resource "terraform_data" "first" {\n  provisioner "local-exec" {\n'
                 '    command = "true"\n  }\n}\n')
        self.work.write({"main.tf": first + '''
resource "terraform_data" "slow" {
  depends_on = [terraform_data.first]
  provisioner "local-exec" {
    command = "touch started; while [ ! -e go ]; do sleep 0.1; done"
  }
}
'''})
        self.init()
        running = self.work.start("apply", "-lock=false", "-auto-approve")
        self.addCleanup(running.kill)
        deadline = time.monotonic() + 60
        while not (self.work.path / "started").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        left_alone = "terraform.tfstate.journal belongs to a run that is in progress"
        for command in (["plan"], ["plan", "-lock=false"], ["state", "recover", "-auto-approve"],
                        ["state", "recover", "-discard"]):
            run = self.work.tofu(*command)
            self.assertIn(left_alone, run.said)
            self.assertNotIn("unfinished", run.said)
            self.assertIn("terraform.tfstate.journal", self.names())
        run = self.work.tofu("state", "list")
        self.assertIn(left_alone, " ".join(run.stderr.split()))
        self.assertEqual(run.stdout.split(), ["terraform_data.first", "terraform_data.slow"])
        running.kill()
        running.communicate(timeout=TIME_LIMIT)
        (self.work.path / "go").touch()
        run = self.work.tofu("state", "recover", "-dry-run")
        self.assertIn("terraform_data.slow, created, since", run.said)
        self.assertIn("+ terraform_data.first", run.said)

    def test_a_workspace_is_not_deleted_with_objects_that_only_its_journal_knows(self):
        self.work.write({"main.tf": ""})
        self.init()
        self.work.tofu("workspace", "new", "two")
        self.work.tofu("workspace", "select", "default")
        folder = self.work.path / "terraform.tfstate.d/two"
        for first, record in ((begin(0, new=True), done("a", "1")),
                              (begin(7, lineage="other"), done("a", "1")),
                              (begin(0, new=True), intent("a"))):
            (folder / "terraform.tfstate.journal").write_bytes(journal(first, record))
            run = self.work.tofu("workspace", "delete", "two")
            self.assertEqual(run.status, 1, run.said)
            self.assertIn("Workspace is not empty", run.said)
            self.assertIn("terraform_data.a", run.said)
            self.assertTrue((folder / "terraform.tfstate.journal").exists())
        run = self.work.tofu("workspace", "delete", "-force", "two")
        self.assertEqual(run.status, 0, run.said)
        self.assertFalse(folder.exists())

    def test_a_journal_is_given_up_by_hand(self):
        self.put(state(9, resource("x", "1")), journal(begin(), done("a", "1")))
        run = self.work.tofu("state", "recover", "-discard")
        self.assertEqual(run.status, 0, run.said)
        self.assertEqual(self.listed(), ["terraform_data.x"])
        self.assertEqual(self.names(), ["terraform.tfstate"])

    def test_without_the_lock_nothing_is_stored_on_the_way(self):
        self.put(state(5), journal(begin(), done("a", "1")))
        run = self.work.tofu("untaint", "-lock=false", "-allow-missing", "terraform_data.none")
        self.assertEqual(run.status, 0, run.said)
        self.assertEqual(self.stored()["serial"], 5)
        self.assertIn("terraform.tfstate.journal", self.names())

    def test_the_format_of_a_newer_version_stops_every_change(self):
        self.put(state(5), b"tofu journal 9\nwhatever it is")
        run = self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
        self.assertEqual(run.status, 1)
        self.assertIn("Unsupported journal format", run.said)
        self.put(state(5), journal(begin(), {"record": "omen"}, done("a", "1")))
        run = self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
        self.assertEqual(run.status, 1)
        self.assertIn("Unsupported journal format", run.said)
        self.assertEqual(self.names(), ["terraform.tfstate", "terraform.tfstate.journal"])

    def test_a_damaged_record_does_not_hide_those_after_it(self):
        whole = journal(begin(), done("a", "1"), done("b", "2"))
        first = len(journal(begin(), done("a", "1")))
        self.put(state(5), whole[:first - 2] + b"xx" + whole[first:])
        run = self.work.tofu("untaint", "-allow-missing", "terraform_data.none")
        self.assertEqual(run.status, 0, run.said)
        self.assertRegex(run.said, "damaged at byte [0-9]+")
        self.assertEqual(self.listed(), ["terraform_data.b"])
        self.assertIn("terraform.tfstate.journal.damaged", self.names())

    def test_temporary_files_of_killed_runs_are_removed(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        left = [f"terraform.tfstate.tmp{ended.pid}-0", f"terraform.tfstate.backup.tmp{ended.pid}-1"]
        self.work.write({name: "" for name in left})
        self.work.write({"main.tf": 'resource "terraform_data" "a" {}\n'})
        self.assertEqual(self.work.tofu("apply", "-auto-approve").status, 0)
        self.assertEqual(self.names(), ["main.tf", "terraform.tfstate"])


class KilledInProvisionersTest(PlaceTest):
    """Runs that are killed while a provisioner runs, which waits for that."""

    def setUp(self):
        super().setUp()
        self.fifo = self.top / "fifo"
        os.mkfifo(self.fifo)

    def waiting(self, more=""):
        return (f'  provisioner "local-exec" {{\n    command = "echo > {self.fifo}; sleep 1000"\n'
                f'    {more}\n  }}\n')

    def killed(self, *command):
        running = self.work.start(*command, "-auto-approve", "-no-color")
        self.fifo.read_text()  # until the provisioner runs
        running.kill()
        running.communicate(timeout=TIME_LIMIT)
        self.assertEqual(running.returncode, -signal.SIGKILL)

    def plan(self):
        run = self.work.tofu("plan", "-no-color")
        self.assertEqual(run.status, 0, run.said)
        return run

    def good(self, *command):
        run = self.work.tofu(*command, "-auto-approve", "-no-color")
        self.assertEqual(run.status, 0, run.said)
        return run

    def test_a_created_object_is_tainted_and_named(self):
        quick = '  provisioner "local-exec" {\n    command = "true"\n  }\n'
        for provisioners in (self.waiting(), quick + self.waiting(), self.waiting() + quick):
            self.work.write({"main.tf": f'resource "terraform_data" "a" {{\n{provisioners}}}\n'})
            self.killed("apply")
            run = self.plan()
            self.assertIn("provisioners of these objects did not finish", run.said)
            self.assertRegex(run.said, "terraform_data.a, created, since .*: it is tainted")
            self.assertIn("terraform_data.a is tainted, so it must be replaced", run.said)
            self.work.write({"main.tf": 'resource "terraform_data" "a" {}\n'})
            self.assertIn("1 added, 0 changed, 1 destroyed", self.good("apply").said)
            self.good("destroy")

    def test_a_successor_is_tainted_and_the_old_object_is_still_to_be_destroyed(self):
        def configuration(number, more):
            return (f'resource "terraform_data" "a" {{\n  triggers_replace = {number}\n'
                    f'  lifecycle {{\n    create_before_destroy = true\n  }}\n{more}}}\n')
        self.work.write({"main.tf": configuration(1, "")})
        self.good("apply")
        self.work.write({"main.tf": configuration(2, self.waiting())})
        self.killed("apply")
        self.work.write({"main.tf": configuration(2, "")})
        run = self.plan()
        self.assertIn("terraform_data.a is tainted", run.said)
        self.assertIn("(deposed object", run.said)
        self.assertIn("1 added, 0 changed, 2 destroyed", self.good("apply").said)

    def test_an_object_that_was_moved_is_not_left_where_it_was(self):
        """The plan moves a to b and then changes it."""
        self.work.write({"main.tf": 'resource "terraform_data" "a" {\n  input = "a"\n}\n'})
        self.good("apply")
        before = self.ids()["a"]
        moved = ('moved {\n  from = terraform_data.a\n  to   = terraform_data.b\n}\n'
                 'resource "terraform_data" "b" {\n  input = "b"\n}\n')
        last = 'resource "terraform_data" "last" {\n  depends_on = [terraform_data.b]\n'
        self.work.write({"main.tf": moved + last + self.waiting() + "}\n"})
        self.killed("apply")
        self.work.write({"main.tf": moved + last + "}\n"})
        self.assertIn("1 to add, 0 to change, 1 to destroy", self.plan().said)
        after = self.ids()
        self.assertEqual(after["b"], before)
        self.assertEqual(sorted(after), ["b", "last"])

    def ids(self):
        known = json.loads((self.work.path / "terraform.tfstate").read_text())
        return {each["name"]: each["instances"][0]["attributes"]["id"]
                for each in known["resources"]}

    def test_an_object_whose_destroy_provisioners_had_not_finished_is_still_to_be_destroyed(self):
        self.work.write({
            "main.tf": f'resource "terraform_data" "a" {{\n{self.waiting("when = destroy")}}}\n'})
        self.good("apply")
        self.killed("destroy")
        run = self.work.tofu("plan", "-destroy", "-no-color")
        self.assertRegex(run.said, "terraform_data.a, being destroyed, since .*: it still exists")
        self.assertIn("1 to destroy", run.said)
        self.work.write({"main.tf": 'resource "terraform_data" "a" {}\n'})
        self.assertIn("1 destroyed", self.good("destroy").said)


class FullDiskTest(PlaceTest):
    """Runs in which no file can become larger than so many bytes: the journal cannot before the
    state cannot, since it has two records for each object."""

    def limited(self, most, *command):
        done = subprocess.run(
            [TOFU, *command], cwd=self.work.path, env=self.work.environment,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT,
            preexec_fn=lambda: limits.setrlimit(limits.RLIMIT_FSIZE, (most, limits.RLIM_INFINITY)))
        return Run(done)

    def test_whatever_does_not_fit_nothing_is_lost_and_the_next_run_goes_on(self):
        made = self.top / "made"
        made.mkdir()
        link = "".join(
            f'resource "terraform_data" "r{i}" {{\n'
            + (f"  input = terraform_data.r{i - 1}.id\n" if i > 0 else "")
            + f'  provisioner "local-exec" {{\n    command = "mkdir {made}/r{i}"\n  }}\n}}\n'
            for i in range(4))
        files = {"main.tf": link + 'output "o" {\n  value = terraform_data.r3.id\n}\n'}
        complete = False
        refused = 0
        for most in range(200, 12000, 400):
            self.work = self.folder(f"work-{most}")
            self.work.write(files)
            for each in made.iterdir():
                each.rmdir()
            run = self.limited(most, "apply", "-auto-approve", "-no-color")
            self.assertIn(run.status, (0, 1), run.said)
            path = self.work.path / "terraform.tfstate"
            known = json.loads(path.read_text()) if path.exists() else {"resources": []}
            if "could not be stored anywhere" in run.said:
                continue  # not even the state is so small
            for each in made.iterdir():
                self.assertIn(each.name, [one["name"] for one in known["resources"]], run.said)
            self.assertTrue(run.status == 1 or "o" in known["outputs"], run.said)
            for output in known.get("outputs", {}).values():
                self.assertIsNotNone(output["value"], run.said)
            refused += "Cannot write the journal" in run.said
            self.assertFalse((self.work.path / "terraform.tfstate.journal").exists(), run.said)
            again = self.work.tofu("plan", "-no-color")
            self.assertEqual(again.status, 0, again.said)
            self.assertNotIn("interrupted run", again.said)
            if run.status == 0:
                complete = True
                break
        self.assertTrue(complete)
        self.assertGreater(refused, 3)

    def test_a_state_that_fits_nowhere_is_printed_whole(self):
        """The old state is larger than a file may become, and the journal is not."""
        def configuration(more):
            return ('resource "terraform_data" "large" {\n  input = join("-", range(1000))\n}\n'
                    + more)
        new = ('resource "terraform_data" "new" {\n  provisioner "local-exec" {\n'
               '    command = "echo ${self.id} > made"\n  }\n}\n')
        self.work.write({"main.tf": configuration("")})
        self.assertEqual(self.work.tofu("apply", "-auto-approve").status, 0)
        for way in ("the journal", "what was printed"):
            self.work.write({"main.tf": configuration(new)})
            run = self.limited(6000, "apply", "-auto-approve", "-no-color")
            self.assertEqual(run.status, 1, run.said)
            self.assertIn("The state could not be stored anywhere", run.said)
            self.assertIn("The journal terraform.tfstate.journal contains the changes of this run as well",
                          run.said)
            printed = run.stderr[run.stderr.index("{\n"):run.stderr.index("\n}\n") + 3]
            self.assertIn((self.work.path / "made").read_text().strip(), printed)
            self.assertFalse((self.work.path / "errored.tfstate").exists())
            if way == "what was printed":
                self.work.write({"saved": printed})
                pushed = self.work.tofu("state", "push", "saved")
                self.assertEqual(pushed.status, 0, pushed.said)
                self.assertFalse((self.work.path / "terraform.tfstate.journal").exists())
            again = self.work.tofu("plan", "-detailed-exitcode")
            self.assertEqual(again.status, 0, again.said)
            self.work.write({"main.tf": configuration("")})
            self.assertEqual(self.work.tofu("apply", "-auto-approve").status, 0)


if __name__ == "__main__":
    unittest.main()

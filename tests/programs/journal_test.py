"""The journal of a run that died: what commands make of it, and what stays on disk."""

import json
import struct
import unittest
import zlib

from place import PlaceTest

PROVIDER = 'provider["terraform.io/builtin/terraform"]'
LINEAGE = "11111111-2222-3333-4444-555555555555"


def resource(name, id):
    return {"mode": "managed", "type": "terraform_data", "name": name, "provider": PROVIDER,
            "instances": [{"schema_version": 0, "attributes": {"id": id},
                           "sensitive_attributes": []}]}


def state(serial, *resources):
    return json.dumps({"version": 4, "serial": serial, "lineage": LINEAGE,
                       "resources": list(resources)})


def begin(serial=5, lineage=LINEAGE):
    return {"record": "begin", "lineage": lineage, "serial": serial}


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
        self.assertIn("Note: the state is shown with what a journal adds", run.stderr)
        self.assertEqual(self.stored()["serial"], 5)
        self.assertEqual(self.names(), ["terraform.tfstate", "terraform.tfstate.journal"])

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
        for text, first in ((state(9, resource("x", "1")), begin()),
                            (state(3, resource("x", "1")), begin()),
                            (state(5, resource("x", "1")), begin(lineage="other"))):
            self.put(text, journal(first, done("a", "1")))
            run = self.work.tofu("state", "rm", "terraform_data.x")
            self.assertEqual(run.status, 1)
            self.assertIn("does not belong to this state", run.said)
            self.assertEqual((self.work.path / "terraform.tfstate").read_text(), text)
            self.assertIn("terraform.tfstate.journal", self.names())
            self.assertEqual(self.listed()[0], "terraform_data.x")

    def test_what_still_fits_is_applied_by_hand(self):
        self.put(state(9, resource("x", "1")), journal(begin(), done("a", "1"), intent("b")))
        run = self.work.tofu("state", "recover", "-dry-run")
        self.assertEqual(run.status, 0, run.said)
        self.assertIn("terraform_data.a", run.said)
        self.assertIn("create terraform_data.b", run.said)
        self.assertEqual(self.names(), ["terraform.tfstate", "terraform.tfstate.journal"])

        run = self.work.tofu("state", "recover")
        self.assertEqual(run.status, 0, run.said)
        self.assertEqual(self.listed(), ["terraform_data.a", "terraform_data.x"])
        self.assertEqual(self.stored()["serial"], 10)
        self.assertNotIn("terraform.tfstate.journal", self.names())

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


if __name__ == "__main__":
    unittest.main()

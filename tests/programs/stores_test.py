"""States that are stored elsewhere: locks, failures, other programs, hostile servers."""

import base64
import hashlib
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import threading
import unittest

import object_stores
import stand_in
import stores
from place import TIME_LIMIT
from store_place import OBJECT, OUTPUT, PEER, ROUNDS, StoreTest


def is_write(request):
    return request.method == "POST"


class HttpStore(StoreTest):
    def setUp(self):
        super().setUp()
        self.server = self.serve(stores.StateServer())

    def test_settings_may_come_from_elsewhere(self):
        self.work.write({"main.tf": 'terraform {\n  backend "http" {}\n}\n' + OBJECT,
                         "more.hcl": f'lock_address = "{self.server.url}/state"\n'
                                     f'unlock_address = "{self.server.url}/state"\n'})
        self.assertEqual(self.work.tofu("init").status, 1)
        self.init(f"-backend-config=address={self.server.url}/state", "-backend-config=more.hcl",
                  TF_HTTP_USERNAME="u", TF_HTTP_PASSWORD="secret-word")
        recorded = (self.work.path / ".terraform/terraform.tfstate").read_text()
        self.assertIn(self.server.url, recorded)
        self.assertNotIn("secret-word", recorded)
        self.apply(TF_HTTP_USERNAME="u", TF_HTTP_PASSWORD="secret-word")
        self.assertEqual(self.server.intruders, [])
        self.assertIn("Authorization", self.server.requests[-1].headers)

    def test_twenty_clients_and_one_lock_are_never_two_inside(self):
        for each in range(ROUNDS):
            folders = []
            for number in range(20):
                folder = self.folder(f"client{each}-{number}")
                folder.write({"main.tf": self.server.block()
                              + f'resource "terraform_data" "x" {{\n  input = {number}\n}}\n'})
                folders.append(folder)
            for folder in folders:
                self.init(folder=folder)
            before = self.server.document()["serial"] if self.server.state else 0
            running = [folder.start("apply", "-auto-approve", "-lock-timeout=300s")
                       for folder in folders]
            for one in running:
                out, err = one.communicate(timeout=300)
                self.assertEqual(one.returncode, 0, out + err)
            self.assertEqual(self.server.intruders, [])
            self.assertIsNone(self.server.lock)
            self.assertEqual(self.server.document()["serial"], before + 20)

    def test_a_client_that_was_killed_leaves_a_lock_that_is_explained_and_taken_away(self):
        self.work.write({"main.tf": self.server.block() + OBJECT})
        self.init()

        def kill(request):
            if request.method == "POST":
                os.kill(process.pid, signal.SIGKILL)
                return "drop"
            return None

        self.server.trouble = kill
        process = self.work.start("apply", "-auto-approve")
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.server.trouble = lambda request: None
        holder = self.server.lock["ID"]
        run = self.work.tofu("plan")
        self.assertEqual(run.status, 1)
        self.assertIn(f"force-unlock {holder}", run.said)
        self.assertIn("OperationTypeApply", run.said)
        wrong = self.work.tofu("force-unlock", "-force", "00000000-0000-0000-0000-000000000000")
        self.assertEqual(wrong.status, 1, wrong.said)
        self.run_ok("force-unlock", "-force", holder)
        # What the run had finished is in its journal on this machine.
        run = self.run_ok("plan", "-detailed-exitcode")
        self.assertIn("terraform_data.a", run.said)
        self.assertEqual(self.server.document()["resources"][0]["name"], "a")

    def killed_first_run(self, block):
        """A run that dies when it stores its first state: its journal."""
        self.work.write({"main.tf": block + OBJECT})
        self.init()

        def kill(request):
            if request.method == "POST":
                os.kill(process.pid, signal.SIGKILL)
                return "drop"
            return None

        self.server.trouble = kill
        process = self.work.start("apply", "-auto-approve")
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.server.trouble = lambda request: None
        self.server.lock = None
        journal, = (self.top / "home/.local/state/tofu/journal").iterdir()
        return journal

    def test_a_journal_outlives_the_data_of_the_working_directory(self):
        journal = self.killed_first_run(self.server.block())
        shutil.rmtree(self.work.path / ".terraform")
        self.init()
        run = self.run_ok("plan", "-detailed-exitcode")
        self.assertIn("terraform_data.a", run.said)
        self.assertEqual(self.server.document()["resources"][0]["name"], "a")
        self.assertFalse(journal.exists())

    def test_a_journal_is_where_the_environment_says(self):
        self.work.write({"main.tf": self.server.block() + OBJECT.replace(
            "}\n", '  provisioner "local-exec" {\n    command = "ls journals > seen"\n  }\n}\n')})
        self.init()
        self.apply(TOFU_JOURNAL_DIR="journals")
        self.assertRegex((self.work.path / "seen").read_text(), "^[0-9a-f]{16}-default.journal\n$")
        self.apply("-replace=terraform_data.a", TOFU_JOURNAL_DIR="/proc/nowhere")
        self.assertEqual(list((self.work.path / ".terraform/journal").iterdir()), [])

    def test_migration_completes_the_journal_of_the_old_backend_first(self):
        self.killed_first_run(self.server.block())
        second = self.serve(stores.StateServer())
        self.work.write({"main.tf": second.block() + OBJECT})
        run = self.init("-migrate-state", "-force-copy")
        self.assertIn("Completing an interrupted run", run.said)
        self.assertEqual(second.document()["resources"][0]["name"], "a")
        self.assertEqual(second.document()["lineage"], self.server.document()["lineage"])
        self.run_ok("plan", "-detailed-exitcode")

    def test_another_backend_does_not_get_what_a_journal_has(self):
        journal = self.killed_first_run(self.server.block())
        second = self.serve(stores.StateServer())
        self.work.write({"main.tf": second.block() + OBJECT})
        run = self.init("-reconfigure")
        self.assertIn(str(journal), run.said)
        self.assertIn(self.server.url, run.said)
        run = self.work.tofu("plan", "-detailed-exitcode")
        self.assertEqual(run.status, 2, run.said)
        self.assertNotIn("journal", run.said)
        self.work.write({"main.tf": self.server.block() + OBJECT})
        self.init("-reconfigure")
        self.run_ok("plan", "-detailed-exitcode")
        self.assertFalse(journal.exists())

    def test_addresses_that_differ_in_their_query_are_other_backends(self):
        block = self.server.block()
        journal = self.killed_first_run(block.replace('/state"', '/state?id=1&token=secret-word"', 1))
        self.assertNotIn(b"secret-word", journal.read_bytes())
        other = OBJECT.replace('"a"', '"b"')
        self.work.write({"main.tf": block.replace('/state"', '/state?id=2"', 1) + other})
        self.init("-reconfigure")
        run = self.apply()
        self.assertIn("Journal of another backend", run.said)
        self.assertEqual(run.said.count(journal.name), 1, run.said)
        self.assertEqual([each["name"] for each in self.server.document()["resources"]], ["b"])
        self.assertEqual(os.listdir(journal.parent), [journal.name])

    def test_a_state_that_is_refused_without_the_lock_is_in_its_file_only(self):
        """Nothing of it becomes part of the state unasked: the holder of the lock may have refused it."""
        self.work.write({"main.tf": self.server.block() + OBJECT})
        self.init()
        self.server.trouble = lambda request: 500 if is_write(request) else None
        run = self.work.tofu("apply", "-auto-approve", "-lock=false")
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("errored.tfstate", run.said)
        self.assertNotIn("has it as well", run.said)
        self.server.trouble = lambda request: None
        run = self.work.tofu("plan", "-detailed-exitcode")
        self.assertEqual(run.status, 2, run.said)
        self.run_ok("state", "push", "errored.tfstate")
        self.run_ok("plan", "-detailed-exitcode")
        self.assertEqual(self.server.document()["resources"][0]["name"], "a")

    def test_what_another_machine_stored_meanwhile_wins(self):
        """It takes the lock of the run that was killed away, and knows nothing of its journal."""
        journal = self.killed_first_run(self.server.block())
        there = self.folder("there")
        home = self.top / "other-home"
        home.mkdir()
        there.write({"main.tf": self.server.block() + OBJECT.replace('"a"', '"b"')})
        self.init(folder=there, HOME=str(home))
        self.apply(folder=there, HOME=str(home))
        stored = self.server.state
        run = self.work.tofu("plan")
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("Journal does not match the state", run.said)
        self.assertEqual(self.server.state, stored)
        run = self.run_ok("state", "recover", "-auto-approve")
        self.assertIn("+ terraform_data.a", run.said)
        self.assertEqual([each["name"] for each in self.server.document()["resources"]], ["a", "b"])
        self.assertFalse(journal.exists())

    def test_a_lock_of_another_machine_is_waited_for_before_a_journal_is_used(self):
        journal = self.killed_first_run(self.server.block())
        self.server.lock = {"ID": "12345678-0000-0000-0000-000000000000", "Who": "them@there"}
        run = self.work.tofu("plan")
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("them@there", run.said)
        self.assertIsNone(self.server.state)
        self.assertTrue(journal.exists())

    def test_opentofu_reads_what_was_recovered(self):
        self.skip_without_peer()
        self.killed_first_run(self.server.block())
        self.run_ok("plan", "-detailed-exitcode")
        theirs = self.folder("theirs")
        theirs.write({"main.tf": self.server.block() + OBJECT})
        self.other_ok(theirs, "init")
        self.other_ok(theirs, "plan", "-detailed-exitcode")

    def test_a_backend_that_is_removed_keeps_its_journal(self):
        journal = self.killed_first_run(self.server.block())
        self.work.write({"main.tf": OBJECT})
        run = self.init("-reconfigure")
        self.assertIn(str(journal), run.said)
        self.assertTrue(journal.exists())

    def test_a_first_backend_gets_the_journal_of_the_directory(self):
        self.work.write({"main.tf": OBJECT + '''
resource "terraform_data" "b" {
  depends_on = [terraform_data.a]
  provisioner "local-exec" {
    command = "kill -9 $(cut -d' ' -f4 /proc/$PPID/stat); sleep 5"
  }
}
'''})
        self.init()
        self.assertEqual(self.work.tofu("apply", "-auto-approve").status, -signal.SIGKILL)
        self.assertTrue((self.work.path / "terraform.tfstate.journal").exists())
        self.work.write({"main.tf": self.server.block() + OBJECT})
        self.init("-force-copy")
        self.assertFalse((self.work.path / "terraform.tfstate.journal").exists())
        self.assertIn("a", [each["name"] for each in self.server.document()["resources"]])

    def test_writes_that_fail_at_random_lose_nothing(self):
        self.server.trouble = stand_in.at_random(5, 0.5, is_write)
        wanted = 10 * ROUNDS
        failures = 0
        self.work.write({"main.tf": self.server.block()})
        self.init()
        for number in range(wanted):
            names = ", ".join(f'"{each}"' for each in range(number + 1))
            self.work.write({"main.tf": self.server.block() + f'''
resource "terraform_data" "x" {{
  for_each = toset([{names}])
  input    = each.key
}}
'''})
            before = self.made()
            run = self.work.tofu("apply", "-auto-approve")
            self.assertIsNone(self.server.lock, run.said)
            if run.status == 0:
                continue
            failures += 1
            self.assertIn("errored.tfstate", run.said)
            self.assertRegex(run.said, "/tofu/journal/[0-9a-f]{16}-default[.]journal has it as well")
            self.server.trouble = lambda request: None
            after = {key: value for key, value in self.ids("errored.tfstate").items()
                     if key not in before}
            self.run_ok("plan", "-detailed-exitcode")
            for key, made in after.items():
                self.assertEqual(self.made()[key], made)
            self.server.trouble = stand_in.at_random(number, 0.5, is_write)
        self.assertGreater(failures, 0)
        self.assertEqual(len(self.made()), wanted)

    def made(self):
        return self.instances(self.server.document()) if self.server.state else {}

    def ids(self, name):
        return self.instances(json.loads((self.work.path / name).read_text()))

    @staticmethod
    def instances(document):
        return {each["index_key"]: each["attributes"]["id"]
                for resource in document["resources"] for each in resource["instances"]}

    def test_an_unlock_that_fails_is_reported_with_what_to_do(self):
        self.work.write({"main.tf": self.server.block() + OBJECT})
        self.init()
        self.server.trouble = lambda request: 500 if request.method == "UNLOCK" else None
        run = self.work.tofu("apply", "-auto-approve")
        self.assertEqual(run.status, 1)
        self.assertIn(f"tofu force-unlock {self.server.lock['ID']}", run.said)
        self.assertEqual(self.server.document()["resources"][0]["name"], "a")

    def test_a_lock_without_an_unlock_address_is_not_said_to_be_removed(self):
        block = "\n".join(line for line in self.server.block().split("\n")
                          if "unlock_address" not in line)
        self.work.write({"main.tf": block + OBJECT})
        self.init()
        self.apply()
        held = self.server.lock["ID"]
        run = self.work.tofu("force-unlock", "-force", held)
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("Locking disabled", run.said)
        self.assertEqual(self.server.lock["ID"], held)

    def test_an_unlock_address_alone_takes_no_locks(self):
        block = "\n".join(line for line in self.server.block().split("\n")
                          if not line.strip().startswith("lock_address"))
        self.work.write({"main.tf": block + OBJECT})
        self.init()
        self.apply()
        self.run_ok("plan")
        self.assertEqual({each.method for each in self.server.requests}, {"GET", "POST"})
        run = self.work.tofu("force-unlock", "-force", "12345678-0000-0000-0000-000000000000")
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("it is another lock", run.said)
        self.assertEqual(self.server.requests[-1].method, "UNLOCK")

    def test_planning_stores_nothing_and_no_state_is_pulled_as_an_empty_one(self):
        self.work.write({"main.tf": self.server.block() + OBJECT})
        self.init()
        pulled = self.work.tofu("state", "pull")
        self.assertEqual(pulled.status, 0, pulled.said)
        empty = json.loads(pulled.stdout)
        self.assertEqual((empty["serial"], empty["lineage"], empty["resources"]), (0, "", []))
        for arguments in (["plan"], ["plan", "-out=saved"], ["plan", "-destroy"]):
            self.assertEqual(self.work.tofu(*arguments).status, 0)
        self.assertEqual([each.method for each in self.server.requests if is_write(each)], [])
        self.apply()
        writes = sum(map(is_write, self.server.requests))
        for arguments in (["plan"], ["plan", "-refresh-only"], ["plan", "-destroy"], ["refresh"],
                          ["apply", "-auto-approve"]):
            self.assertEqual(self.work.tofu(*arguments).status, 0)
        self.assertEqual(sum(map(is_write, self.server.requests)), writes)

    def test_an_interrupt_ends_a_lock_request_that_hangs(self):
        self.work.write({"main.tf": self.server.block() + OBJECT})
        self.init()
        asked, ended = threading.Event(), threading.Event()
        self.addCleanup(ended.set)

        def hang(request):
            if request.method == "LOCK":
                asked.set()
                ended.wait(TIME_LIMIT)

        self.server.trouble = hang
        run = self.work.start("apply", "-auto-approve", "-no-color")
        self.assertTrue(asked.wait(TIME_LIMIT))
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=TIME_LIMIT)
        self.assertEqual(run.returncode, 1)
        said = " ".join(said.decode().split())
        self.assertIn("interrupted while waiting for the response", said)
        self.assertIn("tofu force-unlock", said)

    def test_credentials_stay_with_the_server_they_are_for(self):
        other = self.serve(stores.StateServer())
        other.body = b""
        self.server.trouble = lambda request: 302 if request.method == "GET" else None
        self.server.headers = {"Location": other.url + "/state"}
        self.work.write({"main.tf": self.server.block(
            'username = "u"\n    password = "secret-word"\n    '
            'headers  = { X-Token = "secret-token" }') + OBJECT})
        run = self.work.tofu("init", TF_LOG="TRACE")
        self.assertEqual(run.status, 0, run.said)
        self.assertTrue(other.requests)
        for request in other.requests:
            self.assertNotIn("Authorization", request.headers)
            self.assertNotIn("X-Token", request.headers)
        for secret in ("secret-word", "secret-token", "dTpzZWNyZXQ"):
            self.assertNotIn(secret, run.stdout + run.stderr)
        # A state is not sent to where a server points, either.
        self.server.trouble = lambda request: 307 if request.method == "POST" else None
        self.server.headers = {}
        run = self.work.tofu("apply", "-auto-approve")
        self.assertEqual(run.status, 1, run.said)
        self.assertIsNone(other.state)

    def test_answers_that_are_no_state_are_refused(self):
        self.work.write({"main.tf": self.server.block() + OBJECT})
        self.init()
        for body in (b"<html>", b"{", b'{"version": 4', b'{"version": 99}', b"[]", b"\0" * 100,
                     b"[" * 100000):
            self.server.body = body
            run = self.work.tofu("plan")
            self.assertEqual(run.status, 1, body[:20])
            self.assertIn("Error", run.said)
            self.assertIsNone(self.server.lock)

    def test_the_record_of_a_lock_may_be_anything(self):
        self.work.write({"main.tf": self.server.block() + OBJECT})
        self.init()
        for record in ("x", {"ID": 7}, {"ID": "a" * 100000}, [], {"Who": "\x1b[31m"}):
            self.server.lock = record
            run = self.work.tofu("plan")
            self.assertEqual(run.status, 1)
            self.assertIn("Error acquiring the state lock", run.said)

    def test_client_certificates_and_own_authorities(self):
        if shutil.which("openssl") is None:
            self.skipTest("there is no openssl")
        for name in ("server", "client"):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
                            "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1",
                            "-keyout", self.top / f"{name}.key", "-out", self.top / f"{name}.pem"],
                           check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.top / "server.pem", self.top / "server.key")
        context.load_verify_locations(self.top / "client.pem")
        context.verify_mode = ssl.CERT_REQUIRED
        server = self.serve(stores.StateServer(context))
        trust = f'client_ca_certificate_pem = file("{self.top}/server.pem")\n    '
        show = (f'client_certificate_pem = file("{self.top}/client.pem")\n    '
                f'client_private_key_pem = file("{self.top}/client.key")\n    ')
        self.work.write({"main.tf": server.block(trust + show) + OBJECT})
        self.init()
        self.apply()
        self.assertEqual(server.document()["resources"][0]["name"], "a")
        for settings in (trust, show, "skip_cert_verification = true"):
            self.work.write({"main.tf": server.block(settings) + OBJECT})
            run = self.work.tofu("init", "-reconfigure")
            self.assertEqual(run.status, 1, settings)
        self.work.write({"main.tf": server.block("skip_cert_verification = true\n" + show)
                         + OBJECT})
        self.init("-reconfigure")

    def test_states_move_between_backends(self):
        local = OBJECT + OUTPUT
        self.work.write({"main.tf": local})
        self.init()
        self.apply()
        self.work.write({"main.tf": self.server.block() + local})
        self.init("-force-copy")
        self.assertEqual(self.server.document()["resources"][0]["name"], "a")
        self.run_ok("plan", "-detailed-exitcode")
        second = self.serve(stores.StateServer())
        self.work.write({"main.tf": second.block() + local})
        self.assertEqual(self.work.tofu("plan").status, 1)
        self.init("-migrate-state", "-force-copy")
        self.assertEqual(second.document()["lineage"], self.server.document()["lineage"])
        self.run_ok("plan", "-detailed-exitcode")
        self.work.write({"main.tf": local})
        self.init("-migrate-state", "-force-copy")
        self.run_ok("plan", "-detailed-exitcode")

    def test_the_current_workspace_is_what_one_state_has_room_for(self):
        self.work.write({"main.tf": OBJECT})
        self.init()
        self.apply()
        self.run_ok("workspace", "new", "two")
        self.apply()
        self.work.write({"main.tf": self.server.block() + OBJECT})
        self.init("-force-copy")
        self.assertEqual(self.run_ok("workspace", "show").stdout.strip(), "default")
        self.run_ok("plan", "-detailed-exitcode")
        # The others stay where they are.
        self.assertEqual(self.server.document()["resources"][0]["name"], "a")
        left = json.loads((self.work.path / "terraform.tfstate").read_text())
        self.assertEqual(left["resources"][0]["name"], "a")
        moved = self.work.path / "terraform.tfstate.d/two/terraform.tfstate"
        self.assertEqual(moved.read_text(), "")


@unittest.skipUnless(stores.postgres_programs(), "PostgreSQL is not there (Debian: postgresql)")
class PostgresStore(StoreTest):
    def setUp(self):
        super().setUp()
        self.database = self.serve(stores.Postgres())
        self.block = f'''terraform {{
  backend "pg" {{
    conn_str = "{self.database.address}"
  }}
}}
'''

    def test_opentofu_and_this_program_share_a_database(self):
        self.exchange(self.block)

    def test_schema_table_and_index_can_have_other_names(self):
        names = ('schema_name = "ours"\n    table_name  = "kept"\n    index_name  = "kept_by_name"')
        self.exchange(self.block.replace("  }\n}\n", f"    {names}\n  }}\n}}\n"))

    def test_a_lock_ends_with_its_session(self):
        self.work.write({"main.tf": self.block + OBJECT + '''
resource "terraform_data" "slow" {
  provisioner "local-exec" {
    command = "touch started; while [ ! -e go ]; do sleep 0.1; done"
  }
}
'''})
        self.init()
        running = self.work.start("apply", "-auto-approve")
        stores.wait_until(lambda: (self.work.path / "started").exists(), "the provisioner")
        other = self.folder("other")
        other.write({"main.tf": self.block + OBJECT})
        self.init(folder=other)
        run = other.tofu("plan")
        self.assertEqual(run.status, 1)
        self.assertRegex(run.said, "session [0-9]+ of the database user")
        run = other.tofu("force-unlock", "-force", "x")
        self.assertEqual(run.status, 1)
        self.assertIn("pg_terminate_backend", run.said)
        running.kill()
        running.communicate()
        (self.work.path / "go").touch()
        self.run_ok("plan", "-lock-timeout=30s", folder=other)

    def test_a_database_that_restarts_is_met_again_and_nothing_is_lost(self):
        self.work.write({"main.tf": self.block + OBJECT + '''
resource "terraform_data" "slow" {
  provisioner "local-exec" {
    command = "touch started; while [ ! -e go ]; do sleep 0.1; done"
  }
}
'''})
        self.init()
        running = self.work.start("apply", "-auto-approve")
        stores.wait_until(lambda: (self.work.path / "started").exists(), "the provisioner")
        self.database.stop()
        self.database.start()
        (self.work.path / "go").touch()
        out, err = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 0, out + err)
        self.assertEqual(self.database.sql(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), "0")
        self.run_ok("plan", "-detailed-exitcode")

    def test_twenty_clients_make_the_table_and_take_turns(self):
        folders = []
        for number in range(20):
            folder = self.folder(f"client{number}")
            folder.write({"main.tf": self.block
                          + f'resource "terraform_data" "x" {{\n  input = {number}\n}}\n'})
            folders.append(folder)
        for each in [folder.start("init") for folder in folders]:
            out, err = each.communicate(timeout=120)
            self.assertEqual(each.returncode, 0, out + err)
        for each in [folder.start("apply", "-auto-approve", "-lock-timeout=300s")
                     for folder in folders]:
            out, err = each.communicate(timeout=300)
            self.assertEqual(each.returncode, 0, out + err)
        self.assertEqual(self.database.sql(
            "SELECT data::json->>'serial' FROM terraform_remote_state.states"), "20")

    @staticmethod
    def large_state(serial):
        """More than is sent at once, with letters of several lengths."""
        instances = [{"index_key": number, "schema_version": 0, "attributes": {
            "id": str(number), "input": None, "output": None,
            "triggers_replace": {"value": f"{number} é€😀 " * 50, "type": "string"}},
            "sensitive_attributes": []} for number in range(12000)]
        return {"version": 4, "terraform_version": "1.12.0", "serial": serial,
                "lineage": "11111111-1111-1111-1111-111111111111", "outputs": {},
                "resources": [{"mode": "managed", "type": "terraform_data", "name": "a",
                               "provider": 'provider["terraform.io/builtin/terraform"]',
                               "instances": instances}], "check_results": None}

    def test_large_states_are_sent_and_read_in_parts(self):
        """Also by a user without permission for temporary tables."""
        self.database.sql("CREATE ROLE poor LOGIN; REVOKE TEMPORARY ON DATABASE postgres FROM "
                          "PUBLIC; GRANT CREATE ON DATABASE postgres TO poor; GRANT CREATE ON "
                          "SCHEMA public TO poor")
        for user in ("poor", "tester"):
            folder = self.folder(user)
            folder.write({"main.tf": self.block.replace("tester@", f"{user}@").replace(
                "  }\n}\n", f'    schema_name = "{user}"\n  }}\n}}\n')})
            self.init(folder=folder)
            for serial in (1, 2):
                state = self.large_state(serial)
                folder.write({"large.tfstate": json.dumps(state, ensure_ascii=False, indent=2)})
                self.run_ok("state", "push", "large.tfstate", folder=folder)
                pulled = json.loads(self.run_ok("state", "pull", folder=folder).stdout)
                self.assertEqual(pulled["serial"], serial)
                self.assertEqual(pulled["resources"], state["resources"])
            self.assertEqual(self.database.sql(
                f"SELECT count(*), min(octet_length(data)) > 8 << 20 FROM {user}.states"), "1|t")
            if os.access(PEER, os.X_OK):
                listed = self.other_ok(folder, "state", "list").stdout.split()
                self.assertEqual(len(listed), 12000)
        self.assertEqual(self.database.sql(
            "SELECT pg_column_compression(data) FROM tester.states"), "lz4")

    def test_letters_are_the_same_to_all_whatever_the_database_keeps_them_in(self):
        self.database.sql("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' "
                          "TEMPLATE template0")
        block = self.block.replace("/postgres?", "/latin?")
        self.work.write({"main.tf": block + 'output "o" {\n  value = "\u00e9"\n}\n'})
        self.init()
        self.apply()
        self.assertEqual(self.run_ok("output", "-raw", "o").stdout, "\u00e9")
        self.skip_without_peer()
        self.other_ok(self.work, "plan", "-detailed-exitcode")

    def test_a_password_is_never_shown(self):
        for address in ("postgres://u:secret-word@127.0.0.1:1/x?sslmode=disable",
                        "postgres//u:secret-word@127.0.0.1", "password='secret-word"):
            self.work.write({"main.tf": OBJECT + 'terraform {\n  backend "pg" {}\n}\n'})
            run = self.work.tofu("init", "-reconfigure", PG_CONN_STR=address, TF_LOG="TRACE")
            self.assertEqual(run.status, 1)
            self.assertNotIn("secret-word", run.stdout + run.stderr)


class WithCustomerKey(stand_in.Between):
    """S3 as it treats objects with keys of customers: none is readable without its key."""

    prefix = "x-amz-server-side-encryption-customer-"

    def __init__(self, port):
        self.keys = {}  # of objects
        super().__init__(port)

    def answer(self, request):
        key = request.headers.get(self.prefix + "key")
        if key is not None:
            digest = base64.b64encode(hashlib.md5(base64.b64decode(key)).digest()).decode()
            if (request.headers.get(self.prefix + "key-MD5"), request.headers.get(
                    self.prefix + "algorithm")) != (digest, "AES256"):
                return 400, b"<Error><Code>InvalidArgument</Code></Error>"
        if request.method == "PUT":
            self.keys[request.path] = key
        elif request.method in ("GET", "HEAD") and self.keys.get(request.path, key) != key:
            return 400, b"<Error><Code>InvalidRequest</Code></Error>"
        elif request.method == "DELETE":
            self.keys.pop(request.path, None)
        return super().answer(request)


@unittest.skipUnless(stores.Moto.program.exists(),
                     "moto is not there (tools/install_test_servers.py)")
class S3Store(StoreTest):
    def setUp(self):
        super().setUp()
        self.moto = self.serve(stores.Moto())
        self.moto.ask("PUT", "/states")
        self.keys = {"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret-word"}

    def block(self, more=""):
        return f'''terraform {{
  backend "s3" {{
    bucket         = "states"
    key            = "some/path/state"
    region         = "us-east-1"
    use_path_style = true
    endpoints      = {{ s3 = "{self.moto.url}", dynamodb = "{self.moto.url}", sts = "{self.moto.url}" }}
    skip_metadata_api_check = true
    {more}
  }}
}}
'''

    def test_opentofu_and_this_program_share_a_bucket(self):
        self.exchange(self.block("use_lockfile = true"), **self.keys)
        self.assertEqual(self.moto.objects("states"),
                         ["env:/two/some/path/state", "some/path/state"])

    def test_opentofu_and_this_program_share_a_table(self):
        self.moto.make_table("locks")
        self.exchange(self.block('use_lockfile = true\n    dynamodb_table = "locks"'), **self.keys)
        items = {each["LockID"]["S"] for each in
                 self.moto.dynamo("Scan", {"TableName": "locks"})["Items"]}
        self.assertEqual(items, {"states/some/path/state-md5",
                                 "states/env:/two/some/path/state-md5"})

    def test_a_state_that_does_not_fit_its_digest_is_not_used(self):
        self.moto.make_table("locks")
        self.work.write({"main.tf": self.block('dynamodb_table = "locks"') + OBJECT})
        self.init(**self.keys)
        self.apply(**self.keys)
        self.moto.ask("PUT", "/states/some/path/state", b'{"version": 4}')
        run = self.work.tofu("plan", **self.keys)
        self.assertEqual(run.status, 1)
        self.assertIn("MD5", run.said)

    def test_encryption_and_tags_reach_the_bucket(self):
        self.work.write({"main.tf": self.block(
            'encrypt = true\n    state_tags = { team = "a b" }') + OBJECT})
        self.init(**self.keys)
        self.apply(**self.keys)
        _, headers = self.moto.ask("GET", "/states/some/path/state")
        self.assertEqual(headers.get("x-amz-server-side-encryption"), "AES256")
        tags, _ = self.moto.ask("GET", "/states/some/path/state?tagging")
        self.assertIn(b"<Value>a b</Value>", tags)

    def test_opentofu_and_this_program_share_states_with_a_key_of_their_own(self):
        """moto keeps no such keys, so it is seen to by what stands before it."""
        key = base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
        front = self.serve(WithCustomerKey(self.moto.port))
        block = self.block("encrypt = true\n    use_lockfile = true").replace(
            self.moto.url, front.url)
        self.exchange(block, AWS_SSE_CUSTOMER_KEY=key, **self.keys)
        self.assertEqual(set(front.keys.values()), {key})
        run = self.work.tofu("plan", AWS_SSE_CUSTOMER_KEY=key.replace("M", "N"), **self.keys)
        self.assertEqual(run.status, 1, run.said)
        self.assertNotIn(key, run.said)

    def test_a_role_is_assumed(self):
        self.work.write({"main.tf": self.block('''assume_role = {
      role_arn     = "arn:aws:iam::123456789012:role/states"
      session_name = "tofu"
      duration     = "1h"
    }
    allowed_account_ids = ["123456789012"]''') + OBJECT})
        self.init(**self.keys)
        self.apply(**self.keys)
        self.work.write({"main.tf": self.block('forbidden_account_ids = ["123456789012"]')
                         + OBJECT})
        run = self.work.tofu("init", "-reconfigure", **self.keys)
        self.assertEqual(run.status, 1)
        self.assertIn("account", run.said)

    def test_a_bucket_that_is_not_there_is_named(self):
        self.work.write({"main.tf": self.block().replace('"states"', '"nobucket"') + OBJECT})
        run = self.work.tofu("init", **self.keys)
        self.assertEqual(run.status, 1)
        self.assertIn('no bucket "nobucket"', run.said)

    def test_a_lock_left_behind_is_named_and_taken_away(self):
        self.work.write({"main.tf": self.block("use_lockfile = true") + OBJECT})
        self.init(**self.keys)
        record = {"ID": "11111111-1111-1111-1111-111111111111", "Operation": "x", "Info": "",
                  "Who": "someone@else", "Version": "1", "Created": "2026-01-01T00:00:00Z",
                  "Path": "states/some/path/state"}
        self.moto.ask("PUT", "/states/some/path/state.tflock", json.dumps(record).encode())
        run = self.work.tofu("apply", "-auto-approve", **self.keys)
        self.assertEqual(run.status, 1)
        self.assertIn("someone@else", run.said)
        self.run_ok("force-unlock", "-force", record["ID"], **self.keys)
        self.apply(**self.keys)


class CloudStorageStore(StoreTest):
    """A stand-in for Google's service: see stores.py."""

    def setUp(self):
        super().setUp()
        self.buckets = self.serve(stores.CloudStorage())
        self.emulated = {"STORAGE_EMULATOR_HOST": self.buckets.host}
        self.block = """terraform {
  backend "gcs" {
    bucket = "states"
    prefix = "some/path"
  }
}
"""

    def test_opentofu_and_this_program_share_a_bucket(self):
        self.exchange(self.block, **self.emulated)
        self.assertEqual(sorted(name for _, name in self.buckets.objects),
                         ["some/path/default.tfstate", "some/path/two.tfstate"])

    def test_a_lock_left_behind_is_named_by_its_number_and_taken_away(self):
        self.work.write({"main.tf": self.block + OBJECT})
        self.init(**self.emulated)
        record = {"ID": "x", "Operation": "x", "Info": "", "Who": "someone@else", "Version": "1",
                  "Created": "2026-01-01T00:00:00Z", "Path": ""}
        self.buckets.objects["states", "some/path/default.tflock"] = (
            json.dumps(record).encode(), 77)
        run = self.work.tofu("apply", "-auto-approve", **self.emulated)
        self.assertEqual(run.status, 1)
        self.assertIn("force-unlock 77", run.said)
        self.assertEqual(self.work.tofu("force-unlock", "-force", "78", **self.emulated).status, 1)
        self.run_ok("force-unlock", "-force", "77", **self.emulated)
        self.apply(**self.emulated)

    def test_a_token_and_a_key_are_sent_and_not_shown(self):
        key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
        self.work.write({"main.tf": self.block + OBJECT})
        run = self.run_ok("init", GOOGLE_OAUTH_ACCESS_TOKEN="secret-word",
                          GOOGLE_ENCRYPTION_KEY=key, TF_LOG="TRACE", **self.emulated)
        headers = self.buckets.requests[-1].headers
        self.assertEqual(headers["Authorization"], "Bearer secret-word")
        self.assertEqual(headers["x-goog-encryption-key"], key)
        for secret in ("secret-word", key):
            self.assertNotIn(secret, run.stdout + run.stderr)


    @unittest.skipUnless(shutil.which("openssl"), "there is no openssl")
    def test_a_service_account_is_acted_as(self):
        host = "iamcredentials.googleapis.com"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=google", "-addext", f"subjectAltName=DNS:{host}", "-keyout",
                        self.top / "google.key", "-out", self.top / "google.pem"],
                       check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.top / "google.pem", self.top / "google.key")
        service = self.serve(stand_in.Service(context))
        service.handle = lambda request: (200, {"accessToken": "of-the-account",
                                                "expireTime": "2099-01-01T00:00:00Z"})
        tunnel = self.serve(object_stores.Tunnel({host: service.port}))
        more = {**self.emulated, "GOOGLE_OAUTH_ACCESS_TOKEN": "my-own",
                "SSL_CERT_FILE": str(self.top / "google.pem"), "https_proxy": tunnel.url}
        self.work.write({"main.tf": self.block.replace('"states"', '''"states"
    impersonate_service_account           = "a@example.iam.gserviceaccount.com"
    impersonate_service_account_delegates = ["b@example.iam.gserviceaccount.com"]''') + OBJECT})
        self.init(**more)
        self.apply(**more)
        asked = service.requests[0]
        self.assertEqual(asked.path, "/v1/projects/-/serviceAccounts/"
                         "a@example.iam.gserviceaccount.com:generateAccessToken")
        self.assertEqual(asked.headers["Authorization"], "Bearer my-own")
        self.assertEqual(asked.json()["delegates"],
                         ["projects/-/serviceAccounts/b@example.iam.gserviceaccount.com"])
        for request in self.buckets.requests:
            self.assertEqual(request.headers["Authorization"], "Bearer of-the-account")


class ConsulStore(StoreTest):
    """A stand-in for Consul: see stores.py."""

    def setUp(self):
        super().setUp()
        self.consul = self.serve(stores.Consul())

    def block(self, more=""):
        return f'''terraform {{
  backend "consul" {{
    address = "{self.consul.host}"
    path    = "some/path"
    {more}
  }}
}}
'''

    def test_opentofu_and_this_program_share_keys(self):
        self.exchange(self.block())
        self.assertEqual({key for key in self.consul.keys if "/." not in key},
                         {"some/path", "some/path-env:two"})

    def test_the_key_of_a_lock_keeps_the_flags_that_others_know_it_by(self):
        self.work.write({"main.tf": self.block() + OBJECT})
        self.init()
        self.apply()
        _, flags, session, _ = self.consul.keys["some/path/.lock"]
        self.assertEqual((flags, session), (0x2ddccbc058a50c18, ""))

    def test_opentofu_and_this_program_share_large_and_compressed_states(self):
        large = f'resource "terraform_data" "l" {{\n  input = "{os.urandom(500000).hex()}"\n}}\n'
        self.exchange(self.block("gzip = true") + large)

    def test_a_session_that_ended_does_not_let_another_run_be_overwritten(self):
        self.work.write({"main.tf": self.block() + '''
resource "terraform_data" "slow" {
  provisioner "local-exec" {
    command = "touch started; while [ ! -e go ]; do sleep 0.1; done"
  }
}
'''})
        self.init()
        running = self.work.start("apply", "-auto-approve")
        stores.wait_until(lambda: (self.work.path / "started").exists(), "the provisioner")
        with self.consul.mutex:
            for session in list(self.consul.sessions):
                self.consul.end_session(session)
        other = self.folder("other")
        other.write({"main.tf": self.block() + OBJECT})
        self.init(folder=other)
        self.apply(folder=other)
        (self.work.path / "go").touch()
        out, err = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 1, out + err)
        self.assertIn("errored.tfstate", (out + err).decode())
        # The journal of the first run has an object that the state of the other does not have.
        refused = other.tofu("plan")
        self.assertEqual(refused.status, 1, refused.said)
        self.assertIn("Journal does not match the state", refused.said)
        self.run_ok("state", "recover", "-discard", folder=other)
        self.run_ok("plan", "-detailed-exitcode", folder=other)


@unittest.skipUnless(stores.Azurite.program.exists() and shutil.which("openssl"),
                     "Azurite is not there (tools/install_test_servers.py)")
class AzureStore(StoreTest):
    def setUp(self):
        super().setUp()
        self.azurite = self.serve(stores.Azurite(self.top))
        self.azurite.make_container("states")
        self.more = {"SSL_CERT_FILE": str(self.azurite.authority),
                     "ARM_ACCESS_KEY": self.azurite.key}

    def block(self):
        return f'''terraform {{
  backend "azurerm" {{
    storage_account_name = "{self.azurite.account}"
    container_name       = "states"
    key                  = "some/path.tfstate"
    metadata_host        = "{self.azurite.metadata_host}"
  }}
}}
'''

    def test_states_workspaces_and_locks(self):
        self.work.write({"main.tf": self.block() + OBJECT + OUTPUT})
        self.init(**self.more)
        self.apply(**self.more)
        self.run_ok("plan", "-detailed-exitcode", **self.more)
        self.run_ok("workspace", "new", "two", **self.more)
        self.apply(**self.more)
        self.apply("-replace=terraform_data.a", **self.more)
        self.run_ok("plan", "-detailed-exitcode", **self.more)
        listed = self.run_ok("workspace", "list", **self.more).stdout.split()
        self.assertEqual([name for name in listed if name != "*"], ["default", "two"])
        self.run_ok("workspace", "select", "default", **self.more)
        self.run_ok("workspace", "delete", "-force", "two", **self.more)

    def test_opentofu_and_this_program_share_a_container(self):
        # Names below localhost are none that OpenTofu would find.
        tunnel = self.serve(object_stores.Tunnel(
            {f"{self.azurite.account}.blob.localhost": self.azurite.port}))
        self.exchange(self.block(), https_proxy=tunnel.url, **self.more)

    def test_a_client_that_was_killed_leaves_a_lease_that_is_taken_away(self):
        self.work.write({"main.tf": self.block() + OBJECT + '''
resource "terraform_data" "slow" {
  provisioner "local-exec" {
    command = "touch started; while [ ! -e go ]; do sleep 0.1; done"
  }
}
'''})
        self.init(**self.more)
        running = self.work.start("apply", "-auto-approve", **self.more)
        stores.wait_until(lambda: (self.work.path / "started").exists(), "the provisioner")
        running.kill()
        running.communicate()
        (self.work.path / "go").touch()
        run = self.work.tofu("plan", **self.more)
        self.assertEqual(run.status, 1)
        found = re.search("force-unlock ([0-9a-f-]+)", run.said)
        self.run_ok("force-unlock", "-force", found[1], **self.more)
        run = self.run_ok("plan", **self.more)
        self.assertIn("terraform_data.a", run.said)


if __name__ == "__main__":
    unittest.main()

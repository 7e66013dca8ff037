"""The cloud block and the backend "remote": states, workspaces and runs of a service."""

import json
import os
import re
import shutil
import signal
import subprocess
import unittest

import stores
from cloud_service import CloudService, HOST, Otf, cli_configuration, otf_program
from place import PlaceTest, TOFU

PEER = os.environ.get("TOFU_PEER_OPENTOFU") or shutil.which("tofu") or ""
OBJECT = 'resource "terraform_data" "a" {\n  input = "one"\n}\n'
OUTPUT = 'output "o" {\n  value = "one"\n}\n'


def cloud_block(workspaces='name = "app"', more=""):
    return (f'terraform {{\n  cloud {{\n    hostname = "{HOST}"\n    organization = "team"\n'
            f'    {more}\n    workspaces {{\n      {workspaces}\n    }}\n  }}\n}}\n')


def remote_block(workspaces='name = "app"'):
    return cloud_block(workspaces).replace("cloud {", 'backend "remote" {')


class CloudTest(PlaceTest):
    def setUp(self):
        super().setUp()
        self.service = CloudService(program=TOFU)
        self.addCleanup(self.service.end)
        self.environment["TF_CLI_ARGS"] = "-no-color"
        (self.top / "home/.tofurc").write_text(self.service.cli_configuration())

    def run_ok(self, *arguments, folder=None, **more):
        run = (folder or self.work).tofu(*arguments, **more)
        self.assertEqual(run.status, 0, run.said)
        return run

    def run_fails(self, *arguments, folder=None, says=".", **more):
        run = (folder or self.work).tofu(*arguments, **more)
        self.assertEqual(run.status, 1, run.said)
        self.assertRegex(run.said, says)
        return run

    def typed(self, text, *arguments, program=TOFU, folder=None, **more):
        """Runs a command with input from a terminal."""
        done = subprocess.run([program, *arguments], cwd=(folder or self.work).path,
                              env={**self.environment, **more}, input=text.encode(),
                              capture_output=True, timeout=120)
        said = " ".join((done.stdout + done.stderr).decode().replace("\u2502", " ").split())
        return done.returncode, said

    def peer(self, folder, *arguments, **more):
        if not os.access(PEER, os.X_OK):
            self.skipTest("OpenTofu is not there (TOFU_PEER_OPENTOFU)")
        done = subprocess.run([PEER, *arguments], cwd=folder.path,
                              env={**self.environment, **more}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr

    def peer_ok(self, folder, *arguments, **more):
        status, said = self.peer(folder, *arguments, **more)
        self.assertEqual(status, 0, said)
        return said

    def local_workspace(self, name="app", **attributes):
        """One whose runs are made here."""
        return self.service.add_workspace(name, execution="local", **attributes)


class States(CloudTest):
    def test_a_workspace_that_is_not_there_is_made_and_holds_the_state(self):
        self.work.write({"main.tf": cloud_block(more='') + OBJECT + OUTPUT})
        self.init()
        self.assertEqual(self.run_ok("workspace", "show").stdout.strip(), "app")
        # Runs of a new workspace would be made there.
        self.service.of(self.service.workspaces["app"])["execution-mode"] = "local"
        self.run_ok("apply", "-auto-approve")
        self.assertEqual(self.run_ok("state", "list").stdout, "terraform_data.a\n")
        self.assertEqual(self.run_ok("output", "-raw", "o").stdout, "one")
        self.assertIn("terraform_data.a", self.run_ok("show").stdout)
        state = self.service.state_of("app")
        self.assertEqual(state["serial"], 1)
        self.assertFalse((self.work.path / "terraform.tfstate").exists())
        version = self.service.versions[self.service.workspaces["app"]][-1]
        self.assertEqual(self.service.of(version)["outputs"],
                         {"o": {"sensitive": False, "value": "one", "type": "string"}})
        self.assertFalse(self.service.of(self.service.workspaces["app"])["locked"])
        self.assertEqual(self.service.intruders, [])

    def test_outputs_are_told_to_those_who_may_not_read_the_state(self):
        self.local_workspace()
        self.work.write({"main.tf": cloud_block() + OBJECT + """
output "list" {
  value = toset(["b", "a"])
}
output "secret" {
  value     = { key = "s3cret", none = null }
  sensitive = true
}
"""})
        self.init()
        self.run_ok("apply", "-auto-approve")
        whole = self.run_ok("state", "pull").stdout
        theirs = self.folder("theirs")
        theirs.write({"main.tf": cloud_block()})
        self.peer_ok(theirs, "init")
        self.service.trouble = lambda request: (
            403 if request.path.endswith("/current-state-version") else None)
        self.run_fails("state", "pull")
        self.assertEqual(json.loads(self.run_ok("output", "-json").stdout),
                         {"list": {"sensitive": False, "type": ["set", "string"],
                                   "value": ["a", "b"]},
                          "secret": {"sensitive": True, "type":
                                     ["object", {"key": "string", "none": "dynamic"}],
                                     "value": {"key": "s3cret", "none": None}}})
        shown = self.run_ok("output").stdout
        self.assertNotIn("s3cret", shown)
        for arguments in ([], ["-json"], ["list"], ["secret"], ["-json", "secret"]):
            self.assertEqual(self.run_ok("output", *arguments).stdout,
                             self.peer_ok(theirs, "output", *arguments), arguments)
        # A service that does not know their types has the state asked.
        self.service.trouble = lambda request: None
        outputs = self.service.of(self.service.versions[self.service.workspaces["app"]][-1])["outputs"]
        for each in outputs.values():
            each["type"] = None
        self.assertEqual(self.run_ok("output").stdout, shown)
        self.assertEqual(self.run_ok("state", "pull").stdout, whole)

    def test_states_are_taken_in_turns_with_opentofu(self):
        self.local_workspace()
        theirs = self.folder("theirs")
        for folder in (self.work, theirs):
            folder.write({"main.tf": cloud_block() + OBJECT + OUTPUT})
        self.init()
        self.run_ok("apply", "-auto-approve")
        self.peer_ok(theirs, "init")
        self.peer_ok(theirs, "plan", "-detailed-exitcode")
        self.peer_ok(theirs, "apply", "-auto-approve", "-replace=terraform_data.a")
        self.assertEqual(self.peer_ok(theirs, "output", "-raw", "o"), "one")
        self.run_ok("plan", "-detailed-exitcode")
        self.assertEqual(self.run_ok("output", "-raw", "o").stdout, "one")
        self.run_ok("apply", "-auto-approve", "-replace=terraform_data.a")
        self.peer_ok(theirs, "plan", "-detailed-exitcode")
        # What the one recorded by init is what the other takes.
        for one, other in ((self.work, theirs), (theirs, self.work)):
            shutil.copy(one.path / ".terraform/terraform.tfstate",
                        other.path / ".terraform/terraform.tfstate")
            self.run_ok("plan", "-detailed-exitcode")
            self.peer_ok(theirs, "plan", "-detailed-exitcode")

    def test_workspaces_with_tags_are_listed_made_selected_and_deleted(self):
        self.work.write({"main.tf": cloud_block('tags = ["net", "prod"]') + OBJECT})
        self.service.add_workspace("other", tags=["net"])
        self.refused("No workspaces available", arguments=["-input=false"])
        status, said = self.typed("net-one\n", "init")
        self.assertEqual(status, 0, said)
        self.assertEqual(self.run_ok("workspace", "show").stdout.strip(), "net-one")
        self.assertEqual(self.service.of(self.service.workspaces["net-one"])["tag-names"],
                         ["net", "prod"])
        self.run_ok("workspace", "new", "net-two")
        self.assertEqual(self.run_ok("workspace", "list").stdout.split(),
                         ["net-one", "*", "net-two"])
        self.run_ok("workspace", "select", "net-one")
        self.run_ok("workspace", "delete", "net-two")
        self.assertNotIn("net-two", self.service.workspaces)
        self.run_fails("workspace", "select", "other")
        self.run_fails("plan", says="TF_WORKSPACE", TF_WORKSPACE="other")
        theirs = self.folder("theirs")
        theirs.write({"main.tf": cloud_block('tags = ["net", "prod"]') + OBJECT})
        self.peer_ok(theirs, "init")
        self.assertEqual(self.peer_ok(theirs, "workspace", "show").strip(), "net-one")

    def test_a_prefix_is_not_part_of_the_names_here(self):
        self.work.write({"main.tf": remote_block('prefix = "app-"') + OBJECT + OUTPUT})
        self.run_fails("init", "-input=false", says="No workspaces available")
        self.run_ok("workspace", "new", "dev")
        self.assertIn("app-dev", self.service.workspaces)
        self.service.of(self.service.workspaces["app-dev"])["execution-mode"] = "local"
        self.init()
        self.run_ok("apply", "-auto-approve")
        self.service.add_workspace("app-prod", execution="local")
        self.service.add_workspace("unrelated")
        self.assertEqual(self.run_ok("workspace", "list").stdout.split(), ["*", "dev", "prod"])
        theirs = self.folder("theirs")
        theirs.write({"main.tf": remote_block('prefix = "app-"') + OBJECT + OUTPUT})
        self.peer_ok(theirs, "init", TF_WORKSPACE="dev")
        self.peer_ok(theirs, "plan", "-detailed-exitcode", TF_WORKSPACE="dev")
        self.run_fails("plan", says="default workspace", TF_WORKSPACE="default")
        reader = self.folder("reader")
        reader.write({"main.tf": f'''
data "terraform_remote_state" "other" {{
  backend   = "remote"
  workspace = "dev"
  config = {{
    hostname     = "{HOST}"
    organization = "team"
    workspaces = {{
      prefix = "app-"
    }}
  }}
}}
output "read" {{
  value = data.terraform_remote_state.other.outputs.o
}}
'''})
        self.init(folder=reader)
        self.run_ok("apply", "-auto-approve", folder=reader)
        self.assertEqual(self.run_ok("output", "-raw", "read", folder=reader).stdout, "one")

    def test_many_workspaces_come_in_pages(self):
        for number in range(250):
            self.local_workspace(f"w{number:03}", tags=["many"])
        self.work.write({"main.tf": cloud_block('tags = ["many"]') + OBJECT})
        self.init(TF_WORKSPACE="w249")
        self.assertEqual(len(self.run_ok("workspace", "list").stdout.split()), 250)

    def test_a_project_is_made_and_used(self):
        self.work.write({"main.tf": cloud_block('name = "app"\n      project = "blue"') + OBJECT})
        self.init()
        related = self.service.resources[self.service.workspaces["app"]]["relationships"]
        project = related["project"]["data"]["id"]
        self.assertEqual(self.service.of(project)["name"], "blue")

    def test_settings_come_from_the_environment(self):
        self.local_workspace()
        self.work.write({"main.tf": "terraform {\n  cloud {}\n}\n" + OBJECT})
        self.run_fails("init", says="organization")
        given = {"TF_CLOUD_HOSTNAME": HOST, "TF_CLOUD_ORGANIZATION": "team", "TF_WORKSPACE": "app"}
        self.init(**given)
        self.run_ok("apply", "-auto-approve", **given)
        self.assertEqual(self.service.state_of("app")["serial"], 1)

    def test_tokens_are_looked_for_and_never_shown(self):
        self.local_workspace()
        self.work.write({"main.tf": cloud_block() + OBJECT})
        services = self.service.cli_configuration().split("credentials")[0]
        (self.top / "home/.tofurc").write_text(services)
        self.run_fails("init", says=f"tofu login {HOST}")
        self.init(**{"TF_TOKEN_" + HOST.replace(".", "_"): "right-token"})
        shutil.rmtree(self.work.path / ".terraform")
        run = self.run_fails("init", says="does not accept the token|unauthorized",
                             TF_TOKEN_cloud_example_com="secret-word", TF_LOG="trace")
        self.assertNotIn("secret-word", run.said)
        self.work.write({"main.tf": cloud_block(more='token = "right-token"') + OBJECT})
        self.init()

    def test_what_the_organization_or_the_host_do_not_have_is_told(self):
        self.work.write({"main.tf": cloud_block().replace('"team"', '"nobody"') + OBJECT})
        self.run_fails("init", says='organization "nobody"')
        self.work.write({"main.tf": cloud_block() + OBJECT})
        self.service.api = "2.4"
        self.run_fails("init", says="older than version 2.5")
        (self.top / "home/.tofurc").write_text(
            self.service.cli_configuration().replace("tfe.v2", "tfe.v9"))
        self.run_fails("init", says="only in other versions")
        self.service.api = "2.6"
        (self.top / "home/.tofurc").write_text(
            self.service.cli_configuration().replace('"tfe.v2"', '"other.v1"'))
        self.init()


class Locks(CloudTest):
    def setUp(self):
        super().setUp()
        self.local_workspace()
        self.work.write({"main.tf": cloud_block() + OBJECT})
        self.init()

    def lock(self, reason="by a person"):
        self.service.of(self.service.workspaces["app"]).update(
            {"locked": True, "locked-reason": reason})

    def test_a_locked_workspace_is_explained_and_unlocked_by_its_name(self):
        self.lock()
        self.run_fails("apply", "-auto-approve", says="by a person.*force-unlock team/app")
        self.run_fails("force-unlock", "-force", "other/lock", says='called "team/app"')
        self.run_ok("force-unlock", "-force", "team/app")
        self.run_ok("apply", "-auto-approve")

    def test_an_answer_that_is_lost_does_not_leave_a_lock(self):
        asked = []

        def trouble(request):
            if request.method == "POST" and request.path.endswith(("actions/lock",
                                                                   "actions/unlock")):
                asked.append(request.path)
                if asked.count(request.path) == 1:
                    return "keep then drop"
            return None

        self.service.trouble = trouble
        self.run_ok("apply", "-auto-approve")
        self.assertFalse(self.service.of(self.service.workspaces["app"])["locked"])
        self.assertEqual(self.service.state_of("app")["serial"], 1)

    def test_a_lock_that_was_taken_away_is_noticed_before_writing(self):
        def trouble(request):
            if request.method == "POST" and request.path.endswith("state-versions"):
                raise AssertionError("a state was written")
            if request.path.endswith("current-state-version"):
                self.lock("Locked by somebody else")
            return None

        self.service.trouble = trouble
        self.run_fails("apply", "-auto-approve", says="lock on the state was lost")
        self.assertTrue((self.work.path / "errored.tfstate").exists())

    def test_a_state_that_cannot_be_stored_leaves_the_workspace_locked(self):
        self.service.trouble = lambda request: (
            507 if request.method == "PUT" or request.path.endswith("/state-versions") else None)
        run = self.run_fails("apply", "-auto-approve", says="stays locked")
        self.assertIn("force-unlock team/app", run.said)
        self.assertTrue(self.service.of(self.service.workspaces["app"])["locked"])
        self.service.trouble = lambda request: None
        self.run_ok("state", "push", "-lock=false", "errored.tfstate")
        self.run_ok("force-unlock", "-force", "team/app")
        self.run_ok("plan", "-detailed-exitcode")

    def test_twenty_clients_and_one_lock_are_never_two_inside(self):
        folders = []
        for number in range(20):
            folder = self.folder(f"client{number}")
            folder.write({"main.tf": cloud_block()
                          + f'resource "terraform_data" "x" {{\n  input = {number}\n}}\n'})
            self.init(folder=folder)
            folders.append(folder)
        running = [folder.start("apply", "-auto-approve", "-lock-timeout=300s")
                   for folder in folders]
        for one in running:
            out, err = one.communicate(timeout=300)
            self.assertEqual(one.returncode, 0, out + err)
        self.assertEqual(self.service.intruders, [])
        self.assertEqual(self.service.state_of("app")["serial"], 20)

    def test_an_old_service_takes_the_state_with_its_description(self):
        self.service.takes_uploads = False
        self.service.shows_reason = False
        self.run_ok("apply", "-auto-approve")
        self.assertEqual(self.service.state_of("app")["serial"], 1)


class Hostile(CloudTest):
    def setUp(self):
        super().setUp()
        self.local_workspace()
        self.work.write({"main.tf": cloud_block() + OBJECT})
        self.init()
        self.run_ok("apply", "-auto-approve")

    def test_a_service_that_limits_requests_is_waited_for(self):
        asked = []

        def trouble(request):
            asked.append(request.path)
            return 429 if len(asked) % 3 == 0 else None

        self.service.trouble = trouble
        self.run_ok("plan", "-detailed-exitcode")

    def test_answers_that_make_no_sense_are_refused(self):
        path = "/api/v2/organizations/team/workspaces/app"
        for body in (b"", b"null", b"[]", b'{"data":', b'{"data":null}', b'{"data":[1]}',
                     b"<html>", b'{"data":[]}', b"[" * 100000):
            self.service.bodies[path] = body
            run = self.run_fails("plan")
            self.assertNotIn("crash", run.said)

    def test_an_address_that_leads_elsewhere_gets_no_token(self):
        version = self.service.of(self.service.versions[self.service.workspaces["app"]][-1])
        version["hosted-state-download-url"] = version["hosted-state-download-url"].replace(
            "127.0.0.1", "localhost")
        self.run_ok("plan", "-detailed-exitcode")
        version["hosted-state-download-url"] = "file:///etc/passwd"
        self.run_fails("plan", says="cannot be used")


class Migration(CloudTest):
    def apply_here(self, files):
        self.work.write(files)
        self.init()
        self.run_ok("apply", "-auto-approve")

    def test_the_state_of_this_directory_is_copied_after_asking(self):
        self.local_workspace()
        self.apply_here({"main.tf": OBJECT})
        self.work.write({"main.tf": cloud_block() + OBJECT})
        self.run_fails("plan", says="tofu init")
        for option in ("-migrate-state", "-force-copy", "-reconfigure"):
            self.run_fails("init", option, says="Invalid options for the cloud block")
        self.run_fails("init", "-backend-config=hostname=x", says="-backend-config")
        self.run_fails("init", "-input=false", says="Input is disabled")
        status, said = self.typed("yes\n", "init")
        self.assertEqual(status, 0, said)
        self.run_ok("plan", "-detailed-exitcode")
        self.assertEqual(self.service.state_of("app")["serial"], 1)
        self.work.write({"main.tf": OBJECT})
        self.run_fails("init", says="tofu state pull")
        self.run_fails("init", "-migrate-state", says="tofu state pull")
        self.init("-reconfigure")

    def test_several_workspaces_get_names_by_a_pattern(self):
        self.apply_here({"main.tf": OBJECT})
        self.run_ok("workspace", "new", "prod")
        self.run_ok("apply", "-auto-approve")
        self.work.write({"main.tf": cloud_block('tags = ["net"]') + OBJECT})
        status, said = self.typed("dev\n1\nnet-*\n", "init")
        self.assertEqual(status, 0, said)
        self.assertEqual(sorted(self.service.workspaces), ["net-dev", "net-prod"])
        self.assertEqual(self.run_ok("workspace", "show").stdout.strip(), "net-prod")
        self.assertEqual(self.service.state_of("net-dev")["serial"], 1)

    def test_a_state_is_copied_only_where_what_makes_runs_can_read_it(self):
        self.apply_here({"main.tf": OBJECT})
        state = (self.work.path / "terraform.tfstate").read_bytes()
        for block in (cloud_block(), cloud_block('tags = ["app"]'), remote_block()):
            self.service.workspaces.clear()
            self.service.add_workspace("app", tags=["app"], **{"terraform-version": "1.1.0"})
            shutil.rmtree(self.work.path / ".terraform", True)
            (self.work.path / "terraform.tfstate").write_bytes(state)
            self.work.write({"main.tf": block + OBJECT})
            status, said = self.typed("yes\n", "init")
            self.assertEqual(status, 1, said)
            self.assertIn("-ignore-remote-version", said)
            self.assertIsNone(self.service.state_of("app"))
            theirs = self.folder("theirs")
            shutil.rmtree(theirs.path)
            theirs = self.folder("theirs")
            theirs.write({"main.tf": block + OBJECT, "terraform.tfstate": state.decode()})
            self.assertIn("-ignore-remote-version", self.peer(theirs, "init")[1])
            name = "app\n" if "tags" in block else ""
            status, said = self.typed(f"yes\n{name}", "init", "-ignore-remote-version")
            self.assertEqual(status, 0, said)
            self.assertEqual(len(self.service.state_of("app")["resources"]), 1)

    def test_other_workspaces_of_the_service_are_used_without_copying(self):
        self.local_workspace()
        self.local_workspace("other")
        self.apply_here({"main.tf": cloud_block() + OBJECT})
        self.work.write({"main.tf": cloud_block('name = "other"') + OBJECT})
        self.run_fails("plan", says="tofu init")
        self.init("-input=false")
        self.assertIsNone(self.service.state_of("other"))
        self.assertEqual(self.run_ok("workspace", "show").stdout.strip(), "other")

    def test_a_prefix_becomes_tags_where_the_states_are(self):
        self.local_workspace("app-dev")
        self.local_workspace("app-prod")
        self.work.write({"main.tf": remote_block('prefix = "app-"') + OBJECT})
        self.init(TF_WORKSPACE="dev")
        self.run_ok("workspace", "select", "dev")
        self.run_ok("apply", "-auto-approve")
        self.work.write({"main.tf": cloud_block('tags = ["app"]') + OBJECT})
        status, said = self.typed("yes\n", "init")
        self.assertEqual(status, 0, said)
        self.assertEqual(self.run_ok("workspace", "show").stdout.strip(), "app-dev")
        self.assertEqual(self.service.of(self.service.workspaces["app-dev"])["tag-names"], ["app"])
        self.assertEqual(self.service.state_of("app-dev")["serial"], 1)


VARIABLE = ('variable "v" {\n  default = "none"\n}\nresource "terraform_data" "a" {\n'
            '  input = var.v\n}\noutput "o" {\n  value = terraform_data.a.output\n}\n')


class Runs(CloudTest):
    def setUp(self):
        super().setUp()
        self.workspace = self.service.add_workspace("app")
        self.work.write({"main.tf": cloud_block() + VARIABLE})
        self.init()

    def last_run(self):
        return self.service.resources[self.service.runs[-1]]

    def status(self):
        return self.last_run()["attributes"]["status"]

    def test_a_plan_is_made_there_and_shown_here(self):
        run = self.work.tofu("plan", "-detailed-exitcode")
        self.assertEqual(run.status, 2, run.said)
        self.assertIn("terraform_data.a will be created", run.said)
        self.assertIn(f"https://{HOST}/app/team/app/runs/{self.service.runs[-1]}", run.said)
        self.assertEqual(self.status(), "planned_and_finished")
        self.assertTrue(self.last_run()["attributes"]["plan-only"])
        self.assertIsNone(self.service.state_of("app"))
        self.run_ok("apply", "-auto-approve")
        self.assertEqual(self.service.state_of("app")["outputs"]["o"]["value"], "none")
        run = self.run_ok("plan", "-detailed-exitcode")
        self.assertIn("No changes.", run.said)
        self.assertEqual(self.run_ok("output", "-raw", "o").stdout, "none")

    def test_opentofu_makes_the_same_runs_with_the_same_exit_statuses(self):
        theirs = self.folder("theirs")
        theirs.write({"main.tf": cloud_block() + VARIABLE})
        self.peer_ok(theirs, "init")
        asked = []
        for arguments in (["plan", "-detailed-exitcode", "-var", "v=x"],
                          ["plan", "-detailed-exitcode", "-destroy", "-refresh=false"],
                          ["plan", "-detailed-exitcode", "-target=terraform_data.a"],
                          ["apply", "-auto-approve", "-var", 'v=a"${b}'],
                          ["plan", "-detailed-exitcode", "-var", 'v=a"${b}'],
                          ["plan", "-refresh-only"],
                          ["apply", "-auto-approve", "-replace=terraform_data.a"],
                          ["plan", "-parallelism=3"], ["plan", "-exclude=terraform_data.a"],
                          ["plan", "-out=saved", "-var", "v=saved"], ["apply", "saved"],
                          ["apply", "saved"], ["plan", "-var", "nothing=1"],
                          ["apply", "-input=false"], ["refresh"],
                          ["destroy", "-auto-approve"], ["plan", "-target=nonsense."]):
            before = len(self.service.runs)
            ours = self.work.tofu(*arguments)
            own = self.service.runs[before:]
            # Nothing may stay that the other would wait for.
            for run in own:
                if self.service.of(run)["actions"]["is-discardable"] and "saved" not in arguments[1]:
                    self.service.run_action("POST", [run, "discard"], {}, {})
            asked.append((arguments, ours, own))
        self.service.versions[self.workspace] = []
        for arguments, ours, own in asked:
            before = len(self.service.runs)
            status, said = self.peer(theirs, *arguments)
            self.assertEqual(ours.status, status, (arguments, ours.said, said))
            made = [[{name: value for name, value in self.service.of(run).items() if name not in
                      ("confirmed", "actions", "status", "has-changes", "canceled")}
                     for run in runs] for runs in (own, self.service.runs[before:])]
            self.assertEqual(*made, (arguments, said))

    def test_a_saved_plan_is_shown_as_the_service_has_it(self):
        self.work.write({"main.tf": cloud_block() + """
variable "secret" {
  default   = "s3cret"
  sensitive = true
}
resource "terraform_data" "a" {
  for_each = toset(["x", "y"])
  input    = { key = each.key, hidden = var.secret, list = ["one", "two"] }
}
resource "terraform_data" "b" {
  input            = terraform_data.a["x"].output
  triggers_replace = [1]
}
output "o" {
  value = terraform_data.b.id
}
"""})
        self.run_ok("plan", "-out=saved")
        self.assertNotIn("s3cret", self.run_ok("show", "saved").stdout)
        self.show_saved("3 to add", r"planned and saved \(confirmable\)")
        self.run_ok("apply", "saved")
        self.show_saved("3 to add", r"applied \(not confirmable\)")
        self.work.write({"main.tf": (self.work.path / "main.tf").read_text().replace("[1]", "[2]")
                         .replace('"one"', '"three"').replace('"y"]', '"z"]')})
        self.run_ok("plan", "-out=saved")
        self.show_saved("2 to add, 1 to change, 2 to destroy", r"\(confirmable\)")
        self.run_ok("plan", "-destroy", "-out=saved")
        self.show_saved("3 to destroy", r"\(confirmable\)")
        self.run_ok("plan", "-refresh-only", "-out=saved")
        self.run_ok("show", "saved")

    def show_saved(self, summary, status):
        """Shows the plan that was saved last, here, where it was made, and by OpenTofu."""
        run = self.run_ok("show", "saved")
        self.assertRegex(run.stdout, summary)
        self.assertRegex(run.stdout, f"Run status: .*{status}\nWorkspace is unlocked")
        self.assertIn(f"https://{HOST}/app/team/app/runs/{self.service.runs[-1]}\n", run.stdout)
        self.assertNotIn("redacted", run.stdout)
        plan = self.last_run()["relationships"]["plan"]["data"]["id"]
        there = self.service.ask_program(plan, "show", "-no-color", "tfplan").decode()
        self.assertEqual(self.body(run.stdout), self.body(there))
        whole = self.run_ok("show", "-json", "-plan=saved")
        self.assertEqual(json.loads(whole.stdout),
                         json.loads(self.service.plan_json("GET", [plan], {}, {})[1]))
        if os.access(PEER, os.X_OK):
            theirs = self.peer_ok(self.work, "show", "saved")
            self.assertEqual(self.body(theirs), self.body(run.stdout))
            self.assertIn(run.stdout[run.stdout.index("Run status:"):], theirs)

    @staticmethod
    def body(text):
        return text[text.index("\n  # "):text.index("\nRun status:") if "Run status:" in text
                    else len(text)].strip()

    def test_a_saved_plan_that_cannot_be_shown_is_explained(self):
        self.run_ok("plan", "-out=saved")
        plan = self.last_run()["relationships"]["plan"]["data"]["id"]
        self.run_fails("show", "-html", "saved", says="shows it in the browser")
        self.service.trouble = lambda request: 404 if request.path.endswith("json-output") else None
        self.run_fails("show", "-json", "saved", says="administrator")
        self.run_ok("show", "saved")
        self.service.trouble = lambda request: 404 if "/runs/" in request.path else None
        self.run_fails("show", "saved", says="tofu login")
        self.service.trouble = lambda request: None
        self.service.of(plan)["status"] = "running"
        self.run_fails("show", "saved", says='"running"')
        self.service.of(plan)["status"] = "finished"
        change = {"address": "terraform_data.a", "provider_name": "terraform.io/builtin/terraform",
                  "change": {"actions": ["create"], "after": {"input": 1}}}
        deep = b'{"resource_changes":[{"change":{"after":' + b"[" * 9000 + b"]" * 9000 + b"}}]}"
        for body in (b"", b"[]", b"nonsense", b'{"resource_changes":[{}]}', deep,
                     {"resource_changes": [{**change, "address": "a b"}]},
                     {"resource_changes": [{**change, "change": {"actions": ["explode"]}}]},
                     {"resource_changes": [change], "provider_schemas": {"p": {"resource_schemas": {
                         "r": {"block": {"attributes": {"a": {"type": "nonsense"}}}}}}}},
                     {"output_changes": {"o": {"actions": "create"}}}):
            self.service.bodies[f"/api/v2/plans/{plan}/json-output-redacted"] = body
            run = self.run_fails("show", "saved", says="is not a valid plan")
            self.assertNotIn("crash", run.said)
        # Without a schema the values are shown as they are.
        self.service.bodies[f"/api/v2/plans/{plan}/json-output-redacted"] = {
            "resource_changes": [change]}
        self.assertIn("+ input = 1", self.run_ok("show", "saved").stdout)
        bookmark = json.loads((self.work.path / "saved").read_text())
        self.work.write({"other": json.dumps({**bookmark, "hostname": "other.example.com"})})
        self.run_fails("show", "other", says="other.example.com")
        elsewhere = self.folder("elsewhere")
        elsewhere.write({"saved": json.dumps(bookmark), "main.tf": OBJECT})
        self.run_fails("show", "saved", folder=elsewhere, says="no cloud block")

    def test_configuration_that_a_run_generates_is_written_here(self):
        text = cloud_block() + 'import {\n  to = terraform_data.new\n  id = "some-id"\n}\n'
        theirs = self.folder("theirs")
        for folder in (self.work, theirs):
            folder.write({"main.tf": text})
        self.run_ok("plan", "-generate-config-out=generated.tf")
        self.assertIs(self.last_run()["attributes"]["allow-config-generation"], True)
        made = (self.work.path / "generated.tf").read_text()
        self.assertIn('resource "terraform_data" "new" {', made)
        before = len(self.service.runs)
        self.run_fails("plan", "-generate-config-out=generated.tf", says="generated.tf")
        self.assertEqual(len(self.service.runs), before)
        self.peer_ok(theirs, "init")
        self.peer_ok(theirs, "plan", "-generate-config-out=generated.tf")
        blocks = [(folder.path / "generated.tf").read_text().partition("resource ")[2]
                  for folder in (self.work, theirs)]
        self.assertEqual(*blocks)
        self.peer(theirs, "plan", "-generate-config-out=generated.tf")
        # What was generated is part of the next run, which imports it.
        self.run_ok("apply", "-auto-approve")
        self.assertEqual(self.run_ok("state", "list").stdout, "terraform_data.new\n")

    def test_values_of_the_command_line_and_the_environment_are_passed(self):
        self.work.write({"main.tf": cloud_block() + """
variable "list" {
  type = list(string)
}
variable "text" {}
variable "file" {}
variable "auto" {}
output "o" {
  value = "${join("+", var.list)} ${var.text} ${var.file} ${var.auto}"
}
""", "some.tfvars": 'file = "of a file"\n', "x.auto.tfvars": 'auto = "automatic"\n'})
        self.run_ok("apply", "-auto-approve", "-var", 'list=["a","b"]', "-var-file=some.tfvars",
                    TF_VAR_text='${"x"}')
        self.assertEqual(self.run_ok("output", "-raw", "o").stdout,
                         'a+b ${"x"} of a file automatic')
        names = [each["key"] for each in self.last_run()["attributes"]["variables"]]
        self.assertEqual(sorted(names), ["file", "list", "text"])

    def test_changes_are_made_after_a_yes_only(self):
        status, said = self.typed("no\n", "apply")
        self.assertEqual(status, 1, said)
        self.assertEqual(self.status(), "discarded")
        self.assertIsNone(self.service.state_of("app"))
        self.run_fails("apply", "-input=false", says="-auto-approve")
        self.service.run_action("POST", [self.service.runs[-1], "discard"], {}, {})
        status, said = self.typed("yes\n", "apply")
        self.assertEqual(status, 0, said)
        self.assertEqual(self.status(), "applied")
        self.assertIn("Apply complete! Resources: 1 added", said)
        status, said = self.typed("yes\n", "destroy")
        self.assertEqual(status, 0, said)
        self.assertIn("destroy all resources", said)
        self.assertEqual(self.service.state_of("app")["resources"], [])

    def test_somebody_may_approve_elsewhere(self):
        process = self.start_typing("apply")
        while b"perform these actions" not in process.stdout.readline():
            pass
        self.service.run_action("POST", [self.service.runs[-1], "apply"], {}, {})
        # There is no input, and the input does not end.
        self.assertEqual(process.wait(timeout=60), 0)
        with process.stdin, process.stdout, process.stderr:
            self.assertIn(b"approved elsewhere", process.stdout.read())
        self.assertEqual(self.status(), "applied")

    def start_typing(self, *arguments):
        """A terminal without input yet."""
        return subprocess.Popen([TOFU, *arguments], cwd=self.work.path, env=self.environment,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def test_an_interrupt_asks_whether_to_cancel(self):
        for answer, end in ((b"yes\n", "canceled"), (b"no\n", "pending")):
            self.service.held.clear()
            before = len(self.service.runs)
            process = self.start_typing("plan")
            stores.wait_until(lambda: len(self.service.runs) > before, "the run")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(answer, timeout=60)
            self.assertEqual(process.returncode, 1, out + err)
            self.assertIn(b"cancel the remote run", out)
            self.assertEqual(self.status(), end)
            self.service.held.set()

    def test_a_run_that_waits_too_long_is_cancelled(self):
        self.service.held.clear()
        self.run_fails("plan", "-lock-timeout=1s", says="did not begin in time")
        self.assertEqual(self.status(), "canceled")

    def test_a_run_that_fails_there_fails_here(self):
        self.work.write({"main.tf": cloud_block() + 'output "o" {\n  value = file("nothing")\n}\n'})
        run = self.run_fails("plan", says="nothing")
        self.assertEqual(self.status(), "errored")
        self.assertIn(f"/runs/{self.service.runs[-1]}", run.said)

    def test_costs_policies_and_tasks_are_shown(self):
        self.service.costs = {"status": "finished", "delta-monthly-cost": "-1.50",
                              "proposed-monthly-cost": "10.00", "matched-resources-count": 1,
                              "resources-count": 2}
        self.service.policies = [("organization", "passed", "Result: true\n")]
        self.service.stages = [("post_plan", "passed", [
            {"task-name": "scan", "status": "passed", "message": "clean",
             "workspace-task-enforcement-level": "mandatory"}])]
        self.service.events = [("ignored_policy_sets", "one was ignored"), ("created", "not shown")]
        run = self.run_ok("plan")
        for text in ("Resources: 1 of 2 estimated", "$10.00/mo -$1.50", "Result: true",
                     "scan: passed", "clean", "Warning: one was ignored"):
            self.assertIn(text, run.said)
        self.assertNotIn("not shown", run.said)
        theirs = self.folder("theirs")
        theirs.write({"main.tf": cloud_block() + VARIABLE})
        self.peer_ok(theirs, "init")
        said = self.peer_ok(theirs, "plan")
        self.assertIn("$10.00/mo -$1.50", said)

    def test_policies_that_are_not_met_stop_the_run_or_are_overridden(self):
        self.service.policies = [("organization", "hard_failed", "Result: false\n")]
        self.run_fails("plan", says="hard_failed")
        self.service.policies = [("workspace", "soft_failed", "Result: false\n")]
        self.run_fails("plan", says="A policy was not met")
        self.run_ok("apply", "-auto-approve")
        self.service.stages = [("pre_plan", "failed", [
            {"task-name": "scan", "status": "failed",
             "workspace-task-enforcement-level": "mandatory"}])]
        self.service.policies = []
        self.run_fails("plan", says=r"scan: failed \(mandatory\).*ended as .failed.")

    def test_only_the_directory_with_the_working_directory_is_uploaded(self):
        self.service.of(self.workspace)["working-directory"] = "env/prod"
        inner = self.folder("tree/env/prod")
        inner.write({"main.tf": cloud_block() + 'module "m" {\n  source = "../../modules/m"\n}\n'})
        self.folder("tree").write({"modules/m/main.tf": 'output "o" {\n  value = 1\n}\n',
                                   "secret.txt": "", ".terraformignore": "*.txt\n"})
        self.init(folder=inner)
        self.run_ok("apply", "-auto-approve", folder=inner)
        unpacked = self.service.folder / self.service.runs[-1]
        self.assertTrue((unpacked / "modules/m/main.tf").exists())
        self.assertFalse((unpacked / "secret.txt").exists())

    def test_messages_for_programs_are_told_to_people(self):
        self.service.json_logs = True
        run = self.run_ok("plan")
        self.assertIn("terraform_data.a: Plan to create", run.said)
        self.assertNotIn("@level", run.said)
        stream = self.run_ok("plan", "-json").stdout.splitlines()
        self.assertTrue(any("Plan to create" in json.loads(line)["@message"] for line in stream))

    def test_a_plan_whose_log_is_for_programs_is_shown_as_a_whole(self):
        self.service.json_logs = True
        self.service.of(self.workspace)["structured-run-output-enabled"] = True
        run = self.run_ok("plan")
        self.assertIn('+ input = "none"', run.said)
        self.assertEqual(run.stdout.count("1 to add"), 1)
        self.assertNotIn("Plan to create", run.stdout)
        status, said = self.typed("yes\n", "apply")
        self.assertEqual(status, 0, said)
        self.assertIn('+ input = "none"', " ".join(said.split()))
        self.assertIn("Apply complete! Resources: 1 added", said)
        stream = self.run_ok("plan", "-json", "-destroy").stdout.splitlines()
        self.assertTrue(all(json.loads(line)["@message"] for line in stream))
        self.service.trouble = lambda request: (
            404 if request.path.endswith("json-output-redacted") else None)
        self.assertIn("Cannot show the plan", self.run_ok("plan", "-destroy").said)

    def test_a_log_does_not_control_the_terminal(self):
        self.service.program = self.top / "program"
        self.service.program.write_text("#!/bin/sh\nprintf 'a\\033[31mred\\033[0m\\033]0;t\\007z\\n'\n")
        self.service.program.chmod(0o755)
        run = self.work.tofu("plan")
        self.assertIn("ared]0;tz", run.stdout)
        self.assertNotIn("\033", run.stdout)

    def test_options_that_mean_nothing_there_are_refused(self):
        for option in ("-parallelism=3", "-state=x", "-exclude=terraform_data.a"):
            self.run_fails("plan", option, says=f"{option.split('=')[0]}.* is not supported for remote runs")
        self.run_fails("plan", "-html-out=x", says="-html-out")
        self.run_fails("apply", "main.tf", says="was not saved by a remote run")
        self.assertEqual(self.service.runs, [])

    def test_rights_and_repositories_limit_runs(self):
        attributes = self.service.of(self.workspace)
        attributes["vcs-repo"] = {"identifier": "a/b"}
        self.run_fails("apply", "-auto-approve", says="connected to a repository")
        self.run_ok("plan")
        attributes["permissions"] = {"can-queue-run": True}
        self.run_fails("apply", "-auto-approve", says="right to apply")
        attributes["permissions"] = {}
        self.run_fails("plan", says="right to make runs")

    def test_a_state_is_changed_only_if_what_makes_runs_can_read_it(self):
        self.run_ok("apply", "-auto-approve")
        attributes = self.service.of(self.workspace)
        for version, fits in (("1.12.0", True), ("~> 1.12", True), ("latest", True),
                              ("1.5.7", False), ("1.0.11", False), ("nonsense", False)):
            attributes["terraform-version"] = version
            run = self.work.tofu("untaint", "terraform_data.a")
            self.assertEqual("ignore-remote-version" not in run.said, fits, (version, run.said))
        self.run_fails("state", "rm", "terraform_data.a", says="-ignore-remote-version")
        run = self.run_ok("state", "rm", "-ignore-remote-version", "terraform_data.a")
        self.assertIn("Remote version differs", run.said)
        self.assertEqual(self.service.state_of("app")["resources"], [])

    def test_commands_that_work_here_know_the_variables_of_the_workspace(self):
        self.service.of(self.workspace)["vars"] = [
            {"key": "v", "value": "of the workspace", "category": "terraform", "hcl": False,
             "sensitive": False},
            {"key": "other", "value": "x", "category": "env", "hcl": False, "sensitive": False}]
        status, said = self.typed("var.v\n", "console")
        self.assertEqual((status, said), (0, '"of the workspace"'))
        status, said = self.typed("var.v\n", "console", "-var", "v=here")
        self.assertEqual((status, said), (0, '"here"'))
        self.service.of(self.workspace)["vars"][0]["sensitive"] = True
        status, said = self.typed("var.v\n", "console")
        self.assertEqual(status, 0, said)
        self.assertIn("var.v is not available", said)
        variables = self.service.of(self.workspace)["vars"]
        variables[0].update(sensitive=False, hcl=True, value='["a", "b"]')
        self.assertEqual(self.typed("var.v[1]\n", "console"), (0, '"b"'))
        variables[0]["value"] = "[broken"
        self.assertIn("var.v of the workspace", self.typed("1\n", "console")[1])

    def test_an_import_knows_the_variables_of_the_workspace(self):
        self.work.write({"main.tf": cloud_block() + """
variable "needed" {}
resource "terraform_data" "a" {
  input = var.needed
}
"""})
        self.run_fails("import", "-input=false", "terraform_data.a", "some-id", says="needed")
        self.service.of(self.workspace)["vars"] = [
            {"key": "needed", "value": "x", "category": "terraform", "hcl": False,
             "sensitive": False}]
        self.run_ok("import", "-input=false", "terraform_data.a", "some-id")
        self.assertEqual(self.run_ok("state", "list").stdout, "terraform_data.a\n")

    def test_an_organization_without_runs_has_them_made_here(self):
        self.service.operations = False
        self.run_ok("apply", "-auto-approve")
        self.assertEqual(self.service.runs, [])
        self.service.operations = True
        self.run_ok("apply", "-auto-approve", "-replace=terraform_data.a",
                    TF_FORCE_LOCAL_BACKEND="1")
        self.assertEqual(self.service.runs, [])
        self.assertEqual(self.service.state_of("app")["serial"], 2)


class RemoteRuns(CloudTest):
    def test_the_older_backend_makes_runs_too(self):
        self.service.add_workspace("app")
        self.work.write({"main.tf": remote_block() + VARIABLE})
        self.init()
        self.assertEqual(self.work.tofu("plan", "-detailed-exitcode").status, 2)
        self.run_ok("apply", "-auto-approve")
        self.assertEqual(self.service.state_of("app")["serial"], 1)
        for option in ("-var=v=1", "-out=saved", "-generate-config-out=x"):
            self.run_fails("plan", option, says="not supported for remote runs")
        self.run_fails("refresh", says="apply -refresh-only")
        self.run_fails("workspace", "list", says="only one")


class WithOtf(CloudTest):
    """A service that others have written."""

    def setUp(self):
        super().setUp()
        if otf_program() is None:
            self.skipTest("OTF and PostgreSQL are not both there (TOFU_TEST_SERVERS)")
        version = json.loads(self.run_ok("version", "-json").stdout)["terraform_version"]
        self.otf = Otf(TOFU, version)
        self.addCleanup(self.otf.end)
        (self.top / "home/.tofurc").write_text(cli_configuration(self.otf.url))
        self.work.write({"main.tf": cloud_block() + VARIABLE})
        self.init()

    def test_runs_and_states_of_otf(self):
        self.assertEqual(self.work.tofu("plan", "-detailed-exitcode", "-var", "v=x").status, 2)
        self.run_ok("apply", "-auto-approve", "-var", "v=x")
        self.run_ok("plan", "-detailed-exitcode", "-var", "v=x")
        self.assertEqual(self.run_ok("output", "-raw", "o").stdout, "x")
        self.run_ok("state", "mv", "terraform_data.a", "terraform_data.b")
        self.assertEqual(self.run_ok("state", "list").stdout, "terraform_data.b\n")
        self.run_ok("state", "mv", "terraform_data.b", "terraform_data.a")
        self.run_ok("plan", "-out=saved", "-var", "v=y")
        self.run_ok("apply", "saved")
        self.run_fails("apply", "saved", says="cannot be applied")
        status, said = self.typed("no\n", "apply", "-var", "v=z")
        self.assertEqual(status, 1, said)
        self.assertEqual(self.run_ok("output", "-raw", "o").stdout, "y")
        theirs = self.folder("theirs")
        theirs.write({"main.tf": cloud_block() + VARIABLE})
        self.peer_ok(theirs, "init")
        self.assertEqual(self.peer_ok(theirs, "output", "-raw", "o"), "y")
        self.run_ok("destroy", "-auto-approve")


if __name__ == "__main__":
    unittest.main()

"""What every store has to stand: fights for its lock, runs that are killed, and failures."""

import json
import os
import random
import re
import threading
import unittest

import stores
from every_store import WITH_LOCAL, for_each_store
from store_place import OBJECT, ROUNDS, StoreTest

CLIENTS = 20 if ROUNDS > 1 else 6  # `./dev test` has little time


@for_each_store(tuple(WITH_LOCAL))
class Fights(StoreTest):
    def check_clients_that_fight_for_a_lock_are_never_two_inside(self, store):
        """Each leaves a mark while it is inside, and every write counts."""
        config = store.block + f'''
variable "turn" {{}}
resource "terraform_data" "x" {{
  triggers_replace = var.turn
  provisioner "local-exec" {{
    command = "mkdir {self.top}/inside && sleep 0.02 && rmdir {self.top}/inside"
  }}
}}
'''
        folders = [self.folder(f"client{number}") for number in range(CLIENTS)]
        for folder in folders:
            folder.write({"main.tf": config})
            self.init(folder=folder, TF_VAR_turn="0", **store.environment)
        problems = []

        def fight(number):
            for turn in range(ROUNDS):
                run = folders[number].start("apply", "-auto-approve", "-lock-timeout=800s",
                                            TF_VAR_turn=f"{number}-{turn}", **store.environment)
                out, err = run.communicate(timeout=900)
                if run.returncode != 0:
                    problems.append(out + err)

        threads = [threading.Thread(target=fight, args=(number,)) for number in range(CLIENTS)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(problems, [])
        state = json.loads(self.run_ok("state", "pull", folder=folders[0],
                                       **store.environment).stdout)
        self.assertEqual(state["serial"], self.writes_of(CLIENTS * ROUNDS, state))

    @staticmethod
    def writes_of(applies, state):
        # A store that makes an empty state first has written once more.
        return applies + (state["serial"] - applies in (1,))


@for_each_store(("fake_gcs_server", "consul_server", "kubernetes_server"))
class Interchange(StoreTest):
    """Others have one with more to look at, in stores_test.py and beside it."""

    def check_opentofu_and_this_program_share_states(self, store):
        self.exchange(store.block, **store.environment)


@for_each_store()
class EveryStore(StoreTest):
    def check_a_lock_of_a_client_that_was_killed_is_explained_and_taken_away(self, store):
        self.work.write({"main.tf": store.block + OBJECT + '''
resource "terraform_data" "slow" {
  depends_on = [terraform_data.a]
  provisioner "local-exec" {
    command = "touch started; while [ ! -e go ]; do sleep 0.1; done"
  }
}
'''})
        self.init(**store.environment)
        running = self.work.start("apply", "-auto-approve", **store.environment)
        stores.wait_until(lambda: (self.work.path / "started").exists(), "the provisioner")
        running.kill()
        running.communicate()
        (self.work.path / "go").touch()
        if not store.lock_ends_itself:
            run = self.work.tofu("plan", **store.environment)
            self.assertEqual(run.status, 1, run.said)
            self.assertIn("OperationTypeApply", run.said)
            found = re.search("force-unlock ([0-9a-f-]+)", run.said)
            wrong = self.work.tofu("force-unlock", "-force", "12345678-0000-0000-0000-000000000000",
                                   **store.environment)
            self.assertEqual(wrong.status, 1, wrong.said)
            self.run_ok("force-unlock", "-force", found[1], **store.environment)
        # What the run had finished is in its journal on this machine.
        run = self.run_ok("plan", "-lock-timeout=30s", **store.environment)
        self.assertIn("terraform_data.a", run.said)
        listed = self.run_ok("state", "list", **store.environment).stdout
        self.assertIn("terraform_data.a\n", listed)

    def check_writes_that_fail_at_random_lose_nothing(self, store):
        chance = random.Random(5)
        ways = ["drop", "keep then drop"] if store.lock_ends_itself else [
            500, 503, "drop", "keep then drop"]
        self.work.write({"main.tf": store.block})
        self.init(**store.environment)
        made = {}
        failures = 0
        for number in range(int(os.environ.get("TOFU_TEST_FAILURES") or 3 * ROUNDS)):
            names = ", ".join(f'"{each}"' for each in range(number + 1))
            self.work.write({"main.tf": store.block + f'''
resource "terraform_data" "x" {{
  for_each = toset([{names}])
}}
'''})
            # Most failures pass; some do not, as long as this round lasts.
            left = [chance.choice([1, 1, 1, 1, 1, 1, 2, 2, 3, 100])]
            mutex = threading.Lock()

            def trouble(request, left=left, mutex=mutex):
                with mutex:
                    if request is not None and not store.writes_state(request) or not left[0]:
                        return None
                    left[0] -= 1
                    return chance.choice(ways)

            store.get_in_trouble(trouble)
            run = self.work.tofu("apply", "-auto-approve", **store.environment)
            store.calm()
            if run.status != 0:
                failures += 1
                self.assertIn("errored.tfstate", run.said)
                self.assertRegex(run.said, "/tofu/journal/[0-9a-f]{16}-default[.]journal has it as well")
                made |= self.instances((self.work.path / "errored.tfstate").read_text())
                plan = self.work.tofu("plan", "-detailed-exitcode", **store.environment)
                if held := re.search("force-unlock ([0-9a-f-]+)", plan.said):
                    self.run_ok("force-unlock", "-force", held[1], **store.environment)
                    plan = self.work.tofu("plan", "-detailed-exitcode", **store.environment)
                self.assertEqual(plan.status, 0, plan.said)
            stored = self.instances(self.run_ok("state", "pull", **store.environment).stdout)
            self.assertEqual({key: stored.get(key) for key in made}, made)
            made = stored
            self.assertEqual(len(made), number + 1, run.said)
        print(f"{type(store).__name__}: {number + 1} rounds, {failures} runs failed", flush=True)

    @staticmethod
    def instances(text):
        return {each["index_key"]: each["attributes"]["id"]
                for resource in json.loads(text)["resources"] for each in resource["instances"]}


if __name__ == "__main__":
    unittest.main()

"""Servers of states that answer with anything, point elsewhere, or never end."""

import unittest

import stand_in
import stores
from every_store import STORES, for_each_store
from store_place import OBJECT, StoreTest

BODIES = [b"<html>", b"{", b'{"version": 4', b'{"version": 99}', b"[]", b"7", b"null",
          b"\0" * 100, b"\xff\xfe" * 50, b"[" * 100000, b"<a>" * 100000, b'{"items": 7}',
          b'{"metadata": [], "data": {"tfstate": 7}}', b'[{"Value": 7, "ModifyIndex": "x"}]',
          b'{"metadata": {}, "data": {"tfstate": "H4sIAAAAAAAA"}}',
          b"<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
          b"\x0a\xff\xff\xff\xff\x0f"]


class Endless(stand_in.Service):
    """Another server, which remembers what it was asked."""

    def handle(self, request):
        return 200, b""


@for_each_store([name for name in STORES if name != "pg"])
class HostileStores(StoreTest):
    def begin(self, store):
        self.work.write({"main.tf": store.block + OBJECT})
        self.init(**store.environment)
        self.apply(**store.environment)

    def answers(self, store, answer):
        for service in store.between:
            service.answer = answer

    def check_answers_that_make_no_sense_are_refused(self, store):
        self.begin(store)
        for body in BODIES:
            self.answers(store, lambda request, body=body: (200, body))
            run = self.work.tofu("plan", **store.environment)
            self.assertEqual(run.status, 1, (body[:20], run.said))
            self.assertRegex(run.said, "Error: [A-Z]", body[:20])
            if store.lists:
                run = self.work.tofu("workspace", "list", **store.environment)
                self.assertIn(run.status, (0, 1), (body[:20], run.said))

    def check_an_answer_that_is_too_large_is_not_read(self, store):
        self.begin(store)
        self.answers(store, lambda request: (200, b"x" * 1000, {"Content-Length": str(1 << 42)}))
        run = self.work.tofu("plan", "-lock=false", **store.environment)
        self.assertEqual(run.status, 1, run.said)
        self.assertIn("longer than", run.said)

    def check_secrets_and_states_do_not_follow_a_redirection(self, store):
        self.begin(store)
        other = self.serve(Endless())
        for status in (302, 307, 308):
            self.answers(store, lambda request, status=status: (
                status, b"", {"Location": other.url + "/elsewhere"}))
            run = self.work.tofu("apply", "-auto-approve", "-replace=terraform_data.a", "-lock=false",
                                 TF_LOG="TRACE", **store.environment)
            for secret in store.secrets[-1:]:
                self.assertNotIn(secret, run.stdout + run.stderr)
        # There is no redirection from https to http.
        self.assertEqual(bool(other.requests), store.between[0].url.startswith("http://"))
        for request in other.requests:
            names = {name.lower() for name in request.headers}
            self.assertFalse(names & {"authorization", "x-consul-token", "x-amz-security-token",
                                      "x-oss-security-token", "x-cos-security-token",
                                      "x-ots-signature", "x-ots-accesskeyid"}, request.target)
            self.assertEqual(request.body, b"")
            sent = request.target + str(request.headers)
            for secret in store.secrets:
                self.assertNotIn(secret, sent)


@for_each_store(["http", "kubernetes"])
class TimedUploads(StoreTest):
    def check_a_state_is_stored_while_the_run_goes_on(self, store):
        """Every 20 seconds; other users see the finished objects, also after a run was killed."""
        self.work.write({"main.tf": store.block + OBJECT + '''
resource "terraform_data" "slow" {
  depends_on = [terraform_data.a]
  provisioner "local-exec" {
    command = "while [ ! -e go ]; do sleep 0.1; done"
  }
}
'''})
        self.init(**store.environment)
        running = self.work.start("apply", "-auto-approve", **store.environment)
        other = self.folder("other")
        other.write({"main.tf": store.block + OBJECT})
        self.init(folder=other, **store.environment)

        def is_stored():
            run = other.tofu("state", "list", **store.environment)
            return "terraform_data.a\n" in run.stdout

        stores.wait_until(is_stored, "a write in the middle of the run")
        self.assertIsNone(running.poll())
        running.kill()
        running.communicate()
        (self.work.path / "go").touch()
        self.assertTrue(is_stored())


if __name__ == "__main__":
    unittest.main()

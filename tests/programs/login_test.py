"""Tokens of hosts: obtained by login, removed by logout."""

import json
import re
import subprocess
import unittest
import urllib.error
import urllib.parse
import urllib.request

from place import TOFU
from provider_packages import use_tls
from sources import ServedTest


class LoginTest(ServedTest):
    def setUp(self):
        super().setUp()
        self.certificate = use_tls(self.server, self.top)
        self.host = f"localhost:{self.server.port}"
        self.environment["SSL_CERT_FILE"] = str(self.certificate)

    @property
    def file(self):
        return self.top / "home/.terraform.d/credentials.tfrc.json"

    def offer(self, **services):
        self.server.put("/.well-known/terraform.json", json.dumps(services),
                        Content_Type="application/json")

    def login(self, answers, *arguments):
        return subprocess.run([TOFU, "login", "-no-color", *arguments, self.host],
                              cwd=self.work.path, env=self.environment, input=answers.encode(),
                              capture_output=True, timeout=60)

    def test_a_typed_token_is_stored_for_its_owner_alone_and_removed_again(self):
        self.offer(**{"tfe.v2": "/api/v2/"})
        self.file.parent.mkdir()
        self.file.write_text('{"credentials":{"other.example.com":{"token":"kept"}},"more":1}')
        done = self.login("yes\nsecret\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(self.file.read_text()), {
            "credentials": {"other.example.com": {"token": "kept"}, self.host: {"token": "secret"}},
            "more": 1})
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.assertNotIn(b"secret", done.stdout + done.stderr)
        run = self.work.tofu("logout", "-no-color", self.host)
        self.assertEqual(run.status, 0, run.said)
        self.assertNotIn("secret", self.file.read_text())
        self.assertIn("kept", self.file.read_text())
        self.assertIn("No credentials", self.work.tofu("logout", self.host).said)

    def test_without_a_yes_nothing_is_requested(self):
        self.offer(**{"tfe.v2": "/api/v2/"})
        done = self.login("no\n")
        self.assertEqual(done.returncode, 1)
        self.assertFalse(self.file.exists())
        self.assertEqual(self.login("", "-input=false").returncode, 1)

    def test_a_code_of_the_browser_becomes_a_token(self):
        self.offer(**{"login.v1": {"client": "cli", "authz": "/authorize", "token": "/token",
                                   "ports": [20000, 29999], "grant_types": ["authz_code"]}})
        self.server.put("/token", '{"access_token":"by-code"}', Content_Type="application/json")
        process = subprocess.Popen([TOFU, "login", "-no-color", self.host], cwd=self.work.path,
                                   env=self.environment, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdin.write("yes\n")
        process.stdin.flush()
        page = None
        while page is None:
            page = re.search(r"https://\S+/authorize\?(\S+)", process.stdout.readline())
        question = dict(urllib.parse.parse_qsl(page[1]))
        self.assertEqual(question["code_challenge_method"], "S256")
        back = question["redirect_uri"].replace("localhost", "127.0.0.1")
        with self.assertRaises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{back}?code=stolen&state=other", timeout=20)
        with urllib.request.urlopen(f"{back}?code=c&state={question['state']}", timeout=20) as reply:
            self.assertEqual(reply.status, 200)
        out, problems = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, out + problems)
        self.assertEqual(json.loads(self.file.read_text())["credentials"][self.host],
                         {"token": "by-code"})

    def test_a_helper_stores_and_forgets(self):
        self.offer(**{"tfe.v2": "/api/v2/"})
        plugins = self.top / "home/.terraform.d/plugins"
        plugins.mkdir(parents=True)
        helper = plugins / "terraform-credentials-test"
        helper.write_text(f'#!/bin/sh\necho "$@" >> {self.top}/asked\n'
                          f'[ "$1" = store ] && cat >> {self.top}/asked\nexit 0\n')
        helper.chmod(0o755)
        (self.top / "home/.tofurc").write_text('credentials_helper "test" {}\n')
        done = self.login("yes\nsecret\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(self.file.exists())
        self.assertEqual(self.work.tofu("logout", self.host).status, 0)
        asked = (self.top / "asked").read_text()
        self.assertIn(f"store {self.host}\n", asked)
        self.assertIn('{"token":"secret"}', asked)
        self.assertIn(f"forget {self.host}\n", asked)

    def test_what_a_person_has_configured_is_not_changed(self):
        self.offer(**{"tfe.v2": "/api/v2/"})
        (self.top / "home/.tofurc").write_text(
            f'credentials "{self.host}" {{\n  token = "mine"\n}}\n')
        self.assertIn(b"manually configured", self.login("yes\nsecret\n").stderr)
        run = self.work.tofu("logout", self.host)
        self.assertEqual(run.status, 1)
        self.assertFalse(self.file.exists())

    def test_a_host_without_a_login_service_is_told(self):
        self.offer(**{"modules.v1": "/modules/"})
        self.assertIn(b"does not support login", self.login("yes\n").stderr)


if __name__ == "__main__":
    unittest.main()

"""States in Secrets of Kubernetes: its stand-in is kubernetes.py."""

import base64
import gzip
import json
import os
import shutil
import ssl
import subprocess
import unittest

import stores
from kubernetes import Kubernetes
from store_place import OBJECT, OUTPUT, StoreTest

SLOW = '''
resource "terraform_data" "slow" {
  provisioner "local-exec" {
    command = "touch started; while [ ! -e go ]; do sleep 0.1; done"
  }
}
'''
TERRAFORM = os.environ.get("TOFU_PEER_TERRAFORM") or shutil.which("terraform") or ""


def large(size):
    """A resource that compresses to about this many bytes."""
    return f'resource "terraform_data" "l" {{\n  input = "{os.urandom(size).hex()}"\n}}\n'


@unittest.skipUnless(shutil.which("openssl"), "there is no openssl")
class KubernetesStore(StoreTest):
    def setUp(self):
        super().setUp()
        self.make_certificate("server")
        self.cluster = self.serve(Kubernetes(self.tls()))
        self.config = self.top / "kubeconfig"
        self.write_config()

    def make_certificate(self, name):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1",
                        "-keyout", self.top / f"{name}.key", "-out", self.top / f"{name}.pem"],
                       check=True, capture_output=True)

    def tls(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.top / "server.pem", self.top / "server.key")
        return context

    def write_config(self, user="token: secret-word", cluster="certificate-authority: server.pem",
                     path=None, name="here"):
        (path or self.config).write_text(f'''apiVersion: v1
kind: Config
current-context: {name}
contexts:
- name: {name}
  context: {{cluster: {name}-cluster, user: {name}-user}}
clusters:
- name: {name}-cluster
  cluster:
    server: {self.cluster.url}
    {cluster}
users:
- name: {name}-user
  user:
    {user}
''')

    def block(self, more=None):
        if more is None:
            more = f'config_path = "{self.config}"'
        return f'''terraform {{
  backend "kubernetes" {{
    secret_suffix = "test"
    {more}
  }}
}}
'''

    def test_opentofu_and_this_program_share_secrets(self):
        more = f'config_path = "{self.config}"\n    labels = {{ team = "a" }}'
        self.exchange(self.block(more))
        self.assertEqual(self.cluster.names(), ["tfstate-default-test", "tfstate-two-test"])
        secret = self.cluster.objects["default", "secrets", "tfstate-two-test"]
        self.assertEqual(secret["metadata"]["labels"], {
            "tfstate": "true", "tfstateSecretSuffix": "test", "tfstateWorkspace": "two",
            "app.kubernetes.io/managed-by": "terraform", "team": "a"})
        self.assertEqual(secret["metadata"]["annotations"], {"encoding": "gzip"})
        json.loads(gzip.decompress(self.cluster.value("tfstate-two-test")))
        for name in self.cluster.names("leases"):
            self.assertIsNone(self.cluster.holder(name))

    def test_opentofu_waits_for_a_lock_of_this_program_and_the_other_way_round(self):
        self.skip_without_peer()
        theirs = self.folder("theirs")
        for folder in (self.work, theirs):
            folder.write({"main.tf": self.block() + OBJECT})
        self.init()
        self.apply()
        self.other_ok(theirs, "init")
        for locks, waits in ((self.start_here, self.peer_here), (self.start_peer, self.work_here)):
            for each in ("started", "go"):
                (self.work.path / each).unlink(missing_ok=True)
            self.work.write({"main.tf": self.block() + SLOW})
            running = locks("apply", "-auto-approve", "-replace=terraform_data.slow")
            stores.wait_until(lambda: (self.work.path / "started").exists(), "the provisioner")
            self.assertIn(self.cluster.holder(), waits("plan", "-lock-timeout=0s"))
            (self.work.path / "go").touch()
            out, err = running.communicate(timeout=60)
            self.assertEqual(running.returncode, 0, out + err)
            self.assertIsNone(self.cluster.holder())

    def start_here(self, *arguments):
        return self.work.start(*arguments)

    def work_here(self, *arguments):
        other = self.folder("other")
        other.write({"main.tf": self.block() + OBJECT})
        self.init(folder=other)
        run = other.tofu(*arguments)
        self.assertEqual(run.status, 1, run.said)
        return run.said

    def start_peer(self, *arguments):
        return self.start_other(self.work, *arguments)

    def peer_here(self, *arguments):
        done = self.other(self.folder("theirs"), *arguments)
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stdout + done.stderr

    def test_a_state_that_is_too_large_for_a_secret_is_split(self):
        self.work.write({"main.tf": self.block() + large(600000)})
        self.init()
        self.apply()
        self.assertEqual(len(self.cluster.names()), 3)
        self.run_ok("plan", "-detailed-exitcode")
        listed = self.run_ok("workspace", "list").stdout.split()
        self.assertEqual([name for name in listed if name != "*"], ["default"])
        # What takes its place leaves nothing of it.
        self.apply("-replace=terraform_data.l")
        self.assertEqual(len(self.cluster.names()), 3)
        self.run_ok("plan", "-detailed-exitcode")
        self.work.write({"main.tf": self.block() + OBJECT})
        self.apply()
        self.assertEqual(self.cluster.names(), ["tfstate-default-test"])

    def test_opentofu_does_not_take_a_state_that_was_split_for_none(self):
        self.skip_without_peer()
        self.work.write({"main.tf": self.block() + large(600000)})
        self.init()
        self.apply()
        before = dict(self.cluster.objects)
        theirs = self.folder("theirs")
        theirs.write({"main.tf": self.block() + OBJECT})
        self.other(theirs, "init")
        done = self.other(theirs, "apply", "-auto-approve")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual({key: each for key, each in self.cluster.objects.items()
                          if key[1] == "secrets"},
                         {key: each for key, each in before.items() if key[1] == "secrets"})

    @unittest.skipUnless(os.access(TERRAFORM, os.X_OK), "Terraform is not there")
    def test_a_state_that_terraform_has_split_is_read(self):
        theirs = self.folder("theirs")
        theirs.write({"main.tf": self.block() + large(600000)})
        for arguments in (["init"], ["apply", "-auto-approve"]):
            done = subprocess.run([TERRAFORM, *arguments], cwd=theirs.path, timeout=60,
                                  env={**self.environment, "CHECKPOINT_DISABLE": "1"},
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(len(self.cluster.names()), 1)
        shutil.copy(theirs.path / "main.tf", self.work.path)
        self.init()
        self.assertIn("terraform_data.l", self.run_ok("state", "list").stdout)

    def test_a_run_that_lost_its_lock_does_not_overwrite_another(self):
        self.work.write({"main.tf": self.block() + SLOW})
        self.init()
        running = self.work.start("apply", "-auto-approve")
        stores.wait_until(lambda: (self.work.path / "started").exists(), "the provisioner")
        other = self.folder("other")
        other.write({"main.tf": self.block() + OBJECT})
        self.init(folder=other)
        self.run_ok("force-unlock", "-force", self.cluster.holder(), folder=other)
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

    def test_labels_that_people_add_stay(self):
        self.work.write({"main.tf": self.block() + OBJECT})
        self.init()
        self.apply()
        for key in self.cluster.objects:
            metadata = self.cluster.objects[key]["metadata"]
            metadata["labels"]["mine"] = metadata["annotations"]["mine"] = "kept"
        self.apply("-replace=terraform_data.a")
        for each in self.cluster.objects.values():
            self.assertEqual(each["metadata"]["labels"]["mine"], "kept")
            self.assertEqual(each["metadata"]["annotations"]["mine"], "kept")

    def test_names_that_kubernetes_does_not_take_are_explained(self):
        self.work.write({"main.tf": self.block() + OBJECT})
        self.init()
        run = self.work.tofu("workspace", "new", "Two_3")
        self.assertEqual(run.status, 1)
        self.assertIn("tfstate-Two_3-test", run.said)

    def test_settings_come_from_the_block_from_variables_and_from_files(self):
        tokens = []
        self.cluster.authorized = lambda request: tokens.append(
            request.headers.get("Authorization")) or True
        plain = self.serve(Kubernetes())
        plain.authorized = self.cluster.authorized
        trust = f'cluster_ca_certificate = file("{self.top}/server.pem")\n    '
        basic = "Basic " + base64.b64encode(b"u:secret-word").decode()
        second = self.top / "second"
        self.write_config("token: second-token", path=second, name="second")
        (self.top / "token").write_text("token-of-a-file\n")
        third = self.top / "third"
        self.write_config("tokenFile: token", path=third, name="third")
        cases = [
            (f'host = "{plain.url}"\n    token = "of-the-block"', {}, "Bearer of-the-block"),
            (f'{trust}host = "{self.cluster.host}"', {"KUBE_TOKEN": "of-a-variable"},
             "Bearer of-a-variable"),
            (f'{trust}host = "{self.cluster.url}"\n    username = "u"\n    '
             'password = "secret-word"', {}, basic),
            (None, {}, "Bearer secret-word"),
            ("", {"KUBE_CONFIG_PATH": str(self.config)}, "Bearer secret-word"),
            (f'config_path = "{third}"', {}, "Bearer token-of-a-file"),
            ("", {"KUBE_CONFIG_PATHS": f"{self.top}/none:{second}:{self.config}"},
             "Bearer second-token"),
            ("", {"KUBE_CONFIG_PATHS": f"{second}:{self.config}", "KUBE_CTX": "here"},
             "Bearer secret-word"),
            (f'config_paths = ["{second}", "{self.config}"]\n    '
             'config_context_auth_info = "here-user"', {}, "Bearer secret-word"),
            ('config_path = "~/kubeconfig"', {"HOME": str(self.top)}, "Bearer secret-word"),
        ]
        for settings, variables, expected in cases:
            tokens.clear()
            self.work.write({"main.tf": self.block(settings) + OBJECT})
            self.init("-reconfigure", **variables)
            self.assertEqual(set(tokens), {expected}, settings)
        # A token of a file is not sent unencrypted.
        self.config.write_text(self.config.read_text().replace(self.cluster.url, plain.url))
        tokens.clear()
        self.work.write({"main.tf": self.block() + OBJECT})
        self.init("-reconfigure")
        self.assertEqual(set(tokens), {None})
        for settings, variables, said in [
                ("", {}, "no cluster was named"),
                (f'config_path = "{self.config}"\n    config_context = "x"', {}, 'the context "x" does not exist'),
                (f'config_path = "{self.top}"', {}, "config_path"),
                ("in_cluster_config = true", {}, "KUBERNETES_SERVICE_HOST")]:
            self.work.write({"main.tf": self.block(settings) + OBJECT})
            self.refused(said, arguments=["-reconfigure"], **variables)

    def test_a_plugin_gives_out_credentials_and_is_asked_again_when_they_expire(self):
        plugin = self.top / "plugin"
        plugin.write_text(f'''#!/bin/sh
echo "$@" "$EXTRA" "$KUBERNETES_EXEC_INFO" >> {self.top}/asked
n=$(wc -l < {self.top}/asked)
echo '{{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",' \\
  '"status": {{"token": "token-'$n'"}}}}'
''')
        plugin.chmod(0o755)
        tokens = []

        def authorized(request):
            tokens.append(request.headers.get("Authorization"))
            return int(tokens[-1].removeprefix("Bearer token-")) >= self.valid

        self.cluster.authorized = authorized
        self.valid = 1
        spoken = "client.authentication.k8s.io/v1"
        self.write_config(f"exec: {{apiVersion: {spoken}, command: ./plugin, args: [a, b], "
                          "env: [{name: EXTRA, value: more}], provideClusterInfo: true, "
                          "interactiveMode: IfAvailable}")
        self.work.write({"main.tf": self.block() + OBJECT})
        self.init()
        asked = (self.top / "asked").read_text().splitlines()
        self.assertTrue(asked[0].startswith("a b more {"))
        self.assertEqual(json.loads(asked[0][9:])["spec"]["cluster"]["server"], self.cluster.url)
        self.valid = len(asked) + 2  # the next one has expired when it arrives
        self.run_ok("plan")
        self.assertIn(f"Bearer token-{self.valid - 1}", tokens)
        self.assertIn(f"Bearer token-{self.valid}", tokens)
        # The same by the block alone.
        self.work.write({"main.tf": self.block(f'''host = "{self.cluster.url}"
    insecure = true
    exec {{
      api_version = "{spoken}"
      command     = "{plugin}"
      args        = ["c"]
      env         = {{ EXTRA = "more" }}
    }}''') + OBJECT})
        self.init("-reconfigure")
        self.assertIn("c more", (self.top / "asked").read_text())
        plugin.write_text("#!/bin/sh\nexit 3\n")
        run = self.work.tofu("plan")
        self.assertEqual(run.status, 1)
        self.assertIn("failed with status 3", run.said)

    def test_certificates_of_the_cluster_and_of_the_client(self):
        self.make_certificate("client")
        context = self.tls()
        context.load_verify_locations(self.top / "client.pem")
        context.verify_mode = ssl.CERT_REQUIRED
        self.cluster = self.serve(Kubernetes(context))
        encoded = {name: base64.b64encode((self.top / name).read_bytes()).decode()
                   for name in ("server.pem", "client.pem", "client.key")}
        files = "client-certificate: client.pem\n    client-key: client.key"
        inline = (f"client-certificate-data: {encoded['client.pem']}\n    "
                  f"client-key-data: {encoded['client.key']}")
        for user, cluster in (
                (files, "certificate-authority: server.pem"),
                (inline, f"certificate-authority-data: {encoded['server.pem']}"),
                (files, "insecure-skip-tls-verify: true")):
            self.write_config(user, cluster)
            self.work.write({"main.tf": self.block() + OBJECT})
            self.init("-reconfigure")
        host = self.cluster.url
        trust = f'cluster_ca_certificate = file("{self.top}/server.pem")\n    '
        show = (f'client_certificate = file("{self.top}/client.pem")\n    '
                f'client_key = file("{self.top}/client.key")\n    ')
        self.work.write({"main.tf": self.block(f'host = "{host}"\n    {trust}{show}') + OBJECT})
        self.init("-reconfigure")
        self.apply()
        for settings in (trust, show):
            self.work.write({"main.tf": self.block(f'host = "{host}"\n    {settings}') + OBJECT})
            self.assertEqual(self.work.tofu("init", "-reconfigure").status, 1, settings)

    def test_a_refusal_says_what_the_server_says(self):
        self.cluster.answer = lambda request: self.cluster.refusal(
            403, "Forbidden", 'secrets is forbidden: User "u" cannot list resource "secrets"')
        self.work.write({"main.tf": self.block() + OBJECT})
        self.refused('User .{0,3}"u.{0,3}" cannot list')


if __name__ == "__main__":
    unittest.main()

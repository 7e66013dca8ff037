"""Encrypted files: every key provider and method, alone and beside OpenTofu.

What one program stored is read by the other, for each key provider and method that can run
here; services are stand-ins on loopback, AWS KMS is moto where it is installed. A peer that
is not there is skipped (TOFU_PEER_OPENTOFU).
"""

import json
import logging
import os
import shutil
import subprocess
import time
import unittest

import key_services
import place

try:
    from moto.server import ThreadedMotoServer
except ImportError:
    ThreadedMotoServer = None

OPENTOFU = os.environ.get("TOFU_PEER_OPENTOFU") or shutil.which("tofu")

ENVELOPE = ["serial", "lineage", "meta", "encrypted_data", "encryption_version"]

KEY_PROGRAM = '''
import base64, json, sys
key = base64.b64encode(bytes(range(32))).decode()
print(json.dumps({"magic": "OpenTofu-External-Key-Provider", "version": 1}), flush=True)
given = json.load(sys.stdin)
keys = {"encryption_key": key}
if given is not None:
    assert given == {"external_data": {"name": "n", "number": 1}}, given
    keys["decryption_key"] = key
print(json.dumps({"keys": keys, "meta": {"external_data": {"name": "n", "number": 1}}}))
'''

# Encrypts by turning every byte around; with a key, by adding its first byte.
METHOD_PROGRAM = '''
import base64, json, sys
print(json.dumps({"magic": "OpenTofu-External-Encryption-Method", "version": 1}), flush=True)
given = json.load(sys.stdin)
shift = base64.b64decode(given["key"])[0] + 1 if given.get("key") else 7
if sys.argv[1] == "--decrypt":
    shift = -shift
payload = bytes((byte + shift) % 256 for byte in base64.b64decode(given["payload"]))
print(json.dumps({"payload": base64.b64encode(payload).decode()}))
'''

PROGRAMS = {"keys.py": KEY_PROGRAM, "method.py": METHOD_PROGRAM}

PBKDF2 = '''
key_provider "pbkdf2" "k" {
  passphrase = "correct-horse-battery-staple"
  iterations = 200000
}
'''

AES = '''
method "aes_gcm" "m" {
  keys = key_provider.%s.k
}
'''

EXTERNAL_METHOD = '''
method "external" "m" {
  %s
  encrypt_command = ["python3", "method.py", "--encrypt"]
  decrypt_command = ["python3", "method.py", "--decrypt"]
}
'''

# By what they show: the key provider, and the method that is called m.
SETTINGS = {
    "pbkdf2": PBKDF2 + AES % "pbkdf2",
    "pbkdf2 with its own parameters": '''
key_provider "pbkdf2" "k" {
  passphrase    = "long enough, and with all kinds: é ☃ <&>"
  iterations    = 200001
  key_length    = 24
  salt_length   = 7
  hash_function = "sha256"
}
method "aes_gcm" "m" {
  keys = key_provider.pbkdf2.k
  aad  = [0, 128, 255]
}
''',
    "an alias": '''
key_provider "pbkdf2" "k" {
  passphrase               = "correct-horse-battery-staple"
  iterations               = 200000
  encrypted_metadata_alias = "an alias <&>"
}
''' + AES % "pbkdf2",
    "an external key provider": '''
key_provider "external" "k" {
  command = ["python3", "keys.py"]
}
''' + AES % "external",
    "a chain": '''
key_provider "external" "e" {
  command = ["python3", "keys.py"]
}
key_provider "pbkdf2" "k" {
  chain      = key_provider.external.e
  iterations = 200000
}
''' + AES % "pbkdf2",
    "an external method": EXTERNAL_METHOD % "",
    "an external method with keys": PBKDF2 + EXTERNAL_METHOD % "keys = key_provider.pbkdf2.k",
    "keys that are written out": '''
method "aes_gcm" "m" {
  keys = {
    encryption_key = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]
    decryption_key = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]
  }
}
''',
}

RESOURCES = '''
resource "terraform_data" "a" {
  input = "kept é <&>"
}
output "o" {
  value = terraform_data.a.output
}
'''


def configuration(settings, targets="state"):
    blocks = "".join(f"{each} {{\n  method = method.{{}}.m\n}}\n" for each in targets.split())
    kind = "external" if 'method "external"' in settings else "aes_gcm"
    return ("terraform {\n encryption {\n" + settings + blocks.replace("{}", kind) + "}\n}\n" +
            RESOURCES)


class EncryptionTest(place.PlaceTest):
    def setUp(self):
        super().setUp()
        self.environment["CHECKPOINT_DISABLE"] = "1"

    def run_in(self, folder, program, *arguments, **more):
        done = subprocess.run([program, *arguments], cwd=folder.path,
                              env={**self.environment, **more}, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=place.TIME_LIMIT)
        return place.Run(done)

    def good(self, folder, program, *arguments, **more):
        run = self.run_in(folder, program, *arguments, **more)
        self.assertEqual(run.status, 0, f"{program} {arguments}\n{run.said}")
        return run

    def assert_encrypted(self, folder, name="terraform.tfstate"):
        text = (folder.path / name).read_text()
        self.assertNotIn("kept", text)
        self.assertEqual(list(json.loads(text)), ENVELOPE)

    def exchange(self, name, settings, first, second, **more):
        """What `first` stores is read and written by `second`, and read by `first` again."""
        folder = self.folder(f"{name.replace(' ', '_')}_{os.path.basename(first)}_{len(more)}")
        folder.write({"main.tf": configuration(settings), **PROGRAMS})
        for program in (first, second):
            self.good(folder, program, "init", "-no-color", **more)
        self.good(folder, first, "apply", "-no-color", "-auto-approve", **more)
        self.assert_encrypted(folder)
        self.good(folder, second, "plan", "-no-color", "-detailed-exitcode", **more)
        self.good(folder, second, "apply", "-no-color", "-auto-approve",
                  "-replace=terraform_data.a", **more)
        self.assert_encrypted(folder)
        self.assert_encrypted(folder, "terraform.tfstate.backup")
        shown = self.good(folder, first, "output", "-json", **more)
        self.assertEqual(json.loads(shown.stdout)["o"]["value"], "kept é <&>")
        shutil.copy(folder.path / "terraform.tfstate.backup", folder.path / "terraform.tfstate")
        self.good(folder, first, "state", "list", **more)

    def exchange_both_ways(self, name, settings, **more):
        programs = [(place.TOFU, place.TOFU)]
        if OPENTOFU:
            programs += [(place.TOFU, OPENTOFU), (OPENTOFU, place.TOFU)]
        for first, second in programs:
            with self.subTest(name, first=first, second=second):
                self.exchange(name, settings, first, second, **more)

    def test_every_setting_comes_back(self):
        for name, settings in SETTINGS.items():
            with self.subTest(name):
                self.exchange(name, settings, place.TOFU, place.TOFU)

    @unittest.skipUnless(OPENTOFU, "there is no OpenTofu: set TOFU_PEER_OPENTOFU")
    def test_opentofu_reads_what_we_encrypted(self):
        for name, settings in SETTINGS.items():
            with self.subTest(name):
                self.exchange(name, settings, place.TOFU, OPENTOFU)

    @unittest.skipUnless(OPENTOFU, "there is no OpenTofu: set TOFU_PEER_OPENTOFU")
    def test_we_read_what_opentofu_encrypted(self):
        for name, settings in SETTINGS.items():
            with self.subTest(name):
                self.exchange(name, settings, OPENTOFU, place.TOFU)

    def service(self, kind):
        service = kind()
        self.addCleanup(service.stop)
        return service

    def assert_refusal_is_told(self, service, settings, **more):
        """A service that refuses is an error that has its words, and changes nothing."""
        folder = self.folder("refused")
        folder.write({"main.tf": configuration(settings)})
        self.good(folder, place.TOFU, "apply", "-no-color", "-auto-approve", **more)
        before = (folder.path / "terraform.tfstate").read_bytes()
        service.refuses = True
        run = folder.tofu("apply", "-no-color", "-auto-approve", **more)
        self.assertEqual(run.status, 1)
        self.assertIn("the stand-in refuses", run.said)
        self.assertEqual((folder.path / "terraform.tfstate").read_bytes(), before)

    def assert_bound(self, name, settings, changed, opens, **more):
        """Keys are bound to data; `opens` says whether they open after that setting changed."""
        folder = self.folder(name)
        folder.write({"main.tf": configuration(settings)})
        self.good(folder, place.TOFU, "apply", "-no-color", "-auto-approve", **more)
        self.good(folder, place.TOFU, "plan", "-no-color", "-detailed-exitcode", **more)
        folder.write({"main.tf": configuration(changed)})
        run = folder.tofu("plan", "-no-color", **more)
        self.assertEqual(run.status, 0 if opens else 1, run.said)
        if opens:
            self.good(folder, place.TOFU, "apply", "-no-color", "-auto-approve", **more)
            self.good(folder, place.TOFU, "plan", "-no-color", **more)

    def test_keys_are_bound_to_data(self):
        bao = self.service(key_services.OpenBao)
        settings = '''
key_provider "openbao" "k" {
  key_name        = "a-key"
  associated_data = base64encode("one")
}
''' + AES % "openbao"
        login = {"BAO_ADDR": bao.address, "BAO_TOKEN": "a-token"}
        self.assert_bound("bound_openbao", settings, settings.replace("one", "two"), True, **login)

        google = self.service(key_services.GoogleKms)
        settings = f'''
key_provider "gcp_kms" "k" {{
  kms_encryption_key            = "{google.KEY}"
  key_length                    = 32
  access_token                  = "a-token"
  additional_authenticated_data = base64encode("one")
}}
''' + AES % "gcp_kms"
        self.assert_bound("bound_gcp", settings, settings.replace("one", "two"), False,
                          GOOGLE_KMS_CUSTOM_ENDPOINT=google.address + "/v1/")

        aws = self.service(key_services.AwsKms)
        settings = '''
key_provider "aws_kms" "k" {
  kms_key_id         = "alias/a-key"
  key_spec           = "AES_256"
  region             = "eu-west-1"
  access_key         = "an-id"
  secret_key         = "a-secret"
  encryption_context = { team = "one", stage = "test" }
}
''' + AES % "aws_kms"
        self.assert_bound("bound_aws", settings, settings.replace("one", "two"), True,
                          AWS_ENDPOINT_URL_KMS=aws.address)

    def test_data_that_keys_are_bound_to_is_checked(self):
        for wrong, message in (
                ('key_provider "openbao" "k" {\n key_name = "k"\n associated_data = "?"\n}\n'
                 + AES % "openbao", "associated_data"),
                ('key_provider "gcp_kms" "k" {\n kms_encryption_key = "k"\n key_length = 32\n'
                 ' additional_authenticated_data = "?"\n}\n' + AES % "gcp_kms",
                 "additional_authenticated_data"),
                ('key_provider "aws_kms" "k" {\n kms_key_id = "k"\n key_spec = "AES_256"\n'
                 ' encryption_context = { a = null }\n}\n' + AES % "aws_kms",
                 "encryption_context")):
            folder = self.folder("wrong_" + message)
            folder.write({"main.tf": configuration(wrong)})
            run = folder.tofu("plan", "-no-color")
            self.assertEqual(run.status, 1)
            self.assertIn(message, run.said)

    def test_openbao(self):
        service = self.service(key_services.OpenBao)
        settings = '''
key_provider "openbao" "k" {
  key_name = "a-key"
}
''' + AES % "openbao"
        login = {"BAO_ADDR": service.address, "BAO_TOKEN": "a-token"}
        self.exchange_both_ways("openbao", settings, **login)
        self.exchange("openbao_written_out", settings.replace(
            'key_name = "a-key"', f'''
  key_name            = "a-key"
  address             = "{service.address}/"
  token               = "a-token"
  key_length          = 16
  transit_engine_path = "transit/"'''), place.TOFU, place.TOFU)
        self.assert_refusal_is_told(service, settings, **login)

    def test_aws_kms_of_a_stand_in(self):
        service = self.service(key_services.AwsKms)
        settings = '''
key_provider "aws_kms" "k" {
  kms_key_id = "alias/a-key"
  key_spec   = "AES_256"
  region     = "eu-west-1"
  access_key = "an-id"
  secret_key = "a-secret"
}
''' + AES % "aws_kms"
        self.exchange("aws_stand_in", settings, place.TOFU, place.TOFU,
                      AWS_ENDPOINT_URL_KMS=service.address)
        self.assertTrue(all("an-id" in headers["Authorization"]
                            for _, headers in service.requests))
        self.assert_refusal_is_told(service, settings.replace(
            "}\nmethod", "  max_retries = 1\n}\nmethod"), AWS_ENDPOINT_URL_KMS=service.address)

    @unittest.skipUnless(ThreadedMotoServer, "moto is not installed: pip install 'moto[server]'")
    def test_aws_kms_of_moto(self):
        import boto3
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        self.addCleanup(server.stop)
        address = "http://{}:{}".format(*server.get_host_and_port())
        key = boto3.client("kms", endpoint_url=address, region_name="us-east-1",
                           aws_access_key_id="a", aws_secret_access_key="b"
                           ).create_key()["KeyMetadata"]["KeyId"]
        settings = f'''
key_provider "aws_kms" "k" {{
  kms_key_id = "{key}"
  key_spec   = "AES_256"
  region     = "us-east-1"
}}
''' + AES % "aws_kms"
        login = {"AWS_ENDPOINT_URL": address, "AWS_ACCESS_KEY_ID": "a",
                 "AWS_SECRET_ACCESS_KEY": "b", "AWS_EC2_METADATA_DISABLED": "true"}
        self.exchange_both_ways("aws_moto", settings, **login)
        role = settings.replace('region     = "us-east-1"', '''region     = "us-east-1"
  assume_role = {
    role_arn     = "arn:aws:iam::123456789012:role/r"
    session_name = "s"
  }
  allowed_account_ids = ["123456789012"]''')
        self.exchange("aws_moto_role", role, place.TOFU, place.TOFU, **login)
        run = self.folder("forbidden")
        run.write({"main.tf": configuration(role.replace('["123456789012"]', '["1"]'))})
        self.assertIn("may not be used", run.tofu("plan", "-no-color", **login).said)

    def test_google_kms(self):
        service = self.service(key_services.GoogleKms)
        settings = f'''
key_provider "gcp_kms" "k" {{
  kms_encryption_key = "{service.KEY}"
  key_length         = 32
  access_token       = "a-token"
}}
''' + AES % "gcp_kms"
        more = {"GOOGLE_KMS_CUSTOM_ENDPOINT": service.address + "/v1/"}
        self.exchange("gcp", settings, place.TOFU, place.TOFU, **more)
        service.token = "another-token"
        self.exchange("gcp_impersonated", settings.replace("access_token ", """
  impersonate_service_account           = "other"
  impersonate_service_account_delegates = ["between"]
  access_token """), place.TOFU, place.TOFU,
                      GOOGLE_IAM_CREDENTIALS_CUSTOM_ENDPOINT=service.address + "/v1", **more)
        service.token = "a-token"
        self.assert_refusal_is_told(service, settings, **more)

    def test_azure_vault(self):
        service = self.service(key_services.AzureVault)
        settings = f'''
key_provider "azure_vault" "k" {{
  vault_uri      = "http://localhost:{service.port}"
  vault_key_name = "a-key"
  key_length     = 32
  tenant_id      = "a-tenant"
  client_id      = "a-client"
  client_secret  = "a-secret"
}}
''' + AES % "azure_vault"
        more = {"AZURE_AUTHORITY_HOST": service.address}
        self.exchange("azure", settings, place.TOFU, place.TOFU, **more)
        symmetric = settings.replace("key_length ", '''symmetric          = true
  symmetric_key_size = 256
  key_length ''')
        self.exchange("azure_symmetric", symmetric, place.TOFU, place.TOFU, **more)
        self.assert_refusal_is_told(service, settings, **more)

    def test_keys_are_in_no_log(self):
        service = self.service(key_services.OpenBao)
        folder = self.folder("logged")
        folder.write({"main.tf": configuration('''
key_provider "openbao" "k" {
  key_name = "a-key"
}
key_provider "pbkdf2" "p" {
  chain      = key_provider.openbao.k
  iterations = 200000
}
''' + AES.replace("%s.k", "pbkdf2.p")), **PROGRAMS})
        run = folder.tofu("apply", "-auto-approve", TF_LOG="trace", BAO_ADDR=service.address,
                          BAO_TOKEN="a-token")
        self.assertEqual(run.status, 0, run.said)
        self.assertNotIn("a-token", run.said)
        self.assertNotIn("plaintext\"", run.said)

    def test_the_journal_of_a_run_that_died_is_encrypted_and_recovered(self):
        folder = self.folder("journal")
        folder.write({"main.tf": configuration(PBKDF2 + AES % "pbkdf2") + '''
resource "terraform_data" "slow" {
  input = terraform_data.a.id
  provisioner "local-exec" {
    command = "touch marker; sleep 60"
  }
}
'''})
        run = folder.start("apply", "-auto-approve", "-no-color")
        for _ in range(600):
            if (folder.path / "marker").exists() or run.poll() is not None:
                break
            time.sleep(0.1)
        self.assertTrue((folder.path / "marker").exists())
        run.kill()
        run.communicate()
        journal = (folder.path / "terraform.tfstate.journal").read_bytes()
        self.assertIn(b"encrypted_data", journal)
        for plain in (b"kept", b"terraform_data", b"lineage"):
            self.assertNotIn(plain, journal)

        text = (folder.path / "main.tf").read_text()
        folder.write({"main.tf": RESOURCES})
        run = folder.tofu("plan", "-no-color")
        self.assertEqual(run.status, 1)
        self.assertIn("encrypted", run.said)
        self.assertEqual((folder.path / "terraform.tfstate.journal").read_bytes(), journal)

        folder.write({"main.tf": text.replace("correct-horse", "another-horse")})
        self.assertEqual(folder.tofu("apply", "-auto-approve", "-no-color").status, 1)
        self.assertEqual((folder.path / "terraform.tfstate.journal").read_bytes(), journal)

        folder.write({"main.tf": text.replace("sleep 60", "true")})
        run = folder.tofu("apply", "-auto-approve", "-no-color")
        self.assertEqual(run.status, 0, run.said)
        self.assertFalse((folder.path / "terraform.tfstate.journal").exists())
        self.assert_encrypted(folder)
        self.assertIn("terraform_data.a", folder.tofu("state", "list").stdout)

    def test_a_file_that_is_cut_off_anywhere_is_refused_and_kept(self):
        folder = self.folder("short")
        folder.write({"main.tf": configuration(PBKDF2 + AES % "pbkdf2")})
        self.good(folder, place.TOFU, "apply", "-auto-approve", "-no-color")
        path = folder.path / "terraform.tfstate"
        whole = path.read_bytes()
        for length in range(1, len(whole) - 2, max(1, len(whole) // 12)):
            path.write_bytes(whole[:length])
            run = folder.tofu("apply", "-auto-approve", "-no-color")
            self.assertEqual(run.status, 1, length)
            self.assertEqual(path.read_bytes(), whole[:length])
        path.write_bytes(whole)
        self.good(folder, place.TOFU, "plan", "-detailed-exitcode", "-no-color")


if __name__ == "__main__":
    unittest.main()

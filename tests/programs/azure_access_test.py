"""How states in Azure Storage are reached: Azurite, with stand-ins for Microsoft Entra ID."""

import base64
import datetime
import hashlib
import hmac
import json
import shutil
import ssl
import subprocess
import time
import unittest
import urllib.parse

import stand_in
import stores
from store_place import OBJECT, StoreTest


def part(document):
    return base64.urlsafe_b64encode(json.dumps(document).encode()).decode().rstrip("=")


def token_for(audience):
    """A token that Azurite takes: it looks at what is claimed, not at the signature."""
    now = int(time.time())
    return ".".join([part({"typ": "JWT", "alg": "RS256"}), part({
        "aud": audience, "iss": "https://sts.windows.net/the-tenant/", "iat": now - 60,
        "nbf": now - 60, "exp": now + 3600, "tid": "the-tenant", "oid": "x", "sub": "x",
        "ver": "1.0"}), "c2lnbmF0dXJl"])


class Entra(stand_in.Service):
    """Gives out tokens, and keys of the storage account; at /federated are tokens of a pipeline."""

    def __init__(self, context, key):
        self.key = key
        self.forms = []
        self.federated = []
        super().__init__(context)

    def handle(self, request):
        if request.path == "/federated":
            self.federated.append(request)
            if request.headers.get("Authorization") != "Bearer pipeline-secret":
                return 403, {}
            return 200, {"value": "token-of-github", "oidcToken": "token-of-azure-devops"}
        if request.path.endswith("/listKeys"):
            return 200, {"keys": [{"keyName": "key1", "value": self.key}]}
        assert request.path == "/the-tenant/oauth2/v2.0/token", request.path
        form = dict(urllib.parse.parse_qsl(request.body.decode()))
        self.forms.append(form)
        return 200, {"token_type": "Bearer", "expires_in": 3600,
                     "access_token": token_for(form["scope"].removesuffix("/.default"))}


@unittest.skipUnless(stores.Azurite.program.exists() and shutil.which("openssl"),
                     "Azurite is not there (tools/install_test_servers.py)")
class AzureAccess(StoreTest):
    def setUp(self):
        super().setUp()
        self.azurite = self.serve(stores.Azurite(self.top))
        self.azurite.make_container("states")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.azurite.authority, self.top / "azurite.key")
        self.entra = self.serve(Entra(context, self.azurite.key))
        self.login = f"https://localhost:{self.entra.port}"
        self.azurite.metadata.body = json.dumps({
            "suffixes": {"storage": f"localhost:{self.azurite.port}"},
            "authentication": {"loginEndpoint": self.login},
            "resourceManager": self.login + "/"}).encode()
        self.more = {"SSL_CERT_FILE": str(self.azurite.authority), "ARM_USE_CLI": "false",
                     "ARM_USE_MSI": "false"}
        self.principal = {"ARM_TENANT_ID": "the-tenant", "ARM_CLIENT_ID": "the-client",
                          "ARM_USE_AZUREAD": "true"}

    def block(self, more=""):
        return f'''terraform {{
  backend "azurerm" {{
    storage_account_name = "{self.azurite.account}"
    container_name       = "states"
    key                  = "some/path.tfstate"
    metadata_host        = "{self.azurite.metadata_host}"
    {more}
  }}
}}
'''

    def use(self, settings="", **more):
        """Stores a state and reads it again."""
        shutil.rmtree(self.work.path / ".terraform", ignore_errors=True)
        self.work.write({"main.tf": self.block(settings) + OBJECT})
        more = {**self.more, **more}
        self.init(**more)
        self.apply("-replace=terraform_data.a", **more)
        self.run_ok("plan", "-detailed-exitcode", **more)

    def signature(self):
        """A shared access signature for the account, as the documentation has it."""
        end = (datetime.datetime.now(datetime.timezone.utc)
               + datetime.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        text = "\n".join([self.azurite.account, "rwdlacup", "b", "sco", "", end, "", "https",
                          "2022-11-02", "", ""])
        signed = base64.b64encode(hmac.new(base64.b64decode(self.azurite.key), text.encode(),
                                           hashlib.sha256).digest()).decode()
        return urllib.parse.urlencode({"sv": "2022-11-02", "ss": "b", "srt": "sco",
                                       "sp": "rwdlacup", "se": end, "spr": "https", "sig": signed})

    def test_a_shared_access_signature_is_enough_here_and_in_opentofu(self):
        self.use(ARM_SAS_TOKEN="?" + self.signature())
        # OpenTofu wants a cloud that it can ask, and addresses that end as Azure's do.
        run = self.work.tofu("plan", ARM_SAS_TOKEN="sv=2022-11-02&sig=secret-word", TF_LOG="TRACE",
                             **self.more)
        self.assertEqual(run.status, 1)
        self.assertNotIn("secret-word", run.stdout + run.stderr)

    def test_a_client_secret_is_exchanged_for_a_token(self):
        self.use(ARM_CLIENT_SECRET="secret-word", **self.principal)
        form = self.entra.forms[0]
        self.assertEqual((form["client_id"], form["client_secret"], form["scope"]),
                         ("the-client", "secret-word", "https://storage.azure.com/.default"))
        self.use('client_secret = "another"', **self.principal)
        self.assertEqual(self.entra.forms[-1]["client_secret"], "another")

    def test_the_key_of_the_account_is_asked_for(self):
        principal = {**self.principal, "ARM_USE_AZUREAD": "false"}
        self.use('resource_group_name = "g"\n    subscription_id = "s"',
                 ARM_CLIENT_SECRET="secret-word", **principal)
        self.assertTrue(any(request.path.endswith("/listKeys") for request in self.entra.requests))

    def make_bundle(self, *options):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=client", "-keyout", self.top / "client.key", "-out",
                        self.top / "client.pem"], check=True, capture_output=True)
        subprocess.run(["openssl", "pkcs12", "-export", *options, "-inkey", self.top / "client.key",
                        "-in", self.top / "client.pem", "-passout", "pass:opens", "-out",
                        self.top / "client.pfx"], check=True, capture_output=True)

    def check_assertion(self):
        """That the last assertion is signed with the certificate."""
        header, claims, signature = self.entra.forms[-1]["client_assertion"].split(".")

        def decode(text):
            return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        key = subprocess.run(["openssl", "x509", "-in", self.top / "client.pem", "-noout",
                              "-pubkey"], check=True, capture_output=True).stdout
        (self.top / "public.pem").write_bytes(key)
        (self.top / "signature").write_bytes(decode(signature))
        subprocess.run(["openssl", "dgst", "-sha256", "-verify", self.top / "public.pem",
                        "-signature", self.top / "signature"], check=True, capture_output=True,
                       input=f"{header}.{claims}".encode())
        digest = subprocess.run(["openssl", "x509", "-in", self.top / "client.pem", "-outform",
                                 "DER"], check=True, capture_output=True).stdout
        self.assertEqual(decode(json.loads(decode(header))["x5t"]), hashlib.sha1(digest).digest())
        self.assertEqual(json.loads(decode(claims))["sub"], "the-client")

    def test_a_certificate_may_be_a_file_or_a_setting(self):
        for options in ([], ["-legacy"]):
            self.make_bundle(*options)
            bundle = base64.b64encode((self.top / "client.pfx").read_bytes()).decode()
            self.use(ARM_CLIENT_CERTIFICATE_PATH=str(self.top / "client.pfx"),
                     ARM_CLIENT_CERTIFICATE_PASSWORD="opens", **self.principal)
            self.check_assertion()
            self.use(f'client_certificate = "{bundle}"\n    client_certificate_password = "opens"',
                     **self.principal)
            self.check_assertion()
        (self.top / "both.pem").write_bytes((self.top / "client.key").read_bytes()
                                            + (self.top / "client.pem").read_bytes())
        self.use(ARM_CLIENT_CERTIFICATE_PATH=str(self.top / "both.pem"), **self.principal)
        self.check_assertion()
        run = self.work.tofu("plan", ARM_CLIENT_CERTIFICATE_PATH=str(self.top / "client.pfx"),
                             ARM_CLIENT_CERTIFICATE_PASSWORD="wrong", **self.more, **self.principal)
        self.assertEqual(run.status, 1)
        self.assertIn("password", run.said)

    def test_federated_tokens_come_from_settings_files_and_pipelines(self):
        oidc = {**self.principal, "ARM_USE_OIDC": "true"}
        self.use('oidc_token = "given"', **oidc)
        self.assertEqual(self.entra.forms[-1]["client_assertion"], "given")
        (self.top / "token").write_text("of a file")
        self.use(ARM_OIDC_TOKEN_FILE_PATH=str(self.top / "token"), **oidc)
        self.assertEqual(self.entra.forms[-1]["client_assertion"], "of a file")
        self.use(ACTIONS_ID_TOKEN_REQUEST_URL=self.login + "/federated?x=1",
                 ACTIONS_ID_TOKEN_REQUEST_TOKEN="pipeline-secret", **oidc)
        self.assertEqual(self.entra.forms[-1]["client_assertion"], "token-of-github")
        asked = self.entra.federated[-1]
        self.assertEqual((asked.method, asked.query),
                         ("GET", {"x": "1", "audience": "api://AzureADTokenExchange"}))
        self.use('ado_service_connection_id = "connection"',
                 SYSTEM_OIDCREQUESTURI=self.login + "/federated", SYSTEM_ACCESSTOKEN="pipeline-secret",
                 **oidc)
        self.assertEqual(self.entra.forms[-1]["client_assertion"], "token-of-azure-devops")
        asked = self.entra.federated[-1]
        self.assertEqual((asked.method, asked.query["serviceConnectionId"]), ("POST", "connection"))


if __name__ == "__main__":
    unittest.main()

"""Stand-ins on loopback for the services that key providers ask.

Each keeps a key and wraps with it, well enough that only the same service can unwrap: the
transit engine of OpenBao, Google Cloud KMS, Azure Key Vault with the token service of
Microsoft, and AWS KMS, for which moto is used where it is installed.
"""

import base64
import hashlib
import http.server
import json
import os
import threading

WRAPPING = b"what only the service knows"


def wrap(key, bound=""):
    """The key, hidden, with a tag that shows whether it, or what it is bound to, was changed."""
    mask = hashlib.sha512(WRAPPING).digest()[:len(key)]
    hidden = bytes(a ^ b for a, b in zip(key, mask))
    return hashlib.sha256(WRAPPING + hidden + bound.encode()).digest()[:8] + hidden


def unwrap(wrapped, bound=""):
    tag, hidden = wrapped[:8], wrapped[8:]
    if hashlib.sha256(WRAPPING + hidden + bound.encode()).digest()[:8] != tag:
        return None
    mask = hashlib.sha512(WRAPPING).digest()[:len(hidden)]
    return bytes(a ^ b for a, b in zip(hidden, mask))


def encoded(data):
    return base64.b64encode(data).decode()


def url_encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def url_decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Service:
    """One service; `requests` are the paths, with the headers, that it was asked."""

    def __init__(self):
        self.requests = []
        self.refuses = False
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                service.requests.append((self.path, dict(self.headers)))
                refused = service.refuses and "token" not in self.path
                status, document = (403, service.refusal()) if refused else \
                    service.reply(self.path, self.headers, body)
                text = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.port = self.server.server_address[1]
        self.address = f"http://127.0.0.1:{self.port}"

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def refusal(self):
        return {"message": "the stand-in refuses"}


class OpenBao(Service):
    """PUT /v1/transit/datakey/plaintext/KEY and /v1/transit/decrypt/KEY."""

    def refusal(self):
        return {"errors": ["the stand-in refuses"]}

    def reply(self, path, headers, body):
        if headers.get("X-Vault-Token") != "a-token":
            return 403, {"errors": ["permission denied"]}
        asked = json.loads(body)
        if path == "/v1/transit/datakey/plaintext/a-key":
            key = os.urandom(asked["bits"] // 8)
            return 200, {"data": {"plaintext": encoded(key),
                                  "ciphertext": "vault:v1:" + encoded(
                                      wrap(key, asked.get("associated_data", "")))}}
        if path == "/v1/transit/decrypt/a-key":
            key = unwrap(base64.b64decode(asked["ciphertext"].removeprefix("vault:v1:")),
                         asked.get("associated_data", ""))
            if key is None:
                return 400, {"errors": ["cipher: message authentication failed"]}
            return 200, {"data": {"plaintext": encoded(key)}}
        return 404, {"errors": []}


class GoogleKms(Service):
    """POST /v1/KEY:encrypt and /v1/KEY:decrypt, and tokens of other accounts."""

    KEY = "projects/p/locations/l/keyRings/r/cryptoKeys/k"
    token = "a-token"

    def refusal(self):
        return {"error": {"message": "the stand-in refuses"}}

    def reply(self, path, headers, body):
        asked = json.loads(body)
        if path == "/v1/projects/-/serviceAccounts/other:generateAccessToken":
            if headers.get("Authorization") != "Bearer a-token" or \
                    asked["delegates"] != ["projects/-/serviceAccounts/between"]:
                return 401, {"error": {"message": "not logged in"}}
            return 200, {"accessToken": "another-token"}
        if headers.get("Authorization") != f"Bearer {self.token}":
            return 401, {"error": {"message": "not logged in"}}
        bound = asked.get("additionalAuthenticatedData", "")
        if path == f"/v1/{self.KEY}:encrypt":
            return 200, {"name": self.KEY,
                         "ciphertext": encoded(wrap(base64.b64decode(asked["plaintext"]), bound))}
        if path == f"/v1/{self.KEY}:decrypt":
            key = unwrap(base64.b64decode(asked["ciphertext"]), bound)
            if key is None:
                return 400, {"error": {"message": "Decryption failed"}}
            return 200, {"plaintext": encoded(key)}
        return 404, {"error": {"message": "no such key"}}


class AzureVault(Service):
    """POST /keys/NAME/encrypt and /keys/NAME/VERSION/decrypt, and tokens."""

    def refusal(self):
        return {"error": {"code": "Forbidden", "message": "the stand-in refuses"}}

    def reply(self, path, headers, body):
        path, _, query = path.partition("?")
        if path.endswith("/oauth2/v2.0/token"):
            return 200, {"access_token": "a-token", "token_type": "Bearer", "expires_in": 3600}
        if headers.get("Authorization") != "Bearer a-token":
            return 401, {"error": {"message": "not logged in"}}
        if not query.startswith("api-version="):
            return 400, {"error": {"message": "no version"}}
        asked = json.loads(body)
        if path == "/keys/a-key/encrypt":
            document = {"kid": f"http://localhost:{self.port}/keys/a-key/0123456789abcdef",
                        "value": url_encoded(wrap(url_decoded(asked["value"])))}
            if asked["alg"].endswith("GCM"):
                document.update(iv=url_encoded(b"i" * 12), tag=url_encoded(b"t" * 16))
            return 200, document
        if path == "/keys/a-key/0123456789abcdef/decrypt":
            if asked["alg"].endswith("GCM") and (url_decoded(asked["iv"]), url_decoded(
                    asked["tag"])) != (b"i" * 12, b"t" * 16):
                return 400, {"error": {"message": "wrong iv or tag"}}
            key = unwrap(url_decoded(asked["value"]))
            if key is None:
                return 400, {"error": {"message": "wrong value"}}
            return 200, {"kid": "x", "value": url_encoded(key)}
        return 404, {"error": {"message": "no such key"}}


class AwsKms(Service):
    """POST / with the name of the operation in X-Amz-Target."""

    KEY = "alias/a-key"

    def refusal(self):
        return {"__type": "AccessDeniedException", "message": "the stand-in refuses"}

    def reply(self, path, headers, body):
        if "/kms/aws4_request" not in headers.get("Authorization", ""):
            return 400, {"__type": "MissingAuthenticationToken", "message": "not signed"}
        asked = json.loads(body)
        action = headers.get("X-Amz-Target")
        bound = json.dumps(asked.get("EncryptionContext", {}), sort_keys=True)
        if action == "TrentService.GenerateDataKey":
            key = os.urandom(32 if asked["KeySpec"] == "AES_256" else 16)
            return 200, {"KeyId": asked["KeyId"], "Plaintext": encoded(key),
                         "CiphertextBlob": encoded(wrap(key, bound))}
        if action == "TrentService.Decrypt":
            key = unwrap(base64.b64decode(asked["CiphertextBlob"]), bound)
            if key is None:
                return 400, {"__type": "InvalidCiphertextException", "message": ""}
            return 200, {"KeyId": asked["KeyId"], "Plaintext": encoded(key)}
        return 400, {"__type": "UnknownOperationException"}

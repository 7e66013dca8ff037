"""Where states are stored: servers on loopback that tests start and end."""

import base64
import glob
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import pwd
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request
import uuid

import stand_in

# Where servers from package registries are installed, most by tools/install_test_servers.py. What
# is not there is skipped.
SERVERS = pathlib.Path(os.environ.get("TOFU_TEST_SERVERS", "")
                       or pathlib.Path.home() / ".cache/tofu-test-servers")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_until(check, what, seconds=60):
    """Waits for something that a server does when it has started."""
    for _ in range(seconds * 20):
        if check():
            return
        time.sleep(0.05)
    raise AssertionError(f"{what} did not happen")


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class StateServer(stand_in.Service):
    """One state with a lock at /state, as the http backend expects it."""

    def __init__(self, context=None, address="127.0.0.1"):
        self.state = None
        self.lock = None
        self.intruders = []  # what was written or unlocked by others than the holder
        self.body = None  # answers GET instead of the state
        self.headers = {}  # of answers to GET
        super().__init__(context, address)

    def refusal(self, status):
        return status, b"", self.headers

    def handle(self, request):
        method = request.method
        if method == "LOCK":
            if self.lock is not None:
                return 423, self.lock
            self.lock = request.json()
            return 200, b""
        if method == "UNLOCK":
            if self.lock is None or self.lock["ID"] != request.json()["ID"]:
                return 409, self.lock or {}
            self.lock = None
            return 200, b""
        if method == "GET":
            if self.body is not None:
                return 200, self.body, self.headers
            return (404, b"") if self.state is None else (200, self.state, self.headers)
        if method == "DELETE":
            self.state = None
            return 200, b""
        if self.lock is None or request.query.get("ID") != self.lock["ID"]:
            self.intruders.append(request.target)
        self.state = request.body
        return 200, b""

    def document(self):
        return json.loads(self.state)

    def block(self, more=""):
        return f'''terraform {{
  backend "http" {{
    address        = "{self.url}/state"
    lock_address   = "{self.url}/state"
    unlock_address = "{self.url}/state"
    retry_max      = 0
    {more}
  }}
}}
'''


def postgres_programs():
    """Where initdb and postgres are; None if they are not."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return pathlib.Path(found[-1]).parent if found else None


def unprivileged_user():
    """The user of the package, or any other: an image may have the programs without their user."""
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


class Postgres:
    """A database server of its own in a temporary folder, reached by a socket there."""

    def __init__(self):
        programs = postgres_programs()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tofu-pg-"))
        self.user = {}
        if os.getuid() == 0:  # which PostgreSQL refuses to run as
            owner = unprivileged_user()
            self.user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        os.chmod(self.folder, 0o755)
        subprocess.run([programs / "initdb", "-A", "trust", "-U", "tester", "--no-sync", "-D",
                        self.folder / "data"], check=True, stdout=subprocess.DEVNULL,
                       cwd=self.folder, **self.user)
        self.port = free_port()
        self.programs = programs
        self.start()

    def start(self):
        self.server = subprocess.Popen(
            [self.programs / "postgres", "-D", self.folder / "data", "-k", self.folder, "-p",
             str(self.port), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.user)
        wait_until(lambda: self.sql("SELECT 1", check=False) == "1", "the database")

    def stop(self):
        self.server.send_signal(2)  # connections are ended
        self.server.wait(60)

    def sql(self, text, check=True):
        done = subprocess.run(["psql", "-qAt", "-h", self.folder, "-p", str(self.port), "-U",
                               "tester", "-d", "postgres", "-c", text], capture_output=True,
                              text=True, check=check)
        return done.stdout.strip()

    @property
    def address(self):
        return (f"postgres://tester@127.0.0.1:{self.port}/postgres?sslmode=disable")

    def end(self):
        self.server.kill()
        self.server.wait()
        shutil.rmtree(self.folder, True)


class Moto:
    """S3, DynamoDB, STS and IAM, by moto."""

    program = SERVERS / "moto/bin/moto_server"

    def __init__(self):
        self.port = free_port()
        self.server = subprocess.Popen(
            [self.program.with_name("python3"), pathlib.Path(__file__).with_name("run_moto.py"),
             str(self.port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: answers(self.port), "moto")
        self.url = f"http://127.0.0.1:{self.port}"

    def end(self):
        self.server.kill()
        self.server.wait()

    def ask(self, method, path, body=None, headers=None):
        request = urllib.request.Request(self.url + path, data=body, method=method,
                                         headers={"Authorization": self.authorization("s3"),
                                                  "Content-Type": "application/octet-stream",
                                                  **(headers or {})})
        with urllib.request.urlopen(request) as reply:
            return reply.read(), dict(reply.headers)

    @staticmethod
    def authorization(service):
        return ("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/"
                f"{service}/aws4_request, SignedHeaders=host, Signature=0")

    def dynamo(self, operation, document):
        body, _ = self.ask("POST", "/", json.dumps(document).encode(),
                           {"X-Amz-Target": f"DynamoDB_20120810.{operation}",
                            "Content-Type": "application/x-amz-json-1.0",
                            "Authorization": self.authorization("dynamodb")})
        return json.loads(body)

    def make_table(self, name):
        self.dynamo("CreateTable", {
            "TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "LockID", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "LockID", "AttributeType": "S"}]})

    def objects(self, bucket):
        body, _ = self.ask("GET", f"/{bucket}?list-type=2")
        return sorted(part.split("</Key>")[0] for part in body.decode().split("<Key>")[1:])


class CloudStorage(stand_in.Service):
    """Buckets of Google Cloud Storage: a stand-in with what clients need for states."""

    def __init__(self):
        self.objects = {}  # (bucket, name): (bytes, generation)
        self.generation = 1000
        super().__init__()

    def describe(self, bucket, name):
        data, generation = self.objects[bucket, name]
        return {"kind": "storage#object", "bucket": bucket, "name": name,
                "generation": str(generation), "metageneration": "1", "size": str(len(data)),
                "md5Hash": base64.b64encode(hashlib.md5(data).digest()).decode()}

    def handle(self, request):
        method, query, body = request.method, request.query, request.body
        parts = request.raw_path.split("/")
        missing = 404, {"error": {"code": 404, "message": "not found"}}
        failed = 412, {"error": {"code": 412, "message": "condition"}}
        if parts[1] == "upload":
            bucket = urllib.parse.unquote(parts[5])
            name = query.get("name")
            if query.get("uploadType") == "multipart":
                boundary = request.headers["Content-Type"].split("boundary=")[1].strip('"')
                sections = body.split(b"--" + boundary.encode())
                about = json.loads(sections[1].split(b"\r\n\r\n", 1)[1])
                name = about["name"]
                body = sections[2].split(b"\r\n\r\n", 1)[1].removesuffix(b"\r\n")
            if query.get("ifGenerationMatch") == "0" and (bucket, name) in self.objects:
                return failed
            self.generation += 1
            self.objects[bucket, name] = body, self.generation
            return 200, self.describe(bucket, name)
        if parts[1] != "storage":  # by the path alone, as the XML interface has it
            key = urllib.parse.unquote(parts[1]), urllib.parse.unquote("/".join(parts[2:]))
            if key not in self.objects:
                return 404, b""
            return 200, self.objects[key][0], {"x-goog-generation": str(self.objects[key][1])}
        bucket = urllib.parse.unquote(parts[4])
        if len(parts) == 6:
            prefix = query.get("prefix", "")
            names = sorted(name for at, name in self.objects if at == bucket
                           and name.startswith(prefix) and "/" not in name[len(prefix):])
            return 200, {"items": [self.describe(bucket, name) for name in names]}
        key = bucket, urllib.parse.unquote(parts[6])
        if key not in self.objects:
            return missing
        if method == "DELETE":
            if query.get("ifGenerationMatch", str(self.objects[key][1])) != str(
                    self.objects[key][1]):
                return failed
            del self.objects[key]
            return 204, b""
        if query.get("alt") == "media":
            return 200, self.objects[key][0]
        return 200, self.describe(*key)


class Process:
    """A server that is a program of its own."""

    def start(self, command, folder=None):
        self.server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        wait_until(lambda: answers(self.port), pathlib.Path(command[0]).name)

    def end(self):
        self.server.kill()
        self.server.wait()


class FakeGcsServer(Process):
    """Google Cloud Storage, by github.com/fsouza/fake-gcs-server."""

    program = SERVERS / "fake-gcs-server/fake-gcs-server"

    def __init__(self, public_host):
        self.port = free_port()
        self.host = f"127.0.0.1:{self.port}"
        self.start([self.program, "-scheme", "http", "-host", "127.0.0.1", "-port", str(self.port),
                    "-backend", "memory", "-public-host", public_host])

    def make_bucket(self, name):
        request = urllib.request.Request(
            f"http://{self.host}/storage/v1/b?project=test", method="POST",
            data=json.dumps({"name": name}).encode(), headers={"Content-Type": "application/json"})
        urllib.request.urlopen(request, timeout=60).close()


class ConsulServer(Process):
    """Consul itself, with nothing on disk."""

    program = SERVERS / "consul/consul"

    def __init__(self):
        self.port = free_port()
        self.host = f"127.0.0.1:{self.port}"
        self.start([self.program, "agent", "-dev", "-bind", "127.0.0.1", "-http-port",
                    str(self.port), "-dns-port", "-1", "-grpc-port", "-1", "-grpc-tls-port", "-1",
                    "-server-port", str(free_port()), "-serf-lan-port", str(free_port()),
                    "-serf-wan-port", str(free_port()), "-log-level", "error"])
        wait_until(self.has_leader, "the election of a leader")

    def has_leader(self):
        with urllib.request.urlopen(f"http://{self.host}/v1/status/leader", timeout=60) as reply:
            return reply.read() not in (b"", b'""')


class Etcd(Process):
    program = shutil.which("etcd")

    def __init__(self, folder):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        peers = f"http://127.0.0.1:{free_port()}"
        self.start([self.program, "--data-dir", folder, "--listen-client-urls", self.url,
                    "--advertise-client-urls", self.url, "--listen-peer-urls", peers,
                    "--initial-advertise-peer-urls", peers, "--initial-cluster", f"default={peers}",
                    "--unsafe-no-fsync"])


class KubernetesServer(Process):
    """The API server of Kubernetes itself, before an etcd: all that a state needs of a cluster."""

    program = SERVERS / "kubernetes/kube-apiserver"

    def __init__(self, folder, token):
        folder = pathlib.Path(folder) / "kubernetes"
        folder.mkdir()
        self.etcd = Etcd(folder / "etcd")
        self.port = free_port()
        key, tokens = folder / "accounts.pem", folder / "tokens.csv"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True,
                       stderr=subprocess.DEVNULL)
        tokens.write_text(f"{token},tester,1\n")
        self.start([self.program, f"--etcd-servers={self.etcd.url}", "--bind-address=127.0.0.1",
                    f"--secure-port={self.port}", f"--cert-dir={folder}",
                    f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}",
                    "--service-account-issuer=https://localhost", f"--token-auth-file={tokens}",
                    "--authorization-mode=AlwaysAllow", "--service-cluster-ip-range=10.0.0.0/24"])
        self.context = ssl.create_default_context(cafile=folder / "apiserver.crt")
        self.context.check_hostname = False  # it has no name here, only an address
        wait_until(lambda: self.has_namespace(token), "the making of the namespace")

    def has_namespace(self, token):
        request = urllib.request.Request(
            f"https://localhost:{self.port}/api/v1/namespaces/default",
            headers={"Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request, timeout=60, context=self.context):
                return True
        except OSError:
            return False

    def end(self):
        super().end()
        self.etcd.end()


class Azurite:
    """Azure Storage, by Microsoft's emulator, with addresses as the real one has them."""

    program = SERVERS / "azurite/node_modules/.bin/azurite-blob"
    account = "devstoreaccount1"
    # The same for all users, as its documentation says.
    key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.authority = folder / "azurite.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=azurite", "-addext",
                        f"subjectAltName=DNS:localhost,DNS:{self.account}.blob.localhost",
                        "-keyout", folder / "azurite.key", "-out", self.authority],
                       check=True, capture_output=True)
        self.port = free_port()
        self.server = subprocess.Popen(
            [self.program, "--silent", "--skipApiVersionCheck", "--inMemoryPersistence",
             "--blobHost", "127.0.0.1", "--blobPort", str(self.port), "--cert", self.authority,
             "--key", folder / "azurite.key", "--oauth", "basic"],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: answers(self.port), "Azurite")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.authority, folder / "azurite.key")
        self.metadata = StateServer(context, "127.0.0.1")
        self.metadata.body = json.dumps(self.endpoints(self.port)).encode()
        self.metadata_host = f"localhost:{self.metadata.httpd.server_address[1]}"

    @staticmethod
    def endpoints(port):
        """What a cloud says of itself, whose accounts are at that port."""
        return {"suffixes": {"storage": f"localhost:{port}"},
                "resourceManager": "https://localhost:1/",
                "authentication": {"loginEndpoint": "https://localhost:1/",
                                   "audiences": ["https://localhost:1/"]}}

    def end(self):
        self.metadata.end()
        self.server.kill()
        self.server.wait()

    def make_container(self, name):
        """Signed as the service wants it."""
        now = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime())
        text = ("PUT" + "\n" * 12 + f"x-ms-date:{now}\nx-ms-version:2022-11-02\n"
                f"/{self.account}/{name}\nrestype:container")
        signature = base64.b64encode(hmac.new(base64.b64decode(self.key), text.encode(),
                                              hashlib.sha256).digest()).decode()
        context = ssl.create_default_context(cafile=self.authority)
        connection = http.client.HTTPSConnection("localhost", self.port, context=context)
        connection.request("PUT", f"/{name}?restype=container", headers={
            "Host": f"{self.account}.blob.localhost:{self.port}", "x-ms-date": now,
            "x-ms-version": "2022-11-02", "Content-Length": "0",
            "Authorization": f"SharedKey {self.account}:{signature}"})
        reply = connection.getresponse()
        assert reply.status == 201, reply.read()
        connection.close()


class Consul(stand_in.Service):
    """Consul's keys and sessions: a stand-in with what clients need for states."""

    largest = 524288

    def __init__(self):
        self.keys = {}  # key: [value, flags, session, index]
        self.sessions = set()
        self.index = 1
        super().__init__()

    def answer(self, request):
        if "index" in request.query:
            time.sleep(0.2)  # a client that watches a key waits
        with self.mutex:
            status, reply = self.handle(request)
            return status, reply, {"X-Consul-Index": str(self.index)}

    def write(self, key, value, **more):
        self.index += 1
        entry = self.keys.setdefault(key, [b"", 0, "", 0])
        entry[0], entry[3] = value, self.index
        entry[1] = int(more.get("flags", 0))  # every write sends them again
        entry[2] = more.get("session", entry[2])

    def end_session(self, session):
        self.sessions.discard(session)
        for entry in self.keys.values():
            if entry[2] == session:
                entry[2] = ""

    def describe(self, key):
        value, flags, session, index = self.keys[key]
        found = {"Key": key, "Value": base64.b64encode(value).decode(), "Flags": flags,
                 "ModifyIndex": index, "CreateIndex": index, "LockIndex": 1}
        return {**found, "Session": session} if session else found

    def handle(self, request):
        method, path, query, body = request.method, request.path, request.query, request.body
        if path == "/v1/session/create":
            session = str(uuid.uuid4())
            self.sessions.add(session)
            return 200, {"ID": session}
        if path.startswith("/v1/session/renew/"):
            session = path.rsplit("/", 1)[1]
            return (200, [{"ID": session, "TTL": "15s"}]) if session in self.sessions else (404, b"")
        if path.startswith("/v1/session/destroy/"):
            self.end_session(path.rsplit("/", 1)[1])
            return 200, True
        if path == "/v1/txn":
            operation = json.loads(body)[0]["KV"]
            key, value = operation["Key"], base64.b64decode(operation.get("Value") or "")
            if len(body) > self.largest:
                return 413, b"Request body too large"
            index = self.keys[key][3] if key in self.keys else 0
            if operation["Verb"] == "cas" and operation.get("Index", 0) != index:
                return 409, {"Results": None, "Errors": [{"OpIndex": 0, "What": "stale"}]}
            self.write(key, value)
            return 200, {"Results": [{"KV": self.describe(key)}], "Errors": None}
        key = path.removeprefix("/v1/kv/")
        if method == "GET" and "keys" in query:
            names = sorted(name for name in self.keys if name.startswith(key)
                           and "/" not in name[len(key):])
            return (200, names) if names else (404, b"")
        if method == "GET":
            return (200, [self.describe(key)]) if key in self.keys else (404, b"")
        if method == "DELETE":
            for name in [name for name in self.keys if name == key
                         or "recurse" in query and name.startswith(key)]:
                del self.keys[name]
            return 200, True
        if "acquire" in query:
            holder = self.keys.get(key, [b"", 0, "", 0])[2]
            if holder not in ("", query["acquire"]):
                return 200, False
            self.write(key, body, session=query["acquire"], flags=query.get("flags", 0))
            return 200, True
        if "release" in query:
            if self.keys.get(key, [b"", 0, "", 0])[2] != query["release"]:
                return 200, False
            self.write(key, body, session="", flags=query.get("flags", 0))
            return 200, True
        if len(body) > self.largest:
            return 413, b"Value is too large"
        self.write(key, body)
        return 200, True

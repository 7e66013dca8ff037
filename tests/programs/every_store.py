"""Every kind of store that has a server here, in one table.

A store has a configuration, a server that can get in trouble, and says which requests write
a state and which ones touch a lock.
"""

import json
import re
import shutil
import ssl

import stand_in
import stores
from kubernetes import Kubernetes
from object_stores import Oss, TableStore, Tencent, Tunnel


def block(kind, settings):
    lines = "\n".join(f"    {line}" for line in settings.splitlines())
    return f'terraform {{\n  backend "{kind}" {{\n{lines}\n  }}\n}}\n'


class Store:
    """`between` are the services that requests go through."""

    needs = None  # why it cannot be started, or None
    lock_ends_itself = False  # with the process that took it
    secrets = ()  # that no other server may see
    lists = True  # whether it has workspaces

    def __init__(self, test):
        self.test = test
        self.environment = {}
        self.between = []
        self.start()

    def serve(self, server):
        return self.test.serve(server)

    def front(self, port, **more):
        """Where clients find the server of that port."""
        service = self.serve(stand_in.Between(port, **more))
        self.between.append(service)
        return service

    def get_in_trouble(self, trouble):
        for service in self.between:
            service.trouble = trouble

    def calm(self):
        self.get_in_trouble(lambda request: None)

    def stall(self, where):
        """From now on answers begin, and end before their headers or their body does."""
        for service in self.between:
            service.stalled.clear()
        self.get_in_trouble(lambda request: f"stall {where}")

    def stall_reading(self):
        """The same for answers with a state; others come."""
        self.stall("body")
        self.get_in_trouble(lambda request: "stall body" if self.reads_state(request) else None)

    def is_stalled(self):
        """Whether a client waits for such a response."""
        return any(service.stalled.is_set() for service in self.between)

    @staticmethod
    def writes_state(request):
        return request.method in ("PUT", "POST") and ".tflock" not in request.path

    @staticmethod
    def reads_state(request):
        return request.method == "GET" and not any(
            word in request.path for word in (".tflock", ".lock", "/leases"))


class Http(Store):
    secrets = ("secret-word",)
    lists = False

    def start(self):
        service = self.front(self.serve(stores.StateServer()).port)
        self.block = block("http", f'''address        = "{service.url}/state"
lock_address   = "{service.url}/state"
unlock_address = "{service.url}/state"
username       = "u"
password       = "secret-word"
retry_wait_min = 1''')

    @staticmethod
    def writes_state(request):
        return request.method == "POST"


class S3(Store):
    needs = (None if stores.Moto.program.exists()
             else "moto is not there (tools/install_test_servers.py)")
    locks = "use_lockfile = true"
    secrets = ("AKIAIOSFODNN7EXAMPLE", "secret-word")

    def start(self):
        moto = self.serve(stores.Moto())
        moto.ask("PUT", "/states")
        moto.make_table("locks")
        service = self.front(moto.port)
        self.environment = {"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
                            "AWS_SECRET_ACCESS_KEY": "secret-word"}
        self.block = block("s3", f'''bucket         = "states"
key            = "some/path/state"
region         = "us-east-1"
use_path_style = true
endpoints      = {{ s3 = "{service.url}", dynamodb = "{service.url}" }}
skip_metadata_api_check = true
{self.locks}''')

    @staticmethod
    def writes_state(request):
        return request.method == "PUT" and request.path.endswith("/state")


class S3WithTable(S3):
    locks = 'dynamodb_table = "locks"'


class Gcs(Store):
    secrets = ("secret-word",)

    def start(self):
        service = self.front(0)
        service.upstream_port = self.server(service.host).port
        self.environment = {"STORAGE_EMULATOR_HOST": service.host,
                            "GOOGLE_OAUTH_ACCESS_TOKEN": "secret-word"}
        self.block = block("gcs", 'bucket = "states"\nprefix = "some/path"')

    def server(self, host):
        """The one that clients call by that name."""
        del host
        return self.serve(stores.CloudStorage())

    @staticmethod
    def writes_state(request):
        return request.method == "POST" and request.query.get("name", "").endswith(".tfstate")


class GcsServer(Gcs):
    needs = (None if stores.FakeGcsServer.program.exists()
             else "fake-gcs-server is not there (tools/install_test_servers.py)")

    def server(self, host):
        server = self.serve(stores.FakeGcsServer(host))
        server.make_bucket("states")
        return server


class Azure(Store):
    needs = (None if stores.Azurite.program.exists() and shutil.which("openssl")
             else "Azurite is not there (tools/install_test_servers.py)")

    def start(self):
        azurite = self.serve(stores.Azurite(self.test.top))
        azurite.make_container("states")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(azurite.authority, self.test.top / "azurite.key")
        upstream = ssl.create_default_context(cafile=azurite.authority)
        service = self.front(azurite.port, context=context, upstream=upstream)
        azurite.metadata.body = json.dumps(azurite.endpoints(service.port)).encode()
        self.environment = {"SSL_CERT_FILE": str(azurite.authority),
                            "ARM_ACCESS_KEY": azurite.key}
        self.block = block("azurerm", f'''storage_account_name = "{azurite.account}"
container_name       = "states"
key                  = "some/path.tfstate"
metadata_host        = "{azurite.metadata_host}"''')

    @staticmethod
    def writes_state(request):
        return request.method == "PUT" and "comp" not in request.query and request.body != b""


class Consul(Store):
    secrets = ("secret-word",)

    def start(self):
        service = self.front(self.server().port)
        self.environment = {"CONSUL_HTTP_TOKEN": "secret-word"}
        self.block = block("consul", f'address = "{service.host}"\npath = "some/path"')

    def server(self):
        return self.serve(stores.Consul())

    @staticmethod
    def writes_state(request):
        return request.path == "/v1/txn"


class ConsulServer(Consul):
    needs = (None if stores.ConsulServer.program.exists()
             else "Consul is not there (its program in the folder consul of TOFU_TEST_SERVERS)")

    def server(self):
        return self.serve(stores.ConsulServer())


class InKubernetes(Store):
    secrets = ("secret-word",)

    def server(self):
        """Where clients find the cluster."""
        cluster = self.serve(Kubernetes())
        self.between.append(cluster)
        return cluster

    def start(self):
        cluster = self.server()
        config = self.test.top / "kubeconfig"
        config.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "a",
            "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
            "clusters": [{"name": "a", "cluster": {"server": cluster.url}}],
            "users": [{"name": "a", "user": {}}]}))
        self.environment = {"KUBE_TOKEN": "secret-word"}
        self.block = block("kubernetes", f'secret_suffix = "test"\nconfig_path = "{config}"')

    @staticmethod
    def writes_state(request):
        return request.method in ("PUT", "POST") and "/secrets" in request.path


class KubernetesServer(InKubernetes):
    needs = (None if stores.KubernetesServer.program.exists() and stores.Etcd.program
             else "kube-apiserver is not there (its program in the folder kubernetes of "
                  "TOFU_TEST_SERVERS, and Debian's etcd-server)")

    def server(self):
        cluster = self.serve(stores.KubernetesServer(self.test.top, "secret-word"))
        return self.front(cluster.port, upstream=cluster.context)


class OssWithTable(Store):
    secrets = ("key-id",)

    def start(self):
        oss = self.serve(Oss())
        tables = self.serve(TableStore(oss))
        self.between += [oss, tables]
        self.environment = {"ALICLOUD_ACCESS_KEY": "key-id", "ALICLOUD_SECRET_KEY": "key-secret"}
        self.block = block("oss", f'''bucket   = "states"
region   = "test"
endpoint = "{oss.url}"
tablestore_endpoint = "{tables.url}"
tablestore_table    = "locks"''')

    @staticmethod
    def writes_state(request):
        return request.method == "PUT"


class Cos(Store):
    needs = None if shutil.which("openssl") else "there is no openssl"
    secrets = ("key-id",)

    def start(self):
        tencent = self.serve(Tencent(self.test.top))
        tunnel = self.serve(Tunnel({host: tencent.port for host in tencent.hosts}))
        self.between.append(tencent)
        self.environment = {"TENCENTCLOUD_SECRET_ID": "key-id",
                            "TENCENTCLOUD_SECRET_KEY": "key-secret",
                            "SSL_CERT_FILE": str(tencent.authority), "https_proxy": tunnel.url}
        self.block = block("cos", f'bucket = "{tencent.bucket}"\nregion = "{tencent.region}"')

    @staticmethod
    def writes_state(request):
        return request.method == "PUT" and ".tflock" not in request.path


class Pg(Store):
    needs = (None if stores.postgres_programs()
             else "PostgreSQL is not there (Debian: postgresql)")
    lock_ends_itself = True

    def start(self):
        database = self.serve(stores.Postgres())
        self.cut = self.serve(stand_in.Cut(database.port, [b"UPDATE", b"INSERT"]))
        address = database.address.replace(f":{database.port}/", f":{self.cut.port}/")
        self.block = block("pg", f'conn_str = "{address}"')

    def stall(self, where):
        self.between = [self.cut]
        self.cut.words = [b"SELECT"]
        super().stall(where)

    def stall_reading(self):
        self.stall("body")
        self.cut.words = [b"textsend"]

    def get_in_trouble(self, trouble):
        ways = {"drop": "before", "keep then drop": "after", "stall head": "stall",
                "stall body": "stall"}
        self.cut.chance = lambda: ways.get(trouble(None))

    @staticmethod
    def writes_state(request):
        return True


class Local(Store):
    """A file that all share; it has no server to get in trouble."""

    def start(self):
        self.block = block("local", f'path = "{self.test.top}/shared.tfstate"')


STORES = {"http": Http, "s3": S3, "s3_with_table": S3WithTable, "gcs": Gcs, "azurerm": Azure,
          "consul": Consul, "fake_gcs_server": GcsServer, "consul_server": ConsulServer,
          "kubernetes": InKubernetes, "kubernetes_server": KubernetesServer,
          "oss": OssWithTable, "cos": Cos, "pg": Pg}
WITH_LOCAL = {"local": Local, **STORES}


def for_each_store(names=tuple(STORES)):
    """Makes a test method of a class for each store: check_x(store) becomes test_x_in_NAME."""
    def decorate(case):
        for check in [name for name in dir(case) if name.startswith("check_")]:
            for name in names:
                def test(self, check=check, kind=WITH_LOCAL[name]):
                    if kind.needs:
                        self.skipTest(kind.needs)
                    getattr(self, check)(kind(self))
                test.__name__ = re.sub("^check", "test", check) + "_in_" + name
                setattr(case, test.__name__, test)
        return case
    return decorate

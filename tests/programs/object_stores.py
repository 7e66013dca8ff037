"""Stand-ins for Alibaba's OSS and TableStore and for Tencent's COS, tags and STS.

Every signature is computed again here, from what the services' documentation says.
"""

import base64
import hashlib
import hmac
import json
import pathlib
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse
import xml.sax.saxutils

import stand_in


def sha1(key, text):
    return hmac.new(key.encode() if isinstance(key, str) else key, text.encode(), hashlib.sha1)


def crc64_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ 0xC96C5795D7870F42 if value & 1 else value >> 1
        table.append(value)
    return table


CRC64 = crc64_table()


def crc64(data):
    """As both services compute it: ECMA-182, bits reversed."""
    crc = (1 << 64) - 1
    for byte in data:
        crc = CRC64[(crc ^ byte) & 255] ^ crc >> 8
    return str(crc ^ (1 << 64) - 1)


class Objects(stand_in.Service):
    """Buckets whose objects are bytes with headers."""

    bucket = "states"

    def __init__(self, context=None):
        self.objects = {}  # key: (bytes, headers)
        self.refused = []  # requests whose signature was wrong
        super().__init__(context)

    def answer_object(self, request, key, kept):
        """What GET, HEAD, PUT and DELETE do; `kept` is how headers begin that are stored."""
        if request.method == "PUT":
            digest = base64.b64encode(hashlib.md5(request.body).digest()).decode()
            if request.headers.get("Content-MD5", digest) != digest:
                return self.error(400, "InvalidDigest")
            self.objects[key] = request.body, {
                name: value for name, value in request.headers.items()
                if name.lower().startswith(kept)}
            return 200, b"", {f"{kept[:6]}hash-crc64ecma": crc64(request.body)}
        if request.method == "DELETE":
            self.objects.pop(key, None)
            return 204, b""
        if key not in self.objects:
            return self.error(404, "NoSuchKey")
        body, headers = self.objects[key]
        if request.method == "HEAD":
            return 200, b"", {**headers, "Content-Length": str(len(body))}
        return 200, body, headers

    @staticmethod
    def error(status, code):
        return status, f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode(), {
            "Content-Type": "application/xml"}

    def list(self, query):
        prefix, marker = query.get("prefix", ""), query.get("marker", "")
        most = min(int(query.get("max-keys") or 1000), self.page)
        keys = sorted(key for key in self.objects if key.startswith(prefix) and key > marker)
        items = "".join(f"<Contents><Key>{xml.sax.saxutils.escape(key)}</Key><Size>1</Size>"
                        "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
                        for key in keys[:most])
        more = str(len(keys) > most).lower()
        return 200, (f"<ListBucketResult><Name>{self.bucket}</Name><Prefix>"
                     f"{xml.sax.saxutils.escape(prefix)}</Prefix><IsTruncated>{more}</IsTruncated>"
                     + (f"<NextMarker>{keys[most - 1]}</NextMarker>" if more == "true" else "")
                     + f"{items}</ListBucketResult>").encode(), {"Content-Type": "application/xml"}

    page = 1000


class Oss(Objects):
    """OSS with addresses that have the bucket in their path, and STS of Alibaba at /."""

    def __init__(self):
        self.keys = {"key-id": "key-secret"}
        self.tokens = {}  # that go with keys
        super().__init__()

    def handle(self, request):
        if request.method == "POST":
            return self.assume_role(request)
        _, bucket, key = request.path.split("/", 2) if request.path.count("/") > 1 else (
            "", request.path.strip("/"), "")
        headers = sorted((name.lower(), value) for name, value in request.headers.items()
                         if name.lower().startswith("x-oss-"))
        text = "\n".join([request.method, request.headers.get("Content-MD5", ""),
                          request.headers.get("Content-Type", ""), request.headers["Date"],
                          *(f"{name}:{value}" for name, value in headers), f"/{bucket}/{key}"
                          + ("?objectMeta" if "objectMeta" in request.query else "")])
        given = request.headers.get("Authorization", "").removeprefix("OSS ")
        key_id = given.split(":")[0]
        signature = base64.b64encode(sha1(self.keys.get(key_id, "?"), text).digest()).decode()
        token = request.headers.get("x-oss-security-token", "")
        if given != f"{key_id}:{signature}" or token != self.tokens.get(key_id, ""):
            self.refused.append(request)
            return self.error(403, "SignatureDoesNotMatch")
        if bucket != self.bucket:
            return self.error(404, "NoSuchBucket")
        return self.answer_object(request, key, "x-oss-") if key else self.list(request.query)

    def assume_role(self, request):
        given = dict(urllib.parse.parse_qsl(request.body.decode()))
        given |= request.query
        signature = given.pop("Signature")

        def quote(text):
            return urllib.parse.quote(text, safe="~")
        query = "&".join(f"{quote(name)}={quote(value)}" for name, value in sorted(given.items()))
        text = f"POST&%2F&{quote(query)}"
        secret = self.keys.get(given["AccessKeyId"], "?")
        if signature != base64.b64encode(sha1(secret + "&", text).digest()).decode():
            self.refused.append(request)
            return 403, {"Code": "SignatureDoesNotMatch"}
        self.keys["role-id"], self.tokens["role-id"] = "role-secret", "role-token"
        return 200, {"Credentials": {"AccessKeyId": "role-id", "AccessKeySecret": "role-secret",
                                     "SecurityToken": "role-token",
                                     "Expiration": "2099-01-01T00:00:00Z"}}


def crc8(data, crc=0):
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ 7) & 255 if crc & 128 else crc << 1
    return crc


class PlainRow:
    """A row in TableStore's own format."""

    def __init__(self, data):
        self.data, self.at = data, 0
        self.key, self.columns = {}, {}
        assert self.number() == 0x75
        sums = []
        for tag, into in ((1, self.key), (2, self.columns)):
            if self.at < len(data) and data[self.at] == tag:
                self.at += 1
                while data[self.at] == 3:
                    self.at += 1
                    sums.append(self.cell(into))
        self.is_deletion = data[self.at] == 8
        self.at += self.is_deletion
        sums.append(int(self.is_deletion))
        assert self.take(2) == bytes([9, crc8(bytes(sums))]), "the checksum of the row"
        assert self.at == len(data)

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self):
        return int.from_bytes(self.take(4), "little")

    def cell(self, into):
        assert self.take(1) == b"\4"
        name = self.take(self.number())
        assert self.take(1) == b"\5"
        value = self.take(self.number())
        assert value[0] == 3 and int.from_bytes(value[1:5], "little") == len(value) - 5
        total = crc8(value, crc8(name))
        assert self.take(2) == bytes([10, total]), "the checksum of a cell"
        into[name.decode()] = value[5:].decode()
        return total

    @staticmethod
    def encode(key, columns):
        out, sums = (0x75).to_bytes(4, "little") + b"\1", []

        def cell(name, text, stamp=b""):
            value = b"\3" + len(text).to_bytes(4, "little") + text
            total = crc8(value, crc8(name))
            if stamp:
                total = crc8(stamp, total)
            sums.append(total)
            return (b"\3\4" + len(name).to_bytes(4, "little") + name + b"\5"
                    + len(value).to_bytes(4, "little") + value + (b"\7" + stamp if stamp else b"")
                    + bytes([10, total]))
        out += cell(b"LockID", key.encode())
        if columns:
            out += b"\2"
            for name, text in columns.items():
                out += cell(name.encode(), text.encode(), (1700000000000).to_bytes(8, "little"))
        return out + bytes([9, crc8(bytes([*sums, 0]))])


def field(number, value):
    if isinstance(value, int):
        return bytes([number << 3, value])
    size, out = len(value), b""
    while size > 127:
        out += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + out + bytes([size]) + value


class TableStore(stand_in.Service):
    """One table with the primary key LockID."""

    table = "locks"

    def __init__(self, oss):
        self.rows = {}
        self.oss = oss  # whose keys it takes
        self.refused = []
        super().__init__()

    @staticmethod
    def error(status, code):
        return status, field(1, code.encode()) + field(2, b"no")

    def handle(self, request):
        headers = sorted((name.lower(), value) for name, value in request.headers.items()
                         if name.lower().startswith("x-ots-"))
        given = dict(headers)
        text = "".join([f"{request.path}\nPOST\n\n", *(
            f"{name}:{value.strip()}\n" for name, value in headers if name != "x-ots-signature")])
        secret = self.oss.keys.get(given["x-ots-accesskeyid"], "?")
        signature = base64.b64encode(sha1(secret, text).digest()).decode()
        digest = base64.b64encode(hashlib.md5(request.body).digest()).decode()
        token = self.oss.tokens.get(given["x-ots-accesskeyid"], "")
        if (given["x-ots-signature"], given["x-ots-contentmd5"],
                given.get("x-ots-ststoken", "")) != (signature, digest, token):
            self.refused.append(request)
            return self.error(403, "OTSAuthFailed")
        message = stand_in.fields(request.body)
        about = dict(message)
        if about[1] != self.table.encode():
            return self.error(404, "OTSObjectNotExist")
        consumed = field(1, field(1, field(1, 1) + field(2, 1)))
        if request.path == "/DescribeTable":
            key = field(1, b"LockID") + field(2, 2)
            throughput = field(1, field(1, 0) + field(2, 0))
            return 200, (field(1, field(1, about[1]) + field(2, key)) + field(
                2, throughput + field(2, 0)) + field(
                    3, field(1, 1) + field(2, 1) + field(5, 1)) + field(4, 1))
        row = PlainRow(about[2])
        key = row.key["LockID"]
        if request.path == "/GetRow":
            if key not in self.rows:
                return 200, consumed + field(2, b"")
            wanted = {value.decode() for number, value in message if number == 3}
            return 200, consumed + field(2, PlainRow.encode(key, {
                name: text for name, text in self.rows[key].items() if name in wanted}))
        expected = dict(stand_in.fields(about[3]))[1]
        if expected == 2 and key in self.rows or expected == 1 and key not in self.rows:
            return self.error(403, "OTSConditionCheckFail")
        if request.path == "/PutRow":
            self.rows[key] = row.columns
        else:
            assert request.path == "/DeleteRow" and row.is_deletion
            self.rows.pop(key, None)
        return 200, consumed


class Tencent(Objects):
    """COS, tags and STS of Tencent Cloud, by the host that a request is for."""

    bucket = "states-1250000000"
    region = "ap-guangzhou"

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.authority = folder / "tencent.pem"
        self.hosts = [f"{self.bucket}.cos.{self.region}.myqcloud.com", "tag.tencentcloudapi.com",
                      "sts.tencentcloudapi.com"]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=tencent", "-addext", "subjectAltName="
                        + ",".join(f"DNS:{host}" for host in self.hosts), "-keyout",
                        folder / "tencent.key", "-out", self.authority],
                       check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.authority, folder / "tencent.key")
        self.keys = {"key-id": "key-secret"}
        self.tokens = {}
        self.tags = set()
        super().__init__(context)

    def handle(self, request):
        host = request.headers["Host"]
        if host == self.hosts[0]:
            return self.answer_cos(request)
        service = host.split(".")[0]
        if not self.is_signed(request, service):
            self.refused.append(request)
            return self.service_error("AuthFailure.SignatureFailure")
        return getattr(self, request.headers["X-TC-Action"])(request.json())

    @staticmethod
    def service_error(code):
        return 200, {"Response": {"Error": {"Code": code, "Message": "no"}, "RequestId": "x"}}

    def is_signed(self, request, service):
        parts = dict(part.split("=", 1) for part in request.headers["Authorization"].removeprefix(
            "TC3-HMAC-SHA256 ").replace(", ", ",").split(","))
        key_id, date, *_ = parts["Credential"].split("/")
        stamp = request.headers["X-TC-Timestamp"]
        assert date == time.strftime("%Y-%m-%d", time.gmtime(int(stamp)))
        names = parts["SignedHeaders"].split(";")
        assert {"content-type", "host"} <= set(names)
        canonical = "\n".join(["POST", "/", "", *(
            f"{name}:{request.headers[name].strip()}" for name in names), "",
            parts["SignedHeaders"], hashlib.sha256(request.body).hexdigest()])
        text = "\n".join(["TC3-HMAC-SHA256", stamp, f"{date}/{service}/tc3_request",
                          hashlib.sha256(canonical.encode()).hexdigest()])
        key = b"TC3" + self.keys.get(key_id, "?").encode()
        for part in (date, service, "tc3_request"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        return (signature == parts["Signature"]
                and request.headers.get("X-TC-Token", "") == self.tokens.get(key_id, ""))

    def CreateTag(self, given):
        tag = given["TagKey"], given["TagValue"]
        if tag in self.tags:
            return self.service_error("ResourceInUse.TagDuplicate")
        self.tags.add(tag)
        return 200, {"Response": {"RequestId": "x"}}

    def DeleteTag(self, given):
        tag = given["TagKey"], given["TagValue"]
        if tag not in self.tags:
            return self.service_error("ResourceNotFound.TagNonExist")
        self.tags.discard(tag)
        return 200, {"Response": {"RequestId": "x"}}

    def DescribeTags(self, given):
        tag = given["TagKey"], given["TagValue"]
        found = [{"TagKey": tag[0], "TagValue": tag[1], "CanDelete": 1}] if tag in self.tags else []
        return 200, {"Response": {"Tags": found, "TotalCount": len(found), "Offset": 0, "Limit": 15,
                                  "RequestId": "x"}}

    def AssumeRole(self, given):
        assert given["RoleArn"] and given["RoleSessionName"]
        self.keys["role-id"], self.tokens["role-id"] = "role-secret", "role-token"
        return 200, {"Response": {"Credentials": {
            "TmpSecretId": "role-id", "TmpSecretKey": "role-secret", "Token": "role-token"},
            "ExpiredTime": 4000000000, "Expiration": "2099-01-01T00:00:00Z", "RequestId": "x"}}

    def answer_cos(self, request):
        given = dict(part.split("=", 1) for part in
                     request.headers.get("Authorization", "").split("&"))
        names = [name for name in given["q-header-list"].split(";") if name]
        assert "host" in names

        def quote(text):
            return urllib.parse.quote(text, safe="~")
        headers = "&".join(f"{name}={quote(request.headers[name])}" for name in sorted(names))
        arguments = "&".join(f"{quote(name).lower()}={quote(value)}" for name, value in
                             sorted(request.query.items()))
        text = f"{request.method.lower()}\n{request.path}\n{arguments}\n{headers}\n"
        secret = self.keys.get(given["q-ak"], "?")
        key = sha1(secret, given["q-key-time"]).hexdigest()
        signed = f"sha1\n{given['q-sign-time']}\n{hashlib.sha1(text.encode()).hexdigest()}\n"
        start, end = (int(each) for each in given["q-sign-time"].split(";"))
        token = request.headers.get("x-cos-security-token", "")
        if (given["q-signature"] != sha1(key, signed).hexdigest() or not start - 60 <= time.time()
                <= end or token != self.tokens.get(given["q-ak"], "")):
            self.refused.append(request)
            return self.error(403, "SignatureDoesNotMatch")
        key = request.path.lstrip("/")
        if not key:
            return self.list(request.query)
        return self.answer_object(request, key, "x-cos-meta-")


class Tunnel:
    """A proxy for https: every host that it knows is at the port of a service here."""

    def __init__(self, ports):
        self.ports = ports
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.asked = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        head = b""
        try:
            while b"\r\n\r\n" not in head:
                data = client.recv(65536)
                if not data:
                    return client.close()
                head += data
            host = head.split()[1].decode().rsplit(":", 1)[0]
            self.asked.append(host)
            if host not in self.ports:
                client.sendall(b"HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n")
                return client.close()
            server = socket.create_connection(("127.0.0.1", self.ports[host]))
            client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        except OSError:
            return client.close()
        for source, target in ((client, server), (server, client)):
            threading.Thread(target=self.carry, args=(source, target), daemon=True).start()
        return None

    @staticmethod
    def carry(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        for each in (source, target):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def end(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

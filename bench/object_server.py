"""An S3 server that costs next to nothing, for benches of large states.

What a program costs is to be seen, and not what a server in Python costs: bodies are taken and
given without looking at them. It prints its port and ends with its input.
"""

import re
import socket
import sys
import threading
import urllib.parse

PIECE = 1 << 20
objects = {}
uploads = {}
mutex = threading.Lock()


class Connection:
    def __init__(self, client):
        self.client = client
        self.pending = b""

    def line(self):
        while b"\r\n" not in self.pending:
            more = self.client.recv(65536)
            if not more:
                raise EOFError
            self.pending += more
        line, _, self.pending = self.pending.partition(b"\r\n")
        return line.decode("latin-1")

    def bytes(self, size):
        body = bytearray(size)
        have = min(size, len(self.pending))
        body[:have] = self.pending[:have]
        self.pending = self.pending[have:]
        view = memoryview(body)
        while have < size:
            got = self.client.recv_into(view[have:have + PIECE])
            if not got:
                raise EOFError
            have += got
        return body

    def chunks(self):
        """The body of a request in pieces, which may carry signatures."""
        body = bytearray()
        while size := int(self.line().split(";")[0], 16):
            body += self.bytes(size)
            self.line()
        while self.line():
            pass
        return body

    def request(self):
        method, target, _ = self.line().split(" ")
        headers = {}
        while line := self.line():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        if headers.get("expect"):
            self.client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if headers.get("transfer-encoding") == "chunked":
            body = self.chunks()
        else:
            body = self.bytes(int(headers.get("content-length", 0)))
        if "aws-chunked" in headers.get("content-encoding", ""):
            inner = Connection(None)
            inner.pending = bytes(body)
            body = inner.chunks()
        return method, target, headers, body

    def answer(self, method, status, body=b"", headers=()):
        lines = [f"HTTP/1.1 {status} x", f"Content-Length: {len(body)}", *headers]
        self.client.sendall("\r\n".join([*lines, "", ""]).encode())
        if method != "HEAD":
            self.client.sendall(body)

    def serve(self):
        try:
            while True:
                method, target, headers, body = self.request()
                with mutex:
                    answer = handle(method, target, headers, body)
                self.answer(method, *answer)
        except (EOFError, OSError):
            self.client.close()


def missing(code):
    return 404, f"<Error><Code>{code}</Code></Error>".encode()


def handle(method, target, headers, body):
    split = urllib.parse.urlsplit(target)
    query = dict(urllib.parse.parse_qsl(split.query, keep_blank_values=True))
    key = urllib.parse.unquote(split.path)
    tag = ('ETag: "0"',)
    if "uploads" in query:
        uploads[key] = {}
        return 200, b"<R><UploadId>1</UploadId></R>"
    if "partNumber" in query:
        uploads[key][int(query["partNumber"])] = body
        return 200, b"", tag
    if "uploadId" in query:
        parts = uploads.pop(key, {})
        objects[key] = b"".join(parts[number] for number in sorted(parts))
        return 200, b'<CompleteMultipartUploadResult><ETag>"0"</ETag></CompleteMultipartUploadResult>'
    if not re.fullmatch("/[^/]+/.+", key):
        return 200, b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
    if method == "PUT":
        if headers.get("if-none-match") == "*" and key in objects:
            return 412, b"<Error><Code>PreconditionFailed</Code></Error>"
        objects[key] = body
        return 200, b"", tag
    if method == "DELETE":
        objects.pop(key, None)
        return 204, b""
    return (200, objects[key], tag) if key in objects else missing("NoSuchKey")


def accept(listener):
    while True:
        client, _ = listener.accept()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=Connection(client).serve, daemon=True).start()


if __name__ == "__main__":
    place = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(place.getsockname()[1], flush=True)
    threading.Thread(target=accept, args=(place,), daemon=True).start()
    sys.stdin.read()

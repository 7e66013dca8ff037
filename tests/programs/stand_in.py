"""Stand-ins for services that cannot be had, and what stands between a client and a service.

A stand-in does what clients need for states, as the service's documentation says, and no more.
"""

import http.client
import http.server
import json
import random
import socket
import threading
import urllib.parse


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        pass  # clients that are killed, and handshakes that are refused


class Request:
    def __init__(self, handler, body):
        self.method = handler.command
        self.target = handler.path
        split = urllib.parse.urlsplit(handler.path)
        self.raw_path, self.raw_query = split.path, split.query
        self.path = urllib.parse.unquote(split.path)
        self.query = {name: values[0] for name, values in
                      urllib.parse.parse_qs(split.query, keep_blank_values=True).items()}
        self.headers = handler.headers
        self.body = body

    def json(self):
        return json.loads(self.body)


def read_body(handler):
    if handler.headers.get("Transfer-Encoding") != "chunked":
        return handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
    body = b""
    while size := int(handler.rfile.readline().split(b";")[0], 16):
        body += handler.rfile.read(size)
        handler.rfile.readline()
    handler.rfile.readline()
    return body


class Service:
    """An HTTP server on loopback.

    handle() answers a request with (status, body) or (status, body, headers), one at a time;
    a body that is no bytes is written as JSON. `trouble` is called with the request before
    and returns None, a status, or "drop" and "keep then drop": the connection ends without an
    answer, before the request took effect or after; or "stall head" and "stall body": the
    answer begins and never goes on.
    """

    def __init__(self, context=None, address="127.0.0.1"):
        self.requests = []
        self.mutex = threading.RLock()
        self.trouble = lambda request: None
        self.stalled = threading.Event()  # a client waits for a response
        self.ended = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def __getattr__(self, name):
                if name.startswith("do_"):
                    return self.answer
                raise AttributeError(name)

            def answer(self):
                request = Request(self, read_body(self))
                outer.requests.append(request)
                trouble = outer.trouble(request)
                if trouble == "drop":
                    self.close_connection = True
                    return
                if trouble in ("stall head", "stall body"):
                    self.stall(trouble)
                    return
                if isinstance(trouble, int):
                    answer = outer.refusal(trouble)
                else:
                    answer = outer.answer(request)
                if trouble == "keep then drop":
                    self.close_connection = True
                    return
                status, body, headers = (*answer, {})[:3]
                if not isinstance(body, bytes):
                    body, headers = json.dumps(body).encode(), {
                        "Content-Type": "application/json", **headers}
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if request.method != "HEAD":
                    self.wfile.write(body)

            def stall(self, where):
                end = b"Content-Le" if where == "stall head" else b"Content-Length: 1000\r\n\r\n{"
                self.wfile.write(b"HTTP/1.1 200 OK\r\n" + end)
                self.wfile.flush()
                outer.stalled.set()
                outer.ended.wait()
                self.close_connection = True

        self.httpd = Listener((address, 0), Handler)
        scheme = "http"
        if context is not None:
            self.httpd.socket = context.wrap_socket(self.httpd.socket, server_side=True)
            scheme = "https"
        self.port = self.httpd.server_address[1]
        self.host = f"{address}:{self.port}"
        self.url = f"{scheme}://{self.host}"
        threading.Thread(target=self.httpd.serve_forever, kwargs={"poll_interval": 0.05},
                         daemon=True).start()

    def answer(self, request):
        with self.mutex:
            return self.handle(request)

    def refusal(self, status):
        """The answer to a request that is to fail."""
        return status, b""

    def end(self):
        self.ended.set()
        self.httpd.shutdown()
        self.httpd.server_close()


class Between(Service):
    """Passes requests on to a service, and fails on demand."""

    def __init__(self, port, context=None, upstream=None):
        self.upstream_port = port
        self.upstream_context = upstream
        super().__init__(context)

    def answer(self, request):
        if self.upstream_context is None:
            connection = http.client.HTTPConnection("127.0.0.1", self.upstream_port, timeout=60)
        else:
            connection = http.client.HTTPSConnection("localhost", self.upstream_port, timeout=60,
                                                     context=self.upstream_context)
        skipped = {"connection", "transfer-encoding", "content-length", "keep-alive"}
        connection.putrequest(request.method, request.target, skip_host=True,
                              skip_accept_encoding=True)
        for name, value in request.headers.items():
            if name.lower() not in skipped:
                connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(request.body)))
        connection.endheaders(request.body)
        reply = connection.getresponse()
        body = reply.read()
        headers = {name: value for name, value in reply.getheaders() if name.lower() not in
                   skipped - {"content-length"} and (
                       request.method == "HEAD" or name.lower() != "content-length")}
        connection.close()
        return reply.status, body, headers


class Cut:
    """Passes connections on, and cuts them when a client sends what is in `words`."""

    def __init__(self, port, words):
        self.words = words
        self.chance = lambda: None  # or "before", "after": when it is cut; or "stall"
        self.stalled = threading.Event()  # a client waits for a response
        self.upstream_port = port
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.upstream_port))
            ends = threading.Event()
            threading.Thread(target=self.carry, args=(client, server, True, ends),
                             daemon=True).start()
            threading.Thread(target=self.carry, args=(server, client, False, ends),
                             daemon=True).start()

    def carry(self, source, target, from_client, ends):
        try:
            while data := source.recv(65536):
                cut = self.chance() if from_client and any(
                    word in data for word in self.words) else None
                if cut == "stall":
                    self.stalled.set()
                    while source.recv(65536):  # until the client goes away
                        pass
                if cut in ("before", "stall"):
                    break
                if cut == "after":
                    ends.set()  # what the server answers does not arrive
                if from_client or not ends.is_set():
                    target.sendall(data)
                if not from_client and ends.is_set():
                    break
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


def at_random(seed, share, is_write):
    """For `trouble`: requests that write fail this often, in all ways."""
    chance = random.Random(seed)
    ways = [500, 503, "drop", "keep then drop"]
    mutex = threading.Lock()

    def trouble(request):
        with mutex:
            return chance.choice(ways) if is_write(request) and chance.random() < share else None
    return trouble


def fields(data):
    """The fields of a protocol buffer: [(number, value)]."""
    found, at = [], 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            found.append((tag >> 3, varint()))
        else:
            assert tag & 7 == 2
            size = varint()
            found.append((tag >> 3, data[at:at + size]))
            at += size
    return found

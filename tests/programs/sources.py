"""Where packages come from: repositories, archives, and a server on loopback."""

import collections
import http.server
import io
import json
import os
import pathlib
import subprocess
import tarfile
import threading
import time

from place import PlaceTest, write_files

GIT_BACKEND = "/usr/lib/git-core/git-http-backend"


class Repository:
    """A git repository with a work tree, made for one test."""

    def __init__(self, path, files):
        self.path = pathlib.Path(path)
        self.path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "http.uploadpack", "true")
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")
        self.commit(files)

    def git(self, *arguments):
        names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
                 for what, value in (("NAME", "T"), ("EMAIL", "t@example.com"))}
        done = subprocess.run(["git", "-C", str(self.path), *arguments], check=True,
                              capture_output=True, text=True,
                              env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **names})
        return done.stdout.strip()

    def commit(self, files):
        """Writes the files and commits all; gives the commit."""
        write_files(self.path, files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD")


def archive(files, links=(), kind="gz"):
    """A tar archive of {path: text}; names and links are taken as they are."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{kind}") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
        for name, target in links:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            tar.addfile(entry)
    return out.getvalue()


class Server:
    """HTTP on loopback: bytes at paths, git repositories below a folder, a registry.

    `asked` counts the requests for each path, `headers` has what they said, `fetches`
    the times that git objects were sent. `delay` is waited before each answer. The next
    answers for a path of `cuts` end after as many bytes as it lists.
    """

    def __init__(self, repositories):
        self.repositories = pathlib.Path(repositories)
        self.answers = {}  # path: (status, headers, bytes)
        self.asked = collections.Counter()
        self.headers = collections.defaultdict(list)
        self.cuts = {}
        self.fetches = collections.Counter()  # by repository
        self.delay = 0.0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            do_POST = do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def put(self, path, content, status=200, **headers):
        if isinstance(content, str):
            content = content.encode()
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers[path] = (status, fields, content)

    def put_module(self, name, version, location):
        """Offers a version of a registry module, NAMESPACE/NAME/SYSTEM."""
        path = f"/registry/{name}"
        known = self.answers.get(f"{path}/versions")
        versions = json.loads(known[2])["modules"][0]["versions"] if known else []
        versions.append({"version": version})
        self.put(f"{path}/versions", json.dumps({"modules": [{"versions": versions}]}),
                 Content_Type="application/json")
        self.put(f"{path}/{version}/download", b"", status=204, X_Terraform_Get=location)

    def cli_configuration(self, host):
        """For .tofurc: that host's registry is this server."""
        return (f'host "{host}" {{\n  services = {{\n'
                f'    "modules.v1" = "{self.url}/registry/"\n  }}\n}}\n')

    def answer(self, request):
        path, _, query = request.path.partition("?")
        self.asked[path] += 1
        self.headers[path].append(dict(request.headers))
        if self.delay:
            time.sleep(self.delay)
        try:
            if path.startswith("/git/"):
                self.answer_git(request, path.removeprefix("/git"), query)
                return
            status, headers, content = self.answers.get(path, (404, {}, b"not here"))
            wanted = request.headers.get("Range", "")
            if status == 200 and wanted and request.headers.get("If-Range") == headers.get("ETag"):
                start = int(wanted.removeprefix("bytes=").rstrip("-"))
                size = len(content)
                status, content = 206, content[start:]
                headers = headers | {"Content-Range": f"bytes {start}-{size - 1}/{size}"}
            request.send_response(status)
            for name, value in headers.items():
                request.send_header(name, value)
            if status != 204:
                request.send_header("Content-Length", str(len(content)))
            request.end_headers()
            cuts = self.cuts.get(path)
            if request.command != "HEAD":
                request.wfile.write(content[:cuts.pop(0)] if cuts else content)
            if cuts is not None:
                request.close_connection = True
        except OSError:
            pass  # the client is gone

    def answer_git(self, request, path, query):
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        environment = {
            "PATH": "/usr/bin:/bin", "GIT_PROJECT_ROOT": str(self.repositories),
            "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path, "QUERY_STRING": query,
            "REQUEST_METHOD": request.command, "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": request.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*", "HOME": os.devnull,
        }
        done = subprocess.run([GIT_BACKEND], input=body, capture_output=True, env=environment,
                              check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        # Protocol 2 asks for names by POST too; only objects come as a pack.
        if b"packfile" in content[:4096] or b"PACK" in content[:4096]:
            self.fetches[path.split("/")[1]] += 1
        status, fields = 200, []
        for line in head.decode().split("\r\n"):
            name, _, value = line.partition(": ")
            if name == "Status":
                status = int(value.split()[0])
            elif name:
                fields.append((name, value))
        request.send_response(status)
        for name, value in fields:
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)


class ServedTest(PlaceTest):
    """Gives every test a server on loopback with git repositories."""

    def setUp(self):
        super().setUp()
        self.server = self.make_server(self.top / "repositories")
        self.addCleanup(self.server.close)

    def make_server(self, repositories):
        return Server(repositories)

    def repository(self, name, files):
        return Repository(self.top / "repositories" / name, files)

    def source(self, name="p", subdir="", reference="main"):
        return f"git::{self.server.url}/git/{name}{subdir}?ref={reference}"

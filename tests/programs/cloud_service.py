"""A service with workspaces, states and runs, on loopback: the API of Terraform Enterprise
as far as the cloud block and the backend "remote" use it.

Runs are real: what was uploaded is unpacked, and a program plans and applies it.
"""

import base64
import hashlib
import http.client
import io
import json
import pathlib
import shutil
import signal
import subprocess
import tarfile
import tempfile
import threading
import urllib.parse
import urllib.request

import stand_in
from stores import Postgres, SERVERS, answers, free_port, postgres_programs, wait_until

HOST = "cloud.example.com"
FINAL = {"applied", "discarded", "errored", "canceled", "planned_and_finished"}


def cli_configuration(url):
    """For .tofurc: the service is at this address, and takes this token."""
    services = "".join(f'    "{name}" = "{url}/api/v2/"\n'
                       for name in ("tfe.v2", "tfe.v2.1", "tfe.v2.2", "state.v2"))
    return (f'host "{HOST}" {{\n  services = {{\n{services}  }}\n}}\n'
            f'credentials "{HOST}" {{\n  token = "right-token"\n}}\n')


def otf_program():
    """otfd, built from github.com/leg100/otf; None if it is not there."""
    found = SERVERS / "otf/otfd"
    return found if found.exists() and postgres_programs() else None


class Otf:
    """OTF with a database of its own, whose runs are made with a program."""

    def __init__(self, program, version):
        self.database = Postgres()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tofu-otf-"))
        engine = self.folder / "engines" / version / "tofu"
        engine.parent.mkdir(parents=True)
        shutil.copy(program, engine)
        self.port = free_port()
        address = f"127.0.0.1:{self.port}"
        self.url = f"http://{address}"
        self.log = open(self.folder / "log", "wb")
        self.server = subprocess.Popen(
            [otf_program(), "--address", address, "--hostname", address, "--secret", "0" * 32,
             "--database", f"postgres://tester@127.0.0.1:{self.database.port}/postgres",
             "--site-token", "right-token", "--default-engine", "tofu",
             "--engine-bins-dir", str(self.folder / "engines")],
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "TMPDIR": str(self.folder)},
            cwd=self.folder, stdout=self.log, stderr=subprocess.STDOUT)
        wait_until(lambda: answers(self.port), "OTF")
        request = urllib.request.Request(
            f"{self.url}/api/v2/organizations", method="POST",
            headers={"Authorization": "Bearer right-token",
                     "Content-Type": "application/vnd.api+json"},
            data=json.dumps({"data": {"type": "organizations", "attributes": {
                "name": "team", "email": "team@example.com"}}}).encode())
        urllib.request.urlopen(request, timeout=60).close()

    def end(self):
        self.server.terminate()
        self.server.wait()
        self.log.close()
        self.database.end()
        shutil.rmtree(self.folder, True)


def redacted(value, sensitive):
    if sensitive is True:
        return None if value is None else "redacted"
    if isinstance(value, dict) and isinstance(sensitive, dict):
        return {key: redacted(each, sensitive.get(key)) for key, each in value.items()}
    if isinstance(value, list) and isinstance(sensitive, list):
        return [redacted(each, sensitive[i] if i < len(sensitive) else None)
                for i, each in enumerate(value)]
    return value


class Refused(Exception):
    def __init__(self, status, title="", detail=""):
        super().__init__(title)
        self.status, self.title, self.detail = status, title, detail


class CloudService(stand_in.Service):
    def __init__(self, program=None, organization="team", token="right-token", api="2.6"):
        self.program = program  # that runs are made with
        self.organization, self.token, self.api = organization, token, api
        self.resources = {}  # ID: {"type", "attributes", "relationships"}
        self.objects = {}  # what addresses without a token lead to
        self.workspaces = {}  # names and IDs
        self.versions = {}  # workspace: IDs of state versions, oldest first
        self.intruders = []  # states that were written without the lock
        self.headers = {}  # of every answer
        self.bodies = {}  # answers to paths, instead of what is there
        self.operations = True
        self.takes_uploads = True  # of states
        self.shows_reason = True  # of locks
        self.serial = 0
        self.costs = None  # attributes of the estimates of new runs
        self.policies = []  # (scope, status, text) of the checks of new runs
        self.stages = []  # (stage, status, results) of new runs
        self.events = []  # (action, description)
        self.json_logs = False  # plans print messages for programs
        self.held = threading.Event()  # new runs wait for it
        self.held.set()
        self.runs = []
        self.processes = {}
        self.plan_folders = {}  # plan: where it was made
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tofu-cloud-"))
        super().__init__()

    def end(self):
        self.held.set()
        super().end()
        for process in self.processes.values():
            process.kill()
        shutil.rmtree(self.folder, True)

    def cli_configuration(self):
        return cli_configuration(self.url)

    # Resources.

    def add(self, kind, prefix, attributes, relationships=None):
        self.serial += 1
        resource = f"{prefix}-{self.serial:08d}"
        self.resources[resource] = {"id": resource, "type": kind, "attributes": attributes,
                                    "relationships": relationships or {}}
        return resource

    def of(self, resource):
        return self.resources[resource]["attributes"]

    def get(self, resource, kind):
        found = self.resources.get(resource)
        if found is None or found["type"] != kind:
            raise Refused(404)
        return found

    def add_workspace(self, name, execution="remote", tags=(), **attributes):
        resource = self.add("workspaces", "ws", {
            "name": name, "execution-mode": execution, "terraform-version": "1.12.6",
            "locked": False, "locked-reason": "", "tag-names": list(tags), "vcs-repo": None,
            "working-directory": "", "structured-run-output-enabled": False, "vars": [],
            "permissions": {"can-queue-run": True, "can-queue-apply": True, "can-update": True,
                            "can-force-delete": True, "can-unlock": True},
            **attributes})
        self.workspaces[name] = resource
        self.versions[resource] = []
        return resource

    def state_of(self, name):
        """The document that is the state of a workspace now; None if there is none."""
        versions = self.versions[self.workspaces[name]]
        return json.loads(self.objects[versions[-1]]) if versions else None

    # Requests.

    def answer(self, request):
        try:
            status, reply = self.handle(request)
        except Refused as refused:
            return self.refusal(refused.status, refused.title, refused.detail)
        return status, reply, self.headers_of(reply)

    def refusal(self, status, title="", detail=""):
        reply = {"errors": [{"status": str(status), "detail": detail,
                             "title": title or http.client.responses[status]}]}
        limits = {"X-RateLimit-Reset": "0.01"} if status == 429 else {}
        return status, reply, {**self.headers_of(reply), **limits}

    def headers_of(self, reply):
        kind = {} if isinstance(reply, bytes) else {"Content-Type": "application/vnd.api+json"}
        return {**kind, "TFP-API-Version": self.api, **self.headers}

    def handle(self, request):
        path, body = request.raw_path, request.body
        query = urllib.parse.parse_qs(request.raw_query)
        if path in self.bodies:
            return 200, self.bodies[path]
        if path.startswith("/object/"):
            return self.handle_object(request, path.removeprefix("/object/"), query, body)
        if not path.startswith("/api/v2/"):
            raise Refused(404)
        if request.headers.get("Authorization") != f"Bearer {self.token}":
            raise Refused(401, "unauthorized")
        parts = [urllib.parse.unquote(part) for part in path.removeprefix("/api/v2/").split("/")]
        document = json.loads(body) if body else {}
        with self.mutex:
            for pattern, methods, handler in self.ROUTES:
                if request.method in methods and len(pattern) == len(parts) and all(
                        p == "*" or p == q for p, q in zip(pattern, parts)):
                    values = [q for p, q in zip(pattern, parts) if p == "*"]
                    return handler(self, request.method, values, query, document)
        raise Refused(404)

    def handle_object(self, request, name, query, body):
        with self.mutex:
            is_own = request.headers["Host"] == f"127.0.0.1:{self.port}"
            if request.headers.get("Authorization") and (not is_own or request.method == "PUT"):
                raise Refused(400, "a token was sent to a place that is not the API")
            if request.method == "PUT":
                if name.startswith("sv-"):
                    self.store_version(name, body)
                else:
                    self.objects[name] = body
                    self.of(name)["status"] = "uploaded"
                return 200, b""
            content = self.objects.get(name)
            if content is None:
                raise Refused(404)
            if name.startswith("log-"):
                start = int(query["offset"][0])
                content = bytes(content[start:start + int(query["limit"][0])])
            return 200, content

    def one(self, resource, included=()):
        return 200, {"data": self.shown(resource),
                     "included": [self.shown(each) for each in included]}

    def shown(self, resource):
        found = self.resources[resource]
        attributes = {k: v for k, v in found["attributes"].items() if k != "vars"}
        if not self.shows_reason:
            attributes.pop("locked-reason", None)
        return {**found, "attributes": attributes}

    def page_of(self, resources, query, size=20):
        size = int(query.get("page[size]", [size])[0])
        page = int(query.get("page[number]", ["1"])[0])
        pages = max(1, -(-len(resources) // size))
        return 200, {"data": [self.shown(each) for each in resources[(page - 1) * size:page * size]],
                     "meta": {"pagination": {
                         "current-page": page, "page-size": size, "total-pages": pages,
                         "next-page": page + 1 if page < pages else None,
                         "prev-page": page - 1 if page > 1 else None,
                         "total-count": len(resources)}}}

    def check_organization(self, name):
        if name != self.organization:
            raise Refused(404)

    def ping(self, method, values, query, document):
        return 204, b""

    def entitlements(self, method, values, query, document):
        self.check_organization(values[0])
        return 200, {"data": {"id": "org-1", "type": "entitlement-sets",
                              "attributes": {"operations": self.operations,
                                             "state-storage": True}}}

    def all_workspaces(self, method, values, query, document):
        self.check_organization(values[0])
        if method == "POST":
            attributes = document["data"]["attributes"]
            if attributes["name"] in self.workspaces:
                raise Refused(422, "invalid attribute", "Name has already been taken")
            related = document["data"].get("relationships", {})
            tags = [each["attributes"]["name"] for each in related.get("tags", {}).get("data", [])]
            resource = self.add_workspace(attributes.pop("name"), tags=tags, **attributes)
            if "project" in related:
                self.resources[resource]["relationships"]["project"] = related["project"]
            return 201, self.one(resource)[1]
        names = sorted(self.workspaces)
        search = query.get("search[name]", [""])[0]
        tags = [each for each in query.get("search[tags]", [""])[0].split(",") if each]
        project = query.get("filter[project][id]", [None])[0]
        found = [self.workspaces[name] for name in names if search in name]
        found = [each for each in found if set(tags) <= set(self.of(each)["tag-names"])]
        if project:
            found = [each for each in found
                     if self.resources[each]["relationships"].get("project", {}).get(
                         "data", {}).get("id") == project]
        return self.page_of(found, query)

    def workspace_by_name(self, method, values, query, document):
        self.check_organization(values[0])
        if values[1] not in self.workspaces:
            raise Refused(404)
        return self.workspace(method, [self.workspaces[values[1]]], query, document)

    def workspace(self, method, values, query, document):
        found = self.get(values[0], "workspaces")
        if method == "PATCH":
            found["attributes"].update(document["data"]["attributes"])
        if method == "DELETE":
            self.delete(values[0])
            return 204, b""
        return self.one(values[0])

    def delete(self, resource):
        del self.workspaces[self.of(resource)["name"]]
        del self.resources[resource]

    def workspace_action(self, method, values, query, document):
        attributes = self.get(values[0], "workspaces")["attributes"]
        action = values[1]
        if action == "safe-delete":
            versions = self.versions[values[0]]
            if versions and json.loads(self.objects[versions[-1]])["resources"]:
                raise Refused(409, "conflict", "the workspace manages resources")
            self.delete(values[0])
            return 204, b""
        if action == "lock":
            if attributes["locked"]:
                raise Refused(409, "conflict", "Unable to lock workspace. The workspace is already "
                                               "locked.")
            attributes["locked"] = True
            attributes["locked-reason"] = document.get("reason", "")
        else:
            if not attributes["locked"]:
                raise Refused(409, "conflict", "Unable to unlock workspace. The workspace is not "
                                               "locked.")
            attributes["locked"] = False
            attributes["locked-reason"] = ""
        return self.one(values[0])

    def tags(self, method, values, query, document):
        attributes = self.get(values[0], "workspaces")["attributes"]
        for each in document["data"]:
            if each["attributes"]["name"] not in attributes["tag-names"]:
                attributes["tag-names"].append(each["attributes"]["name"])
        return 204, b""

    def variables(self, method, values, query, document):
        self.get(values[0], "workspaces")
        return 200, {"data": [{"id": f"var-{i}", "type": "vars", "attributes": each}
                              for i, each in enumerate(self.of(values[0])["vars"])]}

    def projects(self, method, values, query, document):
        self.check_organization(values[0])
        if method == "POST":
            resource = self.add("projects", "prj", document["data"]["attributes"])
            return 201, self.one(resource)[1]
        names = query.get("filter[names]", [""])[0].split(",")
        found = [each for each, what in self.resources.items()
                 if what["type"] == "projects" and what["attributes"]["name"] in names]
        return self.page_of(found, query)

    # States.

    def create_version(self, method, values, query, document):
        workspace = self.get(values[0], "workspaces")
        attributes = document["data"]["attributes"]
        if not self.takes_uploads and not attributes.get("state"):
            raise Refused(400, "Bad Request", "param is missing or the value is empty: state")
        if not workspace["attributes"]["locked"]:
            self.intruders.append(values[0])
            raise Refused(409, "conflict", "The workspace must be locked to write a state")
        versions = self.versions[values[0]]
        if versions and not attributes.get("force"):
            last = self.of(versions[-1])
            if attributes["serial"] <= last["serial"] and attributes["md5"] != last["md5"]:
                raise Refused(409, "conflict", "The serial is not newer than that of the last one")
            if attributes["lineage"] != last["lineage"]:
                raise Refused(409, "conflict", "The lineage is another")
        resource = self.add("state-versions", "sv", {
            "lineage": attributes.get("lineage"), "serial": attributes["serial"],
            "md5": attributes["md5"], "status": "pending", "resources-processed": True,
            "outputs": json.loads(base64.b64decode(attributes.get("json-state-outputs", "e30="))),
        }, {"workspace": {"data": {"type": "workspaces", "id": values[0]}}})
        self.of(resource)["hosted-state-upload-url"] = f"{self.url}/object/{resource}"
        self.of(resource)["hosted-json-state-upload-url"] = f"{self.url}/object/json-{resource}"
        self.of(resource)["hosted-state-download-url"] = f"{self.url}/object/{resource}"
        self.resources[f"json-{resource}"] = {"attributes": {}}
        if attributes.get("state"):
            self.store_version(resource, base64.b64decode(attributes["state"]))
        return 201, self.one(resource)[1]

    def store_version(self, resource, content):
        attributes = self.of(resource)
        if hashlib.md5(content).hexdigest() != attributes["md5"]:
            raise Refused(422, "the sum is another")
        self.objects[resource] = content
        if attributes["status"] != "finalized":
            attributes["status"] = "finalized"
            owner = self.resources[resource]["relationships"]["workspace"]["data"]["id"]
            self.versions[owner].append(resource)

    def current_version(self, method, values, query, document):
        self.get(values[0], "workspaces")
        if not self.versions[values[0]]:
            raise Refused(404)
        return self.one(self.versions[values[0]][-1])

    def version(self, method, values, query, document):
        self.get(values[0], "state-versions")
        return self.one(values[0])

    def outputs(self, method, values, query, document):
        self.get(values[0], "workspaces")
        versions = self.versions[values[0]]
        outputs = self.of(versions[-1])["outputs"] if versions else {}
        return 200, {"data": [{"id": f"wsout-{values[0]}~{name}", "type": "state-version-outputs",
                               "attributes": {"name": name, "sensitive": each["sensitive"],
                                              "value": None if each["sensitive"] else each["value"],
                                              "detailed-type": each["type"]}}
                              for name, each in outputs.items()]}

    def output(self, method, values, query, document):
        owner, _, name = values[0].removeprefix("wsout-").partition("~")
        each = self.of(self.versions[owner][-1])["outputs"][name]
        return 200, {"data": {"id": values[0], "type": "state-version-outputs",
                              "attributes": {"name": name, "sensitive": each["sensitive"],
                                             "value": each["value"],
                                             "detailed-type": each["type"]}}}

    # Runs.

    def create_configuration(self, method, values, query, document):
        self.get(values[0], "workspaces")
        resource = self.add("configuration-versions", "cv", {
            "status": "pending", **document["data"]["attributes"]})
        self.of(resource)["upload-url"] = f"{self.url}/object/{resource}"
        return 201, self.one(resource)[1]

    def configuration(self, method, values, query, document):
        self.get(values[0], "configuration-versions")
        return self.one(values[0])

    def create_run(self, method, values, query, document):
        attributes = document["data"]["attributes"]
        related = document["data"]["relationships"]
        workspace = related["workspace"]["data"]["id"]
        speculative = self.of(related["configuration-version"]["data"]["id"]).get("speculative")
        logs = {}
        for what in ("plan", "apply"):
            name = f"log-{what}-{self.serial}"
            self.objects[name] = bytearray(b"\x02")
            logs[what] = self.add("plans" if what == "plan" else "applies", what, {
                "status": "pending", "log-read-url": f"{self.url}/object/{name}", "log": name})
        related["plan"] = {"data": {"type": "plans", "id": logs["plan"]}}
        related["apply"] = {"data": {"type": "applies", "id": logs["apply"]}}
        if self.costs:
            related["cost-estimate"] = {"data": {"type": "cost-estimates", "id": self.add(
                "cost-estimates", "ce", dict(self.costs))}}
        checks = [self.add("policy-checks", "polchk", {
            "scope": scope, "status": status, "text": text,
            "actions": {"is-overridable": status == "soft_failed"},
            "permissions": {"can-override": True}}) for scope, status, text in self.policies]
        related["policy-checks"] = {"data": [{"type": "policy-checks", "id": each}
                                             for each in checks]}
        stages = []
        for stage, status, results in self.stages:
            tasks = [self.add("task-results", "taskrs", dict(each)) for each in results]
            stages.append(self.add("task-stages", "ts", {"stage": stage, "status": status}, {
                "task-results": {"data": [{"type": "task-results", "id": each} for each in tasks]}}))
        related["task-stages"] = {"data": [{"type": "task-stages", "id": each} for each in stages]}
        run = self.add("runs", "run", {
            "status": "pending", "has-changes": False, "plan-only": bool(speculative),
            "save-plan": False, "auto-apply": False, "is-destroy": False,
            "confirmed": threading.Event(), **attributes}, related)
        self.set_actions(run)
        self.resources[workspace]["relationships"]["current-run"] = {
            "data": {"type": "runs", "id": run}}
        self.runs.append(run)
        threading.Thread(target=self.work, args=(run,), daemon=True).start()
        return 201, self.shown_run(run)

    def set_actions(self, run):
        attributes = self.of(run)
        status = attributes["status"]
        waits = status in ("planned", "planned_and_saved", "cost_estimated", "policy_checked")
        attributes["actions"] = {
            "is-confirmable": waits and not attributes["plan-only"], "is-discardable": waits,
            "is-cancelable": status in ("pending", "planning", "applying", "confirmed"),
            "is-force-cancelable": False}

    def shown_run(self, run, included=()):
        shown = self.shown(run)
        shown["attributes"] = {k: v for k, v in shown["attributes"].items() if k != "confirmed"}
        return {"data": shown, "included": [self.shown(each) for each in included]}

    def run(self, method, values, query, document):
        found = self.get(values[0], "runs")
        included = []
        for name in query.get("include", [""])[0].split(","):
            data = found["relationships"].get(name.replace("_", "-"), {}).get("data") or []
            included += [each["id"] for each in (data if isinstance(data, list) else [data])]
        return 200, self.shown_run(values[0], included)

    def list_runs(self, method, values, query, document):
        self.get(values[0], "workspaces")
        own = [each for each in reversed(self.runs)
               if self.resources[each]["relationships"]["workspace"]["data"]["id"] == values[0]]
        status, page = self.page_of(own, query)
        for each in page["data"]:
            each["attributes"].pop("confirmed", None)
        return status, page

    def run_action(self, method, values, query, document):
        run, action = values
        attributes = self.get(run, "runs")["attributes"]
        allowed = {"apply": "is-confirmable", "discard": "is-discardable",
                   "cancel": "is-cancelable", "force-cancel": "is-force-cancelable"}[action]
        if not attributes["actions"][allowed]:
            raise Refused(409, "transition not allowed")
        if action == "apply":
            attributes["status"] = "confirmed"
        elif action == "discard":
            attributes["status"] = "discarded"
        else:
            if attributes["status"] == "pending":
                attributes["status"] = "canceled"
            attributes["canceled"] = True
            if run in self.processes:
                self.processes[run].send_signal(signal.SIGINT)
        self.set_actions(run)
        attributes["confirmed"].set()
        return 202, b""

    def run_events(self, method, values, query, document):
        self.get(values[0], "runs")
        return 200, {"data": [{"id": f"re-{i}", "type": "run-events", "attributes": {
            "action": action, "description": text}} for i, (action, text) in enumerate(self.events)]}

    def queue(self, method, values, query, document):
        self.check_organization(values[0])
        return self.page_of([], query)

    def capacity(self, method, values, query, document):
        return 200, {"data": {"id": values[0], "type": "organization-capacity",
                              "attributes": {"pending": 0, "running": 1}}}

    @staticmethod
    def reader(kind):
        def read(self, method, values, query, document):
            found = self.get(values[0], kind)
            included = [each["id"] for related in found["relationships"].values()
                        for each in (related["data"] if isinstance(related["data"], list) else [])]
            return self.one(values[0], included if "include" in query else ())
        return read

    def ask_program(self, plan, *arguments):
        """What the program that made a plan says of it."""
        self.get(plan, "plans")
        done = subprocess.run([self.program, *arguments], cwd=self.plan_folders[plan], timeout=60,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder)},
                              capture_output=True, check=True)
        return done.stdout

    def plan_json(self, method, values, query, document):
        return 200, self.ask_program(values[0], "show", "-json", "tfplan")

    def redacted_plan(self, method, values, query, document):
        """For showing: without secrets, and with the schemas to read it by."""
        plan = json.loads(self.ask_program(values[0], "show", "-json", "tfplan"))
        schemas = json.loads(self.ask_program(values[0], "providers", "schema", "-json"))
        shown = {"plan_format_version": plan["format_version"],
                 "output_changes": plan.get("output_changes", {}),
                 "resource_changes": plan.get("resource_changes", []),
                 "resource_drift": plan.get("resource_drift", []),
                 "relevant_attributes": plan.get("relevant_attributes", []),
                 "provider_format_version": schemas["format_version"],
                 "provider_schemas": schemas["provider_schemas"]}
        changes = [each["change"] for each in shown["resource_changes"] + shown["resource_drift"]]
        for change in changes + list(shown["output_changes"].values()):
            for when in ("before", "after"):
                change[when] = redacted(change.get(when), change.get(f"{when}_sensitive"))
        return 200, shown

    def policy_output(self, method, values, query, document):
        return 200, self.get(values[0], "policy-checks")["attributes"]["text"].encode()

    def override(self, method, values, query, document):
        self.get(values[0], "policy-checks")["attributes"]["status"] = "overridden"
        return self.one(values[0])

    # What a worker does.

    def set_status(self, run, status):
        with self.mutex:
            self.of(run)["status"] = status
            self.set_actions(run)

    def write_log(self, name, text):
        with self.mutex:
            self.objects[name] += text

    def command(self, run, log, folder, *arguments):
        """Runs the program; what it says becomes the log. Gives its exit status."""
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TF_INPUT": "0",
                       "TF_IN_AUTOMATION": "1", "LC_ALL": "C.UTF-8"}
        process = subprocess.Popen([self.program, *arguments], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        self.processes[run] = process
        with process.stdout:
            for line in process.stdout:
                if log:
                    self.write_log(log, line)
        return process.wait()

    def work(self, run):
        found = self.resources[run]
        ids = {name: found["relationships"][name]["data"]["id"]
               for name in ("workspace", "configuration-version", "plan", "apply")}
        logs = {name: self.of(ids[name])["log"] for name in ("plan", "apply")}
        folder = self.folder / run
        self.held.wait()
        if found["attributes"]["status"] == "canceled":
            return
        try:
            self.plan(run, found["attributes"], ids, logs["plan"], folder)
            self.of(ids["plan"])["status"] = (
                "errored" if found["attributes"]["status"] == "errored" else "finished")
            self.write_log(logs["plan"], b"\x03")
            if found["attributes"]["status"] in FINAL:
                return
            if not found["attributes"]["auto-apply"]:
                found["attributes"]["confirmed"].wait()
                if found["attributes"]["status"] in FINAL:
                    return
            self.apply(run, found["attributes"], ids, logs["apply"], folder)
            self.of(ids["apply"])["status"] = "finished"
            self.write_log(logs["apply"], b"\x03")
        except Exception as problem:  # pylint: disable=broad-except
            self.write_log(logs["plan"], repr(problem).encode() + b"\x03")
            self.set_status(run, "errored")

    def options(self, attributes):
        given = [f"-target={each}" for each in attributes.get("target-addrs") or []]
        given += [f"-replace={each}" for each in attributes.get("replace-addrs") or []]
        if attributes.get("is-destroy"):
            given.append("-destroy")
        if attributes.get("refresh-only"):
            given.append("-refresh-only")
        if attributes.get("refresh") is False:
            given.append("-refresh=false")
        if attributes.get("allow-config-generation"):
            given.append("-generate-config-out=generated_here.tf")
        return given

    def plan(self, run, attributes, ids, log, folder):
        self.set_status(run, "planning")
        folder.mkdir()
        with tarfile.open(fileobj=io.BytesIO(self.objects[ids["configuration-version"]]),
                          mode="r:gz") as archive:
            archive.extractall(folder)
        workspace = self.of(ids["workspace"])
        where = folder / workspace["working-directory"]
        (where / "backend_override.tf").write_text('terraform {\n  backend "local" {}\n}\n')
        given = [f"{each['key']} = {each['value']}" if each["hcl"]
                 else f"{each['key']} = {json.dumps(each['value'])}"
                 for each in workspace["vars"] if each["category"] == "terraform"]
        (where / "terraform.tfvars").write_text("\n".join(given) + "\n")
        # What a run is given wins over what files say.
        own = [f"{each['key']} = {each['value']}" for each in attributes.get("variables") or []]
        (where / "zzz_run.auto.tfvars").write_text("\n".join(own) + "\n")
        shutil.rmtree(where / ".terraform", True)
        versions = self.versions[ids["workspace"]]
        if versions:
            (where / "terraform.tfstate").write_bytes(self.objects[versions[-1]])
        if self.command(run, None, where, "init", "-no-color") != 0:
            self.command(run, log, where, "init", "-no-color")
            self.set_status(run, "errored")
            return
        more = ["-json"] if self.json_logs else []
        status = self.command(run, log, where, "plan", "-no-color", "-out=tfplan",
                              "-detailed-exitcode", *more, *self.options(attributes))
        self.plan_folders[ids["plan"]] = where
        self.of(ids["plan"])["generated-configuration"] = (where / "generated_here.tf").exists()
        if attributes.get("canceled"):
            self.set_status(run, "canceled")
        elif status not in (0, 2):
            self.set_status(run, "errored")
        else:
            self.of(ids["plan"])["has-changes"] = attributes["has-changes"] = status == 2
            if status == 0 or attributes["plan-only"]:
                self.set_status(run, "planned_and_finished")
            else:
                self.set_status(run, "planned_and_saved" if attributes["save-plan"] else "planned")

    def apply(self, run, attributes, ids, log, folder):
        self.set_status(run, "applying")
        where = folder / self.of(ids["workspace"])["working-directory"]
        status = self.command(run, log, where, "apply", "-no-color", "tfplan")
        state = where / "terraform.tfstate"
        with self.mutex:
            if state.exists():
                content = state.read_bytes()
                document = json.loads(content)
                version = self.add("state-versions", "sv", {
                    "lineage": document["lineage"], "serial": document["serial"],
                    "md5": hashlib.md5(content).hexdigest(), "status": "finalized",
                    "outputs": {name: {"sensitive": False, **each}
                                for name, each in document["outputs"].items()}})
                self.of(version)["hosted-state-download-url"] = f"{self.url}/object/{version}"
                self.objects[version] = content
                self.versions[ids["workspace"]].append(version)
        if attributes.get("canceled"):
            self.set_status(run, "canceled")
        else:
            self.set_status(run, "applied" if status == 0 else "errored")

    ROUTES = [(path.split("/"), methods.split(), handler) for path, methods, handler in [
        ("ping", "GET", ping),
        ("organizations/*/entitlement-set", "GET", entitlements),
        ("organizations/*/workspaces", "GET POST", all_workspaces),
        ("organizations/*/workspaces/*", "GET PATCH DELETE", workspace_by_name),
        ("organizations/*/projects", "GET POST", projects),
        ("organizations/*/runs/queue", "GET", queue),
        ("organizations/*/capacity", "GET", capacity),
        ("workspaces/*", "GET PATCH DELETE", workspace),
        ("workspaces/*/actions/*", "POST", workspace_action),
        ("workspaces/*/relationships/tags", "POST", tags),
        ("workspaces/*/vars", "GET", variables),
        ("workspaces/*/current-state-version", "GET", current_version),
        ("workspaces/*/current-state-version-outputs", "GET", outputs),
        ("workspaces/*/state-versions", "POST", create_version),
        ("workspaces/*/configuration-versions", "POST", create_configuration),
        ("workspaces/*/runs", "GET", list_runs),
        ("state-versions/*", "GET", version),
        ("state-version-outputs/*", "GET", output),
        ("configuration-versions/*", "GET", configuration),
        ("runs", "POST", create_run),
        ("runs/*", "GET", run),
        ("runs/*/actions/*", "POST", run_action),
        ("runs/*/run-events", "GET", run_events),
        ("plans/*", "GET", reader.__func__("plans")),
        ("plans/*/json-output", "GET", plan_json),
        ("plans/*/json-output-redacted", "GET", redacted_plan),
        ("applies/*", "GET", reader.__func__("applies")),
        ("cost-estimates/*", "GET", reader.__func__("cost-estimates")),
        ("policy-checks/*", "GET", reader.__func__("policy-checks")),
        ("policy-checks/*/output", "GET", policy_output),
        ("policy-checks/*/actions/override", "POST", override),
        ("task-stages/*", "GET", reader.__func__("task-stages")),
    ]]

"""Secrets and Leases of Kubernetes: a stand-in for its API server.

With what the API promises and clients rely on: versions that conflict, names that are taken,
labels to select by, lists in pages, sizes and kinds of objects that are checked.
"""

import base64
import re
import uuid

import stand_in

KINDS = {"secrets": ("v1", "Secret"), "leases": ("coordination.k8s.io/v1", "Lease")}
PATH = re.compile("/(?:api/v1|apis/coordination.k8s.io/v1)/namespaces/([^/]+)/(secrets|leases)"
                  "(?:/([^/]+))?$")
NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def read_lease(body):
    """A Lease as OpenTofu sends it: a protocol buffer of Kubernetes."""
    assert body.startswith(b"k8s\0")
    lease = dict(stand_in.fields(dict(stand_in.fields(body[4:]))[2]))
    metadata = {"labels": {}, "annotations": {}}
    texts = {1: "name", 3: "namespace", 5: "uid", 6: "resourceVersion"}
    for number, value in stand_in.fields(lease[1]):
        if number in texts and value:
            metadata[texts[number]] = value.decode()
        if number in (11, 12):
            pair = dict(stand_in.fields(value))
            metadata["labels" if number == 11 else "annotations"][pair[1].decode()] = (
                pair.get(2, b"").decode())
    spec = dict(stand_in.fields(lease.get(2, b"")))
    return {"metadata": metadata, "spec": {"holderIdentity": spec[1].decode()} if 1 in spec else {}}


def document_of(request):
    if request.headers.get("Content-Type") == "application/vnd.kubernetes.protobuf":
        return read_lease(request.body)
    return request.json()


class Kubernetes(stand_in.Service):
    largest = 1 << 20  # of a Secret's values

    def __init__(self, context=None):
        self.objects = {}  # (namespace, kind, name): object
        self.version = 100
        self.authorized = lambda request: True
        super().__init__(context)

    def names(self, kind="secrets"):
        return sorted(name for _, each, name in self.objects if each == kind)

    def value(self, name, space="default"):
        """What a Secret holds, in bytes."""
        return base64.b64decode(self.objects[space, "secrets", name]["data"]["tfstate"])

    def holder(self, name="lock-tfstate-default-test", space="default"):
        found = self.objects.get((space, "leases", name), {})
        return found.get("spec", {}).get("holderIdentity")

    @staticmethod
    def refusal(status, reason, message):
        return status, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                        "message": message, "reason": reason, "code": status}

    def handle(self, request):
        if not self.authorized(request):
            return self.refusal(401, "Unauthorized", "Unauthorized")
        match = PATH.match(request.path)
        if not match:
            return self.refusal(404, "NotFound", "the server could not find it")
        space, kind, name = match.groups()
        if name is None:
            return (self.list(space, kind, request) if request.method == "GET"
                    else self.create(space, kind, request))
        key = space, kind, name
        if key not in self.objects:
            return self.refusal(404, "NotFound", f'{kind} "{name}" not found')
        if request.method == "GET":
            return 200, self.objects[key]
        if request.method == "DELETE":
            del self.objects[key]
            return 200, {"kind": "Status", "apiVersion": "v1", "status": "Success"}
        if request.method != "PUT":
            return self.refusal(405, "MethodNotAllowed", "not here")
        return self.replace(key, document_of(request))

    def check(self, kind, document):
        api, word = KINDS[kind]
        if (document.get("apiVersion", api), document.get("kind", word)) != (api, word):
            return self.refusal(400, "BadRequest", "another kind of object")
        if not NAME.fullmatch(document["metadata"]["name"]):
            return self.refusal(422, "Invalid", "metadata.name: Invalid value")
        size = sum(len(base64.b64decode(value, validate=True))
                   for value in (document.get("data") or {}).values())
        if size > self.largest:
            return self.refusal(422, "Invalid", "data: Too long: may not be more than 1048576 bytes")
        return None

    def keep(self, key, document):
        self.version += 1
        api, word = KINDS[key[1]]
        document |= {"apiVersion": api, "kind": word}
        document["metadata"] |= {"namespace": key[0], "resourceVersion": str(self.version)}
        document["metadata"].setdefault("uid", str(uuid.uuid4()))
        if key[1] == "secrets":
            document.setdefault("type", "Opaque")
        self.objects[key] = document

    def create(self, space, kind, request):
        document = document_of(request)
        if refused := self.check(kind, document):
            return refused
        key = space, kind, document["metadata"]["name"]
        if key in self.objects:
            return self.refusal(409, "AlreadyExists", f'{kind} "{key[2]}" already exists')
        self.keep(key, document)
        return 201, document

    def replace(self, key, document):
        if refused := self.check(key[1], document):
            return refused
        there = self.objects[key]
        version = document["metadata"].get("resourceVersion", "")
        if version not in ("", there["metadata"]["resourceVersion"]):
            return self.refusal(409, "Conflict", "the object has been modified")
        if document.get("type", there.get("type")) != there.get("type"):
            return self.refusal(422, "Invalid", "type: field is immutable")
        document["metadata"]["uid"] = there["metadata"]["uid"]
        self.keep(key, document)
        return 200, document

    def list(self, space, kind, request):
        wanted = [pair.split("=", 1) for pair in
                  request.query.get("labelSelector", "").split(",") if pair]
        found = [document for (at, each, _), document in sorted(self.objects.items())
                 if (at, each) == (space, kind) and all(
                     document["metadata"].get("labels", {}).get(label) == value
                     for label, value in wanted)]
        start = int(request.query.get("continue") or 0)
        end = start + int(request.query.get("limit") or len(found) or 1)
        more = {"continue": str(end)} if end < len(found) else {}
        if "PartialObjectMetadataList" in request.headers.get("Accept", ""):
            items = [{"metadata": each["metadata"]} for each in found[start:end]]
            return 200, {"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
                         "metadata": {"resourceVersion": "1", **more},
                         "items": items or None}  # as the real one has it
        return 200, {"kind": KINDS[kind][1] + "List", "apiVersion": KINDS[kind][0],
                     "metadata": {"resourceVersion": "1", **more}, "items": found[start:end]}

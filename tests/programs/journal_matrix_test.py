"""A journal that cannot take a record: each record of each kind of change, and what depends on it.

A limit on the size of files ends the journal at a record. The state is behind HTTP, so that the
limit does not reach it. Every object appends its id to a file when its provisioners run.
"""

import collections
import json
import resource as limits
import shutil
import struct
import subprocess
import unittest

import stores
from place import TIME_LIMIT, TOFU, PlaceTest, Run

# What each thing needs. The outputs "direct" and "far" need the first object and the module.
NEEDS = {
    "first": [],
    "user": ["first"],
    "read": ["first"],
    "inner": ["first"],
    "reader": ["read", "inner"],
    "direct": ["first"],
    "far": ["inner"],
}
PROVISIONERS = '''
  provisioner "local-exec" {
    command = "echo ${self.id} >> ${self.triggers_replace[0]}/NAME"
  }
  provisioner "local-exec" {
    when    = destroy
    command = "echo ${self.id} >> ${self.triggers_replace[0]}/NAME.destroyed"
  }
  lifecycle {
    create_before_destroy = CREATES_FIRST
  }
'''


def thing(name, value, more=""):
    return (f'resource "terraform_data" "{name}" {{\n  input            = {value}\n'
            f"  triggers_replace = [var.made, var.kind]\n  {more}"
            f'{PROVISIONERS.replace("NAME", name)}}}\n')


VARIABLES = 'variable "made" {}\nvariable "kind" {}\nvariable "size" {}\n'
ROOT = VARIABLES + thing("first", "var.size") + thing("user", "terraform_data.first.output") + '''
data "terraform_remote_state" "read" {
  backend    = "local"
  config     = { path = "other.tfstate" }
  depends_on = [terraform_data.first]
}
module "child" {
  source = "./child"
  made   = var.made
  kind   = var.kind
  size   = terraform_data.first.output
}
output "direct" {
  value = terraform_data.first.output
}
output "far" {
  value = module.child.inner
}
''' + thing("reader", "[data.terraform_remote_state.read.outputs, module.child.inner]")
CHILD = VARIABLES + thing("inner", "var.size") + (
    'output "inner" {\n  value = terraform_data.inner.output\n}\n')
OTHER = {"version": 4, "serial": 1, "lineage": "l", "resources": [],
         "outputs": {"x": {"type": "number", "value": 1}}}

FRAME = 20  # bytes of a frame before its records: the length and checksums
# Each kind of change: what was applied before, whether successors are created first, the variables,
# and the command.
BEFORE = {"TF_VAR_kind": "1", "TF_VAR_size": "1"}
CHANGES = {
    "create": (None, False, {}, ["apply"]),
    "update": (BEFORE, False, {"TF_VAR_size": "2"}, ["apply"]),
    "replace": (BEFORE, False, {"TF_VAR_kind": "2", "TF_VAR_size": "2"}, ["apply"]),
    "replace, created first": (BEFORE, True, {"TF_VAR_kind": "2", "TF_VAR_size": "2"}, ["apply"]),
    "destroy": (BEFORE, False, {}, ["destroy"]),
}
# The outputs afterwards.
OUTPUTS = {what: {name: {"value": more.get("TF_VAR_size", "1"), "type": "string"}
                  for name in ("direct", "far")}
           for what, (_, _, more, _) in CHANGES.items()} | {"destroy": {}}


def dependents(name):
    """Everything that needs that, also through others."""
    found = {each for each, needed in NEEDS.items() if name in needed}
    return found.union(*(dependents(each) for each in found))


def dependencies(name):
    return {each for each in NEEDS if name in dependents(each)}


def frames(journal):
    """The frames of a journal: [(place, records)]. The records of one are true together."""
    found, at = [], journal.index(b"\n") + 1
    while at < len(journal):
        end = at + FRAME + struct.unpack_from("<I", journal.ljust(at + FRAME), at)[0]
        if end > len(journal):
            break  # torn
        found.append((at, [json.loads(line) for line in journal[at + FRAME:end].splitlines()]))
        at = end
    return found


def phases(found):
    """How many records there are of each thing in each of its phases: {(name, "create"): number}.
    An update counts as "create"; so does reading, unless the data source is only forgotten."""
    counts = collections.Counter()
    actions = {}
    for record in (each for _, records in found for each in records):
        name = record.get("address", "").rpartition(".")[2]
        if "action" in record:
            actions[name] = "delete" if record["action"] == "delete" else "create"
        if name and (name != "read" or "state" in record):
            counts[name, actions.get(name, "create")] += 1
    return counts


class JournalMatrixTest(PlaceTest):
    def setUp(self):
        super().setUp()
        self.server = stores.StateServer()
        self.addCleanup(self.server.end)
        self.made = self.top / "made"
        self.journals = self.top / "home/.local/state/tofu/journal"
        self.environment |= {"TF_VAR_made": str(self.made), "TF_CLI_ARGS": "-no-color", **BEFORE}

    def configure(self, creates_first):
        flag = str(creates_first).lower()
        self.work.write({
            "main.tf": self.server.block() + ROOT.replace("CREATES_FIRST", flag),
            "child/main.tf": CHILD.replace("CREATES_FIRST", flag),
            "other.tfstate": json.dumps(OTHER)})
        self.init()

    def run_limited(self, most, *command, **more):
        def limit():
            if most:
                limits.setrlimit(limits.RLIMIT_FSIZE, (most, limits.RLIM_INFINITY))

        done = subprocess.run(
            [TOFU, *command, "-auto-approve", "-parallelism=1"], cwd=self.work.path,
            env={**self.environment, **more}, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=TIME_LIMIT, preexec_fn=limit)
        return Run(done)

    def reset(self, state):
        self.server.state = state
        shutil.rmtree(self.made, True)
        self.made.mkdir()

    def lines(self, ending=""):
        """The ids that provisioners wrote: {name: [id]}."""
        return {path.name.removesuffix(ending): path.read_text().split()
                for path in self.made.iterdir() if path.suffix == ending}

    @staticmethod
    def current(document):
        """The objects of a state that are not deposed: {name: attributes}."""
        return {each["name"]: one["attributes"] for each in document.get("resources", [])
                for one in each["instances"] if "deposed" not in one}

    def changed(self, before, after):
        """The things that were created, updated or read."""
        known = self.current(before)
        return self.lines().keys() | {name for name, attributes in self.current(after).items()
                                      if attributes != known.get(name)}

    def destroyed(self, before, after):
        """The same for what was destroyed, of which a data source is none."""
        gone = self.current(before).keys() - self.current(after).keys()
        return (self.lines(".destroyed").keys() | gone) - {"read"}

    def ids(self):
        """The ids of the state: {name: {id}}."""
        found = {}
        for each in self.server.document()["resources"] if self.server.state else ():
            if each["mode"] == "managed":
                found[each["name"]] = {one["attributes"]["id"] for one in each["instances"]}
        return found

    def run_and_look(self, most, what, state):
        """A run, and the journal as it is when the state is stored; None if it never is."""
        _, _, more, command = CHANGES[what]
        seen = []

        def look(request):
            if request.method == "POST":
                seen.append(frames(next(self.journals.iterdir()).read_bytes()))

        self.server.state = state
        shutil.rmtree(self.made, True)
        self.made.mkdir()
        self.server.trouble = look
        run = self.run_limited(most, *command, **more)
        self.server.trouble = lambda request: None
        return run, seen[-1] if seen else None

    def run_cell(self, most, what, state, whole):
        run, journal = self.run_and_look(most, what, state)
        _, _, more, command = CHANGES[what]
        before = json.loads(state) if state else {}
        after = self.server.document() if self.server.state else {}
        recorded = phases(journal or [])
        if recorded == whole:
            # Only outputs were not recorded. The state has them, since it is stored next.
            self.assertEqual(run.status, 0, run.said)
            self.assertEqual(after["outputs"], OUTPUTS[what])
            return
        self.assertEqual(run.status, 1, run.said)
        self.assertRegex(run.said, "Cannot write the journal" if journal else
                         "Cannot (write|create) the journal")

        # What waits for something that is not recorded did not run.
        for name in NEEDS:
            for waiting, ran, phase in (
                    (dependents(name), self.changed(before, after), "create"),
                    (dependencies(name), self.destroyed(before, after), "delete")):
                if recorded[name, phase] < whole[name, phase]:
                    self.assertEqual(sorted(waiting & ran), [], f"{phase} {name}: {run.said}")
        for name in ("direct", "far"):
            value = after.get("outputs", {}).get(name, OUTPUTS["create"][name])
            self.assertIn(value, [OUTPUTS["create"][name], OUTPUTS["update"][name]], run.said)
            if any(recorded[each, "create"] < whole[each, "create"] for each in NEEDS[name]):
                self.assertEqual(value, OUTPUTS["create"][name], run.said)

        # Nothing is lost: what exists is in the state.
        made, destroyed, known = self.lines(), self.lines(".destroyed"), self.ids()
        for name, ids in made.items():
            self.assertLessEqual(set(ids) - set(destroyed.get(name, ())), known.get(name, set()),
                                 f"{name}: {run.said}")

        # The next run completes it.
        again = self.run_limited(0, *command, **more)
        self.assertEqual(again.status, 0, again.said)
        self.assertNotIn("interrupted run", again.said)
        self.assertEqual(list(self.journals.iterdir()), [])
        self.assertEqual(self.server.document()["outputs"], OUTPUTS[what])

    def test_nothing_depends_on_what_is_not_recorded(self):
        for what, (variables, creates_first, _, _) in CHANGES.items():
            self.configure(creates_first)
            self.made.mkdir(exist_ok=True)
            self.server.state = None
            if variables is not None:
                run = self.run_limited(0, "apply", **variables)
                self.assertEqual(run.status, 0, run.said)
            state = self.server.state
            self.work.write({"other.tfstate": json.dumps(OTHER).replace("1}", "2}")})
            run, journal = self.run_and_look(0, what, state)
            self.assertEqual(run.status, 0, run.said)
            self.assertGreater(len(journal), 10)
            for place, _ in journal:
                with self.subTest(what, most=place + 1):
                    self.run_cell(place + 1, what, state, phases(journal))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Compares plan, apply and destroy of random resources of plugins with another program.

Works as compare_runs.py does, with the provider plugins of a mirror in place of
terraform_data: the configurations are made from their schemas (tools/random_projects.py).
The plugins keep their objects in a folder `store`, one JSON file each, and number them, so
that both programs see the same objects; between runs some of these are changed or removed.
"""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import compare_runs
from random_projects import Project
from random_resources import Resources, Schemas


def header_for(mirror):
    """The providers of a mirror, each with its newest version."""
    required = []
    for folder in sorted(pathlib.Path(mirror).glob("*/*/*")):
        host, namespace, name = folder.parts[-3:]
        required.append(f'    {name} = {{ source = "{host}/{namespace}/{name}" }}')
    return "terraform {\n  required_providers {\n" + "\n".join(required) + "\n  }\n}\n"


def schemas_of(program, mirror, left_out):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "main.tf").write_text(header_for(mirror))
        run = lambda *arguments: subprocess.run(
            [program, *arguments], cwd=folder, check=True, capture_output=True, text=True)
        run("init", f"-plugin-dir={mirror}")
        document = json.loads(run("providers", "schema", "-json").stdout)
    return Schemas(document, lambda name: bool(left_out.search(name)))


class ProviderRound(compare_runs.Round):

    def play_in(self):
        kind = Project if self.rng.random() < 0.7 else Resources
        configuration = kind(self.rng, self.options.schemas, self.options.header)
        self.initialized = None
        steps = self.rng.randrange(3, 6)
        for step in range(steps):
            if step > 0:
                configuration.identities = {
                    address: attributes.get("id")
                    for address, attributes in self.stored_objects(self.ours).items()}
                if self.rng.random() < 0.85:
                    self.log.append(f"step {step}: {configuration.mutate()}")
                if self.rng.random() < 0.3:
                    self.edit_store()
                if self.rng.random() < 0.05:
                    self.edit_states()
            if not self.write(configuration):
                return
            if not self.step(step, configuration, step == steps - 1):
                return

    def write(self, configuration):
        files = configuration.files()
        for side in self.sides:
            for name, text in files.items():
                path = side.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        calls = re.findall(r'^module "(\w+)"', files["main.tf"], re.MULTILINE)
        if self.initialized == calls:
            return True
        self.initialized = calls
        done = [side.run("init", "-no-color", "-input=false",
                         f"-plugin-dir={self.options.mirror}") for side in self.sides]
        return self.same_status("init", done) and done[0].returncode == 0

    def edit_store(self):
        """Another program changes or removes an object."""
        objects = sorted(path.relative_to(self.ours.folder)
                         for path in (self.ours.folder / "store").rglob("*.json"))
        if not objects:
            return
        name = self.rng.choice(objects)
        removes, seed = self.rng.random() < 0.3, self.rng.randrange(1 << 30)
        self.log.append(f"{'remove' if removes else 'change'} {name}")
        for side in self.sides:
            path = side.folder / name
            if not path.exists():
                continue
            if removes:
                path.unlink()
                continue
            rng = random.Random(seed)
            document = json.loads(path.read_text())
            self.change_field(rng, document)
            path.write_text(json.dumps(document))

    def change_field(self, rng, document):
        fields = [name for name, value in sorted(document.items())
                  if isinstance(value, (str, int)) and name not in ("id", "name")]
        if fields:
            name = rng.choice(fields)
            value = document[name]
            if isinstance(value, bool):
                document[name] = not value
            else:
                document[name] = value + "!" if isinstance(value, str) else value + 1

    def stored_inputs(self, side):
        return self.stored_objects(side)

    def stored_objects(self, side):
        """By address: what the state has of an object."""
        found = {}
        for resource in (side.state() or {"resources": []})["resources"]:
            for instance in resource["instances"]:
                key = instance.get("index_key")
                key = "" if key is None else f"[{json.dumps(key)}]"
                if resource["mode"] == "managed" and not instance.get("deposed"):
                    module = resource.get("module", "")
                    address = f"{resource['type']}.{resource['name']}{key}"
                    found[f"{module}.{address}" if module else address] = instance["attributes"]
        return found

    def plan_document(self, side, text):
        """Without what OpenTofu has of objects that are gone (docs/differences.md)."""
        document = compare_runs.plan_document(side, text)
        made = set()
        document["resource_changes"] = [
            one for one in document["resource_changes"]
            if one["change"]["actions"] != ["no-op"] or one["change"]["before"] is not None]
        for one in document["resource_changes"]:
            if one["change"]["actions"] == ["create"]:
                made.add(one["address"])
                for name in ("before_identity", "after_identity"):
                    one["change"].pop(name, None)
        modules = [(values or {}).get("root_module") or {} for values in
                   (document["planned_values"], (document["prior_state"] or {}).get("values"))]
        for module in modules:
            modules += module.get("child_modules", [])
            for one in module.get("resources", []):
                if one["address"] in made:
                    one.pop("identity", None)
                    one.pop("identity_schema_version", None)
                if "deposed_key" in one:
                    one.pop("schema_version")
        return document

    def same_status(self, what, runs):
        if "Plugin did not respond" in runs[1].stderr:
            raise compare_runs.PeerAccident  # what else was under way then is by chance
        return super().same_status(what, runs)

    def state_document(self, side):
        """Without its serial: OpenTofu raises it where the state says of more instances that
        create_before_destroy spread to them."""
        state = compare_runs.state_document(side)
        if state:
            state.pop("serial", None)
        return state

    def did_as_planned(self, document, applied_well):
        """As with terraform_data, OpenTofu leaves out some of what it planned with -target."""
        stored = self.stored_objects(self.peer)
        for one in document["resource_changes"]:
            actions, after = one["change"]["actions"], one["change"]["after"]
            if "deposed" in one or not applied_well:
                continue
            if actions == ["delete"] and one["address"] in stored:
                return False
            if actions in (["update"], ["create"]) and after:
                known = {name: value for name, value in after.items()
                         if (value is None or isinstance(value, (str, int)))
                         and name != "password" and not one["change"]["after_unknown"].get(name)}
                now = stored.get(one["address"])
                if now is None or any(now.get(name) != value for name, value in known.items()):
                    return False
        return True


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", default=os.environ.get("TOFU_TEST_PLUGINS"),
                        help="folder of the plugins (default: $TOFU_TEST_PLUGINS)")
    parser.add_argument("--without", default="^$", help="pattern of types to leave out")
    options = compare_runs.parse(parser)
    if not options.mirror:
        parser.error("no plugins to compare with: set TOFU_TEST_PLUGINS or --mirror")
    options.answers = None
    options.mirror = os.path.abspath(options.mirror)
    options.schemas = schemas_of(os.path.abspath(options.tofu), options.mirror,
                                 re.compile(options.without))
    options.header = header_for(options.mirror)
    return compare_runs.play_rounds(ProviderRound, options)


if __name__ == "__main__":
    sys.exit(main())

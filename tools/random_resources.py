"""Random configurations over the resource types of provider plugins, and changes to them.

The types and their attributes come from the schemas of the plugins, so any plugin will do
whose objects are the same each time they are made. As in random_configuration.py, a
configuration is a list of things that have a number for every choice made about them, so a
mutation changes what it is about and nothing else.
"""

import json
import random

from random_configuration import Thing, stable_choice, Reference

WORDS = ["red", "green", "blue", "", "one two", "line\\nline\\n", "é", "{\\\"a\\\":1}",
         "a longer text that does not end soon"]
NUMBERS = ["0", "1", "2", "3", "-1", "2.5", "443"]
KEYS = ["a", "b", "c"]
# What the types do that go wrong on purpose, and when.
FAULTS = {"at": ["create", "update", "delete", "read", "plan", "plan-destroy", ""],
          "how": ["error", "partial", "warning", "many", "other", "keep", "replace"],
          "on": ["label", "items", "labels", "nested", "absent", ""]}
# Settings of those that take time, or only cause errors.
NEVER_SET = {"millis", "renew_ms", "fault"}


class Schemas:
    """What `providers schema -json` says, by type."""

    def __init__(self, document, left_out=lambda name: False):
        self.resources = {}
        self.data = {}
        self.ephemeral = {}
        self.providers = {}
        for source, provider in sorted(document["provider_schemas"].items()):
            if source.endswith("/builtin/terraform"):
                continue
            self.providers[source.split("/")[-1]] = provider["provider"]["block"]
            for kind, found in (("resource_schemas", self.resources),
                                ("data_source_schemas", self.data),
                                ("ephemeral_resource_schemas", self.ephemeral)):
                for name, schema in sorted(provider.get(kind, {}).items()):
                    if not left_out(name):
                        found[name] = schema["block"]


def settable(attribute):
    return attribute.get("required") or attribute.get("optional")


def provider_of(thing):
    return thing.type.split("_")[0]


class Body:
    """Writes the arguments and blocks of one thing."""

    def __init__(self, thing, scope, has_key, prefix=""):
        self.thing = thing
        self.scope = scope
        self.has_key = has_key
        self.prefix = prefix  # of the names of objects

    def write(self, block, path="", indent="  "):
        lines = []
        for name, attribute in sorted(block.get("attributes", {}).items()):
            text = self.argument(name, attribute, f"{path}.{name}")
            if text is not None:
                lines.append(f"{indent}{name} = {text}")
        for name, nested in sorted(block.get("block_types", {}).items()):
            lines += self.blocks(name, nested, f"{path}.{name}", indent)
        return lines

    def argument(self, name, attribute, path):
        if not settable(attribute) or (name == "id" and not attribute.get("required")):
            return None
        if name in NEVER_SET:
            return None
        rng = self.thing.rng(path)
        if path == ".name":  # the identity of objects is made of it
            label = self.prefix + self.thing.label
            return f'"{label}-${{each.key}}"' if self.has_key else f'"{label}"'
        if self.thing.type.endswith("_fault") and name in FAULTS:
            return f'"{rng.choice(FAULTS[name])}"'
        if not attribute.get("required") and rng.random() < 0.4:
            return None
        if "nested_type" in attribute:
            return self.nested(rng, attribute["nested_type"])
        if attribute.get("write_only"):
            passing = [one for one in self.scope if one.type == f"ephemeral {attribute['type']}"]
            if passing and rng.random() < 0.7:
                return stable_choice(rng.randrange(1 << 30), passing).text
            return self.value(rng, attribute["type"], 3)
        return self.value(rng, attribute["type"], 0)

    def nested(self, rng, nested):
        mode = nested["nesting_mode"]
        if rng.random() < 0.1:
            return "null"
        if mode == "single":
            return self.object_of(rng, nested)
        count = rng.choice([0, 1, 2, 2, 3])
        if mode == "map":
            return "{ " + ", ".join(f"{key} = {self.object_of(rng, nested)}"
                                    for key in KEYS[:count]) + " }"
        return "[" + ", ".join(self.object_of(rng, nested) for _ in range(count)) + "]"

    def object_of(self, rng, nested):
        parts = []
        for name, attribute in sorted(nested["attributes"].items()):
            if not settable(attribute) or (not attribute.get("required") and rng.random() < 0.4):
                continue
            inner = self.nested(rng, attribute["nested_type"]) if "nested_type" in attribute \
                else self.value(rng, attribute["type"], 1)
            parts.append(f"{name} = {inner}")
        return "{ " + ", ".join(parts) + " }"

    def value(self, rng, type_, depth):
        draw = rng.random()
        seed = rng.randrange(1 << 30)
        if isinstance(type_, str):
            fitting = [one for one in self.scope if one.type == type_]
            if fitting and draw < 0.35:
                return stable_choice(seed, fitting).text
        if draw > 0.96:
            return "null"
        if type_ == "string":
            text = rng.choice(WORDS)
            strings = [one for one in self.scope if one.type == "string"]
            if strings and rng.random() < 0.15:
                text += "${" + stable_choice(seed, strings).text + "}"
            return f'"{text}"'
        if type_ == "number":
            return rng.choice(NUMBERS)
        if type_ == "bool":
            return rng.choice(["true", "false"])
        if type_ == "dynamic":
            return self.value(rng, rng.choice([
                "string", "number", "bool", ["list", "string"], ["map", "number"],
                ["object", {"a": "string", "b": ["list", "number"]}]]), depth + 1)
        kind, of = type_
        if kind in ("list", "set"):
            items = [self.value(rng, of, depth + 1) for _ in range(rng.randrange(4))]
            items = [one for one in items if one != "null"]
            return "[" + ", ".join(items) + "]"
        if kind == "map":
            return "{ " + ", ".join(f"{key} = {self.value(rng, of, depth + 1)}"
                                    for key in KEYS if rng.random() < 0.5) + " }"
        if kind == "tuple":
            return "[" + ", ".join(self.value(rng, one, depth + 1) for one in of) + "]"
        return "{ " + ", ".join(f"{key} = {self.value(rng, one, depth + 1)}"
                                for key, one in sorted(of.items())) + " }"

    def blocks(self, name, nested, path, indent):
        rng = self.thing.rng(path)
        least = nested.get("min_items") or 0
        most = nested.get("max_items") or (1 if nested["nesting_mode"] in ("single", "group")
                                           else 3)
        count = rng.randrange(least, most + 1)
        if name == "timeouts" and rng.random() < 0.7:
            return []
        if count and nested["nesting_mode"] in ("list", "set") and rng.random() < 0.2:
            return [f'{indent}dynamic "{name}" {{',
                    f"{indent}  for_each = {json.dumps(KEYS[:count])}",
                    f"{indent}  content {{",
                    *self.write(nested["block"], f"{path}.0", indent + "    "),
                    f"{indent}  }}", f"{indent}}}"]
        lines = []
        for index in range(count):
            label = f' "{KEYS[index % 3]}"' if nested["nesting_mode"] == "map" else ""
            lines += [f"{indent}{name}{label} {{",
                      *self.write(nested["block"], f"{path}.{index}", indent + "  "),
                      f"{indent}}}"]
        return lines


class Resources:
    """A configuration of resources, data sources, ephemeral resources and outputs in one module."""

    prefix = ""

    def __init__(self, rng, schemas, header):
        self.rng = rng
        self.schemas = schemas
        self.header = header
        self.names = 0
        self.extra = []
        self.turn = 0
        self.things = [self.make() for _ in range(rng.randrange(2, 6))]

    def make(self):
        rng = self.rng
        self.names += 1
        draw = rng.random()
        kind, types = "resource", self.schemas.resources
        if self.schemas.data and draw < 0.12:
            kind, types = "data", self.schemas.data
        elif self.schemas.ephemeral and draw < 0.2:
            kind, types = "ephemeral", self.schemas.ephemeral
        thing = Thing(rng, kind, f"r{self.names}")
        thing.label = thing.name  # of its objects, which keep it when the resource is renamed
        # Those that go wrong are rare, so that something is left to compare.
        rare = {name for name in types if name.endswith("_fault")}
        thing.type = rng.choice(sorted(rare if rare and rng.random() < 0.08 else set(types) - rare))
        thing.block = types[thing.type]
        return thing

    def repetition(self, thing):
        rng = thing.rng("repetition")
        draw = rng.random()
        if draw < 0.75 or thing.kind == "ephemeral":
            return None
        return rng.sample(KEYS, rng.randrange(4))

    def address(self, thing):
        mode = "" if thing.kind == "resource" else thing.kind + "."
        return f"{mode}{thing.type}.{thing.name}"

    def exports(self, thing):
        """What others can refer to."""
        keys = self.repetition(thing)
        if (keys is not None and not keys) or self.is_optional(thing):
            return []
        base = self.address(thing)
        if keys:
            base += f'["{sorted(keys)[0]}"]'
        word = "ephemeral " if thing.kind == "ephemeral" else ""
        return [Reference(f"{base}.{name}", word + attribute["type"])
                for name, attribute in sorted(thing.block.get("attributes", {}).items())
                if attribute.get("type") in ("string", "number", "bool")
                and not attribute.get("write_only")]

    def uses_alias(self, thing):
        """The first thing never does: what the aliased configurations say comes from there."""
        return thing is not self.things[0] and thing.rng("provider").random() < 0.2

    def provider_text(self, name, block, scope):
        """An aliased configuration, with something that only an apply may find out."""
        thing = Thing(random.Random(f"{name}:{self.turn}"), "provider", name)
        body = Body(thing, scope, False)
        lines = [f'provider "{name}" {{', '  alias = "other"']
        for attribute, one in sorted(block.get("attributes", {}).items()):
            if attribute in ("region", "zone") and one.get("type") == "string":
                lines.append(f"  {attribute} = {body.value(thing.rng(attribute), 'string', 1)}")
        return "\n".join(lines + ["}", ""])

    def is_optional(self, thing):
        """Whether it can be turned off."""
        return (thing.kind == "resource" and self.repetition(thing) is None
                and thing.rng("enabled").random() < 0.06)

    def earlier(self, thing):
        """The resources that it can depend on."""
        return [one for one in self.things[:self.things.index(thing)]
                if one.kind == "resource"] if thing in self.things else []

    def depends_on(self, thing):
        rng = thing.rng("depends_on")
        earlier = self.earlier(thing)
        if not earlier or rng.random() > (0.4 if thing.kind == "data" else 0.1):
            return []
        chosen = stable_choice(rng.randrange(1 << 30),
                               [Reference(self.address(one), "any") for one in earlier])
        return [f"  depends_on = [{chosen.text}]"]

    def text_of(self, thing, scope):
        keys = self.repetition(thing)
        lines = [f'{thing.kind} "{thing.type}" "{thing.name}" {{']
        if self.uses_alias(thing):
            lines.append(f"  provider = {provider_of(thing)}.other")
        if keys is not None:
            lines.append(f"  for_each = toset({json.dumps(sorted(keys))})")
            scope = scope + [Reference("each.key", "string")]
        lines += Body(thing, scope, keys is not None, self.prefix).write(thing.block)
        lines += self.depends_on(thing)
        lines += self.lifecycle(thing)
        return "\n".join(lines + ["}", ""])

    def lifecycle(self, thing):
        rng = thing.rng("lifecycle")
        inner = []
        if thing.kind == "resource":
            if rng.random() < 0.15:
                inner.append("create_before_destroy = true")
            names = [name for name, one in sorted(thing.block.get("attributes", {}).items())
                     if settable(one) and name not in ("id", "name") and not one.get("write_only")]
            if names and rng.random() < 0.2:
                inner.append(f"ignore_changes = [{', '.join(rng.sample(names, 1))}]")
            elif rng.random() < 0.04:
                inner.append("ignore_changes = all")
            if rng.random() < 0.04:
                inner.append("prevent_destroy = true")
            elif rng.random() < 0.04:
                inner.append("destroy = false")
            triggers = [one for one in self.earlier(thing) if self.repetition(one) is None
                        and not self.is_optional(one)]
            if triggers and rng.random() < 0.12:
                chosen = stable_choice(rng.randrange(1 << 30), [
                    Reference(self.address(one), "any") for one in triggers])
                inner.append(f"replace_triggered_by = [{chosen.text}{rng.choice(['', '.id'])}]")
        if self.is_optional(thing):
            inner.append(f"enabled = {thing.rng('enabled value').choice(['true', 'true', 'false'])}")
        if thing.kind != "ephemeral" and rng.random() < 0.08:
            inner += self.condition(thing, rng)
        if not inner:
            return []
        return ["  lifecycle {", *[f"    {line}" for line in inner], "  }"]

    def condition(self, thing, rng):
        """Most of them hold."""
        names = [name for name, one in sorted(thing.block.get("attributes", {}).items())
                 if one.get("type") == "string" and not one.get("write_only")]
        word = rng.choice(["precondition", "postcondition"])
        test = "var.secret != \"\""
        if word == "postcondition" and names:
            test = f'self.{rng.choice(names)} != "{rng.choice(["red", "never this"])}"'
        return [f"{word} {{", f"  condition     = {test}",
                '  error_message = "The condition does not hold."', "}"]

    def files(self):
        return {"main.tf": self.main_text()}

    def variables(self):
        return ('variable "secret" {\n  default   = "hidden"\n  sensitive = true\n}\n',
                [Reference("var.secret", "string")])

    def aliases(self):
        """The providers that have a second configuration."""
        return {provider_of(one) for one in self.things if self.uses_alias(one)}

    def main_text(self):
        variables, scope = self.variables()
        parts = [self.header, variables]
        for thing in self.things:
            parts.append(self.text_of(thing, scope))
            scope = scope + self.exports(thing)
        known = self.exports(self.things[0]) if self.things else []
        for name in sorted(self.aliases()):
            parts.append(self.provider_text(name, self.schemas.providers[name], known))
        for thing in self.things:
            if thing.kind in ("resource", "data") and thing.rng("output").random() < 0.25:
                parts.append(f'output "{thing.name}" {{\n  value     = {self.address(thing)}\n'
                             f"  sensitive = true\n}}\n")
        return "\n".join(parts + self.extra)

    def resources(self):
        """Addresses that a plan can be limited to."""
        return [self.address(thing) for thing in self.things if thing.kind == "resource"]

    def mutate(self):
        done = []
        self.turn += self.rng.random() < 0.3
        self.extra = [one for one in self.extra if self.rng.random() < 0.5]
        for _ in range(self.rng.randrange(1, 4)):
            action = self.rng.choice([self.change] * 6 + [self.change_repetition, self.add,
                                      self.remove, self.rename, self.change_lifecycle])
            done.append(action())
        return done

    def any_thing(self):
        return self.rng.choice(self.things) if self.things else None

    def change(self):
        thing = self.any_thing()
        if not thing or not thing.block:
            return "nothing"
        block = thing.block
        paths = [f".{name}" for name, one in sorted(block.get("attributes", {}).items())
                 if settable(one) and name != "name"]
        paths += [f".{name}" for name in sorted(block.get("block_types", {}))]
        paths += [f".{name}.0.{inner}" for name, nested in
                  sorted(block.get("block_types", {}).items())
                  for inner in sorted(nested["block"].get("attributes", {}))]
        path = self.rng.choice(paths or [".name"])
        thing.reroll(self.rng, path)
        return f"change {thing.name}{path}"

    def change_repetition(self):
        thing = self.any_thing()
        if thing:
            thing.reroll(self.rng, "repetition")
        return "change repetition"

    def change_lifecycle(self):
        thing = self.any_thing()
        if thing:
            thing.reroll(self.rng, "lifecycle")
        return "change lifecycle"

    def add(self):
        self.things.append(self.make())
        return "add"

    def remove(self):
        thing = self.any_thing()
        if thing:
            self.forget(thing)
            self.things.remove(thing)
            if thing.kind == "resource" and self.rng.random() < 0.3:
                self.extra.append(f"removed {{\n  from = {thing.type}.{thing.name}\n"
                                  f"  lifecycle {{\n    destroy = false\n  }}\n}}\n")
        return "remove"

    def forget(self, thing):
        """Called before a thing is removed."""

    def rename(self):
        thing = self.any_thing()
        if thing and thing.kind == "resource":
            self.names += 1
            before, thing.name = thing.name, f"r{self.names}"
            self.extra.append(f"moved {{\n  from = {thing.type}.{before}\n"
                              f"  to   = {thing.type}.{thing.name}\n}}\n")
        return "rename"

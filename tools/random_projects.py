"""Random projects over provider plugins: resources, and modules that hold some of them.

A module is called once, with count or with for_each; it gets references and provider
configurations from its caller and gives identities back. Objects that were left behind are
imported again; resources move into modules and modules get other names.
"""

import json

from random_configuration import Reference, Thing
from random_resources import KEYS, Body, Resources, provider_of


class Part(Resources):
    """What is in a module. The names of its objects begin with the key of its instance."""

    prefix = "${var.key}"

    def uses_alias(self, thing):
        return False

    def variables(self):
        text = ('variable "key" {\n  type = string\n}\n'
                'variable "text" {\n  type    = string\n  default = null\n}\n'
                'variable "amount" {\n  type    = number\n  default = 1\n}\n'
                'variable "secret" {\n  default   = "hidden"\n  sensitive = true\n}\n')
        return text, [Reference("var.text", "string"), Reference("var.amount", "number"),
                      Reference("var.secret", "string")]

    def main_text(self):
        identities = [one.text for thing in self.things for one in self.exports(thing)
                      if one.text.endswith(".id") and one.type == "string"]
        value = identities[0] if identities else "var.key"
        return super().main_text() + f'\noutput "identity" {{\n  value = {value}\n}}\n'


class Project(Resources):

    def __init__(self, rng, schemas, header):
        self.parts = {}  # by the folder of a module
        self.identities = {}  # of objects in the state, by address
        self.left_behind = []
        super().__init__(rng, schemas, header)

    def make(self):
        if self.names > 0 and self.rng.random() < 0.25:
            return self.make_call()
        return super().make()

    def make_call(self):
        self.names += 1
        thing = Thing(self.rng, "module", f"m{self.names}")
        thing.type, thing.block, thing.label = "module", None, thing.name
        thing.folder = f"parts/m{self.names}"
        self.parts[thing.folder] = Part(self.rng, self.schemas, self.header)
        return thing

    def address(self, thing):
        return f"module.{thing.name}" if thing.kind == "module" else super().address(thing)

    def calls(self):
        return [one for one in self.things if one.kind == "module"]

    def form(self, call):
        """How it is repeated: the argument, the key of an instance, how one is named."""
        rng = call.rng("repetition")
        draw = rng.random()
        if draw < 0.5:
            return [], f'"{call.label}"', [""]
        if draw < 0.75:
            count = rng.randrange(3)
            return ([f"  count = {count}"], f'"{call.label}${{count.index}}"',
                    [f"[{index}]" for index in range(count)])
        keys = sorted(rng.sample(KEYS, rng.randrange(4)))
        return ([f"  for_each = toset({json.dumps(keys)})"], f'"{call.label}${{each.key}}"',
                [f'["{key}"]' for key in keys])

    def repetition(self, thing):
        if thing.kind != "module":
            return super().repetition(thing)
        return None if self.form(thing)[2] == [""] else []

    def exports(self, thing):
        if thing.kind != "module":
            return super().exports(thing)
        return [Reference(f"module.{thing.name}{key}.identity", "string")
                for key in self.form(thing)[2][:1]]

    def passed(self, call):
        """The providers that its caller chooses for it."""
        inside = {provider_of(one) for one in self.parts[call.folder].things}
        rng = call.rng("providers")
        return sorted(name for name in inside if rng.random() < 0.25)

    def uses_alias(self, thing):
        return thing.kind != "module" and super().uses_alias(thing)

    def aliases(self):
        return super().aliases() | {name for call in self.calls() for name in self.passed(call)}

    def text_of(self, thing, scope):
        if thing.kind != "module":
            return super().text_of(thing, scope)
        repetition, key, _ = self.form(thing)
        lines = [f'module "{thing.name}" {{', f'  source = "./{thing.folder}"', *repetition,
                 f"  key = {key}"]
        body = Body(thing, scope, False)
        if thing.rng("text").random() < 0.6:
            lines.append(f"  text = {body.value(thing.rng('text value'), 'string', 1)}")
        if thing.rng("amount").random() < 0.4:
            lines.append(f"  amount = {body.value(thing.rng('amount value'), 'number', 1)}")
        passed = self.passed(thing)
        if passed:
            lines.append("  providers = {")
            lines += [f"    {name} = {name}.other" for name in passed]
            lines.append("  }")
        return "\n".join(lines + [*self.depends_on(thing), "}", ""])

    def files(self):
        files = super().files()
        for call in self.calls():
            files[f"{call.folder}/main.tf"] = self.parts[call.folder].main_text()
        return files

    def resources(self):
        found = [self.address(one) for one in self.things if one.kind in ("resource", "module")]
        for call in self.calls():
            found += [f"module.{call.name}{key}.{address}" for key in self.form(call)[2]
                      for address in self.parts[call.folder].resources()]
        return found

    def mutate(self):
        done = super().mutate()
        self.left_behind = [one for one in self.left_behind if one[1]]
        for part in self.parts.values():
            if self.rng.random() < 0.3:
                done.append(part.mutate())
        if self.rng.random() < 0.35:
            done.append(self.rng.choice([self.move_into, self.rename_call, self.import_again,
                                         self.change_call])())
        return done

    def rename(self):
        thing = self.any_thing()
        if thing and thing.kind == "module":
            return self.rename_call()
        return super().rename()

    def remove(self):
        calls = self.calls()
        if calls and self.rng.random() < 0.15:
            call = self.rng.choice(calls)
            self.things.remove(call)
            if self.rng.random() < 0.4:
                self.extra.append(f"removed {{\n  from = module.{call.name}\n  lifecycle {{\n"
                                  f"    destroy = {self.rng.choice(['true', 'false'])}\n  }}\n}}\n")
            return f"remove {call.name}"
        return super().remove()

    def any_thing(self):
        things = [one for one in self.things if one.kind != "module"]
        return self.rng.choice(things) if things else None

    def change_call(self):
        calls = self.calls()
        if not calls:
            return "nothing"
        call = self.rng.choice(calls)
        path = self.rng.choice(["repetition", "text", "text value", "amount value", "providers",
                                "depends_on"])
        call.reroll(self.rng, path)
        return f"change {call.name} {path}"

    def rename_call(self):
        calls = self.calls()
        if not calls:
            return "nothing"
        call = self.rng.choice(calls)
        self.names += 1
        before, call.name = call.name, f"m{self.names}"
        self.extra.append(f"moved {{\n  from = module.{before}\n  to   = module.{call.name}\n}}\n")
        return f"rename {before} to {call.name}"

    def move_into(self):
        """A resource goes into a module. Its object gets another name there."""
        calls = [call for call in self.calls() if self.form(call)[2] == [""]]
        things = [one for one in self.things[1:] if one.kind == "resource"]
        if not calls or not things:
            return "nothing"
        call, thing = self.rng.choice(calls), self.rng.choice(things)
        part = self.parts[call.folder]
        taken = {name for one in part.things for name in (one.name, one.label)}
        if thing.name in taken or thing.label in taken:
            return "nothing"
        self.extra.append(f"moved {{\n  from = {self.address(thing)}\n"
                          f"  to   = module.{call.name}.{self.address(thing)}\n}}\n")
        self.things.remove(thing)
        part.things.append(thing)
        return f"move {thing.name} into {call.name}"

    def forget(self, thing):
        if thing.kind == "resource" and self.repetition(thing) is None:
            self.left_behind.append((thing, self.identities.get(self.address(thing))))

    def import_again(self):
        """Something that was removed comes back, by the identity that its object had."""
        if not self.left_behind:
            return "nothing"
        thing, identity = self.left_behind.pop()
        if any(one.name == thing.name for one in self.things):
            return "nothing"
        self.things.append(thing)
        self.extra.append(f"import {{\n  to = {self.address(thing)}\n"
                          f"  id = {json.dumps(identity)}\n}}\n")
        return f"import {thing.name} again"

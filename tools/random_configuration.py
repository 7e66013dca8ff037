"""Random configurations over terraform_data, and small changes to them.

A configuration is a model: a list of modules, each a list of declared things that have a
number for every choice made about them. Writing the model as text is a function of these
numbers, so a mutation changes what it is about and nothing else: the text of an
expression stays the same for as long as the things that it names are there.
"""

import random
import zlib

TYPES = ["string", "number", "bool", "list", "map", "set", "object"]
TYPE_WORDS = {"string": "string", "number": "number", "bool": "bool", "list": "list(string)",
              "map": "map(string)", "set": "set(string)",
              "object": "object({ a = string, b = optional(number) })", "any": "any"}
WORDS = ["red", "green", "blue", "", "one two", "line\\nline\\n", "é", "{\\\"a\\\":1}"]
KEYS = ["a", "b", "c"]


class Reference:
    """Something that expressions can name."""

    def __init__(self, text, type_):
        self.text = text
        self.type = type_


def stable_choice(seed, candidates):
    """Chooses a reference. The choice stays while the chosen one is there."""
    return max(candidates, key=lambda one: zlib.crc32(f"{seed}:{one.text}".encode()))


class Expressions:
    """Makes expressions of a type out of what is in scope."""

    def __init__(self, scope):
        self.scope = scope

    def make(self, seed, type_, depth=0):
        rng = random.Random(seed)
        kind = rng.random()
        inner = rng.randrange(1 << 30)
        candidates = [one for one in self.scope if one.type == type_]
        if candidates and kind < 0.55:
            return stable_choice(inner, candidates).text
        if depth < 2 and kind < 0.8:
            return self.compound(rng, type_, depth + 1)
        return self.literal(rng, type_)

    def sub(self, rng, type_, depth):
        return self.make(rng.randrange(1 << 30), type_, depth)

    def literal(self, rng, type_):
        word = lambda: '"' + rng.choice(WORDS) + '"'
        if type_ == "string":
            return word()
        if type_ == "number":
            return str(rng.choice([0, 1, 2, 3, -1, 2.5, 100000000000000000000]))
        if type_ == "bool":
            return rng.choice(["true", "false"])
        if type_ == "list":
            return "[" + ", ".join(word() for _ in range(rng.randrange(3))) + "]"
        if type_ == "map":
            return "{ " + ", ".join(f"{key} = {word()}" for key in KEYS
                                    if rng.random() < 0.5) + " }"
        if type_ == "set":
            return 'toset(["' + '", "'.join(rng.sample(["red", "green", "blue"], 2)) + '"])'
        if type_ == "object":
            return f"{{ a = {word()}, b = {rng.randrange(3)} }}"
        return rng.choice(["null", word(), "[]", "{}"])

    def compound(self, rng, type_, depth):
        sub = lambda of: self.sub(rng, of, depth)
        forms = {
            "string": [lambda: f'"x-${{{sub("string")}}}"', lambda: f'upper({sub("string")})',
                       lambda: f'join("-", {sub("list")})', lambda: f'jsonencode({sub("object")})',
                       lambda: f'"${{{sub("number")}}}/${{{sub("bool")}}}"',
                       lambda: f'try({sub("map")}["a"], {sub("string")})',
                       lambda: f'coalesce({sub("string")}, "none")',
                       lambda: f'lookup({sub("map")}, "a", {sub("string")})',
                       lambda: f'format("%s:%v", {sub("string")}, {sub("number")})'],
            "number": [lambda: f'length({sub("list")})', lambda: f'({sub("number")} + 1)',
                       lambda: f'length({sub("map")})', lambda: f'max({sub("number")}, 2)',
                       lambda: f'length({sub("string")})'],
            "bool": [lambda: f'({sub("number")} > 1)', lambda: f'({sub("string")} == "red")',
                     lambda: f'!{sub("bool")}', lambda: f'({sub("bool")} && {sub("bool")})',
                     lambda: f'contains({sub("list")}, "red")', lambda: f'can({sub("map")}["a"])',
                     lambda: f'({sub("string")} != null)'],
            "list": [lambda: f'[{sub("string")}, {sub("string")}]',
                     lambda: f'[for one in {sub("list")} : upper(one)]',
                     lambda: f'concat({sub("list")}, {sub("list")})',
                     lambda: f'sort(keys({sub("map")}))', lambda: f'tolist({sub("set")})',
                     lambda: f'values({sub("map")})'],
            "map": [lambda: f'{{ a = {sub("string")}, b = {sub("string")} }}',
                    lambda: f'merge({sub("map")}, {{ c = {sub("string")} }})',
                    lambda: f'{{ for key, one in {sub("map")} : key => upper(one) }}',
                    lambda: f'tomap({{ a = {sub("string")} }})'],
            "set": [lambda: f'toset(["red", {sub("string")}])',
                    lambda: f'setunion({sub("set")}, ["blue"])'],
            "object": [lambda: f'{{ a = {sub("string")}, b = {sub("number")} }}',
                       lambda: f'({sub("bool")} ? {sub("object")} : {sub("object")})',
                       lambda: f'{{ a = {sub("string")}, b = null }}'],
            "any": [lambda: f'[{sub("string")}, {sub("number")}]', lambda: sub("object"),
                    lambda: f'sensitive({sub("string")})',
                    lambda: f'{{ a = sensitive({sub("string")}), b = {sub("list")} }}',
                    lambda: sub("set"), lambda: sub("map"), lambda: sub("list"),
                    lambda: f'[{{ a = {sub("string")} }}, {{ a = {sub("string")} }}]'],
        }
        options = forms[type_]
        if rng.random() < 0.15 and type_ != "any":
            first, second = sub(type_), sub(type_)
            return f'({sub("bool")} ? {first} : {second})'
        if rng.random() < 0.08 and type_ in ("string", "number", "list"):
            return f"sensitive({sub(type_)})"
        return rng.choice(options)()


class Thing:
    """One declared thing: what it is, its name, and the number its text is made of."""

    def __init__(self, rng, kind, name):
        self.kind = kind
        self.name = name
        self.seed = rng.randrange(1 << 30)
        self.choices = {}

    def rng(self, purpose):
        return random.Random(f"{self.choices.get(purpose, self.seed)}:{purpose}")

    def reroll(self, rng, purpose):
        self.choices[purpose] = rng.randrange(1 << 30)


class Module:
    """A folder of the configuration."""

    def __init__(self, folder):
        self.folder = folder
        self.things = []
        self.extra = []  # blocks that mutations added: moved, removed, import

    def of(self, *kinds):
        return [one for one in self.things if one.kind in kinds]


def attributes(pairs, indent="  "):
    return "".join(f"{indent}{name} = {text}\n" for name, text in pairs)


class Writer:
    """Writes one module as text, growing the scope thing by thing."""

    def __init__(self, configuration, module):
        self.configuration = configuration
        self.module = module
        self.expressions = Expressions([])
        self.addresses = []  # of resources: (address without keys, repetition)

    @property
    def scope(self):
        return self.expressions.scope

    def write(self):
        parts = [getattr(self, "write_" + thing.kind)(thing) for thing in self.module.things]
        return "\n".join(parts + self.module.extra)

    def expression(self, thing, purpose, type_):
        return self.expressions.make(thing.rng(purpose).randrange(1 << 30), type_)

    def condition(self, seed):
        """Conditions have to name something."""
        return f'{self.expressions.make(seed, "bool")} || path.module == "none"'

    def write_variable(self, thing):
        rng = thing.rng("shape")
        type_ = rng.choice(TYPES)
        lines = []
        if rng.random() < 0.8:
            lines.append(("type", TYPE_WORDS[type_]))
        ephemeral = False
        is_root = self.module.folder == "."
        if is_root or rng.random() < 0.3:
            # A default cannot call a function, and a list converts to a set.
            plain = "list" if type_ == "set" else type_
            lines.append(("default", Expressions([]).literal(thing.rng("default"), plain)))
        for name, chance in (("sensitive", 0.15), ("nullable", 0.1)):
            if rng.random() < chance:
                lines.append((name, "true" if name == "sensitive" else "false"))
        if rng.random() < 0.04:
            ephemeral = True
            lines.append(("ephemeral", "true"))
        if rng.random() < 0.05:
            lines.append(("deprecated", '"use another"'))
        text = attributes(lines)
        if rng.random() < 0.15:
            text += ("  validation {\n"
                     f"    condition     = can(var.{thing.name}) && {rng.choice(['true', 'length(jsonencode(var.' + thing.name + ')) < 60'])}\n"
                     '    error_message = "Too long."\n  }\n')
        thing.type = type_
        if not ephemeral:
            self.scope.append(Reference(f"var.{thing.name}", type_))
        return f'variable "{thing.name}" {{\n{text}}}\n'

    def write_local(self, thing):
        type_ = thing.rng("shape").choice(TYPES + ["any"])
        text = self.expression(thing, "value", type_)
        self.scope.append(Reference(f"local.{thing.name}", type_))
        return f"locals {{\n  {thing.name} = {text}\n}}\n"

    def repetition(self, thing):
        """The repetition of a resource or call: its form, and its lines."""
        rng = thing.rng("repetition")
        form = rng.choices(["one", "count", "for_each", "enabled"], [5, 2, 2, 1])[0]
        if form == "one":
            return form, "", ""
        if form == "count":
            number = rng.choice(["0", "1", "2", "3"])
            return form, f"  count = {number}\n", ""
        if form == "for_each":
            over = rng.choice(['toset(["a", "b"])', '{ a = "x", c = "y" }', 'toset(["a"])',
                               '{ for key in ["a", "b", "c"] : key => "v-${key}" }', "{}"])
            return form, f"  for_each = {over}\n", ""
        return form, "", f"    enabled = {rng.choice(['true', 'true', 'false'])}\n"

    def export(self, base, form, attribute, type_):
        """Puts the ways to name an attribute of a repeated thing in scope."""
        if form == "one":
            self.scope.append(Reference(f"{base}.{attribute}", type_))
        elif form == "enabled":
            self.scope.append(Reference(f"try({base}.{attribute}, null)", type_))
        elif form == "count":
            if type_ == "string":
                self.scope.append(Reference(f"{base}[*].{attribute}", "list"))
            self.scope.append(Reference(f"try({base}[0].{attribute}, null)", type_))
        else:
            if type_ == "string":
                self.scope.append(
                    Reference(f"{{ for key, one in {base} : key => one.{attribute} }}", "map"))
            self.scope.append(Reference(f'try({base}["a"].{attribute}, null)', type_))

    def inside(self, form):
        """What can be named inside a repeated block."""
        return {"one": [], "enabled": [], "count": [Reference("count.index", "number")],
                "for_each": [Reference("each.key", "string"),
                             Reference("each.value", "string")]}[form]

    def conditions(self, thing, indent="    "):
        text = ""
        for name in ("precondition", "postcondition"):
            rng = thing.rng(name)
            if rng.random() > 0.08:
                continue
            condition = self.condition(rng.randrange(1 << 30))
            if name == "postcondition" and rng.random() < 0.5:
                condition = f"self.id != null || {condition}"
            if rng.random() < 0.7:
                condition = f"{condition} || true"
            text += (f"{indent}{name} {{\n{indent}  condition     = {condition}\n"
                     f'{indent}  error_message = "Not so."\n{indent}}}\n')
        return text

    def lifecycle(self, thing):
        rng = thing.rng("lifecycle")
        text = ""
        if rng.random() < 0.2:
            text += f"    create_before_destroy = {rng.choice(['true', 'false'])}\n"
        if rng.random() < 0.12:
            text += f"    ignore_changes = {rng.choice(['[input]', 'all', '[triggers_replace]'])}\n"
        if rng.random() < 0.03:
            text += "    prevent_destroy = true\n"
        if rng.random() < 0.05:
            text += "    destroy = false\n"
        if rng.random() < 0.15 and self.addresses:
            address, form = self.addresses[rng.randrange(len(self.addresses))]
            key = {"count": "[0]", "for_each": '["a"]'}.get(form, "")
            text += ("    replace_triggered_by = ["
                     f"{address}{rng.choice(['', '', key])}"
                     f"{rng.choice(['', '.output', '.id']) if form == 'one' else ''}]\n")
        return text

    def write_resource(self, thing):
        form, line, in_lifecycle = self.repetition(thing)
        rng = thing.rng("shape")
        input_type = rng.choice(TYPES + ["any", "any", "string", "string"])
        outside = list(self.scope)
        self.scope.extend(self.inside(form))
        pairs = []
        if rng.random() < 0.9:
            pairs.append(("input", self.expression(thing, "input", input_type)))
        triggers = rng.random() < 0.3
        trigger_type = rng.choice(["string", "string", "list", "object", "any"])
        if triggers:
            pairs.append(("triggers_replace", self.expression(thing, "triggers", trigger_type)))
        inner = in_lifecycle + self.lifecycle(thing) + self.conditions(thing)
        self.expressions.scope = outside
        base = f"terraform_data.{thing.name}"
        if rng.random() < 0.1 and self.addresses:
            name = self.addresses[rng.randrange(len(self.addresses))][0]
            pairs.append(("depends_on", f"[{name}]"))
        self.addresses.append((base, form))
        if pairs and pairs[0][0] == "input":
            self.export(base, form, "output", input_type)
            self.export(base, form, "input", input_type)
        self.export(base, form, "id", "string")
        lifecycle = f"  lifecycle {{\n{inner}  }}\n" if inner else ""
        return f'resource "terraform_data" "{thing.name}" {{\n{line}{attributes(pairs)}{lifecycle}}}\n'

    def write_data(self, thing):
        rng = thing.rng("shape")
        path = rng.choice(["remote.tfstate", "remote.tfstate", "other.tfstate"])
        lines = ['  backend = "local"\n', f'  config = {{ path = "${{path.root}}/{path}" }}\n']
        if rng.random() < 0.4:
            default = self.expression(thing, "defaults", "string")
            lines.append(f"  defaults = {{ extra = {default} }}\n")
        if rng.random() < 0.2 and self.addresses:
            lines.append(f"  depends_on = [{self.addresses[0][0]}]\n")
        base = f"data.terraform_remote_state.{thing.name}.outputs"
        self.scope.append(Reference(f"{base}.text", "string"))
        self.scope.append(Reference(f"{base}.items", "list"))
        self.scope.append(Reference(f"try({base}.extra, null)", "string"))
        body = "".join(lines)
        return f'data "terraform_remote_state" "{thing.name}" {{\n{body}}}\n'

    def write_call(self, thing):
        target = self.configuration.modules[thing.target]
        form, line, in_lifecycle = self.repetition(thing)
        outside = list(self.scope)
        self.scope.extend(self.inside(form))
        pairs = []
        for variable in target.of("variable"):
            if thing.rng("gives" + variable.name).random() < 0.85 or \
                    not self.configuration.has_default(target, variable):
                pairs.append((variable.name,
                              self.expression(thing, "argument" + variable.name, variable.type)))
        rng = thing.rng("shape")
        if rng.random() < 0.1 and self.addresses:
            pairs.append(("depends_on", f"[{self.addresses[0][0]}]"))
        self.expressions.scope = outside
        source = "./" + target.folder if self.module.folder == "." else "../" + target.folder
        lifecycle = f"  lifecycle {{\n{in_lifecycle}  }}\n" if in_lifecycle else ""
        for output in target.of("output"):
            if output.is_usable:
                self.export(f"module.{thing.name}", form, output.name, output.type)
        return (f'module "{thing.name}" {{\n  source = "{source}"\n{line}'
                f"{attributes(pairs)}{lifecycle}}}\n")

    def write_output(self, thing):
        rng = thing.rng("shape")
        type_ = rng.choice(TYPES + ["any"])
        value = self.expression(thing, "value", type_)
        if rng.random() < 0.12 and self.addresses:
            value = self.addresses[rng.randrange(len(self.addresses))][0]
            type_ = "whole"
        pairs = [("value", value)]
        is_root = self.module.folder == "."
        # Values that turn out sensitive need the word in the root module.
        if is_root and rng.random() < 0.75:
            pairs.append(("sensitive", "true"))
        elif is_root:
            pairs[0] = ("value", f"nonsensitive({value})" if rng.random() < 0.3
                        else f"try(nonsensitive({value}), {value})")
        elif rng.random() < 0.1:
            pairs.append(("sensitive", "true"))
        thing.type = type_
        thing.is_usable = type_ != "whole"
        if rng.random() < 0.05:
            pairs.append(("deprecated", '"use another output"'))
        text = attributes(pairs)
        if rng.random() < 0.08:
            condition = self.condition(rng.randrange(1 << 30))
            text += (f"  precondition {{\n    condition     = {condition} || true\n"
                     '    error_message = "Not so."\n  }\n')
        return f'output "{thing.name}" {{\n{text}}}\n'

    def write_check(self, thing):
        rng = thing.rng("shape")
        condition = self.condition(thing.rng("condition").randrange(1 << 30))
        data = ""
        if rng.random() < 0.2:
            data = ('  data "terraform_remote_state" "in_%s" {\n    backend = "local"\n'
                    '    config = { path = "%s" }\n  }\n'
                    % (thing.name, rng.choice(["remote.tfstate", "none.tfstate"])))
        return (f'check "{thing.name}" {{\n{data}  assert {{\n    condition     = {condition}\n'
                '    error_message = "The check failed."\n  }\n}\n')


class Configuration:
    """The whole: a root module and those that it calls."""

    def __init__(self, rng):
        self.rng = rng
        self.names = 0
        self.modules = []
        count = rng.choice([0, 0, 1, 1, 2])
        # Modules are written before those that call them.
        for index in range(count):
            self.modules.append(self.make_module(f"m{index}", range(index)))
        self.modules.append(self.make_module(".", range(count)))

    @property
    def root(self):
        return self.modules[-1]

    def new_name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def make_thing(self, kind):
        return Thing(self.rng, kind, self.new_name(kind[0]))

    def make_module(self, folder, callable_modules):
        rng = self.rng
        module = Module(folder)
        module.things = [self.make_thing("variable") for _ in range(rng.randrange(4))]
        for _ in range(rng.randrange(2, 7)):
            module.things.append(self.make_thing(rng.choice(["resource", "resource", "local"])))
        for target in callable_modules:
            if rng.random() < 0.8:
                call = self.make_thing("call")
                call.target = target
                module.things.insert(rng.randrange(len(module.of("variable")),
                                                   len(module.things) + 1), call)
        if rng.random() < 0.15:
            module.things.insert(len(module.of("variable")), self.make_thing("data"))
        for _ in range(rng.randrange(3)):
            module.things.append(self.make_thing("output"))
        if rng.random() < 0.25:
            module.things.append(self.make_thing("check"))
        return module

    def has_default(self, module, variable):
        return module.folder == "." or "default" in self.text_of(module, variable)

    def text_of(self, module, variable):
        return Writer(self, module).write_variable(variable)

    def files(self):
        """The files of the configuration, {path: text}."""
        found = {}
        for module in self.modules:
            path = "main.tf" if module.folder == "." else f"{module.folder}/main.tf"
            found[path] = Writer(self, module).write()
        return found

    def resources(self):
        """Addresses of resources and calls in the root and below, for options."""
        found = []

        def walk(module, prefix):
            for thing in module.things:
                if thing.kind == "resource":
                    found.append(f"{prefix}terraform_data.{thing.name}")
                elif thing.kind == "call":
                    found.append(f"{prefix}module.{thing.name}")
                    walk(self.modules[thing.target], f"{prefix}module.{thing.name}.")

        walk(self.root, "")
        return found

    def mutate(self):
        """Changes the configuration a little, in place. Gives what was done, for people."""
        done = []
        for module in self.modules:
            module.extra = [one for one in module.extra if self.rng.random() < 0.5]
        for _ in range(self.rng.randrange(1, 4)):
            module = self.rng.choice(self.modules)
            action = self.rng.choice([self.change_expression] * 4 + [self.change_repetition] * 2 +
                                     [self.change_lifecycle, self.add, self.remove, self.rename,
                                      self.rename, self.import_one, self.rename_call,
                                      self.change_key])
            done.append(f"{action.__name__} in {module.folder}")
            action(module)
        return done

    def change_expression(self, module):
        purposes = ["input", "triggers", "value", "default", "condition"]
        for thing in self.rng.sample(module.things, min(2, len(module.things))):
            thing.reroll(self.rng, self.rng.choice(purposes))

    def change_repetition(self, module):
        things = module.of("resource", "call")
        if things:
            self.rng.choice(things).reroll(self.rng, "repetition")

    def change_lifecycle(self, module):
        things = module.of("resource")
        if things:
            self.rng.choice(things).reroll(self.rng, "lifecycle")

    def add(self, module):
        kind = self.rng.choice(["resource", "local", "output"])
        at = self.rng.randrange(len(module.of("variable")), len(module.things) + 1)
        module.things.insert(at, self.make_thing(kind))

    def remove(self, module):
        things = module.of("resource", "output", "local")
        if not things:
            return
        thing = self.rng.choice(things)
        module.things.remove(thing)
        if thing.kind == "resource" and self.rng.random() < 0.5:
            destroy = self.rng.choice(["true", "false", None])
            inner = f"  lifecycle {{\n    destroy = {destroy}\n  }}\n" if destroy else ""
            module.extra.append(
                f"removed {{\n  from = terraform_data.{thing.name}\n{inner}}}\n")

    def moved(self, module, before, after):
        module.extra.append(f"moved {{\n  from = {before}\n  to   = {after}\n}}\n")

    def rename(self, module):
        things = module.of("resource")
        if not things:
            return
        thing = self.rng.choice(things)
        old, thing.name = thing.name, self.new_name("r")
        if self.rng.random() < 0.85:
            self.moved(module, f"terraform_data.{old}", f"terraform_data.{thing.name}")

    def rename_call(self, module):
        things = module.of("call")
        if not things:
            return
        thing = self.rng.choice(things)
        old, thing.name = thing.name, self.new_name("c")
        self.moved(module, f"module.{old}", f"module.{thing.name}")

    def change_key(self, module):
        things = module.of("resource", "call")
        if not things:
            return
        thing = self.rng.choice(things)
        thing.reroll(self.rng, "repetition")
        base = f"terraform_data.{thing.name}" if thing.kind == "resource" \
            else f"module.{thing.name}"
        keys = ["", "[0]", "[1]", '["a"]', '["b"]']
        before, after = self.rng.sample(keys, 2)
        self.moved(module, base + before, base + after)

    def import_one(self, module):
        if module.folder != ".":
            return
        thing = self.make_thing("resource")
        module.things.append(thing)
        form, _, _ = Writer(self, module).repetition(thing)
        key = {"count": "[0]", "for_each": '["a"]'}.get(form, "")
        module.extra.append(f"import {{\n  to = terraform_data.{thing.name}{key}\n"
                            f'  id = "imported-{thing.name}"\n}}\n')

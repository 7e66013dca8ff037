#!/usr/bin/env python3
"""Writes a tree of configuration files for the benches.

The files look like what people write: resources with nested blocks, variables,
outputs, locals with comprehensions, templates, heredocs, comments of all kinds.
They are valid but badly laid out, so that formatting has work to do on most
lines, and dense: seven times as many templates and ten times as many numbers as in
published modules. Plain trees have these in the usual measure, laid out as `fmt` does.
The same size and seed give the same bytes on every machine.
"""

import argparse
import pathlib
import random

KINDS = ["aws_instance", "aws_subnet", "aws_security_group", "aws_iam_role", "aws_s3_bucket",
         "google_compute_instance", "google_project_iam_member", "azurerm_virtual_network",
         "kubernetes_deployment", "random_id", "null_resource"]
NOUNS = ["web", "worker", "database", "cache", "queue", "gateway", "bastion", "metrics", "backup",
         "frontend", "search", "mail", "billing", "audit", "registry", "proxy"]
FIELDS = ["name", "description", "region", "zone", "size", "instance_type", "subnet_id", "enabled",
          "capacity", "retention_in_days", "engine_version", "labels", "owner", "endpoint", "path"]
BLOCKS = ["ingress", "egress", "lifecycle", "timeouts", "network_interface", "metadata", "rule"]
TYPES = ["string", "number", "bool", "list(string)", "map(string)", "set(number)",
         "object({ name = string, ports = optional(list(number), []) })", "any"]
COMMENTS = ["keep in step with the other region", "see the runbook before changing this",
            "owned by the platform team", "must be unique per account", "grew out of an incident"]


class Writer:
    """Makes up one file. Every choice comes from one random source."""

    SIZES = [2_000, 8_000, 20_000, 60_000]

    def __init__(self, source):
        self.pick = source.choice
        self.chance = lambda share: source.random() < share
        self.number = source.randint
        self.lines = []
        self.used = [set()]  # names set so far in each open body: each may be set once

    def fresh_name(self):
        name = self.pick(FIELDS)
        if name in self.used[-1]:
            name = f"{name}_{len(self.used[-1])}"
        self.used[-1].add(name)
        return name

    def gap(self):
        return self.pick(["", " ", " ", " ", "  ", "    "])

    def put(self, depth, text):
        indent = "  " * depth if self.chance(0.6) else " " * self.number(0, 9)
        self.lines.append(indent + text + ("  " if self.chance(0.05) else ""))

    def noun(self):
        return f"{self.pick(NOUNS)}_{self.number(1, 99)}"

    def reference(self):
        return self.pick([
            f"var.{self.noun()}", f"local.{self.noun()}", f"each.value.{self.pick(FIELDS)}",
            f"{self.pick(KINDS)}.{self.noun()}.{self.pick(FIELDS)}",
            f"module.{self.noun()}.{self.pick(FIELDS)}[{self.number(0, 3)}]",
            f"data.{self.pick(KINDS)}.{self.noun()}[*].id", "count.index", "path.module",
        ])

    def text(self):
        noun, number = self.noun(), self.number(1, 9999)
        return self.pick([
            f'"{noun}"', f'"{noun}-{number}"', f'"arn:aws:iam::{number:012}:role/{noun}"',
            f'"${{{self.reference()}}}-{noun}"', f'"10.{number % 256}.0.0/16"',
            f'"${{ {self.reference()} }}/%{{ if {self.reference()} }}a%{{ else }}b%{{ endif }}"',
        ])

    def expression(self, depth=0):
        comma = "," + self.gap()
        simple = [self.text, self.text, self.reference, lambda: str(self.number(0, 65535)),
                  lambda: self.pick(["true", "false", "null", "0.25", "1e6"])]
        if depth > 1 or self.chance(0.6):
            return self.pick(simple)()

        def inner():
            return self.expression(depth + 1)

        return self.pick([
            lambda: "[" + comma.join(inner() for _ in range(self.number(0, 4))) + "]",
            lambda: "{" + self.gap() + ", ".join(
                f"{self.pick(FIELDS)}{self.gap()}={self.gap()}{inner()}" for _ in range(2)) + " }",
            lambda: f"{inner()}{self.gap()}=={self.gap()}{inner()} ? {inner()}:{inner()}",
            lambda: f"[for item in {self.reference()}:{self.gap()}upper( item ) if item!=\"\"]",
            lambda: f"{{for key,value in {self.reference()} : key=>value...}}",
            lambda: f"{self.pick(['merge', 'concat', 'coalesce', 'format', 'lookup', 'join'])}"
                    f"({self.gap()}{inner()}{comma}{inner()})",
            lambda: f"({self.number(1, 9)}+{self.reference()}*{self.number(1, 9)})%{self.number(2, 9)}",
            lambda: f"!{self.reference()}&&{self.reference()}>={self.number(0, 99)}",
            lambda: f"try({self.reference()}{comma}{inner()})",
        ])()

    def comment(self, depth):
        text = self.pick(COMMENTS)
        self.put(depth, self.pick([f"# {text}", f"#{text}", f"// {text}", f"/* {text} */"]))

    def attribute(self, depth, name=None, value=None):
        value = self.expression() if value is None else value
        end = self.gap() + "# " + self.pick(COMMENTS) if self.chance(0.08) else ""
        self.put(depth, f"{name or self.fresh_name()}{self.gap()}={self.gap()}{value}{end}")

    def long_value(self, depth):
        """An attribute over several lines: a list, a map, a heredoc or a call."""
        name = self.fresh_name()
        form = self.number(0, 3)
        if form == 0:
            self.put(depth, f"{name}{self.gap()}= [")
            for _ in range(self.number(2, 8)):
                self.put(depth + 1, self.expression(2) + ",")
            self.put(depth, "]")
        elif form == 1:
            self.put(depth, f"{name} ={self.gap()}{{")
            for _ in range(self.number(2, 8)):
                key = self.pick([self.pick(FIELDS), f'"{self.noun()}"', f"({self.reference()})"])
                self.attribute(depth + 1, key, self.expression(2))
            self.put(depth, "}")
        elif form == 2:
            # No blanks may follow the word that opens a heredoc.
            self.lines.append("  " * depth + f"{name}{self.gap()}=<<-EOT")
            for _ in range(self.number(2, 8)):
                self.lines.append("    " * depth + f"export {self.noun().upper()}=${{{self.reference()}}}")
            self.lines.append("  " * depth + "EOT")
        else:
            self.put(depth, f"{name} = jsonencode({{")
            for _ in range(self.number(1, 5)):
                self.attribute(depth + 1, self.pick(FIELDS), self.expression(2))
            self.put(depth, "})")

    def body(self, depth, attributes):
        self.used.append(set())
        for _ in range(attributes):
            if self.chance(0.06):
                self.comment(depth)
            if self.chance(0.12):
                self.long_value(depth)
            else:
                self.attribute(depth)
            if self.chance(0.08):
                self.lines.append("")
        while depth < 4 and self.chance(0.35):
            dynamic = self.chance(0.2)
            name = self.pick(BLOCKS)
            self.put(depth, f'dynamic "{name}"{self.gap()}{{' if dynamic else f"{name}{self.gap()}{{")
            if dynamic:
                self.attribute(depth + 1, "for_each", self.reference())
                self.put(depth + 1, "content {")
                self.body(depth + 2, self.number(1, 4))
                self.put(depth + 1, "}")
            else:
                self.body(depth + 1, self.number(1, 5))
            self.put(depth, "}")
        self.used.pop()

    def top(self):
        """One block of a file."""
        form = self.number(0, 9)
        if form < 5:
            head = f'resource "{self.pick(KINDS)}" "{self.noun()}"'
        elif form == 5:
            head = f'data "{self.pick(KINDS)}" {self.noun()}'
        elif form == 6:
            head = f'module "{self.noun()}"'
        elif form == 7:
            head = "locals"
        else:
            self.put(0, f'{self.pick(["variable", "output"])}   "{self.noun()}" {{')
            self.attribute(1, "type" if form == 8 else "value", self.pick(TYPES) if form == 8 else None)
            self.attribute(1, "description", self.text())
            self.put(0, "}")
            return
        self.put(0, head + " {")
        self.body(1, self.number(3, 14))
        self.put(0, "}")

    def file(self, size):
        """Text of about `size` characters."""
        written = 0
        done = 0
        while written < size:
            if self.chance(0.2):
                self.comment(0)
            self.top()
            self.lines += [""] * self.number(0, 2)
            written += sum(len(line) + 1 for line in self.lines[done:])
            done = len(self.lines)
        return "\n".join(self.lines) + "\n"


class PlainWriter(Writer):
    """Makes up a file in the measure of public modules: of 1,000 modules of four large projects
    (4 MB), 6.9 bytes a token, 50 names, 6 strings and half a template per 1,000 bytes."""

    SIZES = [1_000, 4_000, 12_000]
    SENTENCE = ("A map of settings that are added to every resource of this module, in addition to "
                "those of the provider. The key is the name as the service knows it")

    def gap(self):
        return " "

    def put(self, depth, text):
        self.lines.append("  " * depth + text)

    def noun(self):
        return f"{self.pick(NOUNS)}_{self.pick(FIELDS)}"

    def text(self):
        words = self.SENTENCE.split()
        first = self.number(0, len(words) - 4)
        return self.pick([
            f'"{self.noun()}"', f'"{self.noun()}"', f'"{self.noun()}"', f'"roles/{self.noun()}"',
            f'"{" ".join(words[first:first + self.number(3, 20)])}."',
            f'"${{{self.reference()}}}-{self.noun()}"'])

    def expression(self, depth=0):
        if depth <= 1 and self.chance(0.06):
            return super().expression(depth)
        if depth <= 1 and self.chance(0.35):
            name = self.pick(["try", "lookup", "coalesce", "merge", "length"])
            return f"{name}({self.reference()}, {self.expression(2)})"
        return self.pick([self.text, self.text, *[self.reference] * 5,
                          lambda: self.pick(["null", "true", "false", "null", "{}", "[]", "1"])])()

    def attribute(self, depth, name=None, value=None):
        value = self.expression() if value is None else value
        self.put(depth, f"{name or self.fresh_name():<{self.pick([8, 16, 24])}} = {value}")

    def long_value(self, depth):
        name = self.fresh_name()
        self.put(depth, f"{name} = {{")
        for _ in range(self.number(2, 8)):
            self.attribute(depth + 1, self.pick(FIELDS), self.expression(2))
        self.put(depth, "}")

    def file(self, size):
        head = ["/**", *(f" * {self.SENTENCE}." for _ in range(5)), " */", ""]
        return "\n".join(head) + "\n" + super().file(size)


def flat_configuration(folder, blocks):
    """One file of resource blocks, each of which refers to a variable and to the one before."""
    folder.mkdir(parents=True)
    parts = ['variable "name" {\n  type = string\n}\n']
    for number in range(blocks):
        before = f"terraform_data.r{number - 1}.id" if number else "var.name"
        parts.append(f'resource "terraform_data" "r{number}" {{\n  input = {{\n'
                     f'    name   = "${{var.name}}-{number}"\n    before = {before}\n  }}\n}}\n')
    (folder / "main.tf").write_text("".join(parts))


def calling_configuration(folder, calls):
    """Calls of one small module, most of which take something from the one before."""
    (folder / "part").mkdir(parents=True)
    (folder / "part" / "main.tf").write_text(
        'variable "name" {\n  type = string\n}\n'
        'locals {\n  upper = upper(var.name)\n}\n'
        'resource "terraform_data" "first" {\n  input = local.upper\n}\n'
        'resource "terraform_data" "second" {\n  input = terraform_data.first.id\n}\n'
        'output "id" {\n  value = terraform_data.second.id\n}\n')
    parts = []
    for number in range(calls):
        name = f"module.m{number - 1}.id" if number % 10 else '"start"'
        parts.append(f'module "m{number}" {{\n  source = "./part"\n  name   = {name}\n}}\n')
    (folder / "main.tf").write_text("".join(parts))


def generate(folder, megabytes, seed=1, writer=Writer):
    """Fills `folder`; gives the number of files and of bytes."""
    source = random.Random(seed)
    files = total = 0
    while total < megabytes * 1_000_000:
        module = pathlib.Path(folder, f"module_{files // 4:04}")
        module.mkdir(parents=True, exist_ok=True)
        text = writer(source).file(source.choice(writer.SIZES))
        name = ["main", "network", "storage", "outputs"][files % 4]
        (module / f"{name}.tf").write_text(text)
        files += 1
        total += len(text)
    return files, total


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="in the measure of public modules")
    parser.add_argument("folder")
    options = parser.parse_args()
    print("%d files, %d bytes" % generate(options.folder, options.megabytes, options.seed,
                                          PlainWriter if options.plain else Writer))

"""Benches of plan, apply and destroy: configurations on the built-in provider."""

import dataclasses
import pathlib
import shutil
import sys


@dataclasses.dataclass
class Scenario:
    name: str
    files: dict  # path -> text
    # At least so many times as fast as OpenTofu, by step.
    faster: dict = dataclasses.field(default_factory=dict)


def keys(count):
    """The local value `keys`, a set of `count` strings: a multiple of 1,000, or less than that,
    because range() gives 1,024 numbers at most."""
    return (f'locals {{\n  keys = toset(flatten([for i in range({max(count // 1000, 1)}) : '
            f'[for j in range({min(count, 1000)}) : "k${{i * 1000 + j}}"]]))\n}}\n')


def for_each(count):
    return keys(count) + ('resource "terraform_data" "a" {\n  for_each = local.keys\n'
                          '  input    = each.key\n}\n')


def flat(blocks):
    return "".join(f'resource "terraform_data" "r{number}" {{\n  input = "value {number}"\n}}\n'
                   for number in range(blocks))


def named(count):
    """Locals that build on each other, and an output of each."""
    parts = ['resource "terraform_data" "seed" {\n  input = "seed"\n}\n',
             "locals {\n  l0 = terraform_data.seed.input\n"]
    # Chains of ten: a value that grows with every local would measure something else.
    parts += [f'  l{number} = "${{local.l{number - 1 if number % 10 else 0}}}-{number % 10}"\n'
              for number in range(1, count)]
    parts.append("}\n")
    parts += [f'output "o{number}" {{\n  value = local.l{number}\n}}\n' for number in range(count)]
    return "".join(parts)


PART = ('variable "name" {\n  type = string\n}\n'
        'resource "terraform_data" "a" {\n  input = upper(var.name)\n}\n'
        'output "id" {\n  value = terraform_data.a.id\n}\n')

SCENARIOS = [
    Scenario("for_each × 1,000", {"main.tf": for_each(1000)}),
    Scenario("for_each × 3,000", {"main.tf": for_each(3000)}, {"plan": 300}),
    Scenario("1,000 blocks", {"main.tf": flat(1000)}, {"plan": 60, "apply": 20, "destroy": 20}),
    Scenario("for_each × 500, chained", {"main.tf": for_each(500) + (
        'resource "terraform_data" "b" {\n  for_each = terraform_data.a\n'
        '  input    = terraform_data.a[each.key].id\n}\n')}),
    Scenario("500 module calls", {
        "part/main.tf": PART,
        "main.tf": "".join(f'module "m{n}" {{\n  source = "./part"\n  name   = "n{n}"\n}}\n'
                           for n in range(500))}),
    Scenario("one module × 2,000", {
        "part/main.tf": PART,
        "main.tf": keys(2000) + 'module "m" {\n  source   = "./part"\n'
                   '  for_each = local.keys\n  name     = each.key\n}\n'}),
    Scenario("3,000 locals and outputs", {"main.tf": named(3000)}),
    Scenario("1,000 values of 700 KB", {"main.tf": (
        'locals {\n  text = join("", [for i in range(700) : join("", [for j in range(100) : "0123456789"])])\n}\n'
        'resource "terraform_data" "a" {\n  count = 1000\n'
        '  input = "${count.index}${local.text}"\n}\n')}),
]

# Of every program; fewer of one that has used up the budget of seconds.
ROUNDS = 5

STEPS = [
    ("plan", ["plan", "-out=saved.plan"]),
    ("apply", ["apply", "saved.plan"]),
    ("plan again", ["plan", "-detailed-exitcode"]),
    ("show -json", ["show", "-json"]),
    ("destroy", ["destroy", "-auto-approve"]),
]


def write(folder, files):
    for name, text in files.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Sequence:
    """Every step of a scenario for one program after the other; a program that was stopped in one
    step is not asked for the ones that build on it."""

    def __init__(self, bench, scenario):
        self.bench, self.scenario = bench, scenario
        self.costs = {step: {} for step, _ in STEPS}

    def run(self, program, path):
        """All steps once; how many seconds they took, or none if one was not done."""
        seconds = 0
        folder = self.bench.folder / "running"
        shutil.rmtree(folder, ignore_errors=True)
        write(folder, self.scenario.files)
        self.bench.run(path, ["init", "-backend=false"], cwd=folder)
        for step, arguments in STEPS:
            cost = self.bench.run(path, arguments, cwd=folder)
            self.keep(step, program, dataclasses.replace(cost, output=b""))
            print(f"  {step}: {cost.seconds:.3f} s, {cost.megabytes:.0f} MB", file=sys.stderr)
            seconds += cost.seconds
            if cost.status or cost.cut_off:
                seconds = None
                break
        shutil.rmtree(folder, ignore_errors=True)
        return seconds

    def keep(self, step, program, cost):
        known = self.costs[step].get(program)
        if not known or cost.seconds < known.seconds:
            self.costs[step][program] = cost


def compare(bench, bar, scenario):
    sequence = Sequence(bench, scenario)
    # In turn: the machine may get faster or slower meanwhile, and then does so for all.
    left = {program: bench.options.budget for program in bench.programs}
    for _ in range(ROUNDS):
        for program, path in bench.programs.items():
            if left[program] <= 0:
                continue
            print(f"run, {scenario.name}: {program} …", file=sys.stderr)
            took = sequence.run(program, path)
            left[program] -= bench.options.budget if took is None else took
    for step, _ in STEPS:
        name = f"{step}, {scenario.name}"
        costs = sequence.costs[step]
        for program, cost in costs.items():
            if cost.status and not cost.cut_off:
                bench.problems.append(f"{name}: {program} ended with status {cost.status}")
        if costs:
            bench.rows.append((name, bar(faster=scenario.faster.get(step, 0)), costs))


def growing(bench, bar):
    """Ours alone, at sizes that no peer reaches: the bars are seconds and megabytes."""
    ours, path = next(iter(bench.programs.items()))
    per_instance = {}
    for count, steps, seconds, megabytes in ((10_000, ("plan", "apply"), 0, 0),
                                             (100_000, ("plan", "apply"), 20, 1000),
                                             (1_000_000, ("plan",), 30, 4000)):
        name = f"{count:,} instances"
        if not bench.wanted(f"run, {name}"):
            continue
        folder = bench.folder / "running"
        shutil.rmtree(folder, ignore_errors=True)
        write(folder, {"main.tf": for_each(count)})
        bench.run(path, ["init", "-backend=false"], cwd=folder)
        total = 0
        for step in steps:
            arguments = ["plan", "-out=saved.plan"] if step == "plan" else ["apply", "saved.plan"]
            cost = bench.run(path, arguments, cwd=folder)
            total += cost.seconds
            bench.rows.append((f"{step}, {name}", bar(), {ours: dataclasses.replace(cost, output=b"")}))
            if cost.status:
                bench.problems.append(f"{step}, {name}: ended with status {cost.status}")
            if megabytes and cost.megabytes > megabytes:
                bench.problems.append(f"{step}, {name}: {cost.megabytes:.0f} MB, more than {megabytes}")
        if seconds and total > seconds:
            bench.problems.append(f"{' and '.join(steps)}, {name}: {total:.1f} s, more than {seconds}")
        if len(steps) == 2:
            per_instance[count] = total / count
        shutil.rmtree(folder, ignore_errors=True)
    if len(per_instance) == 2:
        small, large = per_instance[10_000], per_instance[100_000]
        bench.notes.append(f"time per instance at 100,000 is {large / small:.2f} of that at 10,000")
        if large > 1.3 * small:
            bench.problems.append("plan and apply: time per instance grows with their number")


def tests(runs):
    """A module, and a test file with `runs` runs on a mocked provider, every other one a plan."""
    parts = ['mock_provider "terraform" {\n  mock_resource "terraform_data" {\n    defaults = {\n'
             '      id = "mocked"\n    }\n  }\n}\n']
    parts += [f'run "r{number}" {{\n' + ("  command = plan\n" if number % 2 else "") +
              f'  variables {{\n    name = "n{number}"\n  }}\n  assert {{\n'
              f'    condition     = output.ids[0] == "mocked" && var.name == "n{number}"\n'
              '    error_message = "wrong"\n  }\n}\n' for number in range(runs)]
    return {"main.tf": 'variable "name" {\n  type = string\n}\n'
                       'resource "terraform_data" "a" {\n  count = 5\n  input = var.name\n}\n'
                       'output "ids" {\n  value = terraform_data.a[*].id\n}\n',
            "tests/all.tftest.hcl": "".join(parts)}


def testing(bench, bar):
    """`test` with 200 runs and mocks."""
    name = "test, 200 runs with mocks"
    if not bench.wanted(name):
        return
    folder = bench.folder / "testing"
    shutil.rmtree(folder, ignore_errors=True)
    write(folder, tests(200))
    for path in bench.programs.values():
        bench.run(path, ["init", "-backend=false"], cwd=folder)
    bench.compare(name, bar(faster=20), 3, lambda path: bench.run(path, ["test"], cwd=folder),
                  same=False)


def run(bench, bar):
    """All benches of runs. `bar` makes a Bar, see run.py."""
    testing(bench, bar)
    for scenario in SCENARIOS:
        if bench.wanted(f"run, {scenario.name}"):
            compare(bench, bar, scenario)
    growing(bench, bar)

"""Benches of real providers, which run as processes beside the program.

The time includes the provider's part, which is most of it and the same for all programs. So the
bars are for the program alone: its processor time, which is in the notes, and its memory.

TOFU_TEST_PROVIDERS names a directory of providers, in the layout of a filesystem mirror.
"""

import dataclasses
import os
import pathlib
import shutil
import sys

import running

MOCK = 'provider "tfcoremock" {\n  use_only_state = true\n}\n'
TEXT = 'locals {\n  text = join("", [for i in range(700) : join("", [for j in range(100) : "0123456789"])])\n}\n'


def counted(kind, body, name="a", count=1000):
    return f'resource "{kind}" "{name}" {{\n  count = {count}\n{body}}}\n'


SIMPLE = counted("tfcoremock_simple_resource", '  string = "value ${count.index}"\n')
SCENARIOS = [
    ("1,000 random", ["random"], {"main.tf": counted("random_string", "  length = 16\n")}),
    ("1,000 null", ["null"], {"main.tf": counted(
        "null_resource", "  triggers = {\n    number = count.index\n  }\n")}),
    ("1,000 tfcoremock", ["tfcoremock"], {"main.tf": MOCK + SIMPLE}),
    ("2 × 1,000 tfcoremock with references", ["tfcoremock"], {"main.tf": MOCK + SIMPLE + counted(
        "tfcoremock_simple_resource", "  string = tfcoremock_simple_resource.a[count.index].id\n",
        "b")}),
    ("10 modules × 1,000 tfcoremock", ["tfcoremock"], {
        "part/main.tf": 'terraform {\n  required_providers {\n    tfcoremock = {\n'
                        '      source = "hashicorp/tfcoremock"\n    }\n  }\n}\n' + SIMPLE,
        "main.tf": MOCK + "".join(f'module "m{number}" {{\n  source = "./part"\n}}\n'
                                  for number in range(10))}),
    ("1,000 × 700 KB tfcoremock", ["tfcoremock"], {"main.tf": MOCK + TEXT + counted(
        "tfcoremock_simple_resource", '  string = "${count.index}${local.text}"\n')}),
]
STEPS = [
    ("init", ["init"]),
    ("validate", ["validate"]),
    ("plan", ["plan", "-out=saved.plan"]),
    ("apply", ["apply", "saved.plan"]),
    ("plan again", ["plan", "-detailed-exitcode"]),
    ("plan again, minimal refresh", ["plan", "-minimal-refresh"]),
]
OURS = {"plan again, minimal refresh"}  # OpenTofu does not have it
FASTER = 5


def sequence(bench, bar, name, files):
    costs = {step: {} for step, _ in STEPS}
    for program, path in bench.programs.items():
        if program == "Terraform":  # it looks for providers at another registry
            continue
        print(f"providers, {name}: {program} …", file=sys.stderr)
        folder = bench.folder / "providers"
        shutil.rmtree(folder, ignore_errors=True)
        running.write(folder, files)
        for step, arguments in STEPS:
            if step in OURS and path != next(iter(bench.programs.values())):
                continue
            cost = bench.run(path, arguments, cwd=folder)
            cost = dataclasses.replace(cost, output=b"", megabytes=cost.own_megabytes)
            print(f"  {step}: {cost.seconds:.2f} s, {cost.megabytes:.0f} MB", file=sys.stderr)
            if cost.status and not cost.cut_off:
                bench.problems.append(f"{step}, {name}: {program} ended with status {cost.status}")
            if not cost.status or cost.cut_off:
                costs[step][program] = cost
            if cost.status or cost.cut_off:
                break
        shutil.rmtree(folder, ignore_errors=True)
    for step, _ in STEPS:
        if next(iter(bench.programs)) in costs[step]:
            bench.rows.append((f"{step}, {name}", bar(memory=0.25), costs[step]))
            judge(bench, f"{step}, {name}", list(costs[step].values()))


def judge(bench, name, costs):
    """Compares processor time; below some ticks of the clock there is nothing to compare."""
    if len(costs) < 2 or costs[1].own_seconds < 0.1:
        return
    ours, peer = costs[0].own_seconds, costs[1].own_seconds
    text = f"{name}: {ours:.2f} s of processor time, OpenTofu {peer:.2f} s"
    bench.notes.append(text)
    if ours * FASTER > peer and not costs[1].cut_off:
        bench.problems.append(f"{text}: less than {FASTER}×")


def run(bench, bar):
    """All benches of providers. `bar` makes a Bar, see run.py."""
    mirror = os.environ.get("TOFU_TEST_PROVIDERS")
    if not mirror:
        bench.notes.append("TOFU_TEST_PROVIDERS is not set, so no real provider was run")
        return
    settings = bench.folder / "providers.tfrc"
    settings.write_text(f'provider_installation {{\n  filesystem_mirror {{\n    path = "{mirror}"\n  }}\n}}\n')
    before = dict(bench.environment)
    bench.environment["TF_CLI_CONFIG_FILE"] = str(settings)
    for name, needed, files in SCENARIOS:
        if not bench.wanted(f"providers, {name}"):
            continue
        missing = [each for each in needed if not list(pathlib.Path(mirror).glob(f"*/hashicorp/{each}"))]
        if missing:
            bench.notes.append(f"{', '.join(missing)} is not in {mirror}: {name} was left out")
            continue
        sequence(bench, bar, name, files)
    bench.environment = before

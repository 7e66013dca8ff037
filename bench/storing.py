"""Benches of states that are stored elsewhere: PostgreSQL and S3.

What is measured includes the server's part, which is the same for all programs. For large
states in S3 it would be most of it, so they are stored in a server that does next to nothing.
"""

import dataclasses
import json
import pathlib
import shutil
import subprocess
import sys

import running

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/programs"))
import stores  # noqa: E402

MEGABYTES = 100
STEPS = [
    ("plan", ["plan", "-out=saved.plan"]),
    ("apply", ["apply", "saved.plan"]),
    ("state list", ["state", "list"]),
    ("plan again", ["plan", "-detailed-exitcode"]),
]
LARGE_STEPS = [
    ("state push", ["state", "push", "large.tfstate"]),
    ("state pull", ["state", "pull"]),
    ("state list", ["state", "list"]),
]


class InPostgres:
    name = "PostgreSQL"

    @staticmethod
    def missing():
        return stores.postgres_programs() is None

    def __init__(self, is_large):
        del is_large
        self.server = stores.Postgres()
        self.environment = {}

    def block(self, name):
        return (f'terraform {{\n  backend "pg" {{\n    conn_str = "{self.server.address}"\n'
                f'    schema_name = "{name}"\n  }}\n}}\n')


class ObjectServer:
    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, pathlib.Path(__file__).with_name("object_server.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}"

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class InS3:
    name = "S3"

    @staticmethod
    def missing():
        return not stores.Moto.program.exists()

    def __init__(self, is_large):
        if is_large:
            self.server = ObjectServer()
        else:
            self.server = stores.Moto()
            self.server.ask("PUT", "/states")
        self.environment = {"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
                            "AWS_SECRET_ACCESS_KEY": "secret"}

    def block(self, name):
        url = self.server.url
        return (f'terraform {{\n  backend "s3" {{\n    bucket = "states"\n    key = "{name}"\n'
                f'    region = "us-east-1"\n    use_lockfile = true\n'
                f'    endpoints = {{ s3 = "{url}", sts = "{url}", iam = "{url}" }}\n'
                "    use_path_style = true\n    skip_credentials_validation = true\n"
                "    skip_metadata_api_check = true\n    skip_requesting_account_id = true\n"
                "  }\n}\n")


def large_state():
    """As OpenTofu writes it."""
    count = MEGABYTES * 1000
    instances = [{"index_key": f"k{number}", "schema_version": 0, "attributes": {
        "id": f"{number:08x}-0000-0000-0000-000000000000", "input": {
            "value": f"{number:06}" * 100, "type": "string"},
        "output": {"value": f"{number:06}" * 30, "type": "string"}, "triggers_replace": None},
        "sensitive_attributes": []} for number in range(count)]
    return json.dumps({"version": 4, "terraform_version": "1.12.0", "serial": 1,
                       "lineage": "11111111-1111-1111-1111-111111111111", "outputs": {},
                       "resources": [{"mode": "managed", "type": "terraform_data", "name": "a",
                                      "provider": 'provider["terraform.io/builtin/terraform"]',
                                      "instances": instances}], "check_results": None}, indent=2)


def sequence(bench, bar, store, what, files, steps):
    """One row for each step; a program that fails in one is not asked for the others."""
    costs = {step: {} for step, _ in steps}
    for program, path in bench.programs.items():
        if program == "Terraform":  # whose stores are the same as OpenTofu's
            continue
        print(f"{store.name}, {what}: {program} …", file=sys.stderr)
        folder = bench.folder / "storing"
        shutil.rmtree(folder, ignore_errors=True)
        running.write(folder, files)
        name = f"{program}_{len(bench.rows)}".lower()
        running.write(folder, {"backend.tf": store.block(name)})
        before = dict(bench.environment)
        bench.environment |= store.environment
        for step, arguments in [("init", ["init"]), *steps]:
            cost = bench.run(path, arguments, cwd=folder)
            print(f"  {step}: {cost.seconds:.2f} s, {cost.megabytes:.0f} MB", file=sys.stderr)
            if cost.status:
                bench.problems.append(f"{step}, {what}, {store.name}: {program} ended with status "
                                      f"{cost.status}")
            if cost.status or cost.cut_off:
                break
            if step != "init":
                costs[step][program] = dataclasses.replace(cost, output=b"")
        bench.environment = before
    shutil.rmtree(folder, ignore_errors=True)
    for step, _ in steps:
        if costs[step]:
            bench.rows.append((f"{step}, {what}, {store.name}", bar, costs[step]))


def run(bench, bar):
    """All benches of stores. `bar` makes a Bar, see run.py."""
    for kind in (InPostgres, InS3):
        if kind.missing():
            bench.notes.append(f"{kind.name} is not there, so no state was stored in it")
            continue
        for is_large in (False, True):
            name = f"{MEGABYTES} MB" if is_large else "1,000 instances"
            if not bench.wanted(f"storing, {name}, {kind.name}"):
                continue
            store = kind(is_large)
            try:
                if is_large:
                    sequence(bench, bar(faster=5, memory=0.2), store, name,
                             {"large.tfstate": large_state()}, LARGE_STEPS)
                else:
                    sequence(bench, bar(), store, name, {"main.tf": running.for_each(1000)}, STEPS)
            finally:
                store.server.end()

"""Every command, and what it does in the directory that the tests of commands prepare.

The names come from the program itself, which writes a manual page for each command that does
something. A new command has no entry in USES, and then command_matrix_test.py fails.
"""

import dataclasses
import pathlib
import re

# What the directory has besides its configuration, in which the output "port" is 160.
FILES = {
    "tests/main.tftest.hcl": ('run "port" {\n  assert {\n    condition     = output.port == 160\n'
                              '    error_message = "not 160"\n  }\n}\n'),
    "extra/ugly.tf": "locals {\n  a = 1\n  longer = 2\n}\n",
}
A, B = "terraform_data.a", "terraform_data.b"

# How a command treats the stored state: not at all, it reads it, removes its lock, reads it under
# its lock, or also writes it.
UNUSED, READ, UNLOCKED, LOCKED, WRITTEN = range(5)


@dataclasses.dataclass(frozen=True)
class Use:
    """One use of a command: runs in the same directory, one after the other.

    A line that ends with "!", a status and a pattern fails with that status and such a message.
    Output goes to the file that a line names after ">". The text `after` lists the objects in the
    state afterwards, as objects() does. `files` tells that the command writes into the directory,
    besides the state. `on` has the only stores for which this use is right: "local", "http"; empty:
    all.
    """

    lines: tuple
    store: int = UNUSED
    after: str = "a:3 b"
    files: bool = False
    on: tuple = ()


def use(*lines, **more):
    return Use(lines, **more)


NO_WORKSPACES = "[Ww]orkspaces (are )?not supported"

# The directory has the state "a:3 b" and the saved plan "saved", which makes it "a:4 b".
USES = {
    "apply": [use("apply -auto-approve -var=size=5", store=WRITTEN, after="a:5 b"),
              use("apply saved", store=WRITTEN, after="a:4 b")],
    "console": [use("console", store=LOCKED)],
    "deprecations": [use("deprecations"), use("deprecations -json")],
    "destroy": [use("destroy -auto-approve", store=WRITTEN, after="")],
    "fix": [use("fix -check"), use("fix -json -check"), use("fix -versions -check !3 opentofu.tofu")],
    "fmt": [use("fmt -check"), use("fmt -check extra !3 extra/ugly.tf"),
            use("fmt extra", files=True)],
    "force-unlock": [use("force-unlock -force 0123 !1 Local locks|[Ll]ock", on=("local",)),
                     use("force-unlock -force 0123", store=UNLOCKED, on=("http",))],
    "get": [use("get"), use("get -offline")],
    "graph": [use("graph", store=READ), use("graph -plan=saved")],
    "import": [use(f"state rm {A}", f"import {A} some-id", store=WRITTEN, after="a b")],
    "init": [use("init", store=READ), use("init -upgrade", store=READ),
             use("init -reconfigure", store=READ, on=("local",)),
             use("init -reconfigure", store=READ, files=True, on=("http",)),
             use("init -get=false", store=READ), use("init -offline", store=READ)],
    "lint": [use("lint -fail-on=never"), use("lint -json -fail-on=never"), use("lint -list-rules")],
    "login": [use("login -help")],
    "logout": [use("logout nowhere.example.com")],
    "metadata functions": [use("metadata functions -json")],
    "metadata man": [use("metadata man .", files=True)],
    "modules": [use("modules"), use("modules -json"), use("modules -verify"),
                use("modules -sbom=cyclonedx"), use("modules -sbom=spdx")],
    "modules mirror": [use("modules mirror !1 No output directory")],
    "modules prune": [use("modules prune !1 No module cache")],
    "modules vendor": [use("modules vendor extra !1 [Tt]oo many|[Uu]nexpected|argument")],
    "output": [use("output", store=READ), use("output -json", store=READ),
               use("output port", store=READ)],
    "plan": [use("plan", store=LOCKED), use("plan -out=another", store=LOCKED, files=True),
             use("plan -destroy", store=LOCKED)],
    "providers": [use("providers", store=READ)],
    "providers lock": [use("providers lock")],
    "providers mirror": [use("providers mirror mirrored !1 Nothing to mirror")],
    "providers schema": [use("providers schema -json")],
    "refresh": [use("refresh", store=LOCKED)],
    "show": [use("show", store=READ), use("show -json", store=READ), use("show saved"),
             use("show -json saved"), use("show -plan=saved"), use("show -html saved"),
             use("show -config -json"), use("show -module=. -json")],
    "state list": [use("state list", store=READ)],
    "state mv": [use(f"state mv {B} terraform_data.c", store=WRITTEN, after="a:3 c")],
    "state pull": [use("state pull", store=READ)],
    "state push": [use("state pull >../pulled", "state push ../pulled", store=LOCKED),
                   use("state pull >../pulled", f"state rm {B}", "state push -force ../pulled",
                       store=WRITTEN)],
    "state recover": [use("state recover", store=LOCKED)],
    "state replace-provider": [
        use("state replace-provider -auto-approve terraform.io/builtin/terraform "
            "example.com/some/other", store=WRITTEN, after="a:3@other b@other")],
    "state rm": [use(f"state rm {B}", store=WRITTEN, after="a:3")],
    "state show": [use(f"state show {A}", store=READ)],
    "taint": [use(f"taint {A}", store=WRITTEN, after="a:3! b")],
    "test": [use("test")],
    "untaint": [use(f"taint {A}", f"untaint {A}", store=WRITTEN)],
    "validate": [use("validate"), use("validate -json")],
    "version": [use("version")],
    "versions": [use("versions"), use("versions -json")],
    "workspace delete": [
        use("workspace new x", "workspace select default", "workspace delete x", files=True,
            store=READ, on=("local",)),
        use(f"workspace delete x !1 {NO_WORKSPACES}", on=("http",))],
    "workspace list": [use("workspace list", on=("local",)),
                       use(f"workspace list !1 {NO_WORKSPACES}", on=("http",))],
    "workspace new": [use("workspace new x", files=True, store=READ, on=("local",)),
                      use(f"workspace new x !1 {NO_WORKSPACES}", on=("http",))],
    "workspace select": [use("workspace select default", on=("local",)),
                         use(f"workspace select default !1 {NO_WORKSPACES}", on=("http",))],
    "workspace show": [use("workspace show")],
}


def commands(folder):
    """The names of all commands that do something, from their manual pages."""
    pages = pathlib.Path(folder.path, "man")
    pages.mkdir()
    assert folder.tofu("metadata", "man", "man").status == 0
    names = [re.search(r"^\.B tofu\n\[global options\]\n\.B (.*)$", page.read_text(), re.MULTILINE)
             for page in pages.iterdir()]
    return sorted(found[1].replace("\\-", "-") for found in names if found)


def uses(store="local"):
    """All uses that are right for such a store: (command, use)."""
    return [(command, one) for command, found in USES.items() for one in found
            if not one.on or store in one.on]


def split(line):
    """The arguments of a line, its status, the pattern of its failure or "", and the file for its
    output or ""."""
    line, _, failure = line.partition(" !")
    line, _, into = line.partition(" >")
    status, _, pattern = failure.partition(" ")
    return line.split(), int(status or 0), pattern, into


def objects(document):
    """The objects of a state in one line: their names with the size that they have, "!" if they
    are tainted, and the type of their provider if it is another."""
    found = []
    for each in document.get("resources", []):
        kind = each["provider"].rstrip('"]').rpartition("/")[2]
        for instance in each["instances"]:
            value = (instance["attributes"]["input"] or {}).get("value")
            found.append(each["name"] + (f":{value[1]}" if isinstance(value, list) else "")
                         + ("!" if instance.get("status") == "tainted" else "")
                         + ("" if kind == "terraform" else f"@{kind}"))
    return " ".join(sorted(found))

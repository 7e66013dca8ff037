#!/usr/bin/env python3
"""Compares plan, apply and destroy of random configurations with another program.

A round makes a configuration (tools/random_configuration.py), and lets both programs plan
it, show the plan as JSON and apply it, then again after each of several changes, with
options drawn at random, and destroys it at the end. Compared are exit statuses, the
places of errors, the plan as JSON, the plan for people and the state. Identities that
providers make up are replaced by the addresses that they belong to.

Each difference is printed with the seed of its round; --seed N --rounds 1 --keep FOLDER
plays a round again and leaves its files there. Plans are counted, the exit status is 1 if
any differed. --answers FOLDER keeps what the other program answered there, and asks it only
what it was not asked before.
"""

import argparse
import concurrent.futures
import copy
import difflib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from random_configuration import Configuration
from recorded_answers import Answers, NoAnswers, NotRecorded

TIME_LIMIT = 60
REMOTE_STATE = {"version": 4, "terraform_version": "1.12.6", "serial": 1,
                "lineage": "00000000-0000-0000-0000-000000000001",
                "outputs": {"text": {"value": "from elsewhere", "type": "string"},
                            "items": {"value": ["x", "y"], "type": ["list", "string"]},
                            "secret": {"value": "s", "type": "string", "sensitive": True}},
                "resources": []}
PLAN_KEYS = ["resource_changes", "output_changes", "planned_values", "prior_state", "checks",
             "resource_drift", "relevant_attributes", "variables", "errored", "configuration"]
# Diagnostics whose places differ on purpose (docs/differences.md), and those of OpenTofu
# that add nothing: a second one about the same thing, an accident on the way to an error.
NOT_COMPARED = re.compile(r": Unable to read remote state$|: no change found for |"
                          r"Configuration for import target does not exist|"
                          r"Configuration for import target does not exist|derived from a deprecated source|"
                          r"marked as deprecated")
PLACE = re.compile(r"^ *on (\S+) line (\d+)")
# What comes after the changes: diagnostics, and sentences in the words of each program.
ENDS_BODY = re.compile(r"(Warning|Error): |[╷─]|You can apply|Saved the plan|"
                       r"Applying this plan saves|Overview of this plan|This is a refresh-only plan")
IDENTITY = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.I)


class PeerAccident(Exception):
    """OpenTofu does something else than it planned, or gives up for no reason of ours."""


class Side:
    """One of the two programs, in a folder of its own."""

    def __init__(self, program, folder, answers=None):
        self.program = program
        self.folder = folder
        self.answers = answers or NoAnswers()
        self.identities = {}
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TZ": "UTC",
                            "TMPDIR": str(folder), "NO_COLOR": "1", "GOMAXPROCS": "1",
                            "TOFU_VERSION_CHECK": "tofu-only", "CHECKPOINT_DISABLE": "1"}

    def run(self, *arguments):
        known = self.answers.find(arguments, self.state_path())
        if known is None:
            known = self.ask(arguments)
            self.answers.add(known, self.state_path())
        return known

    def ask(self, arguments):
        command = [self.program, *arguments]
        for _ in range(3):  # a machine that is busy with other things is no difference
            try:
                return subprocess.run(command, cwd=self.folder, env=self.environment,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      timeout=TIME_LIMIT, check=False)
            except subprocess.TimeoutExpired:
                continue
        raise TimeoutError(" ".join(command))

    def state_path(self):
        return self.folder / "terraform.tfstate"

    def state(self):
        path = self.state_path()
        return json.loads(path.read_text()) if path.exists() and path.stat().st_size else None

    def learn_identities(self, step):
        """Notes which object each made-up identity of the state belongs to."""
        state = self.state() or {"resources": []}
        for resource in state["resources"]:
            for instance in resource["instances"]:
                identity = (instance.get("attributes") or {}).get("id")
                if identity and IDENTITY.fullmatch(identity):
                    label = ".".join(filter(None, [
                        resource.get("module"), resource["type"], resource["name"],
                        str(instance.get("index_key", "")), instance.get("deposed")]))
                    label = label.replace('"', "")
                    self.identities.setdefault(identity, f"id<{label}@{step}>")
                    self.identities.setdefault(identity.upper(), f"ID<{label}@{step}>")

    def plain(self, text):
        return IDENTITY.sub(lambda match: self.identities.get(match[0], match[0]), text)


def settled(value):
    """The value with everything in order that has none: what is sorted by an identity, and
    modules, which OpenTofu lists in any order."""
    if isinstance(value, dict):
        made = {key: settled(item) for key, item in value.items()}
        if isinstance(made.get("child_modules"), list):
            made["child_modules"].sort(key=lambda one: one.get("address", ""))
        return made
    if not isinstance(value, list):
        return value
    made = [settled(item) for item in value]
    if any(isinstance(item, str) and "id<" in item for item in made):
        made.sort(key=json.dumps)
    return made


def written(document):
    return json.dumps(settled(document), indent=1, ensure_ascii=False).splitlines()


def diagnostics(run, severity):
    """Where the diagnostics of a run are, by severity: (file, line), or nothing for none."""
    found, place, inside = [], None, False
    for line in (run.stdout + run.stderr).splitlines():
        line = line.lstrip("│╷╵").strip()
        head = re.match(r"(Error|Warning): ", line)
        if head:
            if inside:
                found.append(place or ("", 0))
            inside = head[1] == severity and not NOT_COMPARED.search(line)
            place = None
        match = PLACE.match(line)
        if match and place is None:
            place = (match[1], int(match[2]))
    if inside:
        found.append(place or ("", 0))
    return sorted(set(found))


def without_sentences(lines):
    """The lines, with <text> for comments that each program has in its own words."""
    made = []
    for line in lines:
        if re.match(r" {8,}~ \S+ += \(write-only attribute\)$", line):
            continue  # OpenTofu shows nested ones in some runs, and in others not
        line = re.sub(r"^( {4,}# )(?=[^( ]).*", r"\1<text>", line.rstrip())
        if not line.endswith("# <text>") or made[-1:] != [line]:
            made.append(line)
    return made


def body_of(text):
    """The plan for people, from its first resource or output to the end of its changes,
    without sentences, which each program has in its own words."""
    lines, taking = [], False
    text = re.sub(r"^ +# Warning: (.*\n)( +# [a-z].*\n)*", "", text, flags=re.MULTILINE)
    for line in text.splitlines():
        if re.match(r"  # |  [-+~.]?/?[-+~.] |Changes to Outputs:|Plan: ", line) and not taking:
            taking = line.startswith(("  # ", "Changes", "Plan"))
        if ENDS_BODY.match(line):
            taking = False
        if taking and re.match(r"[A-Z](?!hanges to Outputs:|lan: )|[a-z]", line):
            continue  # what is said about changes outside
        if taking and (line or (lines and lines[-1])):
            lines.append(line.rstrip())
    while lines and not lines[-1]:
        lines.pop()
    return without_sentences(lines)


def count_problems(checks):
    """Leaves of problems how many there are: each program has its own words."""
    for check in checks or []:
        for instance in check.get("instances", []):
            if "problems" in instance:
                instance["problems"] = len(instance["problems"])


def judged_by_both(pair, name_of):
    """Of two lists of results, those of rules that both programs judged. Which rules take
    no part in a run about a part of everything differs (docs/differences.md)."""
    names = [{name_of(one) for one in results or [] if one["status"] != "unknown"}
             for results in pair]
    return [[one for one in results or [] if name_of(one) in names[0] & names[1]]
            for results in pair]


def shown_state(side, text):
    document = json.loads(side.plain(text))
    document.pop("terraform_version", None)
    count_problems(document.get("checks"))
    return document


def plan_document(side, text):
    """The plan as JSON, without what differs from run to run."""
    document = json.loads(side.plain(text))
    kept = {key: document.get(key) for key in PLAN_KEYS}
    if kept["prior_state"]:
        kept["prior_state"].pop("terraform_version", None)
    kept["relevant_attributes"] = sorted(kept["relevant_attributes"] or [], key=json.dumps)
    count_problems(kept["checks"])
    for name in ("resource_changes", "resource_drift"):
        kept[name] = sorted(kept[name] or [], key=lambda one: (one["address"],
                                                                one.get("deposed", "")))
    return kept


def state_document(side):
    state = side.state()
    if state is None:
        return None
    state = json.loads(side.plain(json.dumps(state)))
    for name in ("lineage", "terraform_version"):
        state.pop(name, None)
    # Of the instances of a resource, OpenTofu marks those that others refer to by key.
    for resource in state["resources"]:
        for instance in resource["instances"]:
            if "index_key" in instance:
                instance.pop("create_before_destroy", None)
    # Results of checks come in any order there, and another order raises the serial.
    if state.get("check_results"):
        state.pop("serial", None)
    for result in state.get("check_results") or []:
        for one in result["objects"] or []:
            one["failure_messages"] = len(one.get("failure_messages") or [])
        result["objects"] = sorted(result["objects"] or [], key=json.dumps) or None
    state["check_results"] = sorted(state.get("check_results") or [], key=json.dumps)
    return state


def leave_out_empty_entries(states):
    """An entry without instances tells of a resource that a failed run began with. OpenTofu
    drops all of them where everything that failed is in modules with keys, whose instances the
    end of its run does not wait for (docs/differences.md)."""
    ours, peers = [{(one.get("module", ""), one["mode"], one["type"], one["name"])
                    for one in state["resources"] if not one["instances"]} for state in states]
    if not peers and any("[" in module for module, *_ in ours):
        states[0]["resources"] = [one for one in states[0]["resources"] if one["instances"]]


class Round:
    """One configuration and what becomes of it."""

    def __init__(self, seed, options):
        self.seed = seed
        self.options = options

    def begin(self):
        self.rng = random.Random(self.seed)
        self.compared = 0
        self.differences = []
        self.accidents = 0
        self.log = []

    def play(self):
        recorded = None
        if self.options.answers:
            recorded = pathlib.Path(self.options.answers) / f"{self.seed}.json.gz"
        try:
            self.play_with(Answers(recorded) if recorded else NoAnswers())
        except NotRecorded:
            recorded.unlink()
            self.play_with(Answers(recorded))
        return self

    def play_with(self, answers):
        self.begin()
        keep = self.options.keep
        top = pathlib.Path(keep or tempfile.mkdtemp(prefix="tofu-compare-"))
        try:
            self.ours = Side(os.path.abspath(self.options.tofu), top / "ours")
            self.peer = Side(os.path.abspath(self.options.peer), top / "peer", answers)
            self.sides = (self.ours, self.peer)
            for side in self.sides:
                side.folder.mkdir(parents=True, exist_ok=True)
            self.play_in()
        except PeerAccident:
            self.accidents += 1
        finally:
            answers.save()
            if not keep:
                shutil.rmtree(top, ignore_errors=True)

    def play_in(self):
        configuration = Configuration(self.rng)
        steps = self.rng.randrange(3, 7)
        for step in range(steps):
            if step > 0:
                # Some plans are about a state, others about the configuration.
                if self.rng.random() < 0.85:
                    self.log.append(f"step {step}: {configuration.mutate()}")
                if self.rng.random() < 0.15:
                    self.edit_states()
            is_last = step == steps - 1
            initialized = self.write(configuration)
            if self.differences:
                return
            if initialized and not self.step(step, configuration, is_last):
                return

    def write(self, configuration):
        files = configuration.files()
        files["remote.tfstate"] = json.dumps(REMOTE_STATE)
        self.peer.answers.note("files", files)
        for side in self.sides:
            for old in side.folder.rglob("*.tf"):
                old.unlink()
            for name, text in files.items():
                path = side.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        if len(files) == 2:
            return True
        done = [side.run("init", "-no-color", "-input=false") for side in self.sides]
        return self.same_status("init", done) and done[0].returncode == 0

    def edit_states(self):
        """The same accident on both sides: something is tainted, or left over."""
        def resources_with_instances(state):
            return [one for one in state["resources"] if one["instances"]]

        state = self.ours.state()
        if not state or not resources_with_instances(state):
            return
        index = self.rng.randrange(len(resources_with_instances(state)))
        instances = len(resources_with_instances(state)[index]["instances"])
        position = self.rng.randrange(instances)
        accident = self.rng.choice(["taint", "deposed", "only-deposed"])
        self.log.append(f"{accident} {index}/{position}")
        self.peer.answers.note(accident, index, position)
        for side in self.sides:
            state = side.state()
            resource = resources_with_instances(state)[index]
            if resource["mode"] != "managed" or position >= len(resource["instances"]):
                return
            instance = resource["instances"][position]
            if accident == "taint":
                instance["status"] = "tainted"
            elif accident == "only-deposed":
                instance["deposed"] = "0badcafe"
            else:
                other = copy.deepcopy(instance)
                other["deposed"] = "0badcafe"
                resource["instances"].insert(position + 1, other)
            side.state_path().write_text(json.dumps(state, indent=2))

    def draw_options(self, configuration, is_last):
        rng = self.rng
        options = []
        addresses = configuration.resources()
        some = lambda: [rng.choice(addresses) for _ in range(rng.choice([1, 1, 2]))]
        mode = rng.random()
        if is_last and mode < 0.6:
            options.append("-destroy")
        elif mode < 0.08:
            options.append("-refresh-only")
        if rng.random() < 0.1:
            options.append("-refresh=false")
        if "-refresh-only" in options and "-refresh=false" in options:
            options.pop()
        selection = rng.random()
        if addresses and selection < 0.1:
            options += ["-target=" + one for one in some()]
        elif addresses and selection < 0.2:
            options += ["-exclude=" + one for one in some()]
        stored = self.stored_addresses(self.ours)
        if not options and stored and rng.random() < 0.1:
            options.append("-replace=" + rng.choice(stored))
        return options

    def stored_addresses(self, side):
        return list(self.stored_inputs(side))

    def stored_inputs(self, side):
        """By address: what the state has for `input`."""
        found = {}
        for resource in (side.state() or {"resources": []})["resources"]:
            if resource["mode"] == "managed":
                for instance in resource["instances"]:
                    key = instance.get("index_key")
                    key = "" if key is None else f"[{json.dumps(key)}]"
                    module = resource.get("module")
                    address = (f"{module + '.' if module else ''}terraform_data."
                               f"{resource['name']}{key}")
                    given = (instance.get("attributes") or {}).get("input")
                    if isinstance(given, dict):
                        given = given.get("value")
                    if not instance.get("deposed"):
                        found[address] = given
        return found

    def step(self, step, configuration, is_last):
        """Plans, shows and applies. False if there is nothing to go on with."""
        arguments = self.draw_options(configuration, is_last)
        self.log.append(f"step {step}: plan {' '.join(arguments)}")
        plans = [side.run("plan", "-no-color", "-input=false", "-out=plan", *arguments)
                 for side in self.sides]
        self.compared += 1
        same = self.same_status(f"plan {arguments}", plans)
        if not same:
            return False
        if plans[0].returncode != 0:
            return True  # the next change may mend it
        same = self.same(f"step {step} plan text", *[
            side.plain("\n".join(body_of(run.stdout))).splitlines()
            for side, run in zip(self.sides, plans)])
        shown = [side.run("show", "-json", "plan") for side in self.sides]
        if not self.same_status(f"step {step} show", shown):
            return False
        # What follows the document's line differs if one of them says more.
        rests = [run.stdout.splitlines()[1:] for run in shown]
        if not self.same(f"step {step} show, after the document", *rests):
            return False
        documents = [self.plan_document(side, run.stdout.splitlines()[0])
                     for side, run in zip(self.sides, shown)]
        is_part = any(one.startswith(("-target", "-exclude")) for one in arguments)
        if is_part:
            checks = judged_by_both([document["checks"] for document in documents],
                                    lambda one: one["address"]["to_display"])
            for document, judged in zip(documents, checks):
                document["checks"] = judged
        for key in PLAN_KEYS:
            same &= self.same(f"step {step} plan JSON {key}",
                              *[written(document[key]) for document in documents])
        if not same:
            return False
        applied = [side.run("apply", "-no-color", "-input=false", "plan") for side in self.sides]
        for side in self.sides:
            side.learn_identities(step)
        applied_well = applied[1].returncode == 0 or "forgotten instances" in applied[1].stderr
        if not self.did_as_planned(documents[1], applied_well):
            raise PeerAccident
        same = self.same_status(f"step {step} apply", applied)
        states = [self.state_document(side) for side in self.sides]
        if not applied_well and all(states):
            leave_out_empty_entries(states)
        # Of a plan that destroys, OpenTofu judges what leftovers of replacements refer to.
        if (is_part or "-destroy" in arguments) and all(states):
            results = judged_by_both([state["check_results"] for state in states],
                                     lambda one: one["config_addr"])
            for state, judged in zip(states, results):
                state["check_results"] = judged
        same &= self.same(f"step {step} state", *[written(state) for state in states])
        if same and self.rng.random() < 0.15:
            same &= self.look(step, is_part)
        return same

    def plan_document(self, side, text):
        return plan_document(side, text)

    def state_document(self, side):
        return state_document(side)

    def did_as_planned(self, document, applied_well):
        """Whether the peer did all that it planned. With -target it leaves out what a
        resource without instances depends on, with -exclude some of what it was to forget."""
        stored_inputs = self.stored_inputs(self.peer)
        for one in document["resource_changes"]:
            change = one["change"]
            if change["actions"] == ["update"] and "input" in (change["after"] or {}) and \
                    not change["after_unknown"].get("input") and \
                    stored_inputs.get(one["address"]) != change["after"]["input"]:
                return False
        planned = {one["address"] for one in document["resource_changes"]
                   if "create" in one["change"]["actions"]}
        deleted = {one["address"] for one in document["resource_changes"]
                   if one["change"]["actions"] == ["delete"] and not one.get("deposed")}
        outputs = {name for name, one in (document["output_changes"] or {}).items()
                   if "create" in one["actions"] and one.get("after") is not None}
        stored = (self.peer.state() or {"outputs": {}})["outputs"]
        stored = json.loads(self.peer.plain(json.dumps(stored)))
        for name, one in (document["output_changes"] or {}).items():
            is_same = name in stored and stored[name]["value"] == one["before"]
            if one["actions"] == ["update"] and is_same and one["before"] != one.get("after"):
                return False
        before = (document["prior_state"] or {}).get("values", {}).get("outputs", {})
        if not set(stored) <= set(before) | set(document["output_changes"] or {}):
            return False
        forgotten = {one["address"] for one in document["resource_changes"]
                     if one["change"]["actions"] == ["forget"] and not one.get("deposed")}
        left = set(self.stored_addresses(self.peer))
        return (planned <= left and outputs <= set(stored) and not forgotten & left
                and not (deleted & left if applied_well else set()))

    def look(self, step, is_part):
        same = True
        for command in (["state", "list"], ["output", "-json"], ["show", "-no-color"],
                        ["show", "-json"]):
            if command[0] == "show" and not (self.ours.state() or {}).get("resources"):
                continue  # said in a sentence
            runs = [side.run(*command) for side in self.sides]
            same &= self.same_status(" ".join(command), runs)
            if command == ["show", "-json"]:
                shown = [shown_state(side, run.stdout) for side, run in zip(self.sides, runs)]
                if is_part:
                    checks = judged_by_both([one.get("checks") for one in shown],
                                            lambda one: one["address"]["to_display"])
                    for document, judged in zip(shown, checks):
                        document["checks"] = judged
                texts = [written(one) for one in shown]
            else:
                texts = [without_sentences(side.plain(run.stdout).splitlines())
                         for side, run in zip(self.sides, runs)]
            same &= self.same(f"step {step} {' '.join(command)}", *texts)
        return same

    def same_status(self, what, runs):
        ours, peer = runs
        if re.search(r": no change found for |Error: Cycle: ", peer.stderr):
            raise PeerAccident
        if ours.returncode != peer.returncode:
            self.differences.append(
                (f"{what}: exit {ours.returncode}, peer {peer.returncode}",
                 (ours.stdout + ours.stderr)[-1500:] + "\n---- peer\n" +
                 (peer.stdout + peer.stderr)[-1500:]))
            return False
        same = True
        for severity in ("Error", "Warning"):
            if "apply" in what and severity == "Warning":
                continue  # a saved plan repeats none here, see docs/deprecation.md
            ours_at, peer_at = diagnostics(ours, severity), diagnostics(peer, severity)
            if "-destroy" in what and severity == "Error" and set(peer_at) < set(ours_at):
                continue  # all that prevent_destroy keeps, see docs/differences.md
            same &= self.same(f"{what}: places of {severity.lower()}s",
                              [str(one) for one in ours_at], [str(one) for one in peer_at])
        return same

    def same(self, what, ours, peer):
        if ours == peer:
            return True
        lines = difflib.unified_diff(ours, peer, "ours", "peer", lineterm="", n=4)
        self.differences.append((what, "\n".join(lines)[:4000]))
        return False


def play_rounds(kind, options):
    """Plays the rounds, and prints what differed. Gives the exit status."""
    first = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 40)

    compared = different = accidents = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rounds = pool.map(lambda seed: kind(seed, options).play(),
                          range(first, first + options.rounds))
        for each in rounds:
            compared += each.compared
            accidents += each.accidents
            if each.differences:
                different += 1
                print(f"seed {each.seed}: {'; '.join(what for what, _ in each.differences)}")
                if not options.brief:
                    print("  " + "\n  ".join(each.log))
                    for what, body in each.differences:
                        print(f"-- {what}\n{body}")
                sys.stdout.flush()
    print(f"compare: seeds {first} to {first + options.rounds - 1}, {compared} plans, "
          f"{different} rounds with differences, {accidents} ended by an accident of the peer")
    return 1 if different else 0



def parse(parser):
    """The options, with those that every comparison has."""
    parser.add_argument("--tofu", default="build/release/tofu")
    parser.add_argument("--peer", default=os.environ.get("TOFU_PEER_OPENTOFU") or
                        shutil.which("tofu"), help="OpenTofu (default: $TOFU_PEER_OPENTOFU)")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, help="of the first round; the others count on")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", help="folder that the files of the last round stay in")
    parser.add_argument("--brief", action="store_true", help="print no bodies of differences")
    options = parser.parse_args()
    if not options.peer:
        parser.error("no OpenTofu to compare with: set TOFU_PEER_OPENTOFU or --peer")
    return options


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", help="folder with what the other program answered before")
    options = parse(parser)
    return play_rounds(Round, options)


if __name__ == "__main__":
    sys.exit(main())

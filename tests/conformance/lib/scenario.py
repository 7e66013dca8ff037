"""Suite `scenario`: several commands run one after another in one directory.

Layout: <dir>/<group>/<name>.json
  {"description": ..., "needs": [...]?, "env": {...}?, "serve": "http-state"?,
   "steps": [STEP, ...]}
STEP:
  "write": {path: text}      files written first (relative to the working directory)
  "remove": [path, ...]      files or folders removed first
  "copy": {from: to}         files copied then
  "edit": {path: [[regex, replacement], ...]}   and changed (the regex must match)
  "server": {...}            changes the server (see lib/http_state.py)
  "run": [arg, ...]          the arguments of the command; "@{LOCKID}" in one is replaced
                             by the ID in .terraform.tfstate.lock.info, and "@{PLUGINS}"
                             in one, or in a written file, by the path of TOFU_TEST_PLUGINS;
                             "@{HTTP}" there, or in "env", by the address of the server
  "stdin": text, "env": {}   optional
  "exit": n                  the expected exit status
  "start": name              run in the background; go on when `until_exists` is there
  "finish": name             wait for that one; "exit" is then its expected status
  "observe": {what: value}   what is compared after the step, `what` being one of
     json            stdout as a JSON document        stream   stdout as JSON lines: the type
     lines           stdout as lines of text,                  and key fields of each message
                     without the progress of locks
     state           terraform.tfstate                state:PATH   another state file
     file:PATH       a text file (null: absent)       exists:PATH  true or false
     sorted:PATH     the lines of a text file, sorted (null: absent)
     matches:PATH:REGEX   the distinct matches in a text file, sorted
     output:REGEX    the same in stdout and stderr (for what a provider or configuration says)
     verdict         of validate -json: whether valid, and [severity, filename, line]s
     keys:PATH       the top-level keys of a JSON file
     names:DIR       the names in a folder, times in them replaced (null: absent)
     requests        what the server was asked since it was last looked at, reads left out
     reads           the same of the reads alone: the distinct ones, sorted
     served:PATH     the state that the server has there
     lock            .terraform.lock.hcl, with every h1: hash of a package in the mirror
                     replaced by <h1 ok> if it is right
     diagnostics     of a JSON stream: [severity, filename, line]
     functions       of metadata functions -json: names, parameter names and types, return types
     plan:PATH       the plan document of a saved plan, as in the suite `plan`

All values are normalized: UUIDs become <uuid>, versions and lineages and serials go,
lists without meaningful order are sorted.

Cases with "needs": ["mirror"] or ["plugins"] are left out, with a line on stderr that
counts them, unless TOFU_TEST_MIRROR names a filesystem mirror with hashicorp/time, or
TOFU_TEST_PLUGINS the one that plugins/build makes.
"""
import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import time

from . import http_state
from . import plan as plan_suite

TIMEOUT = 90
# Shown only where taking or giving back a lock takes a while.
SLOW_LOCK = re.compile(r"^(?:Acquiring|Releasing) state lock\. This may take a few moments\.\.\.\n", re.MULTILINE)
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Case:
    def __init__(self, root, group, name):
        self.group = group
        self.name = name
        self.id = group + "/" + name
        self.path = os.path.join(root, group, name + ".json")

    def load(self):
        with open(self.path, encoding="utf-8") as f:
            return json.load(f)


def all_cases(dir):
    if not os.path.isdir(dir):
        return
    for group in sorted(os.listdir(dir)):
        gdir = os.path.join(dir, group)
        if os.path.isdir(gdir):
            for f in sorted(os.listdir(gdir)):
                if f.endswith(".json"):
                    yield Case(dir, group, f[:-5])


def cases(dir):
    return plan_suite.runnable("scenario", all_cases(dir))


# ---- normalizing -------------------------------------------------------------

def _key(x):
    return json.dumps(x, sort_keys=True)


def scrub(x):
    """Replaces what differs from run to run, anywhere in a JSON value."""
    if isinstance(x, dict):
        return {k: scrub(v) for k, v in x.items()
                if k not in ("terraform_version", "format_version", "timestamp", "lineage", "serial")}
    if isinstance(x, list):
        return [scrub(v) for v in x]
    if isinstance(x, str):
        return UUID.sub("<uuid>", x)
    return x


def normalize_state(doc):
    out = scrub({k: doc.get(k) for k in ("version", "outputs", "resources", "check_results")})
    for r in out["resources"] or []:
        for i in r.get("instances", []):
            i.pop("private", None)
            for k in ("dependencies", "sensitive_attributes"):
                if i.get(k):
                    i[k] = sorted(i[k], key=_key)
        r["instances"] = sorted(r.get("instances", []), key=lambda i: (_key(i.get("index_key")), i.get("deposed", ""), _key(i)))
    out["resources"] = sorted(out["resources"] or [], key=lambda r: (r.get("module", ""), r.get("mode"), r.get("type"), r.get("name")))
    for c in out["check_results"] or []:
        if c.get("objects"):
            c["objects"] = sorted(c["objects"], key=_key)
    if out["check_results"]:
        out["check_results"] = sorted(out["check_results"], key=_key)
    return out


def _without_descriptions(x):
    """Schemas without their descriptive texts (an attribute may be named so, too: that is an object)."""
    if isinstance(x, dict):
        return {k: _without_descriptions(v) for k, v in x.items()
                if not (k in ("description", "summary", "deprecation_message") and isinstance(v, str))}
    if isinstance(x, list):
        return [_without_descriptions(v) for v in x]
    return x


def normalize_document(doc):
    """stdout of show -json, output -json, providers schema -json and the like."""
    if isinstance(doc, dict) and "resource_changes" in doc and "planned_values" in doc:
        return scrub(plan_suite.normalize_plan(doc))
    if isinstance(doc, dict) and "provider_schemas" in doc:
        return scrub(_without_descriptions(doc))
    if isinstance(doc, dict) and isinstance(doc.get("values"), dict):
        doc = dict(doc, values=plan_suite._norm_values(doc["values"]))
    if isinstance(doc, dict) and isinstance(doc.get("resources"), list) and "version" in doc and "lineage" in doc:
        return normalize_state(doc)
    return scrub(doc)


def _short_range(d):
    r = d.get("range") or {}
    return [d.get("severity"), r.get("filename") or "", (r.get("start") or {}).get("line") or 0]


def normalize_message(m):
    t = m.get("type")
    out = {"type": t}
    if t == "version":
        out["ui"] = m.get("ui")
    if "diagnostic" in m and isinstance(m["diagnostic"], dict):
        out["diagnostic"] = _short_range(m["diagnostic"])
    if isinstance(m.get("hook"), dict):
        h = m["hook"]
        out["hook"] = {k: v for k, v in h.items() if k in ("action", "id_key", "provisioner")}
        if isinstance(h.get("resource"), dict):
            out["hook"]["addr"] = h["resource"].get("addr")
    if isinstance(m.get("change"), dict):
        c = m["change"]
        out["change"] = {k: v for k, v in c.items() if k in ("action", "reason", "importing")}
        for k in ("resource", "previous_resource"):
            if isinstance(c.get(k), dict):
                out["change"][k] = c[k].get("addr")
    for k in ("changes", "outputs", "test_abstract", "test_file", "test_run", "test_summary", "test_cleanup"):
        if k in m:
            v = m[k]
            if isinstance(v, dict):
                v = {a: b for a, b in v.items() if a != "elapsed"}
            out[k] = v
    for k in ("@testfile", "@testrun", "workspaces", "current_workspace"):
        if k in m:
            out[k] = m[k]
    if t == "resource_address":
        out["address"] = m.get("@message")
    if isinstance(m.get("test_plan"), dict):  # test -json -verbose
        out["test_plan"] = plan_suite.normalize_plan(m["test_plan"])
    if isinstance(m.get("test_state"), dict):
        out["test_state"] = plan_suite._norm_values(m["test_state"].get("values", m["test_state"]))
    return scrub(out)


def parse_stream(text):
    msgs = []
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("{"):
            msgs.append(json.loads(line))
        elif line:
            raise ValueError("not a JSON line: %r" % line[:80])
    return msgs


def package_hash(folder):
    """The h1: hash of an unpacked package."""
    names = []
    for root, _, files in os.walk(folder):
        for f in files:
            names.append(os.path.relpath(os.path.join(root, f), folder).replace(os.sep, "/"))
    total = hashlib.sha256()
    for n in sorted(names):
        with open(os.path.join(folder, n), "rb") as f:
            h = hashlib.sha256(f.read()).hexdigest()
        total.update(("%s  %s\n" % (h, n)).encode())
    return "h1:" + base64.b64encode(total.digest()).decode()


def normalize_lock(text):
    known = set()
    for mirror in plan_suite.mirrors():
        for root, dirs, files in os.walk(mirror):
            if files and not dirs and re.search(r"[/\\][a-z0-9]+_[a-z0-9]+$", root):
                known.add(package_hash(root))
    return re.sub(r"h1:[A-Za-z0-9+/=]+",
                  lambda m: "<h1 ok>" if m.group(0) in known else "<h1 wrong>", text)


# ---- running -----------------------------------------------------------------

def _signature(v):
    """A part of a function signature without its descriptions."""
    if isinstance(v, list):
        return [_signature(x) for x in v]
    if isinstance(v, dict):
        return {k: x for k, x in v.items() if k != "description"}
    return v


def observe_one(what, cwd, stdout, stderr, tofu, env, server=None):
    kind, _, path = what.partition(":")
    full = os.path.join(cwd, path)
    if kind == "json":
        return normalize_document(json.loads(stdout))
    if kind == "lines":
        return [UUID.sub("<uuid>", l.rstrip()) for l in SLOW_LOCK.sub("", stdout).rstrip().split("\n")]
    if kind == "stream":
        return [normalize_message(m) for m in parse_stream(stdout)]
    if kind == "functions":
        signatures = json.loads(stdout)["function_signatures"]
        return {name: {k: _signature(v) for k, v in f.items() if k != "description"}
                for name, f in signatures.items()}
    if kind == "diagnostics":
        return sorted(_short_range(m["diagnostic"]) for m in parse_stream(stdout) if m.get("type") == "diagnostic")
    if kind == "state":
        p = full if path else os.path.join(cwd, "terraform.tfstate")
        if not os.path.exists(p):
            return None
        with open(p, encoding="utf-8") as f:
            return normalize_state(json.load(f))
    if kind == "file":
        if not os.path.exists(full):
            return None
        with open(full, encoding="utf-8") as f:
            return UUID.sub("<uuid>", f.read())
    if kind == "sorted":
        if not os.path.exists(full):
            return None
        with open(full, encoding="utf-8") as f:
            return sorted(UUID.sub("<uuid>", f.read()).splitlines())
    if kind == "matches":
        path, _, pattern = path.partition(":")
        with open(os.path.join(cwd, path), encoding="utf-8") as f:
            return sorted({m.group(0) for m in re.finditer(pattern, f.read())})
    if kind == "output":
        return sorted({m.group(0) for m in re.finditer(path, stdout + stderr)})
    if kind == "verdict":
        doc = json.loads(stdout)
        return [doc["valid"], sorted(_short_range(d) for d in doc["diagnostics"])]
    if kind == "exists":
        return os.path.exists(full)
    if kind == "keys":
        with open(full, encoding="utf-8") as f:
            return sorted(json.load(f))
    if kind == "names":
        return sorted(re.sub(r"\d{9,}", "<time>", n) for n in os.listdir(full)) if os.path.isdir(full) else None
    if kind in ("requests", "reads"):
        seen = [e for e in server.log if e["request"].startswith("GET ") == (kind == "reads")]
        server.log[:] = [e for e in server.log if e not in seen]
        return scrub(sorted({_key(e): e for e in seen}.values(), key=_key) if kind == "reads" else seen)
    if kind == "served":
        data = server.states.get(path)
        return None if data is None else normalize_document(json.loads(data))
    if kind == "lock":
        with open(os.path.join(cwd, ".terraform.lock.hcl"), encoding="utf-8") as f:
            return normalize_lock(f.read())
    if kind == "plan":
        p = subprocess.run([tofu, "show", "-json", path], cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT)
        return scrub(plan_suite.normalize_plan(json.loads(p.stdout.decode("utf-8", "replace"))))
    raise ValueError("unknown observation " + what)


def with_plugins(text):
    return text.replace("@{PLUGINS}", os.path.abspath(os.environ.get("TOFU_TEST_PLUGINS") or os.curdir))


def edit(path, changes):
    with open(path, encoding="utf-8", newline="") as f:
        text = f.read()
    for pattern, replacement in changes:
        text, n = re.subn(pattern, replacement, text)
        if not n:
            return False
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(text)
    return True


def play(tofu, spec, workdir, visit):
    """Runs the steps; visit(number, step, exit status, stdout, stderr, observer)."""
    tofu = os.path.abspath(tofu)
    cwd = os.path.join(workdir, "work")
    os.makedirs(cwd, exist_ok=True)
    base = plan_suite.environment(workdir, use_mirrors=True)
    base.update(spec.get("env", {}))
    running = {}
    server = http_state.Server() if spec.get("serve") == "http-state" else None

    def filled(text):
        text = with_plugins(text)
        return text.replace("@{HTTP}", server.url) if server else text

    try:
        for number, step in enumerate(spec["steps"], start=1):
            for p in step.get("remove", []):
                full = os.path.join(cwd, p)
                if os.path.isdir(full) and not os.path.islink(full):
                    shutil.rmtree(full)
                elif os.path.lexists(full):
                    os.remove(full)
            for p, text in step.get("write", {}).items():
                full = os.path.join(cwd, p)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8", newline="") as f:
                    f.write(filled(text))
            for source, target in step.get("copy", {}).items():
                os.makedirs(os.path.dirname(os.path.join(cwd, target)), exist_ok=True)
                shutil.copyfile(os.path.join(cwd, source), os.path.join(cwd, target))
            for p, changes in step.get("edit", {}).items():
                if not edit(os.path.join(cwd, p), changes):
                    return "step %d: nothing to edit in %s" % (number, p)
            if "server" in step:
                server.change(step["server"])
            env = dict(base, **{k: filled(v) for k, v in step.get("env", {}).items()})
            if "finish" in step:
                proc, files = running.pop(step["finish"])
                rc = proc.wait(timeout=TIMEOUT)
                out = err = ""
                for f in files:
                    f.close()
            elif "run" in step:
                args = []
                for a in step["run"]:
                    if "@{LOCKID}" in a:
                        with open(os.path.join(cwd, ".terraform.tfstate.lock.info"), encoding="utf-8") as f:
                            a = a.replace("@{LOCKID}", json.load(f)["ID"])
                    args.append(filled(a))
                if "start" in step:
                    null = open(os.devnull, "w")
                    proc = subprocess.Popen([tofu] + args, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                                            stdout=null, stderr=null)
                    running[step["start"]] = (proc, [null])
                    end = time.time() + 30
                    while not os.path.exists(os.path.join(cwd, step["until_exists"])):
                        if time.time() > end or proc.poll() is not None:
                            return "step %d: %s did not appear" % (number, step["until_exists"])
                        time.sleep(0.05)
                    continue
                p = subprocess.run([tofu] + args, cwd=cwd, env=env, input=step.get("stdin", "").encode(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT)
                rc, out, err = p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")
            else:
                continue
            problem = visit(number, step, rc, out, err,
                            lambda what: observe_one(what, cwd, out, err, tofu, env, server))
            if problem:
                return problem
    finally:
        for proc, files in running.values():
            proc.kill()
            proc.wait()
            for f in files:
                f.close()
        if server:
            server.close()
    return None


def check(tofu, case, workdir):
    spec = case.load()

    def visit(number, step, rc, out, err, observer):
        where = "step %d (%s)" % (number, " ".join(step.get("run", ["finish"]))[:60])
        if rc != step["exit"]:
            return "%s: exit status %d, expected %d: %s" % (where, rc, step["exit"], (err or out)[-300:])
        for what, want in step.get("observe", {}).items():
            try:
                got = observer(what)
            except (ValueError, OSError, KeyError, TypeError, AttributeError) as e:
                return "%s: %s cannot be read: %s" % (where, what, e)
            diff = plan_suite.differences(want, got)
            if diff:
                return "%s: %s: %s" % (where, what, "; ".join(diff[:6]))
        return None

    try:
        problem = play(tofu, spec, workdir, visit)
    except subprocess.TimeoutExpired:
        problem = "timed out"
    return problem is None, problem or ""


def record(tofu, case, workdir):
    spec = case.load()

    def visit(number, step, rc, out, err, observer):
        step["exit"] = rc
        for what in step.get("observe", {}):
            step["observe"][what] = observer(what)
        return None

    problem = play(tofu, spec, workdir, visit)
    if problem:
        raise RuntimeError(problem)
    return spec


def save(case, recorded):
    with open(case.path, "w", encoding="utf-8") as f:
        json.dump(recorded, f, indent=1, ensure_ascii=False)
        f.write("\n")

"""Suite `plan`: configurations with the recorded plan (built-in provider, or "needs").

Layout: <dir>/<group>/<name>/config/...         the configuration to plan
        <dir>/<group>/<name>/before/...         (optional) what was applied before
        <dir>/<group>/<name>/terraform.tfstate  (optional) the state that apply left
        <dir>/<group>/<name>/case.json          {"args": [...], "init": bool, "before_args",
                                                 "before_commands", "env", "ignore_messages", "needs"}
        <dir>/<group>/<name>/expect.json        exit status, diagnostics, normalized plan

The check runs `tofu plan -json -out=FILE ARGS` on the configuration and state, then
`tofu show -json FILE`, and compares: the exit status; the diagnostics of the stream as
[severity, filename, line] (never their texts); and the plan document cut down to the
keys in KEYS, lists without meaningful order sorted.

Cases with "needs": ["plugins"] are left out, with a line on stderr that counts them,
unless TOFU_TEST_PLUGINS names the provider mirror that plugins/build makes.

Recording makes the starting state too, where before/ exists and terraform.tfstate does not.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

TIMEOUT = 60
KEYS = ("variables", "planned_values", "resource_drift", "resource_changes",
        "output_changes", "prior_state", "checks", "errored")
# What a case may need, and the environment variable that names the mirror having it.
MIRRORS = {"mirror": "TOFU_TEST_MIRROR", "plugins": "TOFU_TEST_PLUGINS"}


class Case:
    def __init__(self, root, group, name):
        self.group = group
        self.name = name
        self.id = group + "/" + name
        self.path = os.path.join(root, group, name)

    def load(self):
        return read_json(os.path.join(self.path, "case.json"))


def read_json(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def all_cases(dir):
    if not os.path.isdir(dir):
        return
    for group in sorted(os.listdir(dir)):
        gdir = os.path.join(dir, group)
        if not os.path.isdir(gdir):
            continue
        for name in sorted(os.listdir(gdir)):
            if os.path.isfile(os.path.join(gdir, name, "case.json")):
                yield Case(dir, group, name)


def cases(dir):
    return runnable("plan", all_cases(dir))


def lacking(spec):
    """The variable that the case needs and that is not set, if there is one."""
    for need in spec.get("needs", []):
        if not os.environ.get(MIRRORS[need]):
            return MIRRORS[need]
    return None


def runnable(suite, candidates):
    """Leaves out the cases that need what is not there, and says how many."""
    skipped = {}
    for c in candidates:
        variable = lacking(c.load())
        if variable:
            skipped[variable] = skipped.get(variable, 0) + 1
        else:
            yield c
    for variable, n in sorted(skipped.items()):
        print("%s: %d cases skipped: %s is not set" % (suite, n, variable), file=sys.stderr)


def mirrors():
    """The provider mirrors that the environment names."""
    return [os.path.abspath(os.environ[v]) for v in MIRRORS.values() if os.environ.get(v)]


def environment(workdir, extra=None, use_mirrors=False):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("TF_", "TOFU_", "CHECKPOINT_"))}
    home = os.path.join(workdir, "home")
    none = os.path.join(workdir, "no-mirror")
    os.makedirs(home, exist_ok=True)
    os.makedirs(none, exist_ok=True)
    rc = os.path.join(workdir, "cli.tfrc")
    with open(rc, "w", encoding="utf-8") as f:
        f.write("provider_installation {\n")
        for folder in (use_mirrors and mirrors()) or [none]:
            f.write("  filesystem_mirror {\n    path = %s\n  }\n" % json.dumps(folder))
        f.write("}\n")
    env.update(HOME=home, TF_CLI_CONFIG_FILE=rc, CHECKPOINT_DISABLE="1",
               TF_IN_AUTOMATION="1", TOFU_VERSION_CHECK="tofu-only", TF_INPUT="0", NO_COLOR="1", LC_ALL="C.UTF-8")
    env.update(extra or {})
    return env


def _key(x):
    return json.dumps(x, sort_keys=True)


def _norm_module(m):
    if not isinstance(m, dict):
        return m
    m = dict(m)
    if "resources" in m:
        res = []
        for r in m["resources"]:
            r = dict(r)
            if "depends_on" in r:
                r["depends_on"] = sorted(r["depends_on"])
            res.append(r)
        m["resources"] = sorted(res, key=_key_address)
    if "child_modules" in m:
        m["child_modules"] = sorted((_norm_module(c) for c in m["child_modules"]), key=_key_address)
    return m


def _key_address(x):
    return (x.get("address", ""), x.get("deposed", "") or x.get("deposed_key", ""), _key(x))


def _norm_values(v):
    if isinstance(v, dict) and "root_module" in v:
        v = dict(v, root_module=_norm_module(v["root_module"]))
    return v


def normalize_plan(doc):
    out = {k: doc[k] for k in KEYS if k in doc}
    if "planned_values" in out:
        out["planned_values"] = _norm_values(out["planned_values"])
    if "prior_state" in out:
        p = out["prior_state"]
        out["prior_state"] = {"values": _norm_values(p.get("values", {}))}
    for k in ("resource_changes", "resource_drift"):
        if k in out:
            changes = []
            for r in out[k]:
                r = dict(r)
                if isinstance(r.get("change"), dict) and "replace_paths" in r["change"]:
                    r["change"] = dict(r["change"], replace_paths=sorted(r["change"]["replace_paths"], key=_key))
                changes.append(r)
            out[k] = sorted(changes, key=_key_address)
    if "checks" in out:
        cs = []
        for c in out["checks"]:
            c = dict(c)
            if c.get("instances"):
                inst = []
                for i in c["instances"]:
                    i = dict(i)
                    if "problems" in i:
                        i["problems"] = sorted(i["problems"], key=_key)
                    inst.append(i)
                c["instances"] = sorted(inst, key=_key)
            cs.append(c)
        out["checks"] = sorted(cs, key=_key)
    return out


def blank_messages(doc):
    """For checks that fail with the tool's own words rather than the configuration's."""
    for c in doc.get("checks", []):
        for i in c.get("instances") or []:
            for p in i.get("problems") or []:
                p["message"] = "<text>"


def stream_diagnostics(text):
    diags = []
    for line in text.splitlines():
        line = line.strip()
        if not line.startswith("{"):
            continue
        try:
            m = json.loads(line)
        except ValueError:
            continue
        if m.get("type") == "diagnostic":
            d = m.get("diagnostic") or {}
            r = d.get("range") or {}
            diags.append([d.get("severity"), r.get("filename") or "",
                          (r.get("start") or {}).get("line") or 0])
    return sorted(diags)


def _run(tofu, args, cwd, env):
    p = subprocess.run([tofu] + args, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT)
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def observe(tofu, case, spec, workdir):
    tofu = os.path.abspath(tofu)
    cfg = os.path.join(workdir, "config")
    if os.path.isdir(cfg):
        shutil.rmtree(cfg)
    shutil.copytree(os.path.join(case.path, "config"), cfg)
    state = os.path.join(case.path, "terraform.tfstate")
    if os.path.exists(state):
        shutil.copyfile(state, os.path.join(cfg, "terraform.tfstate"))
    env = environment(workdir, spec.get("env"), bool(spec.get("needs")))
    plan = os.path.join(workdir, "plan.bin")
    try:
        if spec.get("init"):
            rc, out, err = _run(tofu, ["init", "-input=false", "-no-color"] + spec.get("init_args", []), cfg, env)
            if rc != 0:
                return None, "init failed (%d): %s" % (rc, (out + err)[-300:])
        rc, out, err = _run(tofu, ["plan", "-json", "-input=false", "-out=" + plan] + spec.get("args", []), cfg, env)
        got = {"exit": rc, "diagnostics": stream_diagnostics(out)}
        if rc in (0, 2):
            src, sout, serr = _run(tofu, ["show", "-json", plan], cfg, env)
            if src != 0:
                return None, "show -json failed (%d): %s" % (src, (sout + serr)[-300:])
            got["plan"] = normalize_plan(json.loads(sout))
            if spec.get("ignore_messages"):
                blank_messages(got["plan"])
    except subprocess.TimeoutExpired:
        return None, "timed out after %d s" % TIMEOUT
    except (OSError, ValueError) as e:
        return None, "%s: %s" % (type(e).__name__, e)
    return got, None


def differences(want, got, path="", out=None):
    """Readable differences of two JSON values (at most a dozen)."""
    out = [] if out is None else out
    if len(out) >= 12:
        return out
    if isinstance(want, dict) and isinstance(got, dict):
        for k in sorted(set(want) | set(got)):
            p = path + "." + k if path else k
            if k not in got:
                out.append("%s missing (expected %s)" % (p, _short(want[k])))
            elif k not in want:
                out.append("%s unexpected (%s)" % (p, _short(got[k])))
            else:
                differences(want[k], got[k], p, out)
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for i, (a, b) in enumerate(zip(want, got)):
            label = a.get("address") if isinstance(a, dict) and isinstance(a.get("address"), str) else i
            differences(a, b, "%s[%s]" % (path, label), out)
    elif want != got or type(want) != type(got):
        out.append("%s: expected %s, got %s" % (path, _short(want), _short(got)))
    return out


def _short(x):
    s = json.dumps(x, sort_keys=True)
    return s if len(s) < 160 else s[:157] + "..."


def check(tofu, case, workdir):
    spec = case.load()
    want = read_json(os.path.join(case.path, "expect.json"))
    got, err = observe(tofu, case, spec, workdir)
    if err:
        return False, err
    diff = differences(want, got)
    return (not diff), "; ".join(diff)


def make_state(tofu, case, spec):
    before = os.path.join(case.path, "before")
    state = os.path.join(case.path, "terraform.tfstate")
    if not os.path.isdir(before) or os.path.exists(state):
        return
    with tempfile.TemporaryDirectory() as w:
        cfg = os.path.join(w, "config")
        shutil.copytree(before, cfg)
        env = environment(w, spec.get("env"), bool(spec.get("needs")))
        steps = [["init", "-input=false"],
                 ["apply", "-auto-approve", "-input=false"] + spec.get("before_args", [])]
        for a in steps + spec.get("before_commands", []):
            rc, out, err = _run(os.path.abspath(tofu), a, cfg, env)
            if rc != 0 and not spec.get("before_may_fail"):
                raise RuntimeError("%s: %s failed: %s" % (case.id, a, out + err))
        shutil.copyfile(os.path.join(cfg, "terraform.tfstate"), state)


def record(tofu, case, workdir):
    spec = case.load()
    make_state(tofu, case, spec)
    got, problem = observe(tofu, case, spec, workdir)
    if problem:
        raise RuntimeError(problem)
    return got


def save(case, recorded):
    with open(os.path.join(case.path, "expect.json"), "w", encoding="utf-8") as f:
        json.dump(recorded, f, indent=1, sort_keys=True)
        f.write("\n")

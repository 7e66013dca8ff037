"""Suite `validate`: configuration directories with the verdict of `tofu validate -json`.

Layout: <dir>/<group>/<name>/config/...   the configuration
        <dir>/<group>/<name>/case.json    {"init": bool, "expect": {...}}

`expect` holds `valid` and `diagnostics`: a sorted list of [severity, filename, line]
(filename "" and line 0 where the diagnostic has no source range). Message texts are
not compared. `init` says whether `tofu init -backend=false` is run first (its exit
status is not looked at: a configuration that needs a provider that is not installed
still gets its modules installed).
"""
import json
import os
import shutil
import subprocess

TIMEOUT = 60


class Case:
    def __init__(self, root, group, name):
        self.group = group
        self.name = name
        self.id = group + "/" + name
        self.path = os.path.join(root, group, name)

    def load(self):
        with open(os.path.join(self.path, "case.json"), encoding="utf-8") as f:
            return json.load(f)


def cases(dir):
    if not os.path.isdir(dir):
        return
    for group in sorted(os.listdir(dir)):
        gdir = os.path.join(dir, group)
        if not os.path.isdir(gdir):
            continue
        for name in sorted(os.listdir(gdir)):
            if os.path.isfile(os.path.join(gdir, name, "case.json")):
                yield Case(dir, group, name)


def environment(workdir):
    """A closed environment: no user configuration, no network installation."""
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("TF_", "TOFU_", "CHECKPOINT_"))}
    home = os.path.join(workdir, "home")
    none = os.path.join(workdir, "no-mirror")
    os.makedirs(home, exist_ok=True)
    os.makedirs(none, exist_ok=True)
    rc = os.path.join(workdir, "cli.tfrc")
    with open(rc, "w", encoding="utf-8") as f:
        f.write('provider_installation {\n  filesystem_mirror {\n    path = %s\n  }\n}\n'
                % json.dumps(none))
    env.update(HOME=home, TF_CLI_CONFIG_FILE=rc, CHECKPOINT_DISABLE="1",
               TF_IN_AUTOMATION="1", TOFU_VERSION_CHECK="tofu-only", TF_INPUT="0", NO_COLOR="1", LC_ALL="C.UTF-8")
    return env


def observe(tofu, case, spec, workdir):
    """Runs the case; returns (observed, error message)."""
    tofu = os.path.abspath(tofu)
    cfg = os.path.join(workdir, "config")
    if os.path.isdir(cfg):
        shutil.rmtree(cfg)
    src = os.path.join(case.path, "config")
    if os.path.isdir(src):
        shutil.copytree(src, cfg)
    else:
        os.makedirs(cfg)
    env = environment(workdir)
    try:
        if spec.get("init"):
            subprocess.run([tofu, "init", "-backend=false", "-input=false", "-no-color"],
                           cwd=cfg, env=env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           timeout=TIMEOUT)
        args = [tofu, "validate", "-json"] + list(spec.get("args", []))
        p = subprocess.run(args, cwd=cfg, env=env,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return None, "timed out after %d s" % TIMEOUT
    except OSError as e:
        return None, "cannot run: %s" % e
    try:
        doc = json.loads(p.stdout.decode("utf-8", "replace"))
        diags = []
        for d in doc.get("diagnostics") or []:
            r = d.get("range") or {}
            diags.append([d["severity"], r.get("filename") or "",
                          (r.get("start") or {}).get("line") or 0])
        got = {"valid": doc["valid"], "diagnostics": sorted(diags)}
        counts = (doc.get("error_count"), doc.get("warning_count"))
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        return None, "output is not the validate -json document (%s), exit %d: %s" % (
            e, p.returncode, (p.stdout + p.stderr)[:200].decode("utf-8", "replace"))
    errs = sum(1 for d in diags if d[0] == "error")
    if counts != (errs, len(diags) - errs):
        return got, "error_count/warning_count %s do not count the diagnostics" % (counts,)
    if got["valid"] != (errs == 0):
        return got, "valid is %s with %d errors" % (got["valid"], errs)
    want_rc = 0 if got["valid"] else 1
    if p.returncode != want_rc:
        return got, "exit status %d, expected %d" % (p.returncode, want_rc)
    return got, None


def _minus(a, b):
    b = [tuple(x) for x in b]
    out = []
    for x in a:
        if tuple(x) in b:
            b.remove(tuple(x))
        else:
            out.append(x)
    return out


def check(tofu, case, workdir):
    spec = case.load()
    got, err = observe(tofu, case, spec, workdir)
    if err:
        return False, err
    want = spec["expect"]
    msg = []
    if got["valid"] != want["valid"]:
        msg.append("valid: expected %s, got %s" % (want["valid"], got["valid"]))
    for word, l in (("missing", _minus(want["diagnostics"], got["diagnostics"])),
                    ("unexpected", _minus(got["diagnostics"], want["diagnostics"]))):
        if l:
            msg.append(word + " " + ", ".join("%s %s:%s" % tuple(d) for d in l))
    return (not msg), "; ".join(msg)


def record(tofu, case, workdir):
    spec = case.load()
    spec["expect"], problem = observe(tofu, case, spec, workdir)
    if problem:
        raise RuntimeError(problem)
    return spec


def save(case, recorded):
    with open(os.path.join(case.path, "case.json"), "w", encoding="utf-8") as f:
        json.dump(recorded, f, indent=1, sort_keys=True)
        f.write("\n")

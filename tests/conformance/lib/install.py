"""Suite `install`: modules fetched from repositories, directories, archives and a registry.

Layout: <dir>/<group>/<name>.json
  {"description", "env"?, "differs"?, "packages"?, "routes"?, "registry"?, "steps": [STEP, ...]}

What is fetched from is made anew for every case, below a working directory:
  "packages": {NAME: {"files": FILES}}           a directory, @{packages}/NAME
              {NAME: {"git": [COMMIT, ...]}}     a git repository, also known as
                 https://git.example.com/NAME.git, https://github.com/NAME and by ssh
                 (git's own configuration leads these to the HTTP server below)
              {NAME: null}                       takes a package away again
  COMMIT: "files", "remove": [path], "tags": [name], "annotated": true, "branch": name,
          "submodules": {path: url}, and "name": then @{commit:PACKAGE:NAME} is its id
          and @{short:PACKAGE:NAME} its first seven digits
  "routes": {path: REPLY}      of the HTTP server at @{http} (a path may have a query)
  REPLY: "status", "headers", "body", "redirect": url, "auth": "user:password", or
         "archive": "zip" or "tar.gz"..., with "files"; then there is @{sha256:PATH} (md5, sha1)
  "registry": {"[host/]ns/name/system": {VERSION: location or REPLY}}
         registry.opentofu.org and registry.example.com are served
  FILES: {path: text, or {"link": target}, {"text":, "mode": "755"}, {"archive":, "files":}};
         a path with a slash at its end is an empty directory

STEP:
  "packages", "routes", "registry"   as above: added, or put in the place of what was there
  "write": FILES, "remove": [path]   in the directory where the command runs
  "run": [arg, ...], "env": {}
  "expect": {
     "exit":    the exit status
     "errors":  [[file, line], ...] of a command with -json, sorted; a file of a fetched
                package is written <package>/PATH. Where OpenTofu names no place the list has
                ["", 0], and there must be at least one error more, wherever it is placed
     "modules": modules.json: {Key: [Source, Version, Dir]}; null: there is none
     "trees":   {NAME: {path: hash}}: what is found below .terraform/modules/NAME, for
                each NAME that a Dir goes through, links followed, .git and .gitmodules left out; "x" after
                the hash: may be executed; "no directory": the Dir is not there
     "work":    the same of the working directory itself (only with -from-module)
  }
"modules", "trees" and "work" are there only where init or get ended well: what a failed
installation leaves behind is not laid down. Addresses, ports, paths, commit ids and checksums
are replaced by their @{...} everywhere, also inside files before they are hashed.
"""
import json
import os
import re
import shutil

from . import process
from .install_world import World, tree, write_files



class Case:
    def __init__(self, root, group, name):
        self.group = group
        self.name = name
        self.id = group + "/" + name
        self.path = os.path.join(root, group, name + ".json")

    def load(self):
        with open(self.path, encoding="utf-8") as f:
            return json.load(f)


def cases(directory):
    if not os.path.isdir(directory):
        return
    for group in sorted(os.listdir(directory)):
        folder = os.path.join(directory, group)
        if os.path.isdir(folder):
            for name in sorted(os.listdir(folder)):
                if name.endswith(".json"):
                    yield Case(directory, group, name[:-5])


# ---- looking -------------------------------------------------------------------

NOWHERE = ["", 0]


def place(diagnostic, world):
    where = diagnostic.get("range") or {}
    name = world.unfill(where.get("filename") or "")
    if not name or name.startswith("<"):  # such as the caller that -from-module makes up
        return NOWHERE
    name = re.sub(r"^(@\{work\}/)?\.terraform/init-from-module/root/", "", name)
    name = re.sub(r"^(@\{work\}/)?\.terraform/(modules|packages)/[^/]+/", "<package>/", name)
    return [name, (where.get("start") or {}).get("line") or 0]


def errors(stdout, world):
    """The places of the errors in a JSON document or stream."""
    text = stdout.decode("utf-8", "replace").strip()
    try:
        diagnostics = json.loads(text)["diagnostics"]
    except (ValueError, KeyError):
        messages = [json.loads(line) for line in text.splitlines()]
        diagnostics = [m["diagnostic"] for m in messages if m.get("type") == "diagnostic"]
    found = sorted(place(d, world) for d in diagnostics if d["severity"] == "error")
    return [NOWHERE] * (NOWHERE in found) + [f for f in found if f != NOWHERE]


def manifest(world, folder, data):
    path = os.path.join(folder, data, "modules", "modules.json")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as f:
        records = json.load(f)["Modules"]
    return {r["Key"]: [world.unfill(r.get("Source") or ""), r.get("Version") or "",
                       world.unfill(os.path.normpath(r["Dir"]))]
            for r in sorted(records, key=lambda r: r["Key"])}


def trees(world, folder, data, modules):
    found = {}
    for _, _, inner in (modules or {}).values():
        match = re.match(r"(?:@\{work\}/)?%s/modules/([^/]+)" % re.escape(data), inner)
        if not os.path.isdir(os.path.join(folder, world.fill(inner))):
            found[inner] = "no directory"
        elif match and match.group(1) not in found:
            found[match.group(1)] = tree(os.path.join(folder, data, "modules", match.group(1)), world)
    return found


def observe(args, env, result, world):
    seen = {"exit": result.code}
    folder, data = world.work, env.get("TF_DATA_DIR", ".terraform")
    if args[0].startswith("-chdir="):
        folder = os.path.join(folder, args[0][len("-chdir="):])
        args = args[1:]
    if "-json" in args:
        seen["errors"] = errors(result.stdout, world)
    if args[0] in ("init", "get") and result.code == 0:
        seen["modules"] = manifest(world, folder, data)
        seen["trees"] = trees(world, folder, data, seen["modules"])
        if any(a.startswith("-from-module") for a in args):
            seen["work"] = tree(world.work, world, (".terraform",))
    return seen


# ---- running -------------------------------------------------------------------

def play(tofu, spec, workdir, visit):
    """Runs the steps; visit(number, step, result, what is seen) may return a problem."""
    world = World(workdir)
    try:
        world.add(spec)
        for number, step in enumerate(spec["steps"], start=1):
            world.add(step)
            for path in step.get("remove", []):
                full = os.path.join(world.work, path)
                if os.path.isdir(full) and not os.path.islink(full):
                    shutil.rmtree(full)
                else:
                    os.remove(full)
            write_files(world.work, step.get("write", {}), world)
            if "run" not in step:
                continue
            env = dict(world.environment(), **spec.get("env", {}))
            env.update(step.get("env", {}))
            env = {k: world.fill(v) for k, v in env.items()}
            args = [world.fill(a) for a in step["run"]]
            result = process.run_tofu(tofu, args, world.work, extra_env=env)
            problem = visit(number, step, result, lambda: observe(step["run"], env, result, world))
            if problem:
                return world.unfill(problem)
    finally:
        world.close()
    return None


def misplaced(want, got):
    """Whether errors are missing or in other places; those that OpenTofu gives no place may be anywhere."""
    rest = list(got)
    for where in want:
        if where != NOWHERE:
            if where not in rest:
                return True
            rest.remove(where)
    return (NOWHERE in want) != bool(rest)


def differences(want, got, path=""):
    """Where two JSON values differ, one line each."""
    if path == "errors" and not misplaced(want, got):
        return []
    if isinstance(want, dict) and isinstance(got, dict):
        out = []
        for key in sorted(set(want) | set(got)):
            here = path + "/" + key if path else key
            if key not in got:
                out.append("%s: missing" % here)
            elif key not in want:
                out.append("%s: extra, %s" % (here, json.dumps(got[key])[:80]))
            else:
                out += differences(want[key], got[key], here)
        return out
    return [] if want == got else ["%s: want %s got %s" % (path, json.dumps(want)[:160], json.dumps(got)[:160])]


def said(result):
    """What the command complained about, for people."""
    text = result.stdout.decode("utf-8", "replace")
    quoted = r'"(?:[^"\\]|\\.)*"'
    complaints = re.findall(r'"severity":\s*"error",\s*"summary":\s*(%s)(?:,\s*"detail":\s*(%s))?' % (quoted, quoted), text)
    told = [": ".join(json.loads(part) for part in parts if part) for parts in complaints]
    told.append(result.stderr.decode("utf-8", "replace").strip())
    return ": " + " / ".join(t for t in told if t)[:500]


def check(tofu, case, workdir):
    def visit(number, step, result, seen):
        where = "step %d (%s)" % (number, " ".join(step["run"])[:60])
        if result.code != step["expect"]["exit"]:
            return "%s: exit status %d, expected %d%s" % (where, result.code, step["expect"]["exit"], said(result))
        try:
            found = differences(step["expect"], seen())
        except (ValueError, KeyError, TypeError, OSError) as problem:
            return "%s: cannot be read: %s%s" % (where, problem, said(result))
        return "%s: %s" % (where, "; ".join(found[:6])) if found else None

    problem = play(os.path.abspath(tofu), case.load(), workdir, visit)
    return problem is None, problem or ""


def record(tofu, case, workdir):
    spec = case.load()

    def visit(number, step, result, seen):
        step["expect"] = seen()
        return None

    problem = play(os.path.abspath(tofu), spec, workdir, visit)
    if problem:
        raise RuntimeError(problem)
    return spec


def save(case, recorded):
    with open(case.path, "w", encoding="utf-8") as f:
        json.dump(recorded, f, indent=1, ensure_ascii=False)
        f.write("\n")

"""Suite `expr`: one expression per case, evaluated by `tofu console`.

Cases are the lines of cases.jsonl:
  {"id": ..., "group": ..., "expr": ..., "want": "exact stdout"}
  {"id": ..., "group": ..., "expr": ..., "want": {"error": true, "exit": 1}}
An optional "prelude" names a folder of preludes/ that is copied into the
working directory first.
"""

import json
import os
import shutil
from types import SimpleNamespace

from . import oneline
from .process import run_tofu

STANDARD_PRELUDES = os.path.join(os.path.dirname(__file__), "..", "expr", "preludes")


def cases(directory):
    preludes = os.path.join(directory, "preludes")
    if not os.path.isdir(preludes):
        preludes = STANDARD_PRELUDES  # hold-out sets share the standard ones
    found = []
    with open(os.path.join(directory, "cases.jsonl"), encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                members = json.loads(line)
                case = SimpleNamespace(**{"prelude": None, **members}, members=list(members))
                if case.prelude:
                    case.prelude = os.path.join(preludes, case.prelude)
                found.append(case)
    return found


def evaluate(tofu, case, workdir):
    """Runs the case's expression through the console."""
    if case.prelude:
        shutil.copytree(case.prelude, workdir, dirs_exist_ok=True)
    return run_tofu(tofu, ["console"], workdir, stdin=case.expr.encode("utf-8") + b"\n")


def check(tofu, case, workdir):
    result = evaluate(tofu, case, workdir)
    got = result.stdout.decode("utf-8", "backslashreplace")
    want = case.want
    if isinstance(want, dict):
        return check_error(want, result, got)
    if result.code != 0:
        return False, f"exit {result.code}, want {oneline.shorten(want)}"
    if got != want:
        return False, oneline.short_diff(want, got)
    return True, ""


def check_error(want, result, got):
    if result.code != want["exit"]:
        return False, f"want an error with exit {want['exit']}, got exit {result.code} and {oneline.shorten(got)}"
    if got:
        return False, f"want nothing on stdout, got {oneline.shorten(got)}"
    if b"Error: " not in result.stderr:
        return False, "want an error report on stderr"
    return True, ""


def record(tofu, case, workdir):
    result = evaluate(tofu, case, workdir)
    if result.code != 0:
        return {"error": True, "exit": result.code}
    return result.stdout.decode("utf-8")


def save(case, recorded):
    case.want = recorded


def finish(directory, cases):
    """Writes the file of cases; the order of the members of each stays."""
    with open(os.path.join(directory, "cases.jsonl"), "w", encoding="utf-8") as lines:
        for case in cases:
            members = {name: getattr(case, name) for name in case.members}
            if case.prelude:
                members["prelude"] = os.path.basename(case.prelude)
            lines.write(json.dumps(members, ensure_ascii=False) + "\n")

"""Suite `fmt`: NAME.in.EXT is formatted and must become NAME.want.EXT.

Each input is formatted twice: from standard input (`tofu fmt -`) and in place
(`tofu fmt FILE`, which names the file if it changed), and the result must then
pass `tofu fmt -check`. An input without a .want file must be refused.
"""

import os
from types import SimpleNamespace

from . import oneline
from .process import run_tofu


def cases(directory):
    root = os.path.join(directory, "cases")
    if not os.path.isdir(root):
        root = directory
    found = []
    for name in sorted(os.listdir(root)):
        stem, marker, extension = name.partition(".in.")
        if not marker:
            continue
        want = os.path.join(root, f"{stem}.want.{extension}")
        found.append(SimpleNamespace(
            id=stem,
            group=stem.split("-")[0],
            input=os.path.join(root, name),
            want=want if os.path.exists(want) else None,
            file_name=f"{stem}.{extension}",
        ))
    return found


def read(path):
    with open(path, "rb") as file:
        return file.read()


def as_text(data):
    # Carriage returns are spelled out, so that a difference in them shows.
    return data.decode("utf-8", "backslashreplace").replace("\r", "\\r")


def check(tofu, case, workdir):
    source = read(case.input)
    piped = run_tofu(tofu, ["fmt", "-"], workdir, stdin=source)
    path = os.path.join(workdir, case.file_name)
    with open(path, "wb") as file:
        file.write(source)
    in_place = run_tofu(tofu, ["fmt", case.file_name], workdir)

    if case.want is None:
        return check_refused(piped, in_place)

    want = read(case.want)
    if piped.code != 0:
        return False, f"fmt -: exit {piped.code}"
    if piped.stdout != want:
        return False, "fmt -: " + oneline.short_diff(as_text(want), as_text(piped.stdout))
    if in_place.code != 0:
        return False, f"fmt FILE: exit {in_place.code}"
    if read(path) != want:
        return False, "fmt FILE: " + oneline.short_diff(as_text(want), as_text(read(path)))
    listed = case.file_name + "\n" if want != source else ""
    if in_place.stdout.decode() != listed:
        return False, "fmt FILE: " + oneline.short_diff(listed, in_place.stdout.decode())
    again = run_tofu(tofu, ["fmt", "-check", case.file_name], workdir)
    if again.code != 0:
        return False, f"fmt -check FILE: want exit 0 for a formatted file, got {again.code}"
    return True, ""


def check_refused(piped, in_place):
    for label, result in (("fmt -", piped), ("fmt FILE", in_place)):
        if result.code != 2:
            return False, f"{label}: want exit 2, got {result.code}"
    return True, ""


def record(tofu, case, workdir):
    result = run_tofu(tofu, ["fmt", "-"], workdir, stdin=read(case.input))
    if result.code not in (0, 2):
        raise RuntimeError(f"fmt -: exit {result.code}")
    return result.stdout if result.code == 0 else None


def save(case, recorded):
    path = case.input.replace(".in.", ".want.")
    if recorded is not None:
        with open(path, "wb") as file:
            file.write(recorded)
    elif os.path.exists(path):
        os.remove(path)

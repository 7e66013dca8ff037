#!/usr/bin/env python3
"""Holds the sources to src/LAYERS: which room may include which.

Refused are an include that the room has no permission for, one not written as
"room/file.h", a folder that LAYERS does not name or a room without a folder, a
permission that nothing uses, and a room without README.md.
"""

import pathlib
import re
import sys

from sources import cpp_files, finish

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]*)"')


def read_layers(path):
    """Gives {room: permitted rooms} in the order of the file, and problems."""
    layers, problems = {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        room, colon, below = line.partition(":")
        if not colon or room in layers:
            problems.append(f"{path}:{number}: write each room once, as `room: permitted rooms`")
            continue
        names = below.split()
        problems += [
            f"{path}:{number}: {room} may only be given rooms of earlier lines, not {name}"
            for name in names if name not in layers
        ]
        layers[room] = set(names)
    return layers, problems


def check_file(path, room, layers, used):
    """Problems of one file; adds the rooms it includes to `used`."""
    problems = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target, slash, _ = match[1].partition("/")
        if not slash or target not in layers:
            problems.append(f'{path}:{number}: write the include as "room/file.h"')
        elif target == room:
            continue
        elif target in layers[room]:
            used.add(target)
        else:
            problems.append(f"{path}:{number}: {room} has no permission to include {target}")
    return problems


def check(root):
    src = pathlib.Path(root, "src")
    layers, problems = read_layers(src / "LAYERS")
    used = {room: set() for room in layers}
    for folder in sorted(entry for entry in src.iterdir() if entry.is_dir()):
        if folder.name not in layers:
            problems.append(f"{folder}: src/LAYERS has no such room")
            continue
        if not (folder / "README.md").exists():
            problems.append(f"{folder}: a room needs a README.md")
        for path in cpp_files(folder, "."):
            problems += check_file(path, folder.name, layers, used[folder.name])
    for room, permitted in layers.items():
        if not (src / room).is_dir():
            problems.append(f"{src}/LAYERS: there is no folder for the room {room}")
        problems += [
            f"{src}/LAYERS: {room} does not use {name}; remove the permission"
            for name in sorted(permitted - used[room])
        ]
    return problems, f"{len(layers)} rooms, every include is permitted and every permission used"


if __name__ == "__main__":
    sys.exit(finish("layers", *check(sys.argv[1] if len(sys.argv) > 1 else ".")))

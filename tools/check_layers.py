#!/usr/bin/env python3
"""Holds the sources to src/LAYERS: which component may include which.

Refused are an include that the component has no permission for, one not written as
"component/file.h", a folder that LAYERS does not name or a component without a folder, a
permission that nothing uses, and a component without README.md.
"""

import pathlib
import re
import sys

from sources import cpp_files, finish

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]*)"')


def read_layers(path):
    """Gives {component: permitted components} in the order of the file, and problems."""
    layers, problems = {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        component, colon, below = line.partition(":")
        if not colon or component in layers:
            problems.append(f"{path}:{number}: write each component once, as `component: permitted components`")
            continue
        names = below.split()
        problems += [
            f"{path}:{number}: {component} may only be given components of earlier lines, not {name}"
            for name in names if name not in layers
        ]
        layers[component] = set(names)
    return layers, problems


def check_file(path, component, layers, used):
    """Problems of one file; adds the components it includes to `used`."""
    problems = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target, slash, _ = match[1].partition("/")
        if not slash or target not in layers:
            problems.append(f'{path}:{number}: write the include as "component/file.h"')
        elif target == component:
            continue
        elif target in layers[component]:
            used.add(target)
        else:
            problems.append(f"{path}:{number}: {component} has no permission to include {target}")
    return problems


def check(root):
    src = pathlib.Path(root, "src")
    layers, problems = read_layers(src / "LAYERS")
    used = {component: set() for component in layers}
    for folder in sorted(entry for entry in src.iterdir() if entry.is_dir()):
        if folder.name not in layers:
            problems.append(f"{folder}: src/LAYERS has no such component")
            continue
        if not (folder / "README.md").exists():
            problems.append(f"{folder}: a component needs a README.md")
        for path in cpp_files(folder, "."):
            problems += check_file(path, folder.name, layers, used[folder.name])
    for component, permitted in layers.items():
        if not (src / component).is_dir():
            problems.append(f"{src}/LAYERS: there is no folder for the component {component}")
        problems += [
            f"{src}/LAYERS: {component} does not use {name}; remove the permission"
            for name in sorted(permitted - used[component])
        ]
    return problems, f"{len(layers)} components, every include is permitted and every permission used"


if __name__ == "__main__":
    sys.exit(finish("layers", *check(sys.argv[1] if len(sys.argv) > 1 else ".")))

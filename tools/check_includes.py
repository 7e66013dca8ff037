#!/usr/bin/env python3
"""Every file includes the common headers that it uses, itself or through ours.

Compilers do not show when one is missing, because these headers are compiled once and
given to every file (cmake/TofuPrecompiled.cmake). What the standard library's headers
include of each other does not count: another compiler's may not. Of our own headers the
types count: where files are compiled in batches (cmake/TofuBatches.cmake), one could live
on what another one includes.
"""

import functools
import pathlib
import re
import sys

from sources import blank, cpp_files, finish

# What a header is for, as far as the name tells it.
USES = {
    "algorithm": r"std::(?:ranges::)?(?:adjacent_find|all_of|any_of|binary_search|clamp|copy_if|"
                 r"copy_n|count|count_if|equal_range|fill|fill_n|find_if|find_if_not|generate|"
                 r"is_sorted|lexicographical_compare|lower_bound|max_element|merge|min_element|"
                 r"minmax|mismatch|none_of|nth_element|partial_sort|partition|remove_if|replace|"
                 r"reverse|rotate|search|set_difference|set_intersection|sort|stable_sort|"
                 r"transform|unique|upper_bound)\(",
    "array": r"std::array\b",
    "fmt/format.h": r"\bfmt::(?:format|format_to|formatter|join|to_string)\b",
    "functional": r"std::(?:function|invoke|greater|plus|not_fn|reference_wrapper)\b",
    "map": r"std::(?:map|multimap)\b",
    "memory": r"std::(?:unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared|addressof)\b",
    "optional": r"std::(?:optional|nullopt)\b",
    "span": r"std::span\b",
    "string": r"std::(?:string|to_string|stoi|getline)\b",
    "string_view": r"std::string_view\b",
    "unordered_map": r"std::unordered_map\b",
    "variant": r"std::(?:variant|visit|get_if|holds_alternative|monostate)\b",
    "vector": r"std::vector\b",
}
USES = {header: re.compile(pattern) for header, pattern in USES.items()}
# Promised by the standard.
BRINGS = {"string": {"string_view"}}
DEFINED = re.compile(r"^(?:class|struct|enum class) (\w+)[^;]*$", re.MULTILINE)
ANNOUNCED = re.compile(r"\b(?:class|struct) (\w+);")
DECLARED = re.compile(r"\b(?:class|struct|using) (?:\w+::)*(\w+)\b(?!;|::)")
ENUMERATORS = re.compile(r"\benum class [^{;]*\{([^}]*)\}")
TYPE = re.compile(r"(?<![:\w.])(?<!class )(?<!struct )(?:(\w+)::)?([A-Z]\w+)\b")
INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]', re.MULTILINE)


class Includes:
    """What files include, directly and through files of ours."""

    def __init__(self, root):
        self.root = pathlib.Path(root)

    def ours(self, name):
        for folder in ("src", "."):
            path = self.root / folder / name
            if path.exists():
                return path
        return None

    @functools.cache
    def named_in(self, path):
        """Headers of others, and files of ours."""
        others, ours = set(), []
        for name in INCLUDE.findall(path.read_text()):
            inside = self.ours(name)
            if inside:
                ours.append(inside)
            else:
                others |= {name, *BRINGS.get(name, ())}
        return others, ours

    @functools.cache
    def announced_in(self, path):
        return set(ANNOUNCED.findall(blank(path.read_text())))

    @functools.cache
    def declared_in(self, path):
        """Types that stand in another one, other names for types, and enumerators."""
        text = blank(path.read_text())
        return set(DECLARED.findall(text)).union(
            *(re.findall(r"\w+", values) for values in ENUMERATORS.findall(text)))

    def of(self, path):
        """Names of headers of others, and paths of files of ours."""
        found, seen, left = set(), {path}, [path]
        while left:
            others, ours = self.named_in(left.pop())
            found |= others
            left += [one for one in ours if one not in seen]
            seen.update(ours)
        return found | seen


def types_of(root):
    """By component: its types, each with the header of ours that defines it. A name that several
    headers define tells nothing."""
    found = {}
    for header in cpp_files(root, "src"):
        if header.suffix == ".h":
            component = found.setdefault(header.parent.name, {})
            for name in DEFINED.findall(blank(header.read_text())):
                component[name] = None if name in component else header
    return {component: {name: header for name, header in types.items() if header}
            for component, types in found.items()}


def types_used(text, component, types):
    """The types of ours that a text of this component uses: where, and the header of each."""
    for used in TYPE.finditer(text):
        header = types.get(used[1] or component, {}).get(used[2])
        if header:
            yield used, header


def check(root):
    includes, types = Includes(root), types_of(root)
    files = cpp_files(root, "src", "tests", "fuzz", "bench")
    problems = []
    for path in files:
        text, included = blank(path.read_text()), includes.of(path)
        for header, uses in USES.items():
            used = uses.search(text)
            if used and header not in included:
                line = text.count("\n", 0, used.start()) + 1
                problems.append(f"{path}:{line}: {used[0].rstrip('(')} needs <{header}>")
        component = path.relative_to(root).parts[1] if "src" in path.parts else None
        ours = [one for one in included if isinstance(one, pathlib.Path)]
        # A header may go on with an announcement; what uses the type may not.
        announced, missing = set(), {}
        for one in ours if path.suffix == ".h" else [path]:
            announced.update(includes.announced_in(one))
        for used, header in types_used(text, component, types):
            if header not in included and used[2] not in announced and not any(
                    used[2] in includes.declared_in(one) for one in ours):
                missing.setdefault(header, used)
        for header, used in missing.items():
            line = text.count("\n", 0, used.start()) + 1
            problems.append(f'{path}:{line}: {used[0]} needs "{header.relative_to(pathlib.Path(root) / "src")}"')
    return problems, f"{len(files)} files include what they use"


if __name__ == "__main__":
    sys.exit(finish("includes", *check(sys.argv[1] if len(sys.argv) > 1 else ".")))

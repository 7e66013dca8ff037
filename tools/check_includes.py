#!/usr/bin/env python3
"""Every file includes the common headers that it uses, itself or through ours.

Compilers do not show when one is missing, because these headers are compiled once and
given to every file (cmake/TofuPrecompiled.cmake). What the standard library's headers
include of each other does not count: another compiler's may not. Of the headers of ours
that a room has compiled once (COMMON in its CMakeLists.txt), the types count.
"""

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
COMMON = re.compile(r"\bCOMMON\b([^)]*)\)")
DEFINED = re.compile(r"^(?:class|struct|enum class) (\w+)[^;]*$", re.MULTILINE)
INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]', re.MULTILINE)


class Includes:
    """What files include, directly and through files of ours."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.known = {}

    def ours(self, name):
        for folder in ("src", "."):
            path = self.root / folder / name
            if path.exists():
                return path
        return None

    def named_in(self, path):
        """Headers of others, and files of ours."""
        if path not in self.known:
            others, ours = set(), []
            for name in INCLUDE.findall(path.read_text()):
                inside = self.ours(name)
                if inside:
                    ours.append(inside)
                else:
                    others |= {name, *BRINGS.get(name, ())}
            self.known[path] = others, ours
        return self.known[path]

    def of(self, path):
        """Names of headers of others, and paths of files of ours."""
        found, seen, left = set(), {path}, [path]
        while left:
            others, ours = self.named_in(left.pop())
            found |= others
            left += [one for one in ours if one not in seen]
            seen.update(ours)
        return found | seen


def common_of(root):
    """By room: the headers of ours that are compiled once for it, and what tells their use."""
    found = {}
    for listed in sorted(pathlib.Path(root).glob("src/*/CMakeLists.txt")):
        named = COMMON.search(listed.read_text())
        for name in named[1].split() if named else []:
            header = pathlib.Path(root) / "src" / name
            types = DEFINED.findall(blank(header.read_text()))
            if types:
                room, its = listed.parent.name, header.parent.name
                before = r"(?<![:\w.])(?<!class )" + ("" if its == room else its + "::")
                uses = re.compile(before + "(?:" + "|".join(types) + r")\b")
                found.setdefault(room, []).append((header, uses))
    return found


def declares(text, name):
    return re.search(rf"\b(?:class|struct) {name}\b", text)


def check(root):
    includes, common = Includes(root), common_of(root)
    files = cpp_files(root, "src", "tests", "fuzz", "bench")
    problems = []
    for path in files:
        text, included = blank(path.read_text()), includes.of(path)
        for header, uses in USES.items():
            used = uses.search(text)
            if used and header not in included:
                line = text.count("\n", 0, used.start()) + 1
                problems.append(f"{path}:{line}: {used[0].rstrip('(')} needs <{header}>")
        room = path.relative_to(root).parts[1] if "src" in path.parts else None
        for header, uses in common.get(room, []):
            used = next((one for one in uses.finditer(text) if not declares(text, one[0])), None)
            if used and header not in included:
                line = text.count("\n", 0, used.start()) + 1
                problems.append(f"{path}:{line}: {used[0]} needs \"{header.name}\"")
    return problems, f"{len(files)} files include what they use"


if __name__ == "__main__":
    sys.exit(finish("includes", *check(sys.argv[1] if len(sys.argv) > 1 else ".")))

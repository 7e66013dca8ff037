"""Plants each offence that the lint tools must find, and what they must let pass."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import check_headers  # noqa: E402
import check_idioms  # noqa: E402
import check_includes  # noqa: E402
import check_layers  # noqa: E402
import check_sizes  # noqa: E402
import check_words  # noqa: E402
from sources import blank  # noqa: E402

PROSE = "// What this is.\n// What may enter.\n// What it promises.\n#pragma once\n"


class LintCase(unittest.TestCase):
    def problems(self, tool, files):
        """Runs a tool on a tree with these files; gives its problems as one text."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            with contextlib.redirect_stdout(io.StringIO()):
                problems, _ = tool.check(folder)
            return "\n".join(problems)


class IncludesCase(LintCase):
    def test_a_common_header_that_is_used_has_to_be_included(self):
        found = self.problems(check_includes, {"src/a/b.cc": "\nstd::vector<int> one;\n"})
        self.assertIn("b.cc:2: std::vector needs <vector>", found)

    def test_it_may_come_through_headers_of_ours_that_include_each_other(self):
        self.assertEqual("", self.problems(check_includes, {
            "src/a/b.h": '#include "a/c.h"\n#include <string>\n', "src/a/c.h": '#include "a/b.h"\n',
            "src/a/b.cc": '#include "a/c.h"\nstd::string_view one;  // std::vector\n'}))

    def test_types_of_our_headers_count_too(self):
        files = {"src/a/c.h": "class Thing {\n};\n", "src/a/b.cc": "Thing one;\nz::Thing two;\n",
                 "src/d/e.cc": "a::Thing one;\n"}
        found = self.problems(check_includes, files)
        self.assertIn('b.cc:1: Thing needs "a/c.h"', found)
        self.assertIn('e.cc:1: a::Thing needs "a/c.h"', found)
        files["src/a/b.cc"] = "class Thing;\nz::Thing two;\n"
        files["src/d/e.cc"] = '#include "a/c.h"\na::Thing one;\n'
        self.assertEqual("", self.problems(check_includes, files))

    def test_an_announced_type_is_enough_for_a_header_only(self):
        files = {"src/a/c.h": "class Thing {\n};\n", "src/a/d.h": "class Thing;\n",
                 "src/a/e.h": '#include "a/d.h"\nvoid use(Thing& one);\n',
                 "src/a/e.cc": '#include "a/e.h"\nvoid use(Thing& one) {}\n'}
        self.assertEqual(1, len(self.problems(check_includes, files).splitlines()))

    def test_what_is_only_named_like_a_type_of_ours_needs_no_header(self):
        files = {"src/a/c.h": "class Thing {\n};\nstruct Part {\n};\n",
                 "src/a/b.cc": "enum class Kind { Thing, Other };\nKind one = Kind::Thing;\n"
                               "struct Own::Part {};\nPart two;\n"}
        self.assertEqual("", self.problems(check_includes, files))

    def test_what_headers_of_others_include_does_not_count(self):
        found = self.problems(check_includes, {
            "src/a/b.cc": "#include <map>\nstd::optional<int> one;\n"})
        self.assertIn("std::optional needs <optional>", found)


class Layers(LintCase):
    GOOD = {
        "src/LAYERS": "low:\nhigh: low # why\n",
        "src/low/README.md": "", "src/high/README.md": "",
        "src/low/a.h": "", "src/high/b.cc": '#include "low/a.h"\n#include "high/b.h"\n',
    }

    def test_a_tree_that_keeps_the_rules_has_no_problems(self):
        self.assertEqual("", self.problems(check_layers, self.GOOD))

    def test_an_include_without_permission_is_refused(self):
        found = self.problems(check_layers, {**self.GOOD, "src/low/a.h": '\n#include "high/b.h"\n'})
        self.assertIn("a.h:2: low has no permission to include high", found)

    def test_an_include_without_component_is_refused(self):
        found = self.problems(check_layers, {**self.GOOD, "src/low/a.h": '#include "a.h"\n'})
        self.assertIn('write the include as "component/file.h"', found)

    def test_an_unused_permission_is_refused(self):
        found = self.problems(check_layers, {**self.GOOD, "src/high/b.cc": ""})
        self.assertIn("high does not use low", found)

    def test_a_permission_that_points_up_is_refused(self):
        found = self.problems(check_layers, {**self.GOOD, "src/LAYERS": "low: high\nhigh: low\n"})
        self.assertIn("low may only be given components of earlier lines, not high", found)

    def test_folder_and_list_must_agree(self):
        found = self.problems(check_layers, {
            **self.GOOD, "src/LAYERS": "low:\nhigh: low\nmissing:\n", "src/stray/README.md": ""})
        self.assertIn("no such component", found)
        self.assertIn("no folder for the component missing", found)

    def test_a_component_without_readme_is_refused(self):
        files = dict(self.GOOD)
        del files["src/low/README.md"]
        self.assertIn("needs a README.md", self.problems(check_layers, files))


class Sizes(LintCase):
    def test_a_long_file_is_refused(self):
        self.assertIn("801 lines", self.problems(check_sizes, {"src/a/a.cc": "\n" * 801}))
        self.assertEqual("", self.problems(check_sizes, {"src/a/a.cc": "\n" * 800}))

    def test_a_long_function_is_refused_wherever_it_stands(self):
        body = "{\n" + "  f();\n" * 99 + "}\n"
        heads = {
            "free": "namespace a {\nint free(int x = 3) ",
            "in_class": "class C {\n public:\n  void in_class() const ",
            "C::C": "C::C(int a) : a_{a}, b_(a) ",
            "operator_": "bool operator==(const C& a, const C& b) ",
            "templated": "template <class T, int n = 3>\nvoid templated() ",
            "TEST": "TEST(Subject, DoesIt) ",
        }
        for name, head in heads.items():
            found = self.problems(check_sizes, {"src/a/a.cc": "#define X 1\n" + head + body})
            self.assertRegex(found, "has 10[12] lines", name)

    def test_a_function_of_a_hundred_lines_passes(self):
        text = "void f() {\n" + "  g([] {});\n" * 98 + "}\n"
        self.assertEqual("", self.problems(check_sizes, {"src/a/a.cc": text}))

    def test_a_long_table_is_no_function(self):
        text = "constexpr Row kRows[] = {\n" + "  {f(1), 2},\n" * 200 + "};\n"
        self.assertEqual("", self.problems(check_sizes, {"src/a/a.cc": text}))

    def test_a_large_class_says_why(self):
        functions = "".join(f"  int f{i}(int a = g(1)) const;\n" for i in range(31))
        fields = "".join(f"  int a{i}_ = 0;\n" for i in range(16))
        for members, says in ((functions, "31 functions and 0"), (fields, "0 functions and 16")):
            text = "class C {\n public:\n" + members + "};\n"
            self.assertIn(says, self.problems(check_sizes, {"src/a/a.h": text}))
            reason = "// One thing.\n// Large: a function for each kind\n// of thing.\n"
            self.assertEqual("", self.problems(check_sizes, {"src/a/a.h": reason + text}))
            self.assertEqual("", self.problems(check_sizes, {"tests/a/a_test.cc": text}))

    def test_functions_inside_of_functions_and_local_values_are_not_members(self):
        body = "  void f() {\n" + "    g();\n    int a_ = 1;\n" * 40 + "  }\n"
        self.assertEqual("", self.problems(
            check_sizes, {"src/a/a.h": "struct C {\n" + body + "  int b_;\n};\n"}))

    def test_an_exception_needs_a_reason_and_a_use(self):
        long = {"src/a/a.cc": "\n" * 801}
        entry = "tools/lint_allow.txt"
        self.assertEqual("", self.problems(
            check_sizes, {**long, entry: "file-size src/a/a.cc generated table\n"}))
        self.assertIn("needs a reason", self.problems(
            check_sizes, {**long, entry: "file-size src/a/a.cc\n"}))
        self.assertIn("excuses nothing", self.problems(
            check_sizes, {entry: "file-size src/a/a.cc generated table\n"}))


class Headers(LintCase):
    def test_prose_before_pragma_once_passes(self):
        self.assertEqual("", self.problems(check_headers, {
            "src/a/a.h": PROSE, "src/a/b.h": PROSE.replace("What this", "`this`")}))

    def test_other_openings_are_refused(self):
        for text in ("#pragma once\n", "// Too short.\n#pragma once\n", "\n" + PROSE,
                     "// ====\n" + PROSE, "#include <x>\n" + PROSE, PROSE.replace("#pragma", "")):
            self.assertNotEqual("", self.problems(check_headers, {"src/a/a.h": text}), text)

    def test_a_source_includes_its_own_header_first(self):
        good, bad = '#include "a/a.h"\n#include <map>\n', '#include <map>\n#include "a/a.h"\n'
        self.assertEqual("", self.problems(check_headers, {"src/a/a.h": PROSE, "src/a/a.cc": good}))
        for text in (bad, ""):
            self.assertIn("a.cc:1: ", self.problems(check_headers, {"src/a/a.h": PROSE, "src/a/a.cc": text}))


    def test_the_readme_of_a_component_lists_its_headers(self):
        files = {"src/a/a.h": PROSE, "src/a/b.h": PROSE, "src/a/README.md": "- `a.h`, `b`, `c.cc`\n"}
        self.assertEqual("", self.problems(check_headers, files))
        files["src/a/README.md"] = "- `a.h`, `d.h`\n"
        found = self.problems(check_headers, files)
        self.assertIn("README.md:1: list the header b.h", found)
        self.assertIn("README.md:1: there is no header d.h", found)
        entry = "readme-headers src/a/README.md is being written\n"
        self.assertEqual("", self.problems(check_headers, {**files, "tools/lint_allow.txt": entry}))


class Words(LintCase):
    LIST = "[names]\nFacts|k(Most)\\w+ -> other\n[comments]\nrooms? -> part\n(is|was) told -> gets\n"

    def found(self, files, listing=LIST):
        return self.problems(check_words, {"tools/words.txt": listing, **files})

    def test_a_replaced_name_is_refused_in_code(self):
        found = self.found({"src/a/a.cc": "\nFacts one;\nint two = kMostOf;\n"})
        self.assertIn("a.cc:2: 'Facts': write other", found)
        self.assertIn("a.cc:3: 'kMostOf': write other", found)

    def test_only_what_cannot_be_an_ordinary_word_is_refused_in_comments_too(self):
        found = self.found({"src/a/a.cc": "// Facts are words.\n// kMostOf is none.\n"})
        self.assertIn("a.cc:2: 'kMostOf'", found)
        self.assertNotIn("'Facts'", found)

    def test_words_are_refused_in_comments_of_every_language(self):
        found = self.found({
            "src/a/a.cc": "int a;  // a room\n",
            "tests/b.py": '"""It is told."""\n\n\ndef f():\n    """A room."""\n    return 1  # rooms\n',
            "src/a/CMakeLists.txt": "set(a b)  # a room\n",
            "dev": "x=${a#room}\n  # a room\n"})
        for place in ("a.cc:1: 'room'", "b.py:1: 'is told'", "b.py:5: 'room'", "b.py:6: 'rooms'",
                      "CMakeLists.txt:1: 'room'", "dev:2: 'room'"):
            self.assertIn(place, found)
        self.assertEqual(6, len(found.splitlines()))

    def test_texts_and_parts_of_words_pass(self):
        self.assertEqual("", self.found({
            "src/a/a.cc": 'auto a = "// a room, kMostOf";\nauto b = R"(Facts)";\nint room;\n// bathrooms, Facts2\n',
            "tests/b.py": 'a = "a room"\nb = {"c": """room"""}\n'}))

    def test_an_unchecked_folder_needs_a_problem(self):
        listing = self.LIST + "[unchecked]\nsrc/a -> is being moved\n"
        self.assertEqual("", self.found({"src/a/a.cc": "Facts one;\n"}, listing))
        self.assertIn("'Facts'", self.found({"src/ab/a.cc": "Facts one;\n"}, listing))
        self.assertIn("src/a has no problems", self.found({"src/a/a.cc": "int one;\n"}, listing))

    MESSAGES = LIST + "[messages]\n[Nn]obody -> the actor\n[Tt]here is -> the subject first\n"

    def test_words_are_refused_in_messages(self):
        found = self.found({
            "src/a/a.cc": '\nerror("Nobody can " "be asked");\nerror("\\nThere "\n      "is no x");\n'},
            self.MESSAGES)
        self.assertIn("a.cc:2: 'Nobody' in a message: write the actor", found)
        self.assertIn("a.cc:3: 'There is' in a message: write the subject first", found)

    def test_names_promises_and_tests_are_not_messages(self):
        self.assertEqual("", self.found({
            "src/a/a.cc": 'find("nobody");\nTOFU_CHECK(a == b, "there is one");\n',
            "tests/a/a_test.cc": 'find("nobody is there");\n'}, self.MESSAGES))

    def test_a_folder_with_unchecked_messages_needs_a_problem(self):
        listing = self.MESSAGES + "[unchecked_messages]\nsrc/a -> is still to be reworded\n"
        self.assertEqual("", self.found({"src/a/a.cc": 'f("nobody is");\n'}, listing))
        self.assertIn("'Facts'", self.found({"src/a/a.cc": 'Facts a("nobody is");\n'}, listing))
        self.assertIn("src/a has no problems", self.found({"src/a/a.cc": 'f("a b");\n'}, listing))

    def test_an_invalid_line_of_the_list_is_refused(self):
        self.assertIn("words.txt:1: expected", self.found({}, "a -> b\n"))
        self.assertIn("words.txt:2: expected", self.found({}, "[names]\na\n"))
        self.assertIn("words.txt:1: unknown part 'other'", self.found({}, "[other]\n"))


class Idioms(LintCase):
    def check(self, text, path="src/value/a.cc"):
        return self.problems(check_idioms, {path: text})

    def test_each_offence_is_found(self):
        for offence in ("throw 1;", "try {} catch (...) {}", "dynamic_cast<A*>(b);", "new A;",
                        "using namespace std;", "// TODO: later", "// FIXME", "static int counter = 0;",
                        "thread_local std::string buffer;", "inline int counter;",
                        "std::atomic<bool> stopped = false;", "volatile std::sig_atomic_t seen = 0;",
                        "std::map<int, int> cache;", "int table[3];", "Thing* last{nullptr};"):
            self.assertIn("a.cc:2: ", self.check("\n" + offence + "\n"), offence)

    def test_what_only_looks_like_an_offence_passes(self):
        for text in ("// a new way to throw", 'x = "catch (me)";', 'R"(throw)";', "// TODO(#12): later",
                     "static constexpr int kA = 1;", "static int f(int a);", "static const A a{1};",
                     "inline constexpr std::string_view kName = 1;", "inline namespace a {",
                     "static_assert(sizeof(A) == 8);", "const Command kFmt = {", "int f(int a) {",
                     "struct A {\n  int member = 0;\n};", "using B = std::vector<int>;", "enum class C {",
                     "extern char** environ;", "template <class T>\nT f() {", "A::A()\n    : b_{1} {",
                     "__extension__ typedef unsigned __int128 U128;", "void* operator new(std::size_t);", "#include <new>"):
            self.assertEqual("", self.check(text + "\n"), text)

    def test_types_of_one_namespace_have_different_names(self):
        def written(inner):
            return f"namespace tofu::a {{\n{inner}}}  // namespace tofu::a\n"
        part = "struct Part {\n};\n"
        files = {"src/a/a.h": written(part), "src/a/b.h": written(part)}
        self.assertIn("b.h:2: tofu::a::Part is also in", self.problems(check_idioms, files))
        for other in (written("class Part;\n"), written("namespace {\n" + part + "}  // namespace\n"),
                      written("struct Parts {\n};\n"), written(part).replace("a {", "b {")):
            self.assertEqual("", self.problems(check_idioms, {**files, "src/a/b.h": other}), other)

    def test_offences_have_their_one_home(self):
        self.assertEqual("", self.check("throw 1;", "src/base/check.cc"))
        self.assertEqual("", self.check("try {} catch (...) {}", "src/commands/main.cc"))
        self.assertEqual("", self.check("new A;", "src/base/arena.cc"))
        self.assertEqual("", self.check("throw 1;", "tests/a/a_test.cc"))


class Blank(unittest.TestCase):
    def test_lines_keep_their_numbers(self):
        text = 'a /* b\nc */ "d\\"e" R"x(\nf)x" 1\'000\'000 \'"\' // g\nh'
        self.assertEqual(blank(text).count("\n"), text.count("\n"))
        self.assertEqual(blank(text).split(), ["a", "1'000'000", "h"])


if __name__ == "__main__":
    unittest.main()

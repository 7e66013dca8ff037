"""What may be compiled together, and what must not."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from batches import batches  # noqa: E402


def unnamed(text):
    return "namespace tofu::a {\nnamespace {\n" + text + "\n}  // namespace\n}  // namespace tofu::a\n"


class Batches(unittest.TestCase):
    def together(self, *texts):
        return len(set(batches(texts, 8))) == 1

    def test_files_that_share_no_name_go_together_up_to_the_limit(self):
        self.assertEqual([0, 0, 1], batches(["int a() { return 1; }"] * 3, 2))

    def test_names_of_unnamed_namespaces_are_told_apart(self):
        for own in ("struct Thing {\n};", "constexpr int Thing = 1;", "using Thing = int;",
                    "enum Letter { Thing };", "class Thing : public Base {", "int Thing[2];"):
            self.assertFalse(self.together(unnamed(own), unnamed("bool one(Thing two);")), own)
            self.assertTrue(self.together(unnamed(own), unnamed("bool one(z::Thing two);")), own)

    def test_a_function_stands_in_the_way_of_calls_only(self):
        own = unnamed("std::string text_of(int number) {\n}")
        self.assertFalse(self.together(own, unnamed("int a() {\n  return text_of(1);\n}")))
        self.assertTrue(self.together(own, unnamed("int a(int text_of) {\n  return b.text_of(1);\n}")))

    def test_what_a_header_declares_is_everybodys(self):
        own = "namespace tofu::a {\nint text_of(int one) {\n}\nclass Thing::Part {\n};\n}\n"
        self.assertTrue(self.together(own, "int a() { return text_of(1); }"))

    def test_using_the_same_thing_twice_is_no_conflict(self):
        self.assertTrue(self.together("using z::Thing;\nThing a;", "using ::z::Thing;\nThing b;"))
        self.assertFalse(self.together("using z::Thing;\nThing a;", "using y::Thing;\nThing b;"))

    def test_macros_reach_into_other_files(self):
        self.assertFalse(self.together("#define THING 1", "int a = THING;"))

    def test_comments_and_strings_mention_nothing(self):
        self.assertTrue(self.together(unnamed("struct Thing {\n};"), 'auto a = "Thing";  // Thing'))


if __name__ == "__main__":
    unittest.main()

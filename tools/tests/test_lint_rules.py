"""docs/lint.md has a section for each lint rule of the program, and for no other."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class LintRules(unittest.TestCase):
    def test_each_rule_has_a_section_with_bad_and_good_code(self):
        rules = re.findall(r'\.id = "([^"]+)"', (ROOT / "src/lint/rules.h").read_text())
        text = (ROOT / "docs/lint.md").read_text()
        sections = dict(re.findall(r"^### `([^`]+)`\n(.*?)(?=^### |\Z)", text, re.S | re.M))
        self.assertEqual(list(sections), rules)
        for rule, section in sections.items():
            for part in ("Severity: ", "Bad:\n", "Good:\n", "Fix: "):
                self.assertIn(part, section, rule)


if __name__ == "__main__":
    unittest.main()

"""The page of a plan, as a browser shows it.

Needs Chromium (the Debian package `chromium`); without it the tests are skipped.
"""

import re
import shutil
import subprocess
import unittest

from place import TIME_LIMIT, PlaceTest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

CONFIGURATION = """
variable "password" {
  default   = "hunter2"
  sensitive = true
}
module "net" {
  source = "./net"
}
resource "terraform_data" "many" {
  count = 400
  input = { text = "</script><b id=injected>", net = module.net.id }
}
resource "terraform_data" "key" {
  input = var.password
}
check "small" {
  assert {
    condition     = length(terraform_data.many) < 3
    error_message = "there are too many"
  }
}
output "net" {
  value = module.net.id
}
"""
CHILD = """
resource "terraform_data" "vpc" {
  input = "vpc"
}
output "id" {
  value = terraform_data.vpc.id
}
"""


@unittest.skipUnless(BROWSER, "Chromium is not installed")
class Page(PlaceTest):
    def page(self):
        folder = self.folder("page")
        folder.write({"main.tf": CONFIGURATION, "net/main.tf": CHILD})
        self.init(folder=folder)
        done = folder.tofu("plan", "-html-out=plan.html")
        self.assertEqual(done.status, 0, done.said)
        return folder.path / "plan.html"

    def shown(self, page, script=""):
        """The document after its script ran, and `script` after it."""
        driven = page.with_name("driven.html")
        text = page.read_text()
        self.assertIn("</body>", text)
        driven.write_text(text.replace("</body>", f"<script>{script}</script></body>"))
        done = subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000",
             f"--user-data-dir={page.parent}/profile", "--dump-dom", driven.as_uri()],
            capture_output=True, timeout=TIME_LIMIT, text=True)
        return re.sub(r'<script type="application/json".*?</script>', "", done.stdout, flags=re.S)

    def test_lists_the_first_changes_at_once(self):
        shown = self.shown(self.page())
        self.assertIn("Plan: 402 to add, 0 to change, 0 to destroy.", shown)
        self.assertIn("402 in all", shown)
        rows = shown.count('class="change"')
        self.assertTrue(0 < rows < 402, rows)

    def test_a_change_opens_and_shows_its_text_as_text(self):
        shown = self.shown(self.page(), "search('many[7]'); toggleAll();")
        self.assertIn("1 of 402", shown)
        self.assertIn("&lt;/script&gt;&lt;b id=injected&gt;", shown)
        self.assertNotIn("<b id=", shown)
        self.assertIn("Depends on", shown)
        self.assertIn("module.net.terraform_data.vpc", shown)

    def test_keys_change_parts_and_filters(self):
        press = "document.dispatchEvent(new KeyboardEvent('keydown', {key: '4'}));"
        shown = self.shown(self.page(), press)
        self.assertIn("there are too many", shown)
        self.assertEqual(shown.count('class="notice"'), 1)

    def test_the_graph_shows_what_depends_on_what(self):
        shown = self.shown(self.page(), "choose(parts[4]);")
        self.assertIn("+ terraform_data.many (400)", shown)
        self.assertEqual(shown.count('<path d="'), 1)

    def test_has_no_sensitive_values(self):
        page = self.page()
        self.assertNotIn("hunter2", page.read_text())
        self.assertIn("(sensitive value)", self.shown(page, "search('key'); toggleAll();"))


if __name__ == "__main__":
    unittest.main()

"""Builds the plugin in tests/plugins/fake."""

import os
import pathlib
import shutil
import subprocess
import unittest

GO = shutil.which("go")
SOURCE = pathlib.Path(__file__).parent.parent / "plugins/fake"

needs_go = unittest.skipUnless(GO, "there is no Go to build the plugin with")


def build(folder):
    """Builds it into the folder; gives its path."""
    plugin = f"{folder}/terraform-provider-fake"
    environment = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"}
    subprocess.run([GO, "build", "-trimpath", "-buildvcs=false", "-o", plugin, "."], cwd=SOURCE,
                   env=environment, check=True)
    return plugin

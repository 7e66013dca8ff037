#!/usr/bin/env python3
"""Runs the acceptance tests of public providers with tofu and with OpenTofu.

Providers test themselves by running a real program: they plan, apply, import and destroy,
and look at plans and states as JSON. Each suite runs with both programs. A test that passes
with OpenTofu and fails with tofu is a failure; it has to do so twice. Tests that fail with
both need what this machine does not have, such as a registry.

The sources come from Go's module proxy and stay in a cache outside the repository
(TOFU_ACCEPTANCE_DIR, or tofu-acceptance below XDG_CACHE_HOME). What the proxy does not have is taken
from a git repository of its name, such as terraform-provider-null, in the folder that
TOFU_ACCEPTANCE_REPOSITORIES names. A suite that neither has is skipped, and so is everything where
Go is not installed.

    acceptance.py --tofu build/release/tofu --peer /usr/bin/tofu --suite random --suite tls
"""

import argparse
import collections
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

ORGANIZATION = "github.com/hashicorp/"
# Name of the suite: module and version. Most providers have releases of a major version that their module path does not
# name, so that a version is a commit; `main` is the newest one.
SUITES = {
    "null": ("terraform-provider-null", "main"),
    "random": ("terraform-provider-random", "v1.3.2-0.20260824155315-e1092b0cfc07"),
    "time": ("terraform-provider-time", "v0.14.2"),
    "local": ("terraform-provider-local", "v1.4.1-0.20260806152022-9068a4b7aa37"),
    "tls": ("terraform-provider-tls", "v1.2.1-0.20260819085117-d044ca7c6f52"),
    "archive": ("terraform-provider-archive", "main"),
    "external": ("terraform-provider-external", "main"),
    "http": ("terraform-provider-http", "v1.2.1-0.20260814132659-be89f04ea469"),
    "cloudinit": ("terraform-provider-cloudinit", "main"),
    "corner": ("terraform-provider-corner", "main"),
    "plugin-testing": ("terraform-plugin-testing", "v1.16.0"),
}
# A test that imports this package runs the program.
TEST_LIBRARIES = ("terraform-plugin-testing/helper/resource", "terraform-plugin-sdk/v2/helper/resource")
RESULTS = {"pass", "fail", "skip"}
LOST = "lost"


class Unavailable(Exception):
    """The suite cannot be had or built here."""


def go(*arguments, folder=None):
    run = subprocess.run(["go", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode:
        raise Unavailable(last_line(run.stdout + run.stderr))
    return run.stdout


def last_line(text):
    """What a failed `go` says, in one line."""
    try:
        text = json.loads(text)["Error"]
    except (ValueError, KeyError):
        pass
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "go failed and said nothing"


def decode_all(text):
    """The JSON documents that follow each other in `text`."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        document, at = decoder.raw_decode(text, at)
        yield document
        while at < len(text) and text[at].isspace():
            at += 1


def packages_with_acceptance_tests(documents):
    """Import path and folder of each package whose tests run the program, from `go list -json`."""
    for package in documents:
        imports = package.get("TestImports", []) + package.get("XTestImports", [])
        own = package["ImportPath"] if package.get("TestGoFiles") or package.get("XTestGoFiles") else ""
        if any(name.endswith(TEST_LIBRARIES) for name in [*imports, own]):
            yield package["ImportPath"], package["Dir"]


def module_sources(name):
    """The version of a suite that the module proxy has, and a function that copies its sources to a folder."""
    module, version = SUITES[name]
    download = json.loads(go("mod", "download", "-json", f"{ORGANIZATION}{module}@{version}"))

    def write(target):
        # The module cache is read-only, and tests write beside their sources.
        shutil.copytree(download["Dir"], target, copy_function=shutil.copyfile)
        for folder, _, _ in os.walk(target):
            os.chmod(folder, 0o755)

    return download["Version"], write


def repository_sources(name, reason):
    """The same from a git repository of this machine. If it does not exist, `reason` is why the suite cannot be had."""
    folder = os.environ.get("TOFU_ACCEPTANCE_REPOSITORIES")
    repository = pathlib.Path(folder, SUITES[name][0]) if folder else None
    if not repository or not repository.is_dir():
        raise reason

    def git(*arguments):
        run = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, check=False)
        if run.returncode:
            raise Unavailable(last_line(run.stderr.decode(errors="replace")))
        return run.stdout

    def write(target):
        with tarfile.open(fileobj=io.BytesIO(git("archive", "HEAD"))) as sources:
            sources.extractall(target, filter="data")

    return "git-" + git("rev-parse", "--short=12", "HEAD").decode().strip(), write


class Suite:
    """The sources of a suite and its test programs, in the cache."""

    def __init__(self, name, cache):
        self.name = name
        try:
            self.version, write = module_sources(name)
        except Unavailable as reason:
            self.version, write = repository_sources(name, reason)
        self.folder = cache / f"{name}-{self.version}"
        self.sources = self.folder / "sources"
        if not self.sources.exists():
            copy = self.folder / "copying"
            shutil.rmtree(copy, ignore_errors=True)
            write(copy)
            copy.rename(self.sources)

    def build(self):
        """Yields import path, folder and test program of each package."""
        if not (self.sources / "go.mod").exists():
            raise Unavailable(f"{self.version} has no go.mod, it is from before acceptance tests could name a program")
        listed = decode_all(go("list", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles,TestImports,XTestImports",
                               "./...", folder=self.sources))
        for path, folder in packages_with_acceptance_tests(listed):
            program = self.folder / (path.replace("/", "_") + ".test")
            if not program.exists():
                go("test", "-c", "-vet=off", "-o", str(program), ".", folder=folder)
            yield path, folder, program


def read_results(lines, package):
    """Results and output by test, from the events of test2json. A test that began and has no result, because the
    program ended with a panic or took too long, is "lost"."""
    results, output = {}, collections.defaultdict(list)
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if "Test" not in event:
            continue
        test = f"{package}.{event['Test']}"
        if event["Action"] in RESULTS:
            results[test] = event["Action"]
        elif event["Action"] == "run":
            results.setdefault(test, LOST)
        elif event["Action"] == "output":
            output[test].append(event["Output"])
    return results, {test: "".join(lines) for test, lines in output.items()}


def only_tests(tests, package):
    """The value of -run for these tests of a package, or None: Go runs whole tests, not parts of one."""
    names = {test[len(package) + 1:].split("/")[0] for test in tests if test.startswith(package + ".")}
    return "^(" + "|".join(sorted(names)) + ")$" if names else None


def broken_tests(peer, ours):
    """Tests that pass with the peer, and fail, end early or are skipped with ours. Where a part of a test is named,
    the test is left out."""
    broken = {test for test, result in peer.items() if result == "pass" and ours.get(test, LOST) != "pass"}
    return sorted(test for test in broken if not any(other.startswith(test + "/") for other in broken))


def require_whole(results, output):
    """Without what the peer says of a test, nothing can be compared."""
    lost = sorted(test for test, result in results.items() if result == LOST)
    if lost:
        said = "".join(output.get(test, "") for test in results if results[test] == "fail") or output.get(lost[0], "")
        raise Unavailable(f"with OpenTofu the tests end before {len(lost)} of them have a result:\n{said[-2000:]}")


def count(results):
    counts = collections.Counter(results.values())
    return f"{counts['pass']} passed, {counts['fail'] + counts[LOST]} failed, {counts['skip']} skipped"


class Runner:
    def __init__(self, arguments):
        self.arguments = arguments

    def environment(self, binary, scratch):
        # Settings of the person who runs this are no part of a test.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("TF_", "TOFU_"))}
        return kept | {"TF_ACC": "1", "TF_ACC_TERRAFORM_PATH": str(binary),
                       "TF_ACC_PROVIDER_HOST": self.arguments.provider_host,
                       "TF_ACC_TEMP_DIR": scratch, "TMPDIR": scratch, "CHECKPOINT_DISABLE": "1"}

    def run(self, binary, package, tests):
        """Results and output of the tests of a package."""
        path, folder, program = package
        command = ["go", "tool", "test2json", "-t", "-p", path, str(program), "-test.v=test2json", "-test.count=1",
                   f"-test.parallel={self.arguments.jobs}", f"-test.timeout={self.arguments.timeout}m"]
        if tests:
            command.append(f"-test.run={tests}")
        with tempfile.TemporaryDirectory(prefix="acceptance-", ignore_cleanup_errors=True) as scratch:
            with subprocess.Popen(command, cwd=folder, env=self.environment(binary, scratch), text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                return read_results(process.stdout, path)

    def compare(self, suite):
        """Runs a suite with both programs, prints its counts, and gives the tests that only ours fails."""
        theirs, ours, broken = {}, {}, {}
        for package in suite.build():
            peer, output = self.run(self.arguments.peer, package, self.arguments.run)
            require_whole(peer, output)
            mine, output = self.run(self.arguments.tofu, package, self.arguments.run)
            suspects = broken_tests(peer, mine)
            if suspects:
                # Some tests depend on the time or on chance.
                again = only_tests(suspects, package[0])
                peer_again, _ = self.run(self.arguments.peer, package, again)
                mine_again, output = self.run(self.arguments.tofu, package, again)
                confirmed = broken_tests(peer_again, mine_again)
                broken |= {test: output.get(test, "") for test in suspects if test in confirmed}
            theirs |= peer
            ours |= mine
        print(f"{suite.name} {suite.version}\n  OpenTofu: {count(theirs)}\n  tofu:     {count(ours)}")
        for test in sorted(test for test in ours if ours[test] == "pass" and theirs.get(test) == "fail"):
            print(f"  passes with tofu only: {test}")
        for test, output in broken.items():
            print(f"  FAILS WITH TOFU ONLY: {test}")
            print("".join(f"    {line}\n" for line in output.splitlines()[-self.arguments.lines:]), end="")
        sys.stdout.flush()
        return broken, sum(result == "pass" for result in ours.values())


def cache_folder():
    named = os.environ.get("TOFU_ACCEPTANCE_DIR")
    if named:
        return pathlib.Path(named).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "tofu-acceptance"


def program(text):
    found = shutil.which(text)
    if not found:
        raise argparse.ArgumentTypeError(f"there is no program {text!r}")
    return pathlib.Path(found).absolute()


def read_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tofu", type=program, default="build/release/tofu", help="the program to test")
    parser.add_argument("--peer", type=program, default=os.environ.get("TOFU_PEER_OPENTOFU", "tofu"),
                        help="OpenTofu (default: $TOFU_PEER_OPENTOFU, or tofu in the PATH)")
    parser.add_argument("--suite", action="append", choices=SUITES, help="only this suite; may be repeated")
    parser.add_argument("--run", help="only tests whose name matches this expression, as for `go test -run`")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="tests at a time")
    parser.add_argument("--timeout", type=int, default=60, help="minutes for the tests of one package")
    parser.add_argument("--lines", type=int, default=20, help="lines of output to show of a test that fails")
    parser.add_argument("--provider-host", default="registry.opentofu.org",
                        help="the host that the provider under test belongs to")
    return parser.parse_args(arguments)


def skip(reason):
    print(f"ACCEPTANCE SKIPPED: {reason}", file=sys.stderr)
    # Where every gate has to run, one that cannot is a failure.
    return 1 if os.environ.get("CI") == "true" else 0


def main(arguments):
    if not shutil.which("go"):
        return skip("Go is not installed.")
    options = read_arguments(arguments)
    runner, passed, failed, skipped = Runner(options), 0, 0, []
    for name in options.suite or SUITES:
        try:
            broken, good = runner.compare(Suite(name, cache_folder()))
            passed, failed = passed + good, failed + len(broken)
        except Unavailable as reason:
            skipped.append(name)
            print(f"{name} skipped: {reason}")
    print(f"acceptance: {passed} passed, {failed} failed only with tofu, {len(skipped)} suites skipped")
    if len(skipped) == len(options.suite or SUITES):
        return skip("no suite could be had.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

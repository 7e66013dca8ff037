"""Suite `text`: what people, and programs that read over their shoulders, see.

Layout: <dir>/<group>/<name>.json, steps as in the suite `scenario`, each with an
"observe" of its own kinds, most of them of standard output:

  kept         the body of the plan, progress, outputs and summaries; sentences are dropped
  ordered      the same, with the lines of progress in the order they came in (only where
               dependencies leave no choice)
  whole        everything
  phrases      the sentences that other programs look for
  config:PATH  a configuration file that was written, without its comments

The docstring of lib/text_output.py says line by line what is kept and normalized.

Cases with "needs": ["plugins"] are left out, with a line on stderr that counts them,
unless TOFU_TEST_PLUGINS names the provider mirror that plugins/build makes.
"""
import subprocess

from . import oneline, plan, scenario, text_output


def cases(dir):
    return plan.runnable("text", scenario.all_cases(dir))


def see(what, out, observer):
    kind, _, path = what.partition(":")
    if kind == "config":
        written = observer("file:" + path) or ""
        return text_output.trimmed(line for line in written.split("\n") if not line.startswith("#"))
    if what == "kept":
        return text_output.kept(out)
    if what == "ordered":
        return text_output.kept(out, ordered=True)
    if what == "whole":
        return text_output.whole(out)
    if what == "phrases":
        return text_output.phrases(out)
    raise ValueError("unknown observation " + what)


def check(tofu, case, workdir):
    def visit(number, step, rc, out, err, observer):
        where = "step %d (%s)" % (number, " ".join(step.get("run", []))[:60])
        if rc != step["exit"]:
            return "%s: exit status %d, expected %d: %s" % (where, rc, step["exit"], (err or out)[-300:])
        for what, want in step.get("observe", {}).items():
            got = see(what, out, observer)
            if got != want:
                return "%s: %s: %s" % (where, what, oneline.short_diff("\n".join(want), "\n".join(got)))
        return None

    try:
        problem = scenario.play(tofu, case.load(), workdir, visit)
    except subprocess.TimeoutExpired:
        problem = "timed out"
    return problem is None, problem or ""


def record(tofu, case, workdir):
    spec = case.load()

    def visit(number, step, rc, out, err, observer):
        step["exit"] = rc
        for what in step.get("observe", {}):
            step["observe"][what] = see(what, out, observer)
        return None

    problem = scenario.play(tofu, spec, workdir, visit)
    if problem:
        raise RuntimeError(problem)
    return spec


save = scenario.save

"""What the suite `text` keeps of the text a person reads.

Sentences are an implementation's own; the body of a plan, the lines of progress and
the one-line summaries are a format that other programs read. `kept` picks these out of
the standard output of plan, apply, destroy, refresh, show PLANFILE and test, by the
shape of a line, and drops all else. Of every line it looks at these, in this order:

  progress   `ADDRESS: WORD...`, the word being one of PROGRESS, and what provisioners
             print (`ADDRESS (local-exec): ...`). `Still creating...` and its like go.
             Lines that follow one another are sorted by address; those of one address
             keep their order.
  block      A line that begins `  # ` opens a block: the comment lines, the line with
             the action symbol and `resource "T" "N" {` (or `data`), and all lines down
             to the one that closes it. Kept whole, but for the sentences in it: of a
             `  # Warning: ...` above the resource, just that word, and in the place of
             a comment within (lines that begin with `# `, but not with `# (`) one line
             `# <text>` with its indentation.
  state      In the same way `# ADDRESS:` and the resource under it, down to its `}`.
  section    `Changes to Outputs:` and the lines under it, as long as they are indented.
             `Outputs:` and everything under it (up to the next line of a test).
  summary    `Plan: ` and counts; `Apply complete! ...`; `Destroy complete! ...`; of a
             line that begins `No changes.` just these two words.
  test       `NAME.tftest.hcl... pass`, `  run "NAME"... pass`, `Success! ...` and
             `Failure! ...`.

So these go: the legend of the symbols, the introduction of a plan, horizontal rules,
notes, warnings and errors with their source excerpts, hints on what to do next, blank
lines outside blocks.

Then, everywhere: UUIDs become <uuid>, durations 0s, keys of deposed objects <key>; lines
of white space alone become empty; otherwise each character counts, spaces included.

`whole` keeps everything (show, state show, output), normalized in the same way.
`phrases` keeps the few sentences which programs are known to look for.
"""
import re

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
DEPOSED = re.compile(r"\(deposed object [0-9a-f]{8}\)")
DURATION = re.compile(r"( complete after )(?:\d+[hms])+")

OPENING = re.compile(r'^ {0,4}(?:\S{1,3} +)?(?:resource|data) "[^"]*" "[^"]*" \{')
COMMENT = re.compile(r"^( +# )[^(]")
INDENTED = re.compile(r"^  ")
SUMMARY = re.compile(r"^(?:Plan: \d|(?:Apply|Destroy) complete! )")
TEST = re.compile(r'^(?:\S+\.(?:tf|tofu)test\.(?:hcl|json)\.\.\. \w|  run "[^"]*"\.\.\. \w|(?:Success|Failure)! )')

# An address begins with a letter and may have anything in the quotes of its keys.
ADDRESS = (r'(?:[A-Za-z_][\w-]*(?:\[(?:\d+|"(?:[^"\\]|\\.)*")\])?\.)+'
           r'[A-Za-z_][\w-]*(?:\[(?:\d+|"(?:[^"\\]|\\.)*")\])?')
STATE = re.compile(r"^# %s:(?: \(.*\))?$" % ADDRESS)
PROGRESS = ("Refreshing state", "Creating", "Creation complete", "Modifying", "Modifications complete",
            "Destroying", "Destruction complete", "Reading", "Read complete", "Provisioning with",
            "Preparing import", "Importing", "Import complete", "Import prepared",
            "Opening", "Open complete", "Renewing", "Renew complete", "Closing", "Close complete")
PROGRESS_LINE = re.compile(r"^(%s(?: \(deposed object [^)]*\))?)(?:: (?:%s)\b| \([a-z-]+\): )"
                           % (ADDRESS, "|".join(PROGRESS)))

PHRASES = re.compile(r"^(?:"
                     r"No changes\. .*"
                     r"|Note: Objects have changed outside of .*"
                     r"|OpenTofu used the selected providers to generate the following execution"
                     r"|OpenTofu will perform the following actions:"
                     r"|Unless you have made equivalent changes to your configuration.*"
                     r")$")


def normalize(line):
    if not line.strip():
        return ""
    line = UUID.sub("<uuid>", line)
    line = DEPOSED.sub("(deposed object <key>)", line)
    return DURATION.sub(r"\g<1>0s", line)


def trimmed(lines):
    """Without the empty lines at either end."""
    lines = list(lines)
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def without_sentences(block):
    """A block with a mark in the place of each comment that is a sentence."""
    out = []
    opened = inside = False
    for line in block:
        comment = COMMENT.match(line)
        if not opened:
            out.append("  # Warning:" if line.startswith("  # Warning:") else line)
            opened = bool(OPENING.match(line))
        elif not comment:
            out.append(line)
        elif not inside:
            out.append(comment.group(1) + "<text>")
        inside = opened and bool(comment)
    return out


def end_of_block(lines, start):
    """The number of the line after the block that begins at start."""
    closing = None
    for number in range(start, len(lines)):
        line = lines[number]
        if closing is None:
            if OPENING.match(line):
                if line.endswith("{}"):
                    return number + 1
                # The body of an object that is just shown has no column for symbols.
                following = next((l for l in lines[number + 1:] if l.strip()), "")
                closing = "    }" if following.startswith("      ") else "}"
            elif not line.strip():
                return number
        elif line == closing:
            return number + 1
    return len(lines)


def end_of_section(lines, start):
    for number in range(start + 1, len(lines)):
        if lines[number].strip() and not INDENTED.match(lines[number]) or TEST.match(lines[number]):
            return number
    return len(lines)


def end_of_outputs(lines, start):
    for number in range(start + 1, len(lines)):
        if TEST.match(lines[number]):
            return number
    return len(lines)


def kept(text, ordered=False):
    """The lines that count; with `ordered`, progress stays in the order it came in."""
    lines = text.split("\n")
    out = []
    progress = []

    def settle():
        out.extend(line for _, line in (progress if ordered else sorted(progress, key=lambda p: p[0])))
        progress.clear()

    number = 0
    while number < len(lines):
        line = lines[number]
        step = PROGRESS_LINE.match(line)
        if step:
            progress.append((normalize(step.group(1)), normalize(line).rstrip()))
            number += 1
            continue
        end = number + 1
        found = []
        if line.startswith("  # ") or STATE.match(line):
            end = end_of_block(lines, number)
            found = trimmed(normalize(l) for l in lines[number:end])
            found = without_sentences(l.rstrip() if l.startswith("  # ") else l for l in found)
        elif line.rstrip() == "Changes to Outputs:":
            end = end_of_section(lines, number)
            found = trimmed(normalize(l) for l in lines[number:end])
        elif line.rstrip() == "Outputs:":
            end = end_of_outputs(lines, number)
            found = ["Outputs:"] + trimmed(normalize(l) for l in lines[number + 1:end])
        elif line.startswith("No changes."):
            found = ["No changes."]
        elif SUMMARY.match(line) or TEST.match(line):
            found = [normalize(line).rstrip()]
        if found:
            settle()
            out.extend(found)
        number = end
    settle()
    return out


def whole(text):
    return trimmed(normalize(line) for line in text.split("\n"))


def phrases(text):
    return [normalize(line).rstrip() for line in text.split("\n") if PHRASES.match(line)]

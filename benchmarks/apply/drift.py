"""``python -m benchmarks.apply.drift EDITS.jsonl``: old and new text of a change, as agents send it, where old has drifted.

Each pair is a hunk of a recorded edit with some lines around it, in one call of an editing tool (``{"edits": [{"old",
"new"}]}``). ``old``, and with it what stays in ``new``, is spoilt in one of six ways that agents were reported to fail
with. What is right: the hunk's change, and every other line as the file has it.
"""

from __future__ import annotations

import argparse
import json
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.apply.pairs import Hunk, Pair, read_pairs
from editd.apply import Merged, merge
from editd.syntax.language import extension_of

_WORD = re.compile(r"\b[a-z_]{4,}\b")
_COMMENT = re.compile(r"\s*(#|//|\*|--)\s?(?=\w)")
_AROUND = 2  # lines of the file shown above and below a hunk


@dataclass(frozen=True, slots=True)
class Drifted:
    """A call of an editing tool. right_text: the text of the file after it."""

    id: str
    kind: str
    path: str
    before: str
    old: str
    new: str
    right_text: str

    @property
    def call(self) -> str:
        """The call as an agent sends it."""
        return json.dumps({"path": self.path, "edits": [{"old": self.old, "new": self.new}]})


def white_space(above: list[str], below: list[str], random: Random) -> bool:
    """Blanks at ends of lines, and two where one is."""
    lines = above or below
    place = random.randrange(len(lines))
    lines[place] = re.sub(r"(?<=\S) (?=\S)", "  ", lines[place], count=1) + random.choice(
        ("", " ", "\t")
    )
    return True


def stale_line(above: list[str], below: list[str], random: Random) -> bool:
    """A line around the change as it may have been before: without its last word."""
    lines = random.choice([side for side in (above, below) if side])
    places = [at for at, line in enumerate(lines) if len(line.split()) > 2]
    if not places:
        return False
    at = random.choice(places)
    lines[at] = lines[at].rstrip().rpartition(" ")[0]
    return True


def reflowed_comment(above: list[str], below: list[str], _: Random) -> bool:
    """A comment of two lines as one."""
    for lines in (above, below):
        for at in range(len(lines) - 1):
            first, second = lines[at], lines[at + 1]
            sign = _COMMENT.match(second)
            if _COMMENT.match(first) and sign:
                lines[at : at + 2] = [f"{first} {second[sign.end() :]}"]
                return True
    return False


def indentation(above: list[str], below: list[str], _: Random) -> bool:
    """Handled by ``drifted``, since all lines are concerned."""
    return any(line[:1].isspace() for line in (*above, *below))


def renamed_variable(above: list[str], below: list[str], random: Random) -> bool:
    """A name around the change is another one."""
    lines = random.choice([side for side in (above, below) if side])
    places = [at for at, line in enumerate(lines) if _WORD.search(line)]
    if not places:
        return False
    at = random.choice(places)
    name = random.choice(_WORD.findall(lines[at]))
    lines[at] = re.sub(rf"\b{name}\b", f"{name}_value", lines[at])
    return True


KINDS: dict[str, Callable[[list[str], list[str], Random], bool]] = {
    "white space": white_space,
    "stale line": stale_line,
    "re-flowed comment": reflowed_comment,
    "wrong indentation": indentation,
    "renamed variable": renamed_variable,
    "half a line": lambda *_: True,
}


def drifted(pair: Pair, hunk: Hunk, kind: str, random: Random) -> Drifted | None:
    """A call whose old text has drifted; ``None`` if the lines around the hunk cannot drift so."""
    first, last = _shown(pair.before, hunk)
    above, below = list(pair.before[first : hunk.start]), list(pair.before[hunk.end : last])
    old, new = list(pair.before[hunk.start : hunk.end]), list(hunk.new)
    if not (above or below) or not any(line.strip() for line in (*above, *below)):
        return None
    if kind == "half a line":
        if len(old) != 1 or len(new) != 1:
            return None
        above, below = [], []
        begin = len(_common(old[0], new[0]))
        end = len(_common(old[0][begin:][::-1], new[0][begin:][::-1]))
        text = "\n".join(pair.before)
        end = len(old[0]) - _word_end(old[0], len(old[0]) - end)
        begin = _word_begin(old[0], begin)
        while (begin or end) and text.count(old[0][begin : len(old[0]) - end]) > 1:
            begin = _word_begin(old[0], begin - 1)
            end = len(old[0]) - _word_end(old[0], len(old[0]) - end + 1)
        old, new = [old[0][begin : len(old[0]) - end]], [new[0][begin : len(new[0]) - end]]
        if len(old[0].strip()) < 4 or not new[0].strip() or text.count(old[0]) > 1:
            return None
    elif not KINDS[kind](above, below, random):
        return None
    shown, replaced = "\n".join([*above, *old, *below]), "\n".join([*above, *new, *below])
    if kind == "wrong indentation":
        shown, replaced = _dedented(shown, replaced)
    after = Pair(pair.id, pair.language, pair.before, (hunk,)).after()
    return Drifted(
        pair.id,
        kind,
        f"file{extension_of(pair.language)}",
        "\n".join(pair.before) + "\n",
        shown,
        replaced,
        "\n".join(after) + "\n",
    )


def _shown(before: Sequence[str], hunk: Hunk) -> tuple[int, int]:
    """The lines that an agent would show: two on each side, and more until they stand only once in the file."""
    bare = [line.strip() for line in before]
    first, last = max(hunk.start - _AROUND, 0), min(hunk.end + _AROUND, len(before))
    while first or last < len(before):
        shown = bare[first:last]
        places = (at for at in range(len(bare)) if bare[at : at + len(shown)] == shown)
        if len([*places]) < 2:
            break
        first, last = max(first - 1, 0), min(last + 1, len(before))
    return first, last


def _word_begin(line: str, at: int) -> int:
    """Where the word that holds or follows ``at`` begins."""
    at = max(at, 0)
    while at and (line[at - 1].isalnum() or line[at - 1] == "_"):
        at -= 1
    return at


def _word_end(line: str, at: int) -> int:
    """Where the word that holds or precedes ``at`` ends."""
    at = min(at, len(line))
    while at < len(line) and (line[at].isalnum() or line[at] == "_"):
        at += 1
    return at


def _common(first: str, second: str) -> str:
    """The beginning that both have."""
    count = 0
    while count < min(len(first), len(second)) and first[count] == second[count]:
        count += 1
    return first[:count]


def _dedented(old: str, new: str) -> tuple[str, str]:
    """The two texts, moved to the margin by the same number of columns."""
    both = textwrap.dedent(f"{old}\n\0\n{new}".replace("\0", "")).split("\n")
    count = len(old.split("\n"))
    return "\n".join(both[:count]), "\n".join(both[count + 1 :])


def calls(pairs: Sequence[Pair], number: int, seed: int) -> Iterator[Drifted]:
    """As many calls of each kind, each of another hunk."""
    random = Random(seed)
    hunks = [(pair, hunk) for pair in pairs for hunk in pair.hunks if hunk.end - hunk.start <= 12]
    for kind in KINDS:
        random.shuffle(hunks)
        found = (drifted(pair, hunk, kind, random) for pair, hunk in hunks)
        whole = (call for call in found if call and call.old != call.new and call.old.strip())
        for _, call in zip(range(-(-number // len(KINDS))), whole, strict=False):
            yield call


def outcome(call: Drifted) -> str:
    """``landed``, ``shown`` (a best reading with a mark), ``wrong``, ``shown wrong``, or ``refused``; blanks at ends of lines aside."""
    result = merge(call.before, call.call, path=call.path)
    if isinstance(result, Merged):
        return "landed" if _bare(result.text) == _bare(call.right_text) else "wrong"
    if result.reading is None:
        return "refused"
    is_right = _bare(result.reading.merged.text) == _bare(call.right_text)
    if result.reading.is_confident:
        return "landed" if is_right else "wrong"
    return "shown" if is_right else "shown wrong"


def _bare(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n")]


def main() -> None:
    """Print a table of Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("edits", type=Path, help="JSON lines with id, language, before and after")
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print what has not landed")
    args = parser.parse_args()
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for call in calls(list(read_pairs([args.edits])), args.number, args.seed):
        ended = outcome(call)
        counts[call.kind][ended] += 1
        if args.show and ended != "landed":
            print(f"=== {call.id} {call.kind}: {ended}\n{call.old}\n--->\n{call.new}")
            result = merge(call.before, call.call, path=call.path)
            print("   ", getattr(result, "reason", ""))
    columns = ("landed", "shown", "refused", "shown wrong", "wrong")
    print(f"| drift | {' | '.join(columns)} |\n|---|{'--:|' * len(columns)}")
    for kind, found in counts.items():
        print(f"| {kind} | {' | '.join(str(found[column]) for column in columns)} |")
    total = sum(counts.values(), Counter())
    print(f"| **all {total.total()}** | {' | '.join(str(total[column]) for column in columns)} |")


if __name__ == "__main__":
    main()

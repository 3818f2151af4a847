"""Cuts a sketch into parts at its markers, each indented as the file is.

Knows the sketch's lines and which of them the file has. ``align`` finds where a part belongs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editd.apply.indentation import in_units, shifted_as_file, stripped
from editd.apply.lines import Lines
from editd.apply.markers import holds_marker, is_bare, is_marker, says_stays
from editd.apply.outcome import Doubt

_HAS_DOTS = ("markdown", "rst", "text", "yaml")


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of a sketch between two markers, without trailing blanks.

    above, below: whether a marker is there. at: 0-based line of the sketch where they begin. moved: whether
    the sketch indents them otherwise. inside: whether it does so, and not at the margin: it may be meant.
    """

    lines: tuple[str, ...]
    above: bool
    below: bool
    at: int = 0
    moved: bool = False
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Sketch:
    """A sketch in parts. blocks: its lines as the file indents them. doubt: why a marker may be none."""

    parts: tuple[Part, ...]
    blocks: tuple[tuple[str, ...], ...]
    doubt: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(line for block in self.blocks for line in block)


class Markers:
    """Which lines of a sketch stand for text that stays. A line of the file does not."""

    def __init__(self, lines: Lines) -> None:
        self.known = {line.strip() for line in lines.keys}

    def __call__(self, line: str) -> bool:
        if line.strip() in self.known:
            return False
        return is_marker(line, self.known) or is_bare(line) or says_stays(line)

    def doubt(self, lines: Sequence[str], language: str) -> str:
        """Why some line may be a marker or none."""
        last = None
        for number, line in enumerate(lines):
            at = number + 1
            bare = line.strip()
            if not self(line):
                if holds_marker(line) and bare not in self.known:
                    return f"Line {at} of the sketch has a marker beside code; give the marker a line of its own."
                last = last if not bare else None
                continue
            above = next((x.strip() for x in reversed(lines[:number]) if x.strip()), "")
            body = language == "python" and above.endswith((":", '"""', "'''"))
            if is_bare(line) and (body or language in _HAS_DOTS):
                return (
                    f"Line {at} of the sketch is “{bare}”, which may be a marker or a line of the file; write "
                    "the marker as a comment."
                )
            if last == bare:
                return (
                    f"The marker at line {at} of the sketch has nothing beside it but the same marker, and "
                    "something that goes may stand there; leave one of them out, or show the lines around it."
                )
            if not is_bare(line) and not is_marker(line, self.known):
                return f"Line {at} of the sketch may be a marker or a comment; write “...” into the marker."
            last = bare
        return ""


def cut(blocks: Sequence[Sequence[str]], lines: Lines, language: str) -> Sketch:
    """The sketch's parts; another code block begins another part. Raises ``Doubt`` if there is none."""
    marks = Markers(lines)
    told = [tuple(line.rstrip() for line in block) for block in blocks]
    fitted = in_units([list(block) for block in told], lines.keys)
    cuts: list[Part] = []
    for number, block in enumerate(fitted):
        start, above = 0, number > 0
        ends = [n for n, line in enumerate(block) if marks(line)]
        for end in (*ends, len(block)):
            below = end < len(block) or number + 1 < len(fitted)
            if any(block[start:end]):
                cuts.append(Part(tuple(block[start:end]), above, below, start))
            elif cuts and start > 0 and above:
                cuts[-1] = Part(cuts[-1].lines, cuts[-1].above, True, cuts[-1].at)
            start, above = end + 1, True
    if not cuts:
        raise Doubt("The sketch has only markers; add the lines to change.", final=True)
    edges = [part.lines[0] for part in cuts if part.above]
    edges += [part.lines[-1] for part in cuts if part.below]
    layout = len(edges) > 1 and not any(edges)  # blank lines at all markers
    written = {line for block in told for line in block}
    parts = []
    for part in cuts:
        own = stripped(part.lines) if layout else part.lines
        moved = tuple(shifted_as_file(own, lines.keys))
        at = part.at + next(n for n, line in enumerate(part.lines) if line)
        inside = moved != tuple(own) and all(line[0].isspace() for line in own if line)
        other = not written.issuperset(moved)
        parts.append(Part(moved, part.above, part.below, at, other, inside))
    doubt = next(filter(None, (marks.doubt(block, language) for block in blocks)), "")
    for side, blank, beyond in (
        ("begins", not cuts[0].above and not cuts[0].lines[0], lines.keys[:1]),
        ("ends", not cuts[-1].below and not cuts[-1].lines[-1], lines.keys[-1:]),
    ):
        if blank and beyond != ("",):
            doubt = doubt or (
                f"The sketch {side} with a blank line, which may stay or be new; leave it out, or add a marker "
                "beyond it."
            )
    return Sketch(tuple(parts), tuple(map(tuple, fitted)), doubt)

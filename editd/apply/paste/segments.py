"""Cuts a sketch (pasted code) into segments at its markers (lines such as ``# ...`` that stand for text of the file that stays), each indented as the file is.

Knows the sketch's lines and which of them the file has; ``readers.by_alignment`` finds where a segment belongs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editd.apply.paste.markers import Markers
from editd.apply.reading import NoReadingError
from editd.apply.text.file_lines import FileLines
from editd.apply.text.indent import in_units, num_found, shifted_like_file
from editd.apply.text.line import num_blank, stripped


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines of a sketch between two markers, without trailing blanks.

    above, below: whether a marker, or another code block, is there. at: 0-based line of the code block where they
    begin. moved: whether the sketch indents them otherwise. inside: whether all were indented, so that the other depth
    may be meant.
    """

    lines: tuple[str, ...]
    above: bool
    below: bool
    at: int = 0
    moved: bool = False
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Sketch:
    """A sketch in segments.

    code_blocks: its lines as the file indents them, markers included. doubt: why a marker may be none, or a blank line
    at an end may be new; else empty. marked: whether it has any marker.
    """

    segments: tuple[Segment, ...]
    code_blocks: tuple[tuple[str, ...], ...]
    doubt: str = ""
    marked: bool = False

    @property
    def text(self) -> str:
        """The lines of the code blocks, joined by newlines."""
        return "\n".join(line for block in self.code_blocks for line in block)


def cut_sketch(blocks: Sequence[Sequence[str]], lines: FileLines) -> Sketch:
    """The sketch of some code blocks, each cut at its markers, and indented as the file is; each code block begins a
    segment. Raises ``NoReadingError`` if there are only markers and blank lines.

    blocks: the lines of each code block. lines: the file's. If blank lines stand at both sides of all markers, they are
    layout: the smallest number of them is removed at each marker, and all at the ends of the sketch. The result has a
    ``doubt`` where a marker may be none, or the sketch begins or ends with a blank line that the file does not have
    there.
    """
    marks = Markers(lines)
    bare_blocks = [tuple(line.rstrip() for line in block) for block in blocks]
    fitted = in_units([list(block) for block in bare_blocks], lines)
    cuts: list[Segment] = []
    for number, block in enumerate(fitted):
        start, above = 0, number > 0
        ends = [n for n, line in enumerate(block) if marks(line)]
        for end in (*ends, len(block)):
            below = end < len(block) or number + 1 < len(fitted)
            if any(block[start:end]):
                cuts.append(Segment(tuple(block[start:end]), above, below, start))
            elif cuts and start > 0 and above:
                cuts[-1] = Segment(cuts[-1].lines, cuts[-1].above, True, cuts[-1].at)
            start, above = end + 1, True
    if not cuts:
        raise NoReadingError("The sketch has only markers; add the lines to change.", final=True)
    edges = [segment.lines[0] for segment in cuts if segment.above]
    edges += [segment.lines[-1] for segment in cuts if segment.below]
    layout = len(edges) > 1 and not any(edges)  # blank lines at all markers
    written = {line for block in bare_blocks for line in block}
    blanks = [
        (num_blank(x.lines) if x.above else 0, num_blank(x.lines[::-1]) if x.below else 0)
        for x in cuts
    ]
    least = min((number for pair in blanks for number in pair if number), default=0)
    segments = []
    for segment, (top, bottom) in zip(cuts, blanks, strict=True):
        own = segment.lines
        if layout:
            own = own[min(top, least) if segment.above else num_blank(own) :]
            own = own[: len(own) - (min(bottom, least) if segment.below else num_blank(own[::-1]))]
        moved = _as_file(own, lines)
        at = segment.at + next(n for n, line in enumerate(segment.lines) if line)
        inside = moved != own and all(line[0].isspace() for line in own if line)
        other = not written.issuperset(moved)
        segments.append(Segment(moved, segment.above, segment.below, at, other, inside))
    doubt = next(filter(None, map(marks.doubt, blocks)), "")
    for side, blank, beyond in (
        ("begins", not cuts[0].above and not cuts[0].lines[0], lines.keys[:1]),
        ("ends", not cuts[-1].below and not cuts[-1].lines[-1], lines.keys[-1:]),
    ):
        if blank and beyond != ("",):
            doubt = doubt or (
                f"The sketch {side} with a blank line, which may stay or be new; leave it out, or add a marker "
                "beyond it."
            )
    marked = any(marks(line) for block in fitted for line in block)
    return Sketch(tuple(segments), tuple(map(tuple, fitted)), doubt, marked)


def _as_file(segment: tuple[str, ...], lines: FileLines) -> tuple[str, ...]:
    """The segment moved to the depth at which the file has its first and its last line, the one with the most lines of
    the file; as it is if it stands at such a depth already, there is none, or fewer of its lines are the file's there.
    """
    bare = stripped(segment)
    if bare[0] in lines.where and bare[-1] in lines.where:
        return segment
    found = sorted((num_found(moved, lines), moved) for moved in shifted_like_file(bare, lines))
    if not found or found[-1][0] < num_found(bare, lines):
        return segment
    start = next(n for n, line in enumerate(segment) if line)
    rest = segment[start + len(bare) :]
    return (*segment[:start], *found[-1][1], *rest)

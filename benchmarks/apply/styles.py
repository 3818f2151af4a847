"""The ways in which assistants write a change, as functions from a pair and a seed to a sketch.

Each returns the sketch's text, or ``None`` where the pair has no such sketch. None of them looks at
what the merge can do: many of these sketches mean more than one text, and doubt is then right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import unified_diff
from itertools import pairwise
from random import Random

from benchmarks.apply.pairs import Hunk, Pair

Style = Callable[[Pair, Random], "str | None"]

_COMMENTS = {
    "python": "# {}",
    "yaml": "# {}",
    "toml": "# {}",
    "bash": "# {}",
    "ruby": "# {}",
    "lua": "-- {}",
    "sql": "-- {}",
    "markdown": "<!-- {} -->",
    "html": "<!-- {} -->",
    "xml": "<!-- {} -->",
    "css": "/* {} */",
}
MARKER_WORDS = (
    "... existing code ...",
    "...",
    "… existing code …",
    "... rest of the code ...",
    "... rest of the file remains unchanged ...",
    "... (unchanged)",
    "[... existing code ...]",
    "... keep existing code here ...",
    "... other methods ...",
    "... unchanged code ...",
    "rest of the code remains the same",
    "... existing imports ...",
    "existing code...",
)


def marker(language: str, words: str = MARKER_WORDS[0]) -> str:
    """A marker line in the language's comment syntax."""
    return _COMMENTS.get(language, "// {}").format(words)


def parts(pair: Pair, context: int) -> list[tuple[int, int, list[str]]]:
    """Old start, old end and lines of each piece: hunks with context, joined where they touch."""
    found: list[tuple[int, int, list[str]]] = []
    for hunk in pair.hunks:
        start, end = max(0, hunk.start - context), min(len(pair.before), hunk.end + context)
        if found and start <= found[-1][1]:
            first, last, lines = found[-1]
            # the last piece ends in context that this hunk may already change
            keep = len(lines) - max(0, last - hunk.start)
            between = pair.before[last : hunk.start] if hunk.start > last else ()
            found[-1] = (
                first,
                end,
                [*lines[:keep], *between, *hunk.new, *pair.before[hunk.end : end]],
            )
        else:
            found.append(
                (
                    start,
                    end,
                    [*pair.before[start : hunk.start], *hunk.new, *pair.before[hunk.end : end]],
                )
            )
    return found


def joined(
    pair: Pair,
    pieces: Sequence[tuple[int, int, list[str]]],
    mark: Callable[[Sequence[str]], str],
    *,
    layout: bool = False,
) -> str:
    """Pieces with markers between them, and at the ends where the buffer goes on there."""
    lines: list[str] = []
    gap = [""] if layout else []
    for number, (start, _, piece) in enumerate(pieces):
        if number or start > 0:
            lines += [mark(piece), *gap]
        lines += [*piece, *gap]
    if not pieces or max(end for _, end, _ in pieces) < len(pair.before):
        lines.append(mark(pieces[-1][2] if pieces else ()))
    return "\n".join(lines) + "\n"


def context(number: int) -> Style:
    """So many context lines on both sides of each change."""

    def style(pair: Pair, random: Random) -> str:
        plain = marker(pair.language)
        indented = random.random() < 0.5
        return joined(
            pair, parts(pair, number), lambda piece: (_indent(piece) if indented else "") + plain
        )

    return style


def _indent(lines: Sequence[str]) -> str:
    first = next((line for line in lines if line.strip()), "")
    return first[: len(first) - len(first.lstrip())]


def _some(pair: Pair, random: Random) -> str:
    return context(random.choice((1, 2, 3)))(pair, random) or ""


def words(pair: Pair, random: Random) -> str:
    """Markers in other words."""
    return joined(
        pair,
        parts(pair, random.choice((2, 3))),
        lambda _: marker(pair.language, random.choice(MARKER_WORDS)),
    )


def fenced(pair: Pair, random: Random) -> str | None:
    """A fence, and prose around it."""
    text = _some(pair, random)
    if pair.language == "markdown" or "```" in text:
        return None
    before = random.choice(("", "Here is the updated code:\n\n", "Sure! I changed two things.\n\n"))
    after = random.choice(("", "\nThis keeps the behaviour as it was.\n"))
    return f"{before}```{random.choice((pair.language, ''))}\n{text}```\n{after}"


def indented(pair: Pair, random: Random) -> str | None:
    """The whole sketch, indented otherwise."""
    if _reindents(pair):
        return None  # such a sketch would not say what is meant
    lines = _some(pair, random).split("\n")
    if random.random() < 0.5:
        more = random.choice(("    ", "  ", "\t"))
        return "\n".join(more + line if line.strip() else line for line in lines)
    least = min(
        (_indent([line]) for line in lines if line.strip() and "..." not in line),
        key=len,
        default="",
    )
    return "\n".join(line.removeprefix(least) for line in lines)


def dedented_pieces(pair: Pair, random: Random) -> str | None:
    """The pieces, each moved to the margin by itself."""
    if _reindents(pair):
        return None
    pieces = []
    for start, end, lines in parts(pair, random.choice((1, 2, 3))):
        least = min((_indent([line]) for line in lines if line.strip()), key=len, default="")
        pieces.append((start, end, [line.removeprefix(least) for line in lines]))
    return joined(pair, pieces, lambda _: marker(pair.language))


def trailing_blanks(pair: Pair, random: Random) -> str | None:
    """Blanks at the ends of some lines."""
    if any(line != line.rstrip() for hunk in pair.hunks for line in hunk.new):
        return None  # meant and noise could not be told apart
    return re.sub(
        r"$", lambda _: random.choice(("", "", " ", "  ")), _some(pair, random), flags=re.MULTILINE
    )


def other_tabs(pair: Pair, random: Random) -> str | None:
    """Tabs for spaces, or spaces for tabs."""
    text = _some(pair, random)
    if _reindents(pair):
        return None
    if any(line.startswith("\t") for line in pair.before):
        return re.sub(r"^\t+", lambda tabs: "    " * len(tabs[0]), text, flags=re.MULTILINE)
    if not any(line.startswith("    ") for line in pair.before):
        return None
    return re.sub(
        r"^(?:    )+", lambda blanks: "\t" * (len(blanks[0]) // 4), text, flags=re.MULTILINE
    )


def _reindents(pair: Pair) -> bool:
    """Whether a change is one of indentation; a new line of blanks alone would lose them if it were moved."""
    return any(
        {line.strip() for line in hunk.new if line.strip()}
        & {line.strip() for line in pair.before[hunk.start : hunk.end]}
        or any(line and not line.strip() for line in hunk.new)
        for hunk in pair.hunks
    )


def reordered(pair: Pair, random: Random) -> str | None:
    """The pieces in another order than the file."""
    pieces = parts(pair, random.choice((1, 2, 3)))
    if len(pieces) < 2 or pieces[0][0] == 0 or pieces[-1][1] == len(pair.before):
        return None  # where the file ends would not be said
    random.shuffle(pieces)
    mark = marker(pair.language)
    return "\n".join([mark, *(line for _, _, piece in pieces for line in (*piece, mark))]) + "\n"


def missing_ends(pair: Pair, random: Random) -> str | None:
    """Without the first marker, the last one or both."""
    if any(
        not hunk.new and (not hunk.start or hunk.end == len(pair.before)) for hunk in pair.hunks
    ):
        return (
            None  # what goes at an end of the file would look like what a missing marker leaves out
        )
    mark = marker(pair.language)
    lines = _some(pair, random).split("\n")[:-1]
    ends = random.choice(("first", "last", "both"))
    if ends != "last" and lines and lines[0].strip() == mark:
        lines = lines[1:]
    if ends != "first" and lines and lines[-1].strip() == mark:
        lines = lines[:-1]
    return "\n".join(lines) + "\n"


def layout(pair: Pair, random: Random) -> str:
    """Blank lines around the markers."""
    return joined(
        pair, parts(pair, random.choice((1, 2, 3))), lambda _: marker(pair.language), layout=True
    )


def above_only(pair: Pair, random: Random) -> str | None:
    """Context above each change and none below: an insertion without a second anchor."""
    if not all(hunk.new for hunk in pair.hunks):
        return None  # nothing would show that something goes
    pieces = []
    for hunk in pair.hunks:
        start = max(0, hunk.start - random.choice((1, 2, 3)))
        pieces.append((start, hunk.end, [*pair.before[start : hunk.start], *hunk.new]))
    return joined(pair, pieces, lambda _: marker(pair.language))


def deletion(pair: Pair, random: Random) -> str | None:
    """Only deletions: the lines around them stand side by side."""
    hunks = tuple(Hunk(hunk.start, hunk.end, ()) for hunk in pair.hunks if hunk.end > hunk.start)
    if not hunks or hunks != pair.hunks:
        return None
    return _some(pair, random)


def patch(pair: Pair, random: Random) -> str:
    """A unified diff, half of them with wrong line numbers."""
    name = f"src/{pair.id.rpartition(':')[2] or 'file'}"
    lines = list(
        unified_diff(
            pair.before,
            pair.after(),
            f"a/{name}",
            f"b/{name}",
            n=random.choice((1, 2, 3)),
            lineterm="",
        )
    )
    if random.random() < 0.5:  # assistants cannot count
        lines = [
            re.sub(r"^@@ .* @@", "@@ -1,1 +1,1 @@" if random.random() < 0.3 else "@@ @@", line)
            for line in lines
        ]
    text = "\n".join(lines) + "\n"
    return f"```diff\n{text}```\n" if random.random() < 0.5 and "```" not in text else text


def search_replace(pair: Pair, random: Random) -> str | None:
    """Search/replace blocks, aider's or Cline's."""
    heads = random.choice(
        (("<<<<<<< SEARCH", ">>>>>>> REPLACE"), ("------- SEARCH", "+++++++ REPLACE"))
    )
    blocks = []
    for start, end, lines in parts(pair, random.choice((1, 2, 3))):
        old = pair.before[start:end]
        if not any(line.strip() for line in old):
            return None
        blocks.append("\n".join([heads[0], *old, "=======", *lines, heads[1]]))
    return "\n\n".join(blocks) + "\n"


def uneven_context(pair: Pair, random: Random) -> str:
    """A different number of context lines on each side."""
    pieces = []
    for hunk in pair.hunks:
        least = 0 if hunk.new else 1  # nothing at all says that something goes
        first = max(0, hunk.start - random.randrange(least, 4))
        last = min(len(pair.before), hunk.end + random.randrange(least, 4))
        pieces.append((first, last))
    return _of_ranges(pair, pieces)


def strong_context(pair: Pair, random: Random) -> str:
    """Context up to the next line that says something, through blank lines and brackets."""
    most = random.choice((1, 2))
    pieces = []
    for start, end, _ in parts(pair, 0):
        first, last = start, end
        for _ in range(most):
            first = max(0, first - 1)
            while first > 0 and not any(map(str.isalnum, pair.before[first])):
                first -= 1
            last = min(len(pair.before), last + 1)
            while last < len(pair.before) and not any(map(str.isalnum, pair.before[last - 1])):
                last += 1
        pieces.append((first, last))
    return _of_ranges(pair, pieces)


def scopes(pair: Pair, random: Random) -> str:
    """The lines that open the scopes around a change, each with a marker below it."""
    mark = marker(pair.language)
    lines: list[str] = []
    shown = 0
    for start, end, piece in parts(pair, random.choice((1, 2, 3))):
        for head in _heads(pair.before, start):
            if head >= shown:
                if head > shown:
                    lines.append(mark)
                lines.append(pair.before[head])
                shown = head + 1
        if start > shown:
            lines.append(_indent(piece) + mark)
        lines += piece
        shown = end
    if shown < len(pair.before):
        lines.append(mark)
    return "\n".join(lines) + "\n"


def _heads(before: Sequence[str], start: int) -> list[int]:
    """The lines above that are less deep, each than the one found before it."""
    found: list[int] = []
    depth = len(_indent(before[start : start + 1] or [""]))
    for index in range(start - 1, -1, -1):
        line = before[index]
        if any(map(str.isalnum, line)) and len(_indent([line])) < depth:
            depth = len(_indent([line]))
            found.append(index)
    return found[::-1]


def idle_markers(pair: Pair, random: Random) -> str:
    """A marker between two lines that stay and stand side by side, where nothing is left out."""
    mark = marker(pair.language)
    neighbours = set(pairwise(pair.before)) & set(pairwise(pair.after()))
    lines: list[str] = []
    for line in _some(pair, random).split("\n")[:-1]:
        if lines and (lines[-1], line) in neighbours and random.random() < 0.15:
            lines.append(mark)
        lines.append(line)
    return "\n".join(lines) + "\n"


def clipped(pair: Pair, random: Random) -> str | None:
    """The pieces, each moved to the left by a number of blanks, as far as each of its lines has them."""
    if _reindents(pair):
        return None
    pieces = []
    for start, end, lines in parts(pair, random.choice((1, 2, 3))):
        most = len(_indent(lines)) if random.random() < 0.7 else random.choice((2, 4, 8))
        first_only = random.random() < 0.2
        moved = [
            line[min(most, len(_indent([line]))) :] if not (number and first_only) else line
            for number, line in enumerate(lines)
        ]
        pieces.append((start, end, moved))
    return joined(pair, pieces, lambda _: marker(pair.language))


def other_unit(pair: Pair, random: Random) -> str | None:
    """Two blanks a level for four, or four for two; or one tab for each two blanks."""
    if _reindents(pair):
        return None
    was, now = random.choice((("    ", "  "), ("  ", "    "), ("  ", "\t"), ("\t", "  ")))
    text = _some(pair, random)
    changed = re.sub(
        r"^[ \t]+", lambda blanks: blanks[0].replace(was, now), text, flags=re.MULTILINE
    )
    return None if changed == text else changed


def no_blanks(pair: Pair, random: Random) -> str | None:
    """Blank lines that stay are not shown."""
    blank = {line for hunk in pair.hunks for line in hunk.new if not line.strip()}
    if blank or any(not "".join(pair.before[hunk.start : hunk.end]).strip() for hunk in pair.hunks):
        return None
    shown = random.choice((1, 2, 3))
    if any(not hunk.new and not _is_between(hunk, pair.before, shown) for hunk in pair.hunks):
        return None  # without the blank lines around it nothing shows that something goes
    lines = (context(shown)(pair, random) or "").split("\n")
    return "\n".join(line for line in lines if line.strip()) + "\n"


def _is_between(hunk: Hunk, before: Sequence[str], shown: int) -> bool:
    """Whether lines that say something are shown above and below it, or the text begins or ends there."""
    above, below = before[max(0, hunk.start - shown) : hunk.start], before[hunk.end :][:shown]
    return all(not side or "".join(side).strip() for side in (above, below))


def blocks(pair: Pair, random: Random) -> str | None:
    """The whole block around each change, from its first line to its last, with markers or without."""
    pieces: list[tuple[int, int]] = []
    for start, end, _ in parts(pair, 0):
        first = max(0, start - 1)
        while first > 0 and not _begins_block(pair.before[first]):
            first -= 1
        last = min(len(pair.before), end + 1)
        while last < len(pair.before) and not _begins_block(pair.before[last]):
            last += 1
        while last > end + 1 and not pair.before[last - 1].strip():
            last -= 1
        pieces.append((first, last))
    text = _of_ranges(pair, pieces)
    if random.random() < 0.5:
        return text
    if not any(pair.hunks[0].new) or not any(pair.hunks[-1].new):
        return None  # what goes at an end of the block would look like what a missing marker leaves out
    mark = marker(pair.language)
    lines = text.split("\n")[:-1]
    if lines[0].strip() == mark:
        lines.pop(0)
    if lines and lines[-1].strip() == mark:
        lines.pop()
    return "\n".join(lines) + "\n"


def _begins_block(line: str) -> bool:
    return line[:1].isalnum() or line[:1] == "@"


def overlapping(pair: Pair, random: Random) -> str:
    """A part for each change by itself, as if the others were not made yet."""
    context = random.choice((1, 2, 3))
    pieces = []
    for hunk in pair.hunks:
        start, end = max(0, hunk.start - context), min(len(pair.before), hunk.end + context)
        lines = [*pair.before[start : hunk.start], *hunk.new, *pair.before[hunk.end : end]]
        pieces.append((start, end, lines))
    return joined(pair, pieces, lambda _: marker(pair.language))


def _of_ranges(pair: Pair, ranges: Sequence[tuple[int, int]]) -> str:
    """A sketch that shows these lines of the text before, as they read after the change."""
    joint: list[tuple[int, int]] = []
    for start, end in ranges:
        if joint and start <= joint[-1][1]:
            joint[-1] = joint[-1][0], max(end, joint[-1][1])
        else:
            joint.append((start, end))
    pieces = []
    for start, end in joint:
        lines, position = [], start
        for hunk in pair.hunks:
            if start <= hunk.start and hunk.end <= end:
                lines += [*pair.before[position : hunk.start], *hunk.new]
                position = hunk.end
        pieces.append((start, end, [*lines, *pair.before[position:end]]))
    return joined(pair, pieces, lambda _: marker(pair.language))


STYLES: dict[str, Style] = {
    "context 1": context(1),
    "context 2": context(2),
    "context 3": context(3),
    "no context": context(0),
    "context above only": above_only,
    "other words": words,
    "fence and prose": fenced,
    "wrong indentation": indented,
    "dedented pieces": dedented_pieces,
    "trailing blanks": trailing_blanks,
    "tabs for spaces": other_tabs,
    "reordered": reordered,
    "marker missing": missing_ends,
    "blank lines at markers": layout,
    "deletion": deletion,
    "unified diff": patch,
    "search/replace": search_replace,
    "uneven context": uneven_context,
    "strong context": strong_context,
    "scopes shown": scopes,
    "idle markers": idle_markers,
    "clipped": clipped,
    "other unit": other_unit,
    "blank lines left out": no_blanks,
    "whole blocks": blocks,
    "overlapping": overlapping,
}


def variant(style: str, pair: Pair, random: Random) -> Pair:
    """The pair that a style is about: deletions only, or code with a near copy beside it."""
    if style == "deletion":
        return replace(
            pair,
            hunks=tuple(hunk for hunk in pair.hunks if not hunk.new),
        )
    if random.random() < 0.25:
        return repeated(pair, random)
    return pair


def repeated(pair: Pair, random: Random) -> Pair:
    """The code around one hunk stands twice, the copy with other names: neighbours alike."""
    hunk = random.choice(pair.hunks)
    start = max(0, hunk.start - random.randrange(2, 25))
    end = min(len(pair.before), hunk.end + random.randrange(2, 25))
    if any(h.start < end and h.end > end for h in pair.hunks):
        return pair
    names = sorted(set(re.findall(r"\b[a-z_]{4,}\b", "\n".join(pair.before[start:end]))))
    renamed = random.sample(names, min(len(names), 2))
    copy = "\n".join(pair.before[start:end])
    for name in renamed:
        copy = re.sub(rf"\b{name}\b", f"{name}_2", copy)
    lines = tuple(copy.split("\n")) if end > start else ()
    above = random.random() < 0.5
    at = start if above else end
    if any(h.start < at < h.end for h in pair.hunks):
        return pair
    before = (*pair.before[:at], *lines, *pair.before[at:])
    hunks = tuple(
        Hunk(h.start + len(lines), h.end + len(lines), h.new)
        if (h.start >= at and not (h.end <= at)) or h.start >= at
        else h
        for h in pair.hunks
    )
    return replace(pair, before=before, hunks=hunks)

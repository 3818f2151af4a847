"""The ways in which assistants write a change, as functions from a pair and a seed to a sketch.

Each returns the sketch's text, or ``None`` where the pair has no such sketch. None of them looks at
what the merge can do: many of these sketches mean more than one text, and doubt is then right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import unified_diff
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
    """Other words in the markers."""
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
    """All of the sketch indented otherwise."""
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
    """Each piece moved to the margin by itself."""
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
    """Whether a change is one of indentation."""
    return any(
        {line.strip() for line in hunk.new if line.strip()}
        & {line.strip() for line in pair.before[hunk.start : hunk.end]}
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


def missing_ends(pair: Pair, random: Random) -> str:
    """Without the first marker, the last one or both."""
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


def above_only(pair: Pair, random: Random) -> str:
    """Context above each change and none below: an insertion without a second anchor."""
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
    name = f"src/{pair.id.rpartition(':')[2].rpartition('/')[2] or 'file'}"
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

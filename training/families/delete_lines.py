"""Delete the lines that contain a word or a text, in any language."""

from __future__ import annotations

import re
from random import Random

from training.families.edit import Edit, Generator, Span, edit_of
from training.families.source import Source
from training.families.wording import Phrasings

PHRASINGS = Phrasings(
    training=(
        "delete all lines that contain {what}",
        "delete all lines with {what}",
        "remove every line containing {what}",
        "remove the lines with {what}",
        "delete every line that mentions {what}",
        "remove all lines which contain {what}",
        "drop the lines that contain {what}",
        "delete the lines containing {what}",
        "get rid of all lines with {what}",
        "throw out each line that has {what}",
        "cut every line mentioning {what}",
        "strip the lines that mention {what}",
    ),
    held_out=(
        "erase all lines that mention {what}",
        "remove the lines which contain {what}",
        "delete each line with {what} in it",
    ),
)

# More lines than this, and few files keep a meaning.
_MOST_LINES = 6


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """A name, with what its dots join, that stands on a few lines only, and never within a word."""
    wanted = _some_name(source, rng)
    if not wanted or any(wanted in line and not _holds(line, wanted) for line in source.lines):
        return None
    spans = line_spans(source, wanted)
    if not spans or len(spans) > min(_MOST_LINES, len(source.lines) // 3):
        return None
    quote = rng.choice([mark for mark in "`'\"" if mark not in wanted] or ["`"])
    return edit_of(
        source, PHRASINGS.say(rng, held_out=held_out, what=f"{quote}{wanted}{quote}"), spans
    )


def line_spans(source: Source, wanted: str) -> list[Span]:
    """Every line that contains ``wanted``, a word only as a whole word; with its line end."""
    spans, start = [], 0
    for line in source.text.splitlines(keepends=True):
        if _holds(line, wanted):
            spans.append(Span(start, start + len(line)))
        start += len(line)
    return spans


def _holds(line: str, wanted: str) -> bool:
    border = [r"\b" if re.match(r"\w", wanted[end]) else "" for end in (0, -1)]
    return bool(re.search(border[0] + re.escape(wanted) + border[1], line))


def _some_name(source: Source, rng: Random) -> str:
    lines = [line for line in source.lines if line.strip()]
    if not lines:
        return ""
    names: list[str] = re.findall(r"[^\W\d]\w*(?:\.\w+)*", rng.choice(lines))
    return rng.choice(names) if names else ""


GENERATOR = Generator(
    name="delete-lines",
    phrasings=(PHRASINGS,),
    propose=propose,
)

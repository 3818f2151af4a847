"""Delete the lines that contain a word or a text, in any language."""

from __future__ import annotations

import re
from random import Random

from training.families.edit import Edit, Generator, Span, edit_of
from training.families.source import Source
from training.families.wording import Phrasings

PHRASINGS = Phrasings(
    training=(
        "[delete|remove|drop|erase|cut|throw out|get rid of] [all|the|all the] lines [that contain|with|containing|that mention|which contain|that have|mentioning] {what}",
        "[delete|remove|drop|erase|cut|throw out] [every|each] line [that contains|with|containing|that mentions|which contains|that has|mentioning] {what}",
        "[delete|remove] [each|every] line with {what} in it",
        "[strip|take out] the lines [that mention|with|containing] {what}",
        "the lines [that contain|with|containing] {what} are not needed, [delete|remove] them",
        "[no|leave out all|leave out the] lines [that contain|with|containing|that mention] {what}",
        "[each|every|any] line [that contains|with|containing|that mentions] {what} [must|should] [go|be deleted|be removed]",
        "[all |the |all the ]lines [that contain|with|mentioning] {what} [must|should] [go|be deleted|be removed]",
    ),
    held_out=(
        "the lines that contain {what} can go",
        "clear out the lines with {what}",
        "every line that includes {what} is to be removed",
    ),
)

# More lines than this, and few files keep a meaning.
_MOST_LINES = 6


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """A name, with what its dots join, that stands on a few lines only, and never within a word."""
    name = _some_name(source, rng)
    if not name or any(name in line and not _holds(line, name) for line in source.lines):
        return None
    spans = line_spans(source, name)
    if not spans or len(spans) > min(_MOST_LINES, len(source.lines) // 3):
        return None
    quote = rng.choice([mark for mark in "`'\"" if mark not in name] or ["`"])
    return edit_of(
        source, PHRASINGS.say(rng, held_out=held_out, what=f"{quote}{name}{quote}"), spans
    )


def line_spans(source: Source, name: str) -> list[Span]:
    """The lines that contain ``wanted``, a word only as a whole word; with its line end."""
    spans, start = [], 0
    for line in source.text.splitlines(keepends=True):
        if _holds(line, name):
            spans.append(Span(start, start + len(line)))
        start += len(line)
    return spans


def _holds(line: str, name: str) -> bool:
    border = [r"\b" if re.match(r"\w", name[end]) else "" for end in (0, -1)]
    return bool(re.search(border[0] + re.escape(name) + border[1], line))


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

"""Replace one string literal by another wherever it stands."""

from __future__ import annotations

import re
from random import Random

from training.families.edit import Edit, Generator, Span, edit_of
from training.families.source import Source
from training.families.wording import Phrasings, some_text

PHRASINGS = Phrasings(
    training=(
        "replace the string {old} with {new}",
        "change the string {old} to {new}",
        "replace {old} with {new}",
        "change {old} to {new}",
        "use {new} instead of {old}",
        "the string {old} should be {new}",
        "replace the text {old} by {new}",
        "change the text {old} to {new}",
        "replace all strings {old} with {new}",
        "set the string {old} to {new}",
        "swap the string {old} for {new}",
        "update every text {old} to {new}",
        "use the text {new} in place of {old}",
    ),
    held_out=(
        "replace the literal {old} with {new}",
        "turn the string {old} into {new}",
        "use the string {new} instead of {old}",
        "change every string {old} to {new}",
    ),
)

_PLAIN = re.compile(r"(['\"`])([^'\"`\\\n]{2,40})\1")


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """A literal without escapes gets other words; its quotes stay."""
    literals = plain_literals(source)
    if not literals:
        return None
    old = rng.choice(literals)[1]
    new = old + rng.choice(("!", " 2", "_new", " (new)")) if rng.random() < 0.25 else some_text(rng)
    if new == old:
        return None
    mark = rng.choice('""\'')
    spans = [Span(start, start + len(text), new) for start, text in literals if text == old]
    instruction = PHRASINGS.say(
        rng, held_out=held_out, old=f"{mark}{old}{mark}", new=f"{mark}{new}{mark}"
    )
    return edit_of(source, instruction, spans)


def plain_literals(source: Source) -> list[tuple[int, str]]:
    """Offset and content of each string literal that says exactly its characters."""
    return [
        (token.start + 1, match[2])
        for token in source.tokens
        if token.kind == "string" and (match := _PLAIN.fullmatch(token.text))
    ]


GENERATOR = Generator(
    name="replace-string",
    phrasings=(PHRASINGS,),
    propose=propose,
)

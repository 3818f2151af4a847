"""Replace one string literal by another wherever it stands."""

from __future__ import annotations

import re
from random import Random

from training.families.edit import Edit, Generator, Span, edit_of
from training.families.source import Source
from training.families.wording import Phrasings, some_text

PHRASINGS = Phrasings(
    training=(
        "replace [|the string |the text |the literal |all strings ]{old} [with|by] {new}",
        "change [|the string |the text |every string |the literal ]{old} to {new}",
        "[use|write|say] [|the string |the text ]{new} [instead of|in place of] {old}",
        "the [string|text] {old} [should|must] [be|read|say] {new}",
        "[set|update|turn] [the string|the text|every text] {old} [to|into] {new}",
        "swap [|the string ]{old} for {new}",
        "{old} [should|must] [be|say|read] {new}",
        "where it says {old} it should say {new}",
        "{old} [->|=>] {new}",
        "I want [the string |the text |]{new} instead of {old}",
        "put [the string |the text |]{new} in place of {old}",
        "[put|write] {new} [where|wherever] [it says|there is|the text is] {old}",
        "{new} [should|must|has to] [replace|take the place of|stand in place of] {old}",
        "[the text |the string |]{new} [rather than|and not|in place of] {old}",
        "[put|write] {new} for {old}",
    ),
    held_out=(
        "the text {old} is now {new}",
        "make the string {old} read {new}",
        "substitute {new} for {old}",
        "let the text {old} say {new} from now on",
    ),
)

_LURES = 0.5  # of the examples, where the text has any
_PLAIN = re.compile(r"(['\"`])([^'\"`\\\n]{2,40})\1")


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """A literal without escapes gets other words; its quotes stay."""
    literals = plain_literals(source)
    if not literals:
        return None
    texts = [text for _, text in literals]
    # A name or a comment that says the same stays: many examples have one.
    lures = [text for text in texts if source.text.count(text) > texts.count(text)]
    old = rng.choice(lures if lures and rng.random() < _LURES else texts)
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

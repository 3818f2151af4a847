"""Replace a number: all that are written so, or the one that a name is set to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from training.families.edit import Edit, Generator, Span, edit_of
from training.families.lexer import Token
from training.families.source import Source
from training.families.wording import Phrasings, quoted, some_number

ALL = Phrasings(
    training=(
        "replace [|the number |all |every |each ]{old} [with|by] {new}",
        "change [|the number |every |the value ]{old} to {new}",
        "use [|the number |the value ]{new} [instead of|in place of] [|the number ]{old}",
        "the [number|value] {old} [should|must] be {new}",
        "[swap|exchange] [|the number ]{old} for {new}",
        "[turn|update|set] [the number|every|the value] {old} [to|into] {new}",
        "{new} instead of {old}",
        "I want {new} [instead of|in place of] {old}",
        "{old} [->|=>] {new}",
        "put {new} in place of {old}",
        "[put|write] {new} [where|wherever] [it says|there is|the number is] {old}",
        "{new} [should|must|has to] [replace|take the place of|stand in place of] {old}",
        "[the number |]{new} [rather than|and not|in place of] {old}",
        "[put|write] {new} for {old}",
    ),
    held_out=(
        "substitute {new} for {old}",
        "bump the number {old} to {new}",
        "make the number {old} a {new}",
        "from now on {old} is {new}",
    ),
)
NAMED = Phrasings(
    training=(
        "[set|change|update] [|the value of ]{name} to {new}",
        "set {name} = {new}",
        "{name} [should|must|ought to] be {new}",
        "[change|update] {name} from {old} to {new}",
        "[make {name}|let {name} be] {new}",
        "[set|change] {name} to {new} instead of {old}",
        "the value of {name} [should|must] be {new}",
        "{name} = {new} instead of {old}",
        "I want {name} to be {new}",
        "give {name} the value {new}",
        "[raise|increase|lower|reduce|adjust] {name} [to|from {old} to] {new}",
        "{name}: {new}[| instead of {old}]",
    ),
    held_out=(
        "bump {name} to {new}",
        "the new value of {name} is {new}",
        "from now on {name} is {new}",
    ),
)

_EASY = 0.3  # of the training texts with a single number are used

_SET_TO = re.compile(r"([^\W\d]\w*)[\"']?(?:\s*:\s*[\w\[\]. ]+?)?\s*(?:=|:|:=)\s*$")


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """A number without a sign in the text becomes another one."""
    numbers = [token for token in source.tokens if token.kind == "number"]
    if not numbers or _is_too_easy(numbers, rng, held_out=held_out):
        return None
    named = [(token, name) for token in numbers if (name := _name_of(source, token))]
    new = some_number(rng)
    if named and rng.random() < 0.6:
        token, name = rng.choice(named)
        if token.text == new or sum(other == name for _, other in named) > 1:
            return None
        instruction = NAMED.say(
            rng, held_out=held_out, name=quoted(rng, name), new=new, old=token.text
        )
        return edit_of(source, instruction, [Span(token.start, token.end, new)])
    old = rng.choice(numbers).text
    if new == old:
        return None
    spans = [Span(token.start, token.end, new) for token in numbers if token.text == old]
    return edit_of(source, ALL.say(rng, held_out=held_out, old=old, new=new), spans)


def _is_too_easy(numbers: Sequence[Token], rng: Random, *, held_out: bool) -> bool:
    """Whether to pass over a text: what makes this hard is to leave the other numbers alone."""
    is_single = len({token.text for token in numbers}) == 1
    return is_single and not held_out and rng.random() > _EASY


def _name_of(source: Source, number: Token) -> str:
    """The name that has the number as its whole value; empty if none does."""
    line_start = source.text.rfind("\n", 0, number.start) + 1
    rest = source.text[number.end : number.end + 2].lstrip(" ")[:1]
    match = _SET_TO.search(source.text[line_start : number.start])
    return match[1] if match and rest in ("", "\n", ",", ")", ";", "#", "}") else ""


GENERATOR = Generator(
    name="replace-number",
    phrasings=(ALL, NAMED),
    propose=propose,
)

"""Rename a variable, function, class or attribute everywhere: whole words, also in strings."""

from __future__ import annotations

import ast
import re
from random import Random

from training.families.edit import Edit, Generator, Span, edit_of
from training.families.lexer import KEYWORDS
from training.families.source import Source
from training.families.wording import Phrasings, new_name, quoted_alike

PHRASINGS = Phrasings(
    training=(
        "rename {kind}{old} to {new}",
        "rename {kind}{old} to {new}",
        "rename {kind}{old} [to|as|into] {new}[| everywhere| in this file| throughout]",
        "rename [all|every|all occurrences of|every use of] {old} to {new}",
        "rename: {old} [=>|->|to] {new}",
        "rename {old} [->|=>] {new}",
        "[change|refactor] the name of {kind}{old} [to|into] {new}",
        "change [the identifier|the name] {old} to {new}[| everywhere]",
        "{kind}{old} [should|must|ought to] be [called|named|renamed to] {new}",
        "call {kind}{old} {new} instead",
        "use the [|new ][name|identifier] {new} [instead of|in place of|for] {old}",
        "replace [the identifier|the name] {old} [with|by] {new}",
        "replace [every|all] {bare_old} [with|by] {bare_new}",
        "[I want|I'd like] {kind}{old} [|to be ][renamed to|called] {new}",
        "{bare_old} [->|=>] {bare_new}",
        "give {kind}{old} the [|new |better ]name {new}",
        "{kind}{old} needs [a new|another|a better] name: {new}",
        "{old} is a bad name, call it {new}",
        "{new} [would be|is] [clearer|nicer|more telling] than {old}, rename it",
        "I [prefer|like] the name {new} [to|over|more than] {old}",
        "the name {new} [should|must|has to] [replace|take the place of] {kind}{old}",
        "write {new} wherever the name [is {old}|{old} stands]",
        "the name {new} [rather than|and not|in place of] {kind}{old}",
    ),
    held_out=(
        "{new} is a better name for {kind}{old}",
        "the new name of {kind}{old} is {new}",
        "let {kind}{old} be called {new}",
        "relabel {kind}{old} as {new}",
        "from now on {kind}{old} is called {new}",
    ),
)


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """A name that is in the text becomes one that does not."""
    old, kinds = _some_name(source, rng)
    if not old or old.startswith("__"):
        return None
    new = new_name(old, rng, source.words)
    kind = rng.choice(("", *kinds, *(f"the {kind}" for kind in kinds)))
    instruction = instruction_for(kind, old, new, rng, held_out=held_out)
    return edit_of(source, instruction, rename_spans(source.text, old, new))


def instruction_for(kind: str, old: str, new: str, rng: Random, *, held_out: bool) -> str:
    """The instruction to rename ``old``, of this kind ("" for none), to ``new``.

    A name is quoted only where it cannot be taken for a string.
    """
    shown_old, shown_new = quoted_alike(rng, old, new)
    return PHRASINGS.say(
        rng,
        held_out=held_out,
        kind=f"{kind} " if kind else "",
        old=shown_old,
        new=shown_new,
        bare_old=old,
        bare_new=new,
    )


def rename_spans(text: str, old: str, new: str) -> list[Span]:
    """The whole words ``old``."""
    return [
        Span(match.start(), match.end(), new)
        for match in re.finditer(rf"(?<!\w){re.escape(old)}(?!\w)", text)
    ]


def _some_name(source: Source, rng: Random) -> tuple[str, tuple[str, ...]]:
    if not source.is_python:
        words = [token.text for token in source.tokens if token.kind == "word"]
        words = [word for word in words if word not in KEYWORDS and len(word) > 1]
        return (rng.choice(words), ("variable", "function")) if words else ("", ())
    kind = rng.random()
    if kind < 0.3 and source.functions:
        return rng.choice(source.functions).name, ("function", "method")
    if kind < 0.4 and source.classes:
        return rng.choice(source.classes).name, ("class",)
    if kind < 0.6 and source.functions:
        names = [item.arg for item in rng.choice(source.functions).args.args]
        if names := [name for name in names if name not in ("self", "cls")]:
            return rng.choice(names), ("parameter", "argument", "variable")
    if kind < 0.75:
        attributes = [node.attr for node in source.nodes if isinstance(node, ast.Attribute)]
        if attributes:
            return rng.choice(attributes), ("attribute", "field")
    names = [node.id for node in source.nodes if isinstance(node, ast.Name)]
    names = [name for name in names if name not in ("self", "cls")]
    return (rng.choice(names), ("variable",)) if names else ("", ())


GENERATOR = Generator(
    name="rename",
    phrasings=(PHRASINGS,),
    propose=propose,
    weight=2.4,
)

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
        "rename {kind}{old} to {new} everywhere",
        "rename {kind}{old} as {new}",
        "change the name of {kind}{old} to {new}",
        "{old} should be called {new}",
        "rename {old} -> {new}",
        "call {kind}{old} {new} instead",
        "use the name {new} instead of {old}",
        "rename all occurrences of {old} to {new}",
        "replace the identifier {old} with {new}",
        "rename: {old} => {new}",
        "I want {kind}{old} renamed to {new}",
        "rename {kind}{old} to {new} in this file",
        "{old} -> {new}",
        "replace every {old} with {new}",
        "use the identifier {new} in place of {old}",
        "change {kind}{old} into {new}",
        "refactor the name of {kind}{old} to {new}",
    ),
    held_out=(
        "rename every {old} to {new}",
        "change the identifier {old} to {new}",
        "{kind}{old} should be named {new}",
        "give {kind}{old} the name {new}",
        "rename {kind}{old} into {new}",
    ),
)


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """A name that is in the text becomes one that does not."""
    old, kinds = _some_name(source, rng)
    if not old or old.startswith("__"):
        return None
    new = new_name(old, rng, source.words)
    shown_old, shown_new = quoted_alike(rng, old, new)
    kind = rng.choice(("", *kinds, *(f"the {kind}" for kind in kinds)))
    instruction = PHRASINGS.say(
        rng, held_out=held_out, kind=f"{kind} " if kind else "", old=shown_old, new=shown_new
    )
    return edit_of(source, instruction, rename_spans(source.text, old, new))


def rename_spans(text: str, old: str, new: str) -> list[Span]:
    """Every whole word ``old``."""
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

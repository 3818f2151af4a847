"""How well a thing of a text fits the words of a description. Changes no text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from editd.intent.target import TargetDescription, TargetWord
from editd.intent.word_forms import are_forms, inflected, words_in
from editd.refactor.cited_calls import cites
from editd.refactor.things import Thing
from editd.syntax.code import Code
from editd.syntax.words import as_word

_FAR = 2  # how much better the words of all clauses fit another thing


@dataclass(frozen=True, slots=True, order=True)
class Fit:
    """How well a thing fits a description. score: of all words, a name counting most; then how many of them are its name, are
    in its name, in its text, and around it.
    """

    score: int
    named: int = 0
    in_name: int = 0
    in_text: int = 0
    around: int = 0

    @property
    def words(self) -> int:
        """The score of the words that have to fit, and of those of another clause."""
        return self.score // 100


def innermost(fitting: list[tuple[Thing, Fit]]) -> list[tuple[Thing, Fit]]:
    """The things that hold no other which the words describe as well by its name, or by what is in its text."""

    def is_better(inner: tuple[Thing, Fit], outer: tuple[Thing, Fit]) -> bool:
        (thing, fit), (other, other_fit) = inner, outer
        is_inside = other.start <= thing.start and thing.end <= other.end
        is_smaller = thing.end - thing.start < other.end - other.start or (
            thing.kind == "element" != other.kind
        )
        own = fit.named + fit.in_name + fit.in_text
        is_same = (other_fit.named, other_fit.in_name) == (0, 0)
        return is_inside and is_smaller and own > 0 and (fit.named > other_fit.named or is_same)

    return [x for x in fitting if not any(is_better(y, x) for y in fitting)]


def of_best_heads(
    fitting: list[tuple[Thing, Fit]], target: TargetDescription, code: Code
) -> list[tuple[Thing, Fit]]:
    """The things that explain as many words as any does of a clause that says what is meant, exact ones counting twice; all things where the
    words that ask say enough, or others fit far better.
    """
    if not (target.is_subject and target.heads):
        return fitting
    defined = frozenset(x.name for x in code.definitions if x.is_block)
    explained = [
        max(
            sum((1 + word.is_exact) * (explains(x, word, defined) > 0) for word in head)
            for head in target.heads
        )
        for x, _ in fitting
    ]
    most = max(explained, default=0)
    found = [x for x, number in zip(fitting, explained, strict=True) if number == most]
    best, best_found = (max((fit.words for _, fit in x), default=0) for x in (fitting, found))
    return found if best - best_found < _FAR else fitting


def fit_of(thing: Thing, target: TargetDescription, code: Code) -> Fit | None:
    """How well a thing fits; ``None`` if a word does not fit that has to. Of words that need not fit, those of another
    clause count as much as the others, and the rest choose between things that the others fit equally.
    """
    defined = frozenset(x.name for x in code.definitions if x.is_block)
    levels: list[int] = []
    exact = minor = 0
    for word in target.required:
        forms = (replace(word, text=text) for text in (word.text, *word.others))
        level = max(explains(thing, form, defined) for form in forms)
        if not level:
            return None
        levels.append(level)
        exact += word.is_exact and level in (_IN_TEXT, _IN_NAME)
    for word in target.optional:
        level = explains(thing, word, defined)
        if not level and word.where == "in" and word.text in defined:
            return None
        if target.is_subject and word.text.lower() != target.noun:
            levels.append(level)
            exact += word.is_exact and level in (_IN_TEXT, _IN_NAME)
        else:
            minor += (level > _AROUND) + (level > 0)
    if target.kind == "entry" and thing.kind == "statement" and not _declares(thing, target):
        return None
    score = 100 * (sum(levels) + exact) + minor
    return Fit(score, *(levels.count(level) for level in (_NAME, _IN_NAME, _IN_TEXT, _AROUND)))


_AROUND, _IN_TEXT, _IN_NAME, _NAME = 1, 2, 3, 4


def _declares(thing: Thing, target: TargetDescription) -> bool:
    """Whether a statement has one of the words as its name, or as a text of its own such as ``"--debug"``."""
    words = [x.text.lower().lstrip("-") for x in (*target.required, *target.optional)]
    texts = re.findall(r"[\"'`]-{0,2}([^\"'`]+)[\"'`]", thing.text.lower())
    return any(word in texts or word in (x.lower() for x in thing.names) for word in words)


def explains(thing: Thing, word: TargetWord, defined: Iterable[str]) -> int:
    """How a word fits a thing: it is its name (4), in its name (3), in its text (2), around it (1), or not at all (0)."""
    text = word.text
    if word.where == "above":
        return _AROUND if has_form(thing.below, text) else 0
    if word.where == "below":
        return _AROUND if has_form(thing.above, text) else 0
    if word.where == "in" and text in defined:
        return _AROUND if text in thing.within else 0
    if word.where == "of" and thing.kind == "comment" and has_form(thing.below, text):
        return _IN_TEXT
    if word.where in ("in", "of") and any(
        has_form(x, text) for x in (*thing.within, *thing.around)
    ):
        return _AROUND
    if word.where in ("in", "of"):
        return _AROUND if has_form(thing.text, text) and thing.kind != "definition" else 0
    plain = text.strip().removesuffix("()")
    plain = plain.strip("[]") if plain.startswith("[") else plain
    own_names = (
        thing.names[:1] if thing.kind == "entry" else thing.names
    )  # the second one has its owners
    names = [x.lower() for x in thing.names]
    if plain.lower() in names or plain.lower().lstrip("-.@") in (x.lstrip("-.@") for x in names):
        return _NAME
    if "(" in plain or "[" in plain:
        return _IN_TEXT if cites(plain, thing.text) else 0
    owner, sign, last = plain.rpartition("::" if "::" in plain else ".")
    if (
        word.is_exact
        and sign
        and last.lower() in names
        and any(
            owner.lower() == x.lower() or has_form(x, owner) for x in (*thing.within, *thing.around)
        )
    ):
        return _NAME
    if word.is_exact:
        if as_word(plain).search(thing.text) or plain.lower() in thing.text.lower():
            return _IN_NAME if any(plain.lower() in x.lower() for x in own_names) else _IN_TEXT
    elif not inflected(text).isdisjoint(names):
        return _NAME
    elif any(are_forms(text, x) for name in own_names for x in words_in(name)):
        return _IN_NAME
    elif any(are_forms(text, x) for x in words_in(thing.text)):
        return _IN_TEXT
    if thing.kind == "comment" and any(
        has_form(x, text) for x in (thing.beside, thing.below, *thing.within)
    ):
        return _AROUND
    if thing.kind in ("commented", "print", "log") and any(has_form(x, text) for x in thing.within):
        return _AROUND
    if thing.kind == "definition" and any(are_forms(text, x) for x in words_in(thing.body)):
        return _AROUND
    if thing.kind in ("entry", "item", "element", "statement") and any(
        has_form(x, text) for x in thing.within if x.rpartition(".")[2] not in defined
    ):
        return _AROUND
    return 0


def has_form(written: str, word: str) -> bool:
    """Whether a text has a form of a word, or the word as it is spelled."""
    word = word.strip("[]")
    return any(are_forms(word, x) for x in words_in(written)) or (
        not word.isalpha() and as_word(word).search(written) is not None
    )


def explains_a_head(thing: Thing, target: TargetDescription, code: Code) -> bool:
    """Whether a clause begins with words for a thing, and no word of the buffer among them is left over."""
    defined = frozenset(x.name for x in code.definitions if x.is_block)
    return any(all(explains(thing, word, defined) for word in head) for head in target.heads)

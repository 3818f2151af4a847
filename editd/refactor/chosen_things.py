"""Chooses the things of a text that a description means: the one that fits best, or as many as the words say. Changes no text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from editd.intent.intents import EditTarget
from editd.intent.target import TargetDescription, TargetWord
from editd.intent.word_forms import are_forms, words_in
from editd.refactor.entries import DATA, is_program
from editd.refactor.target_fit import (
    Fit,
    explains,
    explains_a_head,
    fit_of,
    innermost,
    of_best_heads,
)
from editd.refactor.things import Thing, things_of
from editd.refactor.used_names import is_mentioned_elsewhere
from editd.refactor.values import SHELLS
from editd.syntax.code import Code
from editd.syntax.tool_comments import staying

_CODE_KINDS = ("definition", "print", "log", "statement", "entry", "item", "element")
_KINDS = {
    "": _CODE_KINDS,
    "comment": ("comment",),
    "print": ("print",),
    "log": ("print", "log"),
    "definition": ("definition",),
    "test": ("definition",),
    "route": ("definition", "statement"),
    "argument": ("statement", "entry", "print", "log"),
    "entry": ("statement", "entry", "item", "element"),
    "statement": ("statement", "entry", "print", "log", "item", "element", "leaving", "import"),
    "check": ("check",),
    "loop": ("loop",),
    "block": ("check", "loop", "block", "entry", "item", "statement"),
    "import": ("import",),
}
"""The kinds of things that each kind of noun may mean."""
_WITH_BODY = ("definition", "test", "route")
_COMMENTED = ("commented", "commented-out", "outcommented")
_WHOLE = ("entry", "item", "element", "print", "log")
"""Things that a word of their text describes; in other statements it may describe a part."""
_WITHOUT_WORDS = ("comment", "print", "log", "check", "loop")
"""Kinds of nouns that need no more words where only one such thing is there."""


def chosen_things(intent: EditTarget, code: Code) -> list[Thing]:
    """The things that the words mean, in order: the one that fits best, or as many as they say; empty if it is not clear."""
    target = intent.target
    things = list(_of_kind(intent, code))
    named = replace(target, required=(*target.required, *target.adjectives))
    fitting = _all_fitting(things, named, code) or _all_fitting(things, target, code)
    if target.mark:
        fitting = [x for x in fitting if all(t.text.startswith(target.mark) for t in x[0].tokens)]
    if (
        not fitting
        and intent.action == "uncomment"
        and intent.says_comment
        and not target.is_subject
    ):
        partly = replace(
            target, required=(), optional=(*target.required, *target.optional), is_subject=True
        )
        return chosen_things(replace(intent, target=partly), code)
    fitting = innermost(of_best_heads(fitting, target, code))
    if not fitting and (only := _only_one(target, things, code)):
        return [only]
    if not fitting or not _is_enough(target, fitting, intent.action, code):
        return []
    if (
        intent.action == "uncomment"
        and not intent.says_comment
        and _has_live(target, fitting, code)
    ):
        return []
    chosen = _best(fitting, target, code)
    if target.with_comment and len(chosen) != 1:
        commented_ones = [x for x in (chosen or [x for x, _ in fitting]) if has_comment(x, code)]
        chosen = chosen if target.count != 1 else commented_ones if len(commented_ones) == 1 else []
    if target.with_comment and not any(has_comment(x, code) for x in chosen):
        return []
    if target.spared and not _are_spared(target, chosen, things_of(code)):
        return []
    return chosen


def _all_fitting(
    things: Sequence[Thing], target: TargetDescription, code: Code
) -> list[tuple[Thing, Fit]]:
    """The things that fit a description, each with how well it does."""
    return [(thing, fit) for thing in things if (fit := fit_of(thing, target, code)) is not None]


def _of_kind(intent: EditTarget, code: Code) -> Iterator[Thing]:
    """Yield the things that the noun of a description may mean."""
    target = intent.target
    kinds = _KINDS[target.kind]
    if intent.action == "delete" and (
        target.kind in ("check", "loop") or (target.kind == "block" and is_program(code))
    ):
        return  # what is in it may have to stay
    if intent.action == "uncomment":
        kinds = ("commented",)
    if intent.action == "comment" and kinds == _CODE_KINDS:
        kinds = (*kinds, "leaving")
    if not target.kind and any(word.is_exact and " " in word.text for word in target.required):
        kinds = (*kinds, "comment")
    if intent.action == "delete" and any(
        word.text.lower() in _COMMENTED for word in target.optional
    ):
        kinds = ("commented",)
    things = [x for x in things_of(code) if x.kind in kinds]
    if target.noun in ("step", "item", "element") and any(x.kind == "item" for x in things):
        things = [x for x in things if x.kind == "item"]
    if (
        target.kind not in _WITH_BODY
    ):  # what is done in a function says which one only where a function is spoken of
        things = [replace(x, body="") if x.body else x for x in things]
    for thing in things:
        if (
            target.kind == "test"
            and thing.kind == "definition"
            and not any(re.match("test", name, re.IGNORECASE) for name in thing.names)
        ):
            continue
        if intent.action == "comment" and thing.kind == "comment":
            continue
        if target.kind == "check" and target.noun == "if" and not thing.text.startswith("if"):
            continue
        is_long = thing.end - thing.start > 1
        if thing.kind == "item" and is_long and target.noun not in ("step", "item", "element"):
            continue
        if target.noun in ("line", "lines", "row") and (is_long or thing.kind == "element"):
            continue
        if thing.kind == "element" and intent.action != "delete":
            continue
        is_function = thing.kind == "definition" and not target.kind
        if intent.action == "comment" and is_function and is_mentioned(thing, code):
            continue  # its calls would stay
        if code.language == "css" and thing.kind == "entry" and not _is_of_css(target.noun, thing):
            continue
        is_command = code.language in (*SHELLS, "dockerfile", "makefile")
        if target.is_bare and is_program(code) and not is_command and thing.kind != "definition":
            continue
        if (
            target.kind == "argument"
            and code.language not in DATA
            and not re.search(r"[\"'`]-{1,2}\w", thing.text)
        ):
            continue
        yield thing


def _is_of_css(noun: str, thing: Thing) -> bool:
    """Whether a noun may mean an entry of a style sheet: a rule, or a declaration in one."""
    is_rule = "{" in thing.text
    if noun in ("rule", "selector", "block", "class"):
        return is_rule
    return not (is_rule and noun in ("property", "declaration", "line"))


def _only_one(target: TargetDescription, things: Sequence[Thing], code: Code) -> Thing | None:
    """The only print, log call or comment at the place that the words name, if they describe it in no word of code; else
    ``None``.
    """
    if target.kind not in ("print", "log", "comment") or target.count != 1 or target.is_subject:
        return None
    if any(word.is_exact and not word.where for word in target.required):
        return None
    around = tuple(word for word in target.required if word.where)
    placed = replace(target, required=around, optional=())
    found = [x for x in things if fit_of(x, placed, code) is not None]
    return found[0] if len(found) == 1 else None


def _best(
    fitting: Sequence[tuple[Thing, Fit]], target: TargetDescription, code: Code
) -> list[Thing]:
    """Of things with ranks the one of the highest rank, the first or last that fits, or all that the words say; empty if
    several are of that rank.
    """
    highest = max(fit for _, fit in fitting)
    by_lines = {_place(x): x for x, _ in fitting}
    best = {_place(x): x for x, fit in fitting if fit == highest}
    if not target.count:  # adjectives do not choose among many
        by_lines = {_place(x): x for x, fit in fitting if fit.words == highest.words}
    if len(best) > 1 and target.count == 1 and target.heads and not target.is_subject:
        by_head = [
            x for x in best.values() if explains_a_head(x, target, code)
        ]  # by the clause beside
        best = {_place(x): x for x in by_head} if len(by_head) == 1 else best
    if target.count != 1:
        own = [x for x in fitting if x[1].named + x[1].in_name + x[1].in_text]
        by_lines = {_place(x): x for x, _ in own} if target.count and own else by_lines
        return _several(best, by_lines, target, code)
    if target.position and len(best) != 1:
        ordered = sorted(best)
        return [best[ordered[-1 if target.position == "last" else 0]]]
    return list(best.values()) if len(best) == 1 else []


def _place(thing: Thing) -> tuple[int, int, int]:
    """The lines of a thing, and the offset of an element."""
    return thing.start, thing.end, thing.span[0]


def _several(
    best: dict[tuple[int, int, int], Thing],
    all_: dict[tuple[int, int, int], Thing],
    target: TargetDescription,
    code: Code,
) -> list[Thing]:
    """The things of the highest rank, or all that fit, as many as the words say; empty if neither are so many, or some lie
    in others.
    """
    for things in (best, all_):
        ordered = sorted(things)
        are_apart = all(a[1] <= b[0] or a == b for a, b in pairwise(ordered))
        chosen = [things[lines] for lines in ordered]
        if not target.count:
            chosen = _without_kept_comments(chosen, code)
        if len(chosen) == 1 and is_several(chosen[0], target):
            return chosen
        if are_apart and (len(chosen) == target.count or (not target.count and len(chosen) > 1)):
            return chosen if _are_all_named(chosen, target) else []
    return []


def is_several(thing: Thing, target: TargetDescription) -> bool:
    """Whether a single thing is what a plural means: a comment of as many lines, or something of several lines with the plural as its name."""
    lines = thing.end - thing.start
    if thing.kind == "comment":
        return lines == target.count
    plurals = {f"{target.noun}s", f"{target.noun.removesuffix('y')}ies"}
    return not target.count and lines > 1 and not plurals.isdisjoint(x.lower() for x in thing.names)


def _without_kept_comments(things: Sequence[Thing], code: Code) -> list[Thing]:
    """The comments for people, without documentation and those that tools read; other things as they are."""
    tokens = [token for x in things for token in x.tokens]
    stays = staying([(token.start, token.text) for token in tokens], code.text, code.language)
    return [x for x in things if not any(token.start in stays for token in x.tokens)]


def _are_all_named(things: Sequence[Thing], target: TargetDescription) -> bool:
    """Whether each of the places that are named ("in toggle and tick") has one of these things."""
    words = [word for word in target.required if word.others]
    return all(
        any(explains(x, TargetWord(text, word.where), ()) for x in things)
        for word in words
        for text in (word.text, *word.others)
    )


def _are_spared(
    target: TargetDescription, chosen: Sequence[Thing], things: Sequence[Thing]
) -> bool:
    """Whether what is said to stay is none of the chosen things, and there is something else that it may be."""

    def has(thing: Thing, word: str) -> bool:
        return any(are_forms(word, x) for x in words_in(thing.text))

    rest = [x for x in things if x not in chosen]
    return not any(has(x, word) for word in target.spared for x in chosen) and any(
        has(x, word) for word in target.spared for x in rest
    )


def _is_enough(
    target: TargetDescription, fitting: Sequence[tuple[Thing, Fit]], action: str, code: Code
) -> bool:
    """Whether the words say enough to choose by: a word of the thing itself, or a kind of thing that needs none."""
    best = max(fit for _, fit in fitting)
    if target.kind in _WITHOUT_WORDS or action == "uncomment":
        return best.score > 0 or len(fitting) == 1 or target.count != 1 or bool(target.position)
    own = best.named * 3 + best.in_name * 2 + best.in_text
    if action == "delete" and not (target.kind or best.named):
        chosen = [x for x, fit in fitting if fit == best]
        if any(_names_all_of(x, target) for x in chosen):
            return True
        if (
            chosen[0].kind in _WHOLE
            and (best.around or best.in_name)
            and explains_a_head(chosen[0], target, code)
        ):
            return True
        is_only = len(fitting) == 1 and not target.is_subject and best.words // 2 > 1
        is_whole = chosen[0].kind in _WHOLE or best.in_name > 0
        return is_only and is_whole and len(target.required) > 1
    if target.is_subject:
        return own > (1 if target.kind or best.around else 2) - (
            best.in_text == 1 and bool(target.kind)
        )
    return own > 0


def _names_all_of(thing: Thing, target: TargetDescription) -> bool:
    """Whether the words are all that a name of the thing consists of ("the debug box": ``debugBox``), or one is spelled as code
    and stands in it.
    """
    words = (*target.required, *target.optional)
    exact = (word for word in words if word.is_exact and not word.text.isdigit())
    if any(not word.where and explains(thing, word, ()) for word in exact):
        return True
    return any(
        all(any(are_forms(word.text, part) for word in words) for part in parts)
        for name in thing.names
        if (parts := words_in(name) - {name.lower()})
    )


def _has_live(target: TargetDescription, fitting: Sequence[tuple[Thing, Fit]], code: Code) -> bool:
    """Whether code that is no comment fits the words as well as the comments do."""
    best = max(fit for _, fit in fitting)
    kinds = [x for x in _KINDS[target.kind] if x != "definition"]
    live = (x for x in things_of(code) if x.kind in kinds)
    return any((fit := fit_of(x, target, code)) is not None and fit >= best for x in live)


def with_comment_above(thing: Thing, code: Code) -> int:
    """The first of the lines of comments directly above a thing, or its own first line."""
    start = thing.start
    while start and code.lines[start - 1].lstrip().startswith(("#", "//", "--", "/*", "*", "<!--")):
        start -= 1
    return start


def has_comment(thing: Thing, code: Code) -> bool:
    """Whether a comment stands above a thing, in it, or behind it."""
    starts = [code.text.count("\n", 0, x.start) for x in code.tokens_of("comment")]
    return with_comment_above(thing, code) < thing.start or any(
        thing.start <= n < thing.end for n in starts
    )


def is_mentioned(thing: Thing, code: Code) -> bool:
    """Whether other code has the name of a definition."""
    return is_mentioned_elsewhere(thing.names[0], thing.start, thing.end, code)

"""Deletes, comments out or uncomments the one thing of a text that fits a description best, and alone.

a.py, "the sleep in dump is pointless, drop it"::

    def dump(name):
        run(name)
        time.sleep(2)
        return name

becomes::

    def dump(name):
        run(name)
        return name
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from editd.intent.intents import DeleteDefinition, EditTarget
from editd.intent.target import TargetDescription, TargetWord
from editd.intent.word_forms import are_forms, inflected, words_in
from editd.refactor.candidates import Candidates
from editd.refactor.change_elements import without_element
from editd.refactor.comment_out import commented, uncommented
from editd.refactor.delete_code import without_lines
from editd.refactor.delete_comments import statements_in, without_comments
from editd.refactor.delete_definition import delete_definition
from editd.refactor.entries import DATA, is_program
from editd.refactor.things import Thing, things_of
from editd.refactor.used_names import is_mentioned_elsewhere, is_used_elsewhere
from editd.refactor.values import SHELLS
from editd.syntax.code import Code
from editd.syntax.tool_comments import staying
from editd.syntax.words import as_word

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
_FAR = 2  # how much better the words of all clauses fit another thing
_LONGEST = 60  # characters of a line that is shown
_COMMENTED = ("commented", "commented-out", "outcommented")
_WHOLE = ("entry", "item", "element", "print", "log")
"""Things that a word of their text describes; in other statements it may describe a part."""
_WITHOUT_WORDS = ("comment", "print", "log", "check", "loop")
"""Kinds of nouns that need no more words where only one such thing is there."""


def edit_target(intent: EditTarget, code: Code) -> Candidates | None:
    """The text with the described thing edited, as a certain candidate; where several are meant, all of these.

    ``None`` if none or several fit equally well, other than the number that is said, what is deleted is used elsewhere, or
    the edit cannot be made of whole lines.
    """
    things = _chosen(intent, code)
    if not things or any(_is_used(x, intent, code) for x in things):
        return None
    numbers = sorted({n for x in things for n in range(_below_comments(x, code), x.end)})
    if intent.action == "delete":
        found = _deleted(intent.target, things, code)
    elif intent.action == "comment":
        found = commented(code, numbers)
    else:
        found = uncommented(code, numbers)
    return found and replace(found, reading=_reading(intent.action, things, code))


def _reading(action: str, things: Sequence[Thing], code: Code) -> str:
    """The edit as a plain sentence with the lines that were found: "delete line 3: time.sleep(2)"."""
    verb = {"delete": "delete", "comment": "comment out", "uncomment": "uncomment"}[action]
    if len(things) == 1 and things[0].kind == "definition":
        return f"{verb} {things[0].names[0]}"
    numbers = ", ".join(str(x.start + 1) for x in things)
    shown = code.lines[things[0].start].strip()
    text = f": {shown}" if len(things) == 1 and len(shown) <= _LONGEST else ""
    return f"{verb} {'line' if len(things) == 1 else 'lines'} {numbers}{text}"


def _deleted(target: TargetDescription, things: Sequence[Thing], code: Code) -> Candidates | None:
    """The text without these things, as a certain candidate; ``None`` if one cannot be deleted, or only a part of a comment is described."""
    if things[0].kind == "comment":
        if any(_is_described_in_part(target, x) for x in things):
            return None
        return without_comments([token for x in things for token in x.tokens], code)
    if things[0].kind == "definition":
        if len(things) > 1:
            return None
        return _without_definition(things[0], code, with_comment=target.with_comment)
    if any(x.kind == "element" for x in things):
        new = without_element(things[0].span, code) if len(things) == 1 else None
        return Candidates((new,), is_certain=True) if new is not None else None
    ranges = [(_with_comment(x, code) if target.with_comment else x.start, x.end) for x in things]
    return without_lines(sorted(ranges), code)


def _is_described_in_part(target: TargetDescription, thing: Thing) -> bool:
    """Whether the words of the description stand only in some of the statements of a comment, which may be two comments."""
    words = {x for word in (*target.required, *target.optional) for x in words_in(word.text)}
    if not words:
        return False
    texts = ["\n".join(x.text for x in lines) for lines in statements_in(thing.tokens)]
    named = [any(are_forms(x, word) for x in words_in(text) for word in words) for text in texts]
    return any(named) and not all(named)


def _without_definition(thing: Thing, code: Code, *, with_comment: bool) -> Candidates | None:
    """The text without a definition, certain if it is with ``with_comment``, or where the comment above is about it."""
    found = delete_definition(DeleteDefinition(thing.names[-1]), code)
    if found is None or not (found.is_certain or with_comment):
        return found
    return Candidates(found.texts, is_certain=True, left_alone=found.left_alone)


def _with_comment(thing: Thing, code: Code) -> int:
    """The first of the lines of comments directly above a thing, or its own first line."""
    start = thing.start
    while start and code.lines[start - 1].lstrip().startswith(("#", "//", "--", "/*", "*", "<!--")):
        start -= 1
    return start


def _has_comment(thing: Thing, code: Code) -> bool:
    """Whether a comment stands above a thing, in it, or behind it."""
    starts = [code.text.count("\n", 0, x.start) for x in code.tokens_of("comment")]
    return _with_comment(thing, code) < thing.start or any(
        thing.start <= n < thing.end for n in starts
    )


def _below_comments(thing: Thing, code: Code) -> int:
    """The first line of a definition below the comments above it; of anything else its first line."""
    start = thing.start
    marks = ("#",) if code.language in ("python", "bash", "zsh") else ("//", "/*", "*")
    while (
        thing.kind == "definition"
        and code.language != "rust"
        and code.lines[start].lstrip().startswith(marks)
    ):
        start += 1
    return start


def _is_used(thing: Thing, intent: EditTarget, code: Code) -> bool:
    """Whether other code uses what a thing defines: a statement or entry; of a definition only asked where it is said to be needless."""
    if thing.kind == "definition":
        return intent.is_implied and _is_mentioned(thing, code)
    if thing.kind not in ("statement", "entry") or not is_program(code):
        return False
    return is_used_elsewhere(thing.start, thing.end, code)


def _is_mentioned(thing: Thing, code: Code) -> bool:
    """Whether other code has the name of a definition."""
    return is_mentioned_elsewhere(thing.names[0], thing.start, thing.end, code)


# The choice


def _chosen(intent: EditTarget, code: Code) -> list[Thing]:
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
        return _chosen(replace(intent, target=partly), code)
    fitting = _innermost(_with_heads(fitting, target, code))
    if not fitting and (only := _only_one(target, things, code)):
        return [only]
    if not fitting or not _is_enough(target, fitting, intent.action):
        return []
    if (
        intent.action == "uncomment"
        and not intent.says_comment
        and _has_live(target, fitting, code)
    ):
        return []
    chosen = _best(fitting, target, code)
    if target.with_comment and len(chosen) != 1:
        commented_ones = [x for x in (chosen or [x for x, _ in fitting]) if _has_comment(x, code)]
        chosen = chosen if target.count != 1 else commented_ones if len(commented_ones) == 1 else []
    if target.with_comment and not any(_has_comment(x, code) for x in chosen):
        return []
    if target.spared and not _are_spared(target, chosen, things_of(code)):
        return []
    return chosen


def _all_fitting(
    things: Sequence[Thing], target: TargetDescription, code: Code
) -> list[tuple[Thing, Fit]]:
    """The things that fit a description, each with how well it does."""
    return [(thing, fit) for thing in things if (fit := _fit(thing, target, code)) is not None]


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
        if intent.action == "comment" and is_function and _is_mentioned(thing, code):
            continue  # its calls would stay
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
    found = [x for x in things if _fit(x, placed, code) is not None]
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
    if target.count != 1:
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
        if len(chosen) == 1 and _is_several(chosen[0], target):
            return chosen
        if are_apart and (len(chosen) == target.count or (not target.count and len(chosen) > 1)):
            return chosen if _are_all_named(chosen, target) else []
    return []


def _is_several(thing: Thing, target: TargetDescription) -> bool:
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
        any(_explains(x, TargetWord(text, word.where), ()) for x in things)
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
    target: TargetDescription, fitting: Sequence[tuple[Thing, Fit]], action: str
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
    if any(not word.where and _explains(thing, word, ()) for word in exact):
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
    return any((fit := _fit(x, target, code)) is not None and fit >= best for x in live)


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


def _innermost(fitting: list[tuple[Thing, Fit]]) -> list[tuple[Thing, Fit]]:
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


def _with_heads(
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
            sum((1 + word.is_exact) * (_explains(x, word, defined) > 0) for word in head)
            for head in target.heads
        )
        for x, _ in fitting
    ]
    most = max(explained, default=0)
    found = [x for x, number in zip(fitting, explained, strict=True) if number == most]
    best, best_found = (max((fit.words for _, fit in x), default=0) for x in (fitting, found))
    return found if best - best_found < _FAR else fitting


def _fit(thing: Thing, target: TargetDescription, code: Code) -> Fit | None:
    """How well a thing fits; ``None`` if a word does not fit that has to. Of words that need not fit, those of another
    clause count as much as the others, and the rest choose between things that the others fit equally.
    """
    defined = frozenset(x.name for x in code.definitions if x.is_block)
    levels: list[int] = []
    exact = minor = 0
    for word in target.required:
        forms = (replace(word, text=text) for text in (word.text, *word.others))
        level = max(_explains(thing, form, defined) for form in forms)
        if not level:
            return None
        levels.append(level)
        exact += word.is_exact and level in (_IN_TEXT, _IN_NAME)
    for word in target.optional:
        level = _explains(thing, word, defined)
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


def _explains(thing: Thing, word: TargetWord, defined: Iterable[str]) -> int:
    """How a word fits a thing: it is its name (4), in its name (3), in its text (2), around it (1), or not at all (0)."""
    text = word.text
    if word.where == "above":
        return _AROUND if _has(thing.below, text) else 0
    if word.where == "below":
        return _AROUND if _has(thing.above, text) else 0
    if word.where == "in" and text in defined:
        return _AROUND if text in thing.within else 0
    if word.where == "of" and thing.kind == "comment" and _has(thing.below, text):
        return _IN_TEXT
    if word.where in ("in", "of") and any(_has(x, text) for x in (*thing.within, *thing.around)):
        return _AROUND
    if word.where in ("in", "of"):
        return _AROUND if _has(thing.text, text) and thing.kind != "definition" else 0
    plain = text.strip().removesuffix("()")
    plain = plain.strip("[]") if plain.startswith("[") else plain
    own_names = (
        thing.names[:1] if thing.kind == "entry" else thing.names
    )  # the second one has its owners
    names = [x.lower() for x in thing.names]
    if plain.lower() in names or plain.lower().lstrip("-.@") in (x.lstrip("-.@") for x in names):
        return _NAME
    if "(" in plain or "[" in plain:
        return _IN_TEXT if _cites(plain, thing.text) else 0
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
        _has(x, text) for x in (thing.beside, thing.below, *thing.within)
    ):
        return _AROUND
    if thing.kind in ("commented", "print", "log") and any(_has(x, text) for x in thing.within):
        return _AROUND
    if thing.kind == "definition" and any(are_forms(text, x) for x in words_in(thing.body)):
        return _AROUND
    if thing.kind in ("entry", "item", "element", "statement") and any(
        _has(x, text) for x in thing.within if x.rpartition(".")[2] not in defined
    ):
        return _AROUND
    return 0


def _cites(cited: str, written: str) -> bool:
    """Whether a text has a call or subscript, white space aside, of a call at least the first arguments."""
    cited, written = (re.sub(r"\s+", "", x) for x in (cited, written))
    head = re.sub(r",?(?:\.\.\.|…)?\)$", "", cited)
    return cited in written or bool(
        head and re.search(rf"(?<![\w.]){re.escape(head)}(?=[,)])", written)
    )


def _has(written: str, word: str) -> bool:
    """Whether a text has a form of a word, or the word as it is spelled."""
    word = word.strip("[]")
    return any(are_forms(word, x) for x in words_in(written)) or (
        not word.isalpha() and as_word(word).search(written) is not None
    )

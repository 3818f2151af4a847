"""Deletes, comments out or uncomments the thing of a buffer that a sentence of that kind has most in common with.

Edited is only the one thing for which the words say most, by a margin; "the two prints" are two. What other code uses is not deleted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from editd.intent.evidence.target_cues import ASKS_ANOTHER
from editd.intent.evidence.target_words import NOUNS
from editd.intent.evidence.targets import takes_companions
from editd.intent.intents import DeleteComments, EditTarget
from editd.intent.target import TargetDescription
from editd.refactor.by_kind.request import KindRequest, Reader
from editd.refactor.by_kind.words_in_common import (
    NOUN_KINDS,
    ClauseWords,
    CommonWord,
    are_used,
    clauses_in,
    common_words,
    describes,
    fits_nouns,
    names,
)
from editd.refactor.candidates import Candidates
from editd.refactor.edit_target import edit_things
from editd.refactor.entries import is_program
from editd.refactor.things import Thing, things_of
from editd.refactor.used_names import is_mentioned_elsewhere
from editd.refactor.values import SHELLS
from editd.syntax.code import Code
from editd.syntax.words import as_word

_OF_LINES = ("print", "log", "statement", "entry", "item", "element", "leaving")
_KINDS = {
    "delete_line": _OF_LINES,
    "delete_definition": ("definition",),
    "delete_comments": ("comment",),
    "comment": ("definition", *_OF_LINES),
    "uncomment": ("commented",),
}
"""The kinds of things that each kind of edit is about."""
_OF_COMMANDS = (*SHELLS, "dockerfile", "makefile")
_OF_BLOCKS = ("check", "loop", "block")
_OF_IMPORTS = ("import", "require", "include")
_MARGIN = 1.3
_SEVERAL_MARGIN = 1.8  # between the first and the last of several
_ALIKE = 0.9
_BY_NAME = 2.5
_COMPANION = re.compile(
    r"\b(?:and|plus|with)\b[^.]*?\b(?:its|their) (?P<first>\w+)(?: (?P<second>\w+))?",
    re.IGNORECASE,
)
_CHOOSES = re.compile(
    r"\b(?:one of|(?:the|all) others?|second|third|half of|some of|or|i mean|scratch that)\b|\bno,? (?:wait|just|only)\b|\.\.\. ?(?:no|wait)\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(
    r"\b(?:its|the|that|their) (?:\w+ )?(?:comments?|jsdoc|docblock|javadoc|todo)\b|\bcomment and all\b",
    re.IGNORECASE,
)
_ALL_COMMENTS = re.compile(
    r"(?:^|\b(?:the|all|every|any|each|no|these|those|of|both|two|three|four|\d) )(?:(?:of|the|these|those|two|three|our|my) )*(?:(?://|#|html|line|inline|block|code) )*comments?\b"
    r"(?! (?:about|that|which|with|above|over|for|on|behind|where|saying|by)\b)",
    re.IGNORECASE,
)
_BUT = re.compile(r"\bbut\b", re.IGNORECASE)
_BESIDE = re.compile(r"\b(?:behind|beside|next to|trailing|inline)\b", re.IGNORECASE)
_PASS = re.compile(r"^\s*pass\b", re.MULTILINE)
_DEFINES = re.compile(
    r"\s*(?:export |default |async |public |private |static |pub )*(?:function|class|interface|def|func|fn|enum|struct)\b"
)
_GROUP = re.compile(r"\s*(?:const|var|type|import) \(\s*$", re.MULTILINE)
"""Begins a group of declarations in Go."""
_WITHOUT = re.compile(r"\b(?:no|without|zero|free of)\b", re.IGNORECASE)
_PARTS = re.compile(
    r"\b(?:decorators?|(?:unused )?(?:parameters?|params?|arguments?|args?)|(?:type|return)[ -](?:hints?|annotations?|types?))\b(?! (?:parser|parsing))",
    re.IGNORECASE,
)
"""Parts of a definition, which are no things of their own."""
_IS_COMMENT = re.compile(r"\bcommented\b", re.IGNORECASE)
_SIGN = re.compile(
    r"(?<!\S)(?:#|//|--)(?!\S)|\b(?:hash|slashes|comment (?:sign|mark)s?)\b", re.IGNORECASE
)
_SEVERAL = re.compile(
    r"\b(?:lines|calls|statements|ones|them|these|those|all|both|every)\b", re.IGNORECASE
)
_ONE = re.compile(r"\b(?:it|that|this)\b(?! (?:file|script|module|code|page)\b)", re.IGNORECASE)


def _edit_one_thing(request: KindRequest) -> Iterator[Candidates]:
    """Yield the edit of the thing, or of as many as the sentence counts, that its words say most for."""
    text = request.text
    if takes_companions(text) or _has_companion(text) or _CHOOSES.search(text):
        return
    if _places_missing(request) or _PARTS.search(request.asking):
        return
    clauses = clauses_in(request)
    if any(ASKS_ANOTHER.match(x.text) for x in clauses if x.action in ("", "?")):
        return
    deletes = any(x.action == "delete" for x in clauses) or _WITHOUT.search(text) is not None
    if (
        request.kind == "delete_comments"
        and deletes
        and (every := _without_all_comments(request, clauses))
    ):
        yield every
        return
    action = _action(request, clauses)
    asking = [x for x in clauses if x.action]
    spoken = [x for x in asking if x.target.noun] or [x for x in clauses if x.target.noun] or asking
    if not action or not spoken:
        return
    nouns = [x.target.noun for x in spoken]
    is_bare = all(x.target.is_bare and x.target.required[0].text.isidentifier() for x in asking)
    things = list(_things(request, action, nouns, is_bare=is_bare))
    words = common_words(clauses, things, request)
    if request.kind == "delete_comments" and not _speaks_of_comment(text, clauses, words):
        return
    found = _Ranking(things, words, is_of_kind=action != "uncomment")
    count = _count(asking, spoken)
    position = next((x.target.position for x in spoken if x.target.position), "")
    chosen = found.first(position) if count == 1 else found.first_of(count)
    if not all(are_used(words, at, len(chosen), request) for at in chosen):
        return
    if position and action == "delete" and not all(describes(words, at) for at in chosen):
        return  # other lines may stand before it
    is_weak = (
        all(x.is_weak or x.action == "?" for x in asking) and request.kind != "delete_comments"
    )
    if is_weak and not all(names(words, at) for at in chosen):
        return
    with_comment = request.kind != "delete_comments" and _COMMENT.search(request.text) is not None
    target = TargetDescription(
        required=tuple(x.word for x in words if x.asks and not (x.is_noun or x.word.where)),
        with_comment=with_comment and action == "delete",
    )
    intent = EditTarget(action, target, says_comment=True, is_implied=True)
    ordered = sorted((things[at] for at in chosen), key=lambda x: (x.start, x.span))
    is_of_all = len(chosen) > 1 and not any(describes(words, at) for at in chosen)
    if request.kind == "delete_comments" and is_of_all:
        new = request.done(DeleteComments())  # which knows those that stay
    else:
        new = edit_things(intent, ordered, request.code)
    if new is not None and not _fills_block(new, request.code):
        yield new


def _places_missing(request: KindRequest) -> bool:
    """Whether the sentence names a place ("in parse") that the buffer does not have."""
    return any(
        re.search(rf"\b(?:in|inside|within|from) {re.escape(x)}\b", request.text)
        for x in request.missing
    )


def _fills_block(new: Candidates, code: Code) -> bool:
    """Whether a statement that only fills its block took the place of what went."""
    return len(_PASS.findall(new.texts[0])) > len(_PASS.findall(code.text))


def _speaks_of_comment(
    text: str, clauses: Sequence[ClauseWords], words: Sequence[CommonWord]
) -> bool:
    """Whether a sentence has a word for a comment, or cites a text that a comment has."""
    has_noun = _IS_COMMENT.search(text) is not None or any(
        NOUNS.get(x.target.noun) == "comment" for x in clauses
    )
    return has_noun or any(x.word.is_exact and any(x.levels) for x in words)


def _has_companion(text: str) -> bool:
    """Whether something other than a comment is said to go with a thing."""
    words = (x for found in _COMPANION.finditer(text) for x in [found.groups()])
    return any("comment" not in [NOUNS.get(y or "") for y in x] for x in words)


def _action(request: KindRequest, clauses: Sequence[ClauseWords]) -> str:
    """The edit that is asked for: ``delete``, ``comment`` or ``uncomment``; empty if the sentence asks for something else than its kind."""
    actions = {x.action for x in clauses} - {"", "?"}
    if request.kind != "comment_out":
        return "delete" if actions <= {"delete"} else ""
    if "uncomment" in actions or (actions == {"delete"} and _SIGN.search(request.text)):
        return "uncomment"
    is_undone = "comment" not in actions and _IS_COMMENT.search(request.text)
    return "uncomment" if is_undone else "comment"


def _things(
    request: KindRequest, action: str, nouns: Sequence[str], *, is_bare: bool
) -> Iterator[Thing]:
    """Yield the things that may be meant: of checks and loops only where they are spoken of, and then none to delete, as what is in them may
    have to stay; of imports those of one unused name.
    """
    kinds = _KINDS[request.kind if action == "delete" else action]
    kind_of_noun = NOUNS.get(nouns[0], "")
    if not is_program(request.code):
        kinds = _OF_LINES if kinds == ("definition",) else kinds
    elif is_bare and request.code.language not in _OF_COMMANDS:
        kinds = tuple(x for x in kinds if x in ("definition", "comment", "commented"))
    if kind_of_noun in _OF_BLOCKS:
        kinds = () if action == "delete" else (*kinds, *NOUN_KINDS[kind_of_noun])
    if request.kind == "delete_line" and not {*nouns}.isdisjoint(_OF_IMPORTS):
        kinds = (*kinds, "import")
    is_beside = request.kind == "delete_comments" and _BESIDE.search(request.text)
    for thing in things_of(request.code):
        if request.kind == "delete_line" and _holds_definition(thing, request.code):
            continue
        is_bound = thing.kind == "import" and _binds_more(thing, request)
        if thing.kind in kinds and not is_bound and (thing.beside or not is_beside):
            yield thing


def _holds_definition(thing: Thing, code: Code) -> bool:
    """Whether a thing that is no definition itself has one in it: ``export function f``."""
    is_head = _DEFINES.match(thing.text) is not None or _GROUP.match(thing.text) is not None
    blocks = (x for x in code.definitions if x.is_block)
    return is_head or any(thing.start <= x.start and x.end <= thing.end for x in blocks)


def _binds_more(thing: Thing, request: KindRequest) -> bool:
    """Whether an import binds several names, or one that other code uses."""
    names = [x for x in request.facts.imports if as_word(x).search(thing.text)]
    return len(names) != 1 or is_mentioned_elsewhere(names[0], thing.start, thing.end, request.code)


def _count(asking: Sequence[ClauseWords], spoken: Sequence[ClauseWords]) -> int:
    """The number of things that are meant; 0 for any number of them."""
    for clause in asking:
        if clause.target.count > 1:
            return clause.target.count
        if _ONE.search(clause.text):
            return 1
    if any(_SEVERAL.search(x.text) for x in asking):
        return next((x.target.count for x in spoken if x.target.count != 1), 0)
    return spoken[0].target.count


class _Ranking:
    """The things of a buffer, those first for which the words of a sentence say most."""

    def __init__(
        self, things: Sequence[Thing], words: Sequence[CommonWord], *, is_of_kind: bool
    ) -> None:
        """is_of_kind: only things count that are what the sentence says they are, as far as there are such."""
        self.things, self.words = things, words
        numbers = range(len(things))
        self.scores = [sum(x.weight * x.levels[at] for x in words) for at in numbers]
        best: dict[tuple[int, int, tuple[int, int]], int] = {}
        for at in sorted(numbers, key=lambda x: -self.scores[x]):
            thing = things[at]
            if self.scores[at] > 0 and (fits_nouns(words, at) or not is_of_kind):
                best.setdefault((thing.start, thing.end, thing.span), at)
        self.order = [
            x for x in best.values() if not any(map(partial(self._is_in, x), best.values()))
        ]

    def _is_in(self, outer: int, inner: int) -> bool:
        """Whether one thing, which is no definition, holds another for which the words say as much."""
        a, b = self.things[outer], self.things[inner]
        is_inside = a.start <= b.start and b.end <= a.end and (a.start, a.end) != (b.start, b.end)
        is_alike = self.scores[inner] >= _ALIKE * self.scores[outer]
        return a.kind != "definition" and is_inside and is_alike

    def _near(self) -> list[int]:
        """The things for which the words say about as much as for the first."""
        first = self.scores[self.order[0]] if self.order else 0
        return [x for x in self.order if self.scores[x] * _MARGIN > first]

    def first(self, position: str) -> list[int]:
        """The first of the things, if the others are far from it, or no word fits one of them better; of those that all words fit alike
        the one at the position. Empty if it is not clear.
        """
        near = self._near()
        if position and len(near) > 1 and len({self.scores[x] for x in near}) == 1:
            return [max(near) if position == "last" else min(near)]
        return near[:1] if all(self._is_better(near[0], x) for x in near[1:]) else []

    def first_of(self, count: int) -> list[int]:
        """The first ``count`` of the things, or, if it is 0, those for which the words say as much as for the first; a single one only where it
        is of so many lines, or named as it is spelled. Empty if others are near, or some are far from the first.
        """
        near = self._near()
        if len(near) == 1:
            lines = self.things[near[0]].end - self.things[near[0]].start
            is_cited = any(
                x.word.is_exact and x.asks and x.levels[near[0]] > _BY_NAME for x in self.words
            )
            is_block = self.things[near[0]].kind in ("comment", "commented") and lines > 1
            if lines == count or (not count and (is_block or is_cited)):
                return near
        chosen = self.order[: count or len(near)]
        if len(chosen) < max(2, count):
            return []
        rest = self.order[len(chosen) :]
        first, last = self.scores[chosen[0]], self.scores[chosen[-1]]
        is_apart = not rest or self.scores[rest[0]] * _MARGIN <= last
        return chosen if is_apart and last * _SEVERAL_MARGIN >= first else []

    def _is_better(self, first: int, other: int) -> bool:
        """Whether no word fits another thing better than the first, and one that asks, tells a place or is spelled like code fits it less."""
        levels = [(x, x.levels[first], x.levels[other]) for x in self.words]
        tells = any(a > b and (x.asks or x.word.where or x.word.is_exact) for x, a, b in levels)
        return tells and all(a >= b for _, a, b in levels)


def _without_all_comments(
    request: KindRequest, clauses: Sequence[ClauseWords]
) -> Candidates | None:
    """The text without its comments, if a clause asks for all of them, and none of its words chooses among them; else ``None``."""
    spoken = [x for x in clauses if NOUNS.get(x.target.noun) == "comment"]
    asking = [x for x in spoken if x.action] or spoken
    if len(asking) != 1 or asking[0].target.count == 1:
        return None
    things = [x for x in things_of(request.code) if x.kind == "comment"]
    words = [x for x in common_words(spoken, things, request) if not x.is_noun]
    is_of_all = _ALL_COMMENTS.search(asking[0].text) and not _BUT.search(asking[0].text)
    chooses = any(
        any(x.levels) or (x.word.where and x.word.text in request.facts.definitions) for x in words
    )
    is_right = is_of_all and not chooses and asking[0].target.count in (0, len(things))
    return request.done(DeleteComments()) if is_right else None


READERS: dict[str, Reader] = dict.fromkeys(
    ("delete_line", "delete_definition", "delete_comments", "comment_out"), _edit_one_thing
)
"""The readers of the kinds of edits here."""

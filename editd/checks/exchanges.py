"""Lines that were changed otherwise than the words say, where they only put one text or value in the place of another.

Also where no sentence of the table fits: the pair is what is named, one of which the buffer has. What stood around the old
text stays as it was, and so does the name of a value that is set. Lines without the old text are not judged: whoever
renames something often means more than its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editd.checks.requests import Request, request_of
from editd.checks.rewrite import Doubt, Rewrite, quoted
from editd.diff.document import with_lf
from editd.diff.hunk import Hunk
from editd.intent import read
from editd.intent.english import NUMBER, is_identifier
from editd.syntax.code import read_code
from editd.syntax.words import as_word

_MOST = 40_000  # characters of a text whose tokens are looked at
_EXCHANGING = re.compile(
    r"\b(?:renam\w*|nam(?:e|ed|ing)|call(?:ed)? it|known as|goes? by|identifier|instead|rather than|replac\w*|swap|substitut\w*"
    r"|exchange|becomes?|becoming|turn(?:ed)? into|chang\w*|should (?:be|say|read)|says?|reads?|set|bump|rais\w*|lower|make|use"
    r"|equals?|update\w*|value|go with|need\w*|not|->|→|=>)(?!\w)|->|→",
    re.IGNORECASE,
)
_RENAMING = re.compile(
    r"\b(?:renam\w*|call(?:ed)? it|named|known as|goes? by|identifier|(?:terrible|bad|better|new|wrong|confusing) name|misspel\w*)\b",
    re.IGNORECASE,
)
_STRINGS = re.compile(r"\bstrings?\b|\bliterals?\b|\bquoted\b", re.IGNORECASE)
_ONLY_STRINGS = re.compile(
    r"\b(?:in|inside|within|every|each|a|any|all|our|the) (?:the |all |of the )?(?:string(?:s| literals?)?|quoted text)\b(?! \w*name)",
    re.IGNORECASE,
)
_ONLY_COMMENTS = re.compile(
    r"\b(?:only|just|alone) (?:in|inside|within) (?:the )?comments\b|\b(?:in|inside|within) (?:the )?comments (?:only|alone)\b",
    re.IGNORECASE,
)


def doubts(rewrite: Rewrite) -> list[Doubt]:
    """All hunks, where one puts something else in the place of the old text than the words say: half of them is no better."""
    request = request_of(rewrite.instruction)
    exchange = exchange_of(rewrite, request)
    if exchange is None:
        return []
    found: list[Doubt] = []
    if not exchange.is_present:
        reason = f"{quoted(exchange.old)} does not stand in this text."
        return [Doubt(reason, tuple(hunk.id for hunk in rewrite.hunks))]
    everything = tuple(hunk.id for hunk in rewrite.hunks)
    for hunk in rewrite.hunks:
        for old, new in _pairs(rewrite, hunk):
            if not found and (reason := exchange.doubt_of(old, new)):
                found.append(Doubt(reason, everything))
    return found or _elsewhere(rewrite) or _left(rewrite, request, exchange)


@dataclass(frozen=True, slots=True)
class Exchange:
    """old: the text that the words name, or the name of the value that is set. new: what may stand there instead; empty if
    any word of the instruction may. is_value: ``new`` is a number that ``old`` is set to.
    """

    old: str
    new: str
    words: frozenset[str]
    is_value: bool
    is_present: bool

    def doubt_of(self, old: str, new: str) -> str:
        """Why the line ``new`` is not what the words make of ``old``; empty if it is, or if they do not speak of it."""
        name = as_word(self.old)
        if self.is_value:
            if not name.search(old):
                return ""
            values = [one for one in NUMBER.findall(new) if one not in NUMBER.findall(old)]
            fits = all(map(self._is_new, values))
            return "" if fits else f"The words do not say {quoted(values[0])}."
        if not name.search(old):
            is_exact = NUMBER.fullmatch(self.old) and NUMBER.fullmatch(self.new)
            return f"This line has no {quoted(self.old)}: {quoted(old)}." if is_exact else ""
        around = [re.escape(part) for part in name.split(old)]
        made = re.fullmatch("(.*)".join(around), new)
        for text in made.groups() if made else ():
            if text != self.old and not self._is_new(text):
                return f"{quoted(self.old)} became {quoted(text)}, which the words do not say."
        return ""

    def _is_new(self, text: str) -> bool:
        """Whether the new text stands at the beginning or end of ``text``; what else was written is not judged."""
        given = [self.new] if self.new else [word for word in self.words if word in text]
        return any(
            re.match(rf"{re.escape(one)}(?!\w)", text)
            or re.search(rf"(?<!\w){re.escape(one)}$", text)
            for one in given
        )


def exchange_of(rewrite: Rewrite, request: Request) -> Exchange | None:
    """``None`` where the words do not ask for an exchange alone, or it is not clear which."""
    instruction = rewrite.instruction
    said = read(instruction)
    if request.kinds or request.is_removal:
        return None
    words = frozenset(re.findall(r"[\w$]+", instruction))
    text = rewrite.model_text(0, len(rewrite.old_lines))
    if said.renames:
        if len(said.renames) > 1:
            return None
        old, new = said.renames[0]
        if new and as_word(new).search(text) and not as_word(old).search(text):
            old, new = new, old  # "it says a where it should say b"
        return (
            Exchange(old, new, words, is_value=False, is_present=_may_stand(old, text))
            if new
            else None
        )
    if not _EXCHANGING.search(instruction) or len(request.values) > 2:
        return None
    present = [value for value in request.values if as_word(value).search(text)]
    absent = [value for value in request.values if value not in present]
    if len(present) == 1 and len(absent) == 1:
        is_value = bool(NUMBER.fullmatch(absent[0]) and is_identifier(present[0]))
        return Exchange(present[0], absent[0], words, is_value=is_value, is_present=True)
    if len(absent) == 1 and NUMBER.fullmatch(absent[0]) and not present:
        keys = [
            word for word in said.words if re.search(rf"\b{re.escape(word)}[\"']?\s*[:=]", text)
        ]
        return (
            Exchange(keys[0], absent[0], words, is_value=True, is_present=True)
            if len(keys) == 1
            else None
        )
    if (
        len(present) == 1
        and not absent
        and is_identifier(present[0])
        and _RENAMING.search(instruction)
    ):
        return Exchange(present[0], "", words, is_value=False, is_present=True)
    return None


def _may_stand(old: str, text: str) -> bool:
    """Whether a part of ``old`` stands in the text: whoever says "plugin" may mean "Plugins"."""
    if NUMBER.fullmatch(old):
        return bool(as_word(old).search(text))
    if old.isalpha() and old.islower():
        return True
    parts = re.findall(r"[^\W_]{2,}|[^\W_]+$", old) or [old]
    return any(part.lower() in text.lower() for part in parts)


def _pairs(rewrite: Rewrite, hunk: Hunk) -> Iterator[tuple[str, str]]:
    """The lines that a hunk changes beside those that it makes of them, where it does not change how many there are."""
    old = rewrite.old_lines[hunk.start : hunk.start + hunk.old_count]
    new = with_lf(hunk.new_lines)
    if len(old) == len(new):
        yield from (
            (a.rstrip("\n"), b.rstrip("\n")) for a, b in zip(old, new, strict=True) if a != b
        )


def _elsewhere(rewrite: Rewrite) -> list[Doubt]:
    """Hunks that change something outside the strings, or the comments, that alone are named."""
    only = _ONLY_STRINGS.search(rewrite.instruction), _ONLY_COMMENTS.search(rewrite.instruction)
    if not any(only):
        return []
    kept = ("string",) if only[0] else ("comment", "docstring")
    texts = [
        rewrite.model_text(0, len(rewrite.old_lines)),
        rewrite.new_text(0, len(rewrite.old_lines)),
    ]
    if max(map(len, texts)) > _MOST:
        return []
    rests = []
    for text in texts:
        tokens = read_code(text, rewrite.language).parsed_tokens
        if tokens is None:
            return []
        rests.append(_outside(text, [(one.start, one.end) for one in tokens if one.kind in kept]))
    if rests[0] == rests[1]:
        return []
    what = "strings" if only[0] else "comments"
    return [
        Doubt(f"The words name {what} alone, and more changed.", tuple(h.id for h in rewrite.hunks))
    ]


def _outside(text: str, spans: Sequence[tuple[int, int]]) -> str:
    pieces, done = [], 0
    for start, end in spans:
        pieces.append(text[done:start])
        done = max(done, end)
    return "\0".join([*pieces, text[done:]])


def _left(rewrite: Rewrite, request: Request, exchange: Exchange) -> list[Doubt]:
    """All hunks, where the words say "every" and the old text still stands in the code."""
    if not request.is_every or exchange.is_value or not exchange.new:
        return []
    total = len(rewrite.old_lines)
    text = rewrite.new_text(0, total)
    tokens = read_code(text, rewrite.language).parsed_tokens if len(text) <= _MOST else None
    if tokens is None:
        return []
    kinds = ("string",) if _STRINGS.search(rewrite.instruction) else ("name", "member", "number")
    left = [one for one in tokens if one.kind in kinds and _has(one.text, exchange)]
    if not left:
        return []
    line = text.count("\n", 0, left[0].start) + 1
    reason = f"The words say “every”; {quoted(exchange.old)} still stands at line {line}."
    return [Doubt(reason, tuple(hunk.id for hunk in rewrite.hunks))]


def _has(text: str, exchange: Exchange) -> bool:
    return bool(as_word(exchange.old).search(as_word(exchange.new).sub("", text)))

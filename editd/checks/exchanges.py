"""Lines that were changed otherwise than the words say, where the words only put a text or value in the place of another.

Also where no sentence of the table fits: the pair is what is named, one of which the buffer has. What stood around the old
text stays as it was, and so does the name of a value that is set. Lines without the old text are not judged: whoever
renames something often means more than its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editd.checks.requests import Request, request_of
from editd.checks.rewrite import Rewrite, Suspicion, quoted
from editd.diff.document import with_lf
from editd.diff.hunk import Hunk
from editd.intent import parse
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


def suspicions(rewrite: Rewrite) -> list[Suspicion]:
    """A suspicion about all hunks, where the instruction only puts a text or value in the place of another; else none.

    Doubted is, the first that is found: the buffer lacks the old text; a changed line has something else in its place;
    more than the strings or comments named changed; the words say "every" and some old text is left.
    """
    request = request_of(rewrite.instruction)
    exchange = exchange_of(rewrite, request)
    if exchange is None:
        return []
    found: list[Suspicion] = []
    if not exchange.is_present:
        reason = f"{quoted(exchange.old)} does not stand in this text."
        return [Suspicion(reason, tuple(hunk.id for hunk in rewrite.hunks))]
    everything = tuple(hunk.id for hunk in rewrite.hunks)
    for hunk in rewrite.hunks:
        for old, new in _pairs(rewrite, hunk):
            if not found and (reason := exchange.fault_of(old, new)):
                found.append(Suspicion(reason, everything))
    return found or _changed_elsewhere(rewrite) or _text_left(rewrite, request, exchange)


@dataclass(frozen=True, slots=True)
class ExpectedChange:
    """A text or value that the words put in the place of another.

    old: the text that they name, or the name of the value that is set. new: the text that may stand there instead; empty if
    any of ``words`` may. words: those of the instruction. is_value: ``new`` is a number that ``old`` is set to. is_present:
    the buffer has ``old``.
    """

    old: str
    new: str
    words: frozenset[str]
    is_value: bool
    is_present: bool

    def fault_of(self, old: str, new: str) -> str:
        """Why the line ``new`` is a wrong exchange in the line ``old``, as a sentence: where ``old`` has the old text,
        ``new`` has another text than that or the new one; for a value, ``new`` has a new number that the words do not
        say.

        Empty otherwise, also if the lines differ elsewhere or nothing was exchanged. If ``old`` lacks the old text, a
        sentence only if the words exchange a number for a number, which is no value.
        """
        name = as_word(self.old)
        if self.is_value:
            if not name.search(old):
                return ""
            values = [x for x in NUMBER.findall(new) if x not in NUMBER.findall(old)]
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
        """Whether the new text stands at the beginning or the end of ``text``; more text beside it is not judged."""
        given = [self.new] if self.new else [word for word in self.words if word in text]
        return any(
            re.match(rf"{re.escape(word)}(?!\w)", text)
            or re.search(rf"(?<!\w){re.escape(word)}$", text)
            for word in given
        )


def exchange_of(rewrite: Rewrite, request: Request) -> ExpectedChange | None:
    """The exchange of one old text for one new text that the words ask for; ``None`` if they ask for anything else:
    kinds of code, a removal, several renamings, or more than one pair.

    Unless they are a renaming that ``parse`` reads, the buffer has the old text and lacks the new one. A number alone
    is a new value of the one key (``key =``, ``key:``) that the words name; a renaming that names only its old name has
    an empty new one. A renaming of a name that the buffer lacks to a name that it has is turned round.
    """
    instruction = rewrite.instruction
    parsed = parse(instruction)
    if request.kinds or request.is_removal:
        return None
    words = frozenset(re.findall(r"[\w$]+", instruction))
    text = rewrite.model_text(0, len(rewrite.old_lines))
    if parsed.renames:
        if len(parsed.renames) > 1:
            return None
        old, new = parsed.renames[0]
        if new and as_word(new).search(text) and not as_word(old).search(text):
            old, new = new, old  # "it says a where it should say b"
        return (
            ExpectedChange(old, new, words, is_value=False, is_present=_may_stand(old, text))
            if new
            else None
        )
    if not _EXCHANGING.search(instruction) or len(request.values) > 2:
        return None
    present = [value for value in request.values if as_word(value).search(text)]
    absent = [value for value in request.values if value not in present]
    if len(present) == 1 and len(absent) == 1:
        is_value = bool(NUMBER.fullmatch(absent[0]) and is_identifier(present[0]))
        return ExpectedChange(present[0], absent[0], words, is_value=is_value, is_present=True)
    if len(absent) == 1 and NUMBER.fullmatch(absent[0]) and not present:
        keys = [
            word
            for word in parsed.bare_words
            if re.search(rf"\b{re.escape(word)}[\"']?\s*[:=]", text)
        ]
        return (
            ExpectedChange(keys[0], absent[0], words, is_value=True, is_present=True)
            if len(keys) == 1
            else None
        )
    if (
        len(present) == 1
        and not absent
        and is_identifier(present[0])
        and _RENAMING.search(instruction)
    ):
        return ExpectedChange(present[0], "", words, is_value=False, is_present=True)
    return None


def _may_stand(old: str, text: str) -> bool:
    """Whether a part of ``old`` of two letters or digits stands in the text, in any case ("plugin" may stand for
    "Plugins"), or ``old`` is a word of small letters alone; a number has to stand there as a whole.
    """
    if NUMBER.fullmatch(old):
        return bool(as_word(old).search(text))
    if old.isalpha() and old.islower():
        return True
    parts = re.findall(r"[^\W_]{2,}|[^\W_]+$", old) or [old]
    return any(part.lower() in text.lower() for part in parts)


def _pairs(rewrite: Rewrite, hunk: Hunk) -> Iterator[tuple[str, str]]:
    """Yield each line that a hunk changes with its new text, both without line ends; nothing if it writes more or fewer
    lines than it replaces.
    """
    old = rewrite.old_lines[hunk.start : hunk.start + hunk.old_count]
    new = with_lf(hunk.new_lines)
    if len(old) == len(new):
        yield from (
            (a.rstrip("\n"), b.rstrip("\n")) for a, b in zip(old, new, strict=True) if a != b
        )


def _changed_elsewhere(rewrite: Rewrite) -> list[Suspicion]:
    """A suspicion about all hunks, where the words name strings or comments alone and other code changed; none for
    texts of more than 40,000 characters, or without a parser.
    """
    only = _ONLY_STRINGS.search(rewrite.instruction), _ONLY_COMMENTS.search(rewrite.instruction)
    if not any(only):
        return []
    free = ("string",) if only[0] else ("comment", "docstring")
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
        rests.append(_outside(text, [(x.start, x.end) for x in tokens if x.kind in free]))
    if rests[0] == rests[1]:
        return []
    what = "strings" if only[0] else "comments"
    return [
        Suspicion(
            f"The words name {what} alone, and more changed.", tuple(h.id for h in rewrite.hunks)
        )
    ]


def _outside(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text outside these spans, which are in order, with a NUL in the place of each."""
    pieces, done = [], 0
    for start, end in spans:
        pieces.append(text[done:start])
        done = max(done, end)
    return "\0".join([*pieces, text[done:]])


def _text_left(rewrite: Rewrite, request: Request, exchange: ExpectedChange) -> list[Suspicion]:
    """A suspicion about all hunks, where the words say "every" and the old text still stands in the code (in strings if
    the words name these); none if a value is set or no new text is named, for more than 40,000 characters, or without a
    parser.
    """
    if not request.is_every or exchange.is_value or not exchange.new:
        return []
    total = len(rewrite.old_lines)
    text = rewrite.new_text(0, total)
    tokens = read_code(text, rewrite.language).parsed_tokens if len(text) <= _MOST else None
    if tokens is None:
        return []
    kinds = ("string",) if _STRINGS.search(rewrite.instruction) else ("name", "member", "number")
    left = [x for x in tokens if x.kind in kinds and _has(x.text, exchange)]
    if not left:
        return []
    line = text.count("\n", 0, left[0].start) + 1
    reason = f"The words say “every”; {quoted(exchange.old)} still stands at line {line}."
    return [Suspicion(reason, tuple(hunk.id for hunk in rewrite.hunks))]


def _has(text: str, exchange: ExpectedChange) -> bool:
    """Whether the old text stands in ``text`` outside the new one."""
    return bool(as_word(exchange.old).search(as_word(exchange.new).sub("", text)))

"""The origin of every character of a hunk: from the sources of tokens to spans of new lines.

Hunks get their origins when a region's answer has ended. A token's bytes are followed through everything between a
round and a hunk: bytes become characters, fences and talk are left out, line ends are translated, lines are found in
the buffer or become hunks. Where that is not certain a span is called ``new``; ``buffer`` means that exactly these
characters were drafted from the buffer and accepted.

Worked example. Tokens ``x`` (buffer), ``= 1\n`` (new) and "```" (buffer) make the answer
"x= 1\n```", the body ``x= 1\n`` and, in a buffer with CR LF, the line ``x= 1\r\n``: its span
0 .. 1 is ``buffer``, 1 .. 6 is ``new``.

Also decides which hesitations of the model become notes. None is made on copied text, since a forgotten rename is
copied with confidence, nor on prose, where many words would have done: docstrings, comments, messages, documents. How
often notes are right is in docs/explanation/answers.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from heapq import nsmallest
from itertools import groupby
from typing import NamedTuple

from editd.diff.document import BOM, line_end, split_lines
from editd.diff.hunk import Hunk, Origin, Span
from editd.models.text_source import Hesitation

LESS_THAN = 0.6
"""A token that the model chose itself and that was less likely gets a note (``python -m benchmarks.answers.cells``)."""

GUESSED_BELOW = 0.5
"""A token that the model chose itself and that was less likely than all others together is a guess."""

_PROSE = frozenset(["", "markdown", "text", "rst", "latex", "asciidoc"])
_ASKS_FOR_PROSE = re.compile(
    r"^(?!.*\b(?:delet|remov|drop|strip)).*\b(?:doc-?strings?|document(?:s|ed|ing|ation)?|comment(?:s|ed|ing)?"
    r"|log(?:s|ged|ging|ger)?|prints?|messages?|explain\w*|describ\w*|translat\w*|text)\b",
    re.IGNORECASE | re.DOTALL,
)
_NEW = 0  # the number of ``NEW``
_Line = tuple[str, list[int]]
"""A line, and for each of its characters the number of its source."""
_MOST = 3  # in one hunk, the least certain: a line under every word would say nothing


class Hesitated(NamedTuple):
    """``Hesitation`` at ``text``, code points ``start .. end`` of a hunk's new line ``line``."""

    line: int
    start: int
    end: int
    text: str
    at: Hesitation


def notes_hesitation(instruction: str, language: str) -> bool:
    """Whether hesitations become notes: not in a text of prose, and not if the instruction asks for prose."""
    return language not in _PROSE and not _ASKS_FOR_PROSE.search(instruction)


def spans(found: Sequence[Hesitated], less_than: float = LESS_THAN) -> tuple[Span, ...]:
    """The notes on one hunk, in the order of its text: of its tokens with a chance below ``less_than`` whose rival
    reads otherwise, the three least likely (of equals the first). Empty if there are none.
    """
    unlikely = [token for token in found if token.at.chance < less_than and _differ(token)]
    noted = sorted(nsmallest(_MOST, unlikely, key=lambda token: token.at.chance))
    return tuple(Span(token.line, token.start, token.end, _sentence(token)) for token in noted)


def guess(found: Sequence[Hesitated]) -> str:
    """The least likely of a hunk's guessed tokens and its rival, in words; empty if the model guessed none.

    Guessed is a token with a chance below ``GUESSED_BELOW`` (0.5) whose rival reads otherwise, if it or the rival has
    a letter, digit or ``_``.
    """
    guessed = [
        token
        for token in found
        if token.at.chance < GUESSED_BELOW
        and _differ(token)
        and re.search(r"\w", token.text + token.at.rival)
    ]
    least = min(guessed, key=lambda token: token.at.chance, default=None)
    return "" if least is None else f"{_quoted(least.text)} or {_other(least.at.rival)}"


def _differ(token: Hesitated) -> bool:
    """Whether a person sees a difference between the token and its rival."""
    words = (token.text.strip(), token.at.rival.strip())
    return bool(words[0]) and words[0] != words[1] and "\ufffd" not in "".join(words)


def _sentence(token: Hesitated) -> str:
    """The note on a token."""
    return f"hesitated here: {_quoted(token.text)} or {_other(token.at.rival)}"


def _other(rival: str) -> str:
    """The rival in words."""
    return _quoted(rival) if rival.strip() else _blank(rival)


def _blank(text: str) -> str:
    """A name for text that is white space, or empty: "a new line" if it has a line end, "white space", or, if empty,
    "the end of the answer". Other text is not expected.
    """
    if not text:
        return "the end of the answer"
    return "a new line" if "\n" in text or "\r" in text else "white space"


def _quoted(text: str) -> str:
    """The text without blanks around it, in back quotes where it has none."""
    text = text.strip()
    return f"“{text}”" if "`" in text else f"`{text}`"


class TokenOrigin(NamedTuple):
    """The source of a token, with the words of ``diff.hunk.Origin``."""

    source: str
    detail: str = ""


NEW = TokenOrigin("new")
BUFFER = TokenOrigin("buffer")

NameSource = Callable[[str], TokenOrigin]
"""Translates a drafter's name of a source (``named``)."""


def named(source: str, *, of_buffer: bool = True) -> TokenOrigin:
    """The origin that users are shown for a drafter's name of a source (``kind:detail``); ``new`` for an unknown one.

    of_buffer: whether the predicted text is the buffer. Tokens that were not copied (votes of short contexts), and
    copies from a prompt or a prediction that is not the buffer, are ``new``, with the detail ``guess``, ``prompt`` or
    ``prediction``.
    """
    kind, _, detail = source.partition(":")
    match kind:
        case "buffer" | "substitution" | "prediction" if not detail:
            if not of_buffer:
                return TokenOrigin("new", "prediction")
            return TokenOrigin("substitution" if kind == "substitution" else "buffer")
        case "suffix" | "prompt-lookup":
            if detail in ("buffer", "output"):
                return TokenOrigin(detail)
            return TokenOrigin("new", "prompt" if detail == "prompt" else "guess")
        case "sketch":
            return TokenOrigin("sketch")
        case "project":
            return TokenOrigin("project", detail)
        case "draft-model" | "universal":
            return TokenOrigin("draft-model")
    return NEW


class TokenText(NamedTuple):
    """The text that one output token added to the answer, and the part of it in the ``body``, without talk and fences.

    cut: whether the text ends inside a character that the next token continues.
    """

    text: str
    body: str
    cut: bool = False


class Provenance:
    """Collects the answer for one region by its tokens, and at its end adds origins and notes to its hunks.

    given: new lines of the region before the answer's first (``StreamingDiff`` takes the last line of a text without
    final newline along). at_start: whether the region begins the text.
    """

    def __init__(self, given: Sequence[str] = (), *, at_start: bool = False) -> None:
        self._given = given
        self._at_start = at_start
        self._text: list[str] = []  # all that the model wrote, in pieces
        self._body: list[str] = []  # of it, without talk and fences before and after
        self._numbers: list[int] = []  # for each character of the text the number of its source
        self._first = -1  # where in the text the body seems to begin
        self._sources: list[TokenOrigin] = [NEW]  # every one that occurred, by number
        self._known = {NEW: _NEW}
        # A token at which the model hesitated has a number of its own for its source.
        self._hesitations: dict[int, Hesitation] = {}
        self._begun: int | None = None  # source of a character that misses bytes
        self.guesses: dict[int, str] = {}  # by the id of a hunk, once it is named

    def add(
        self,
        tokens: Sequence[TokenText],
        sources: Sequence[TokenOrigin],
        hesitations: Sequence[Hesitation | None] = (),
    ) -> None:
        """Record one round: of each token the text, the source and the hesitation, if known; no hesitations: none is
        known. A character whose bytes are of two sources is ``new``; a token that ends inside a character has no
        hesitation.
        """
        hesitations = hesitations or [None] * len(tokens)
        for (text, body, cut), source, hesitation in zip(tokens, sources, hesitations, strict=True):
            number = self._number(source, None if cut else hesitation)
            numbers = [number] * len(text)
            if self._begun not in (None, number):
                # Bytes of two sources make one character: neither source has it.
                numbers[:1] = [_NEW] * min(len(text), 1)
                self._begun = number if text else _NEW
            self._begun = (number if text or self._begun is None else self._begun) if cut else None
            self._add(text, numbers, body)

    def named(self, hunks: Iterable[Hunk], first_line: Callable[[int], int]) -> list[Hunk]:
        """The hunks with their origins and notes; sets ``guesses``. first_line: from a hunk's id to its first new line."""
        lines = self._lines()
        return [self._with_origins(hunk, lines[first_line(hunk.id) :]) for hunk in hunks]

    def _with_origins(self, hunk: Hunk, written: Sequence[_Line]) -> Hunk:
        """A copy of the hunk with the origins of its characters and notes on hesitation; fills ``guesses`` if the
        model guessed in it.

        written: the region's new lines, with the number of each character's source, from the hunk's first on.
        """
        origins: list[Origin] = []
        hesitated: list[Hesitated] = []
        for index, line in enumerate(hunk.new_lines):
            numbers = self._numbers_of(line, written[index] if index < len(written) else ("", []))
            origins += self._origins(index, numbers)
            hesitated += self._hesitated(index, line, numbers)
        if guessed := guess(hesitated):
            self.guesses[hunk.id] = guessed
        return replace(hunk, origins=tuple(origins), note_spans=spans(hesitated))

    def _add(self, text: str, numbers: list[int], body: str) -> None:
        """Append a token's text with a source's number for each character, and ``body``, the part of the new lines
        that it gave; at the first body notes where it begins in the text.
        """
        self._text.append(text)
        self._numbers += numbers
        if not body:
            return
        if not self._body:
            self._first = "".join(self._text).rfind(body)  # talk stands before it
        self._body.append(body)

    def finish(self, tokens: Sequence[TokenText]) -> None:
        """Add text that became final only with the answer's end, as ``new``."""
        for text, body, _ in tokens:
            self._add(text, [_NEW] * len(text), body)

    def _number(self, source: TokenOrigin, hesitation: Hesitation | None = None) -> int:
        """The number of a source: a new one at its first use, else the same; with a ``hesitation``, which is
        recorded, always a new one.
        """
        number = len(self._sources)
        if hesitation is None and (known := self._known.setdefault(source, number)) != number:
            return known
        self._sources.append(source)
        if hesitation is not None:
            self._hesitations[number] = hesitation
        return number

    def _lines(self) -> list[_Line]:
        """The region's new lines with the source's number for each character: first the lines that were given to the
        model as the answer's beginning (buffer, line ends ``new``), then the answer's. All of these are ``new`` if
        the answer's body is not found in its text.
        """
        text, body = "".join(self._text), "".join(self._body)
        # Text left out before it may look like its beginning; else it is no run of the answer after all.
        first = self._first if text.startswith(body, max(self._first, 0)) else text.find(body)
        numbers = self._numbers[first : first + len(body)] if first >= 0 else [_NEW] * len(body)
        if self._at_start and body.startswith(BOM):
            body, numbers = body.removeprefix(BOM), numbers[len(BOM) :]
        buffer = self._number(BUFFER)
        lines: list[_Line] = [
            (line, [buffer] * (len(line) - len(line_end(line))) + [_NEW] * len(line_end(line)))
            for line in self._given
        ]
        start = 0
        for line in split_lines(body):
            lines.append((line, numbers[start : start + len(line)]))
            start += len(line)
        return lines

    def _numbers_of(self, line: str, written: _Line) -> list[int]:
        """The source's number for each character of a hunk's line; all ``new`` if, line ends aside, it reads
        otherwise in the answer. The line end has the source of that in the answer, ``new`` if it has none or several.
        written: the line as it stands in the answer, with its numbers.
        """
        answer, numbers = written
        answer_bare, bare = len(answer) - len(line_end(answer)), len(line) - len(line_end(line))
        if answer[:answer_bare] != line[:bare]:
            return [_NEW] * len(line)
        # A line end has its source in the answer, whatever it looks like in this buffer.
        ends = {self._sources[number] for number in numbers[answer_bare:]}
        ended = self._number(ends.pop()) if len(ends) == 1 else _NEW
        return numbers[:bare] + [ended] * (len(line) - bare)

    def _origins(self, index: int, numbers: Sequence[int]) -> list[Origin]:
        """The origins of one line, in order."""
        runs = groupby(range(len(numbers)), lambda place: self._sources[numbers[place]])
        return [
            Origin(index, places[0], places[-1] + 1, *source)
            for source, places in ((source, list(run)) for source, run in runs)
        ]

    def _hesitated(self, index: int, line: str, numbers: Sequence[int]) -> list[Hesitated]:
        """The tokens of a line at which the model hesitated, in order, without white space at their ends (empty text
        for one of nothing else). index: the line's in its hunk. numbers: of each character's source.
        """
        found = []
        for number, run in groupby(range(len(numbers)), numbers.__getitem__):
            if number in self._hesitations:
                places = list(run)
                text = line[places[0] : places[-1] + 1]
                start = places[0] + len(text) - len(text.lstrip())
                text = text.strip()
                end = start + len(text)
                found.append(Hesitated(index, start, end, text, self._hesitations[number]))
        return found

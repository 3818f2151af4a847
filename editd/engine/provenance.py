"""Where every character of a hunk came from: from the sources of tokens to spans of new lines.

It is told of a region's hunks when its answer has ended. The way of a token's bytes is followed through everything
that stands between a round and a hunk: bytes become characters, fences and talk fall away, line ends are translated,
lines are found in the buffer or become hunks. Where the way is not certain a span is called ``new``, never more: it
says ``buffer`` only if those characters were drafted from the buffer and accepted.

Worked example. Tokens ``x`` (buffer), ``= 1\n`` (new) and "```" (buffer) make the answer
"x= 1\n```", the body ``x= 1\n`` and, in a buffer with CR LF, the line ``x= 1\r\n``: its span
0 .. 1 is ``buffer``, 1 .. 6 is ``new``.

Here, too: which words of its own a model was not sure of, and which of them a person is told of. Of copied text
nothing is said: a forgotten rename is copied with confidence. Nothing either of prose, where many words would
have done: docstrings, comments, messages, documents. How often this is right is in docs/explanation/answers.md.
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
"""A token of the model's own that was less likely than that is told (``python -m benchmarks.answers.cells``)."""

GUESSED_BELOW = 0.5
"""A token of the model's own that was less likely than all others together: where the words leave no choice it is suspect."""

_MOST = 3  # in one hunk, the least certain: a line under every word would say nothing


class Hesitated(NamedTuple):
    """``Hesitation`` at ``text``, code points ``start .. end`` of a hunk's new line ``line``."""

    line: int
    start: int
    end: int
    text: str
    at: Hesitation


def may_be_told(instruction: str, language: str) -> bool:
    """Whether hesitation says anything of an answer to ``instruction`` in this language."""
    return language not in _PROSE and not _ASKS_FOR_PROSE.search(instruction)


def spans(found: Sequence[Hesitated], less_than: float = LESS_THAN) -> tuple[Span, ...]:
    """The notes on one hunk, in the order of its text."""
    unsure = [one for one in found if one.at.chance < less_than and _differ(one)]
    told = sorted(nsmallest(_MOST, unsure, key=lambda one: one.at.chance))
    return tuple(Span(one.line, one.start, one.end, _sentence(one)) for one in told)


def guess(found: Sequence[Hesitated]) -> str:
    """The likeliest of a hunk's tokens to be wrong, in words; empty if the model guessed none."""
    guessed = [
        one
        for one in found
        if one.at.chance < GUESSED_BELOW
        and _differ(one)
        and re.search(r"\w", one.text + one.at.rival)
    ]
    least = min(guessed, key=lambda one: one.at.chance, default=None)
    return "" if least is None else f"{_quoted(least.text)} or {_other(least.at.rival)}"


def _differ(one: Hesitated) -> bool:
    """Whether a person sees a difference between what was written and what might have been."""
    words = (one.text.strip(), one.at.rival.strip())
    return bool(words[0]) and words[0] != words[1] and "\ufffd" not in "".join(words)


def _sentence(one: Hesitated) -> str:
    return f"hesitated here: {_quoted(one.text)} or {_other(one.at.rival)}"


def _other(rival: str) -> str:
    return _quoted(rival) if rival.strip() else _blank(rival)


def _blank(text: str) -> str:
    if not text:
        return "the end of the answer"
    return "a new line" if "\n" in text or "\r" in text else "white space"


def _quoted(text: str) -> str:
    text = text.strip()
    return f"“{text}”" if "`" in text else f"`{text}`"


_PROSE = frozenset(["", "markdown", "text", "rst", "latex", "asciidoc"])
_ASKS_FOR_PROSE = re.compile(
    r"^(?!.*\b(?:delet|remov|drop|strip)).*\b(?:doc-?strings?|document(?:s|ed|ing|ation)?|comment(?:s|ed|ing)?"
    r"|log(?:s|ged|ging|ger)?|prints?|messages?|explain\w*|describ\w*|translat\w*|text)\b",
    re.IGNORECASE | re.DOTALL,
)


class TokenOrigin(NamedTuple):
    """The source of a text, as named in ``diff.hunk.Origin``."""

    source: str
    detail: str = ""


NEW = TokenOrigin("new")
BUFFER = TokenOrigin("buffer")

NameSource = Callable[[str], TokenOrigin]
"""From a drafter's word for where a token came from to ours."""


def named(source: str, *, of_buffer: bool = True) -> TokenOrigin:
    """A drafter's name for a source, translated to ``TokenOrigin``.

    of_buffer: whether the text that was predicted is the buffer. Tokens that no text was copied
    for (votes of short contexts), and copies of prompt or prediction that are not the buffer, are
    ``new`` with a word on who guessed them.
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
    """What one output token added: ``text`` to the answer, ``body`` to what counts of it.

    cut: whether it ends inside a character that the next token continues.
    """

    text: str
    body: str
    cut: bool = False


class Provenance:
    """Hears the answer for one region, and says of its hunks where they came from once it has ended.

    given: new lines that the region has before the answer's first (``StreamingDiff`` takes the
    last line of a text without final newline along). at_start: whether the region begins the text.
    """

    def __init__(self, given: Sequence[str] = (), *, at_start: bool = False) -> None:
        self._given = given
        self._at_start = at_start
        self._text: list[str] = []  # all that the model wrote, in pieces
        self._body: list[
            str
        ] = []  # what counts of it: talk and fences before and after are left out
        self._numbers: list[int] = []  # for each character of the text the number of its source
        self._first = -1  # where in the text the body seems to begin
        self._sources: list[TokenOrigin] = [NEW]  # every one that occurred, by number
        self._known = {NEW: _NEW}
        # A token that the model was not sure of has a number of its own for its source.
        self._unsure: dict[int, Hesitation] = {}
        self._begun: int | None = None  # source of a character that misses bytes
        self.guesses: dict[int, str] = {}  # by the id of a hunk, once it is named

    def add(
        self,
        said: Sequence[TokenText],
        sources: Sequence[TokenOrigin],
        unsure: Sequence[Hesitation | None] = (),
    ) -> None:
        """Add one round: the text and the source of each token, and where the model hesitated."""
        hesitations = unsure or [None] * len(said)
        for (text, body, cut), source, hesitation in zip(said, sources, hesitations, strict=True):
            number = self._number(source, None if cut else hesitation)
            numbers = [number] * len(text)
            if self._begun not in (None, number):
                # Bytes of two sources make one character: it is no one's copy.
                numbers[:1] = [_NEW] * min(len(text), 1)
                self._begun = number if text else _NEW
            self._begun = (number if text or self._begun is None else self._begun) if cut else None
            self._add(text, numbers, body)

    def named(self, hunks: Iterable[Hunk], first_line: Callable[[int], int]) -> list[Hunk]:
        """The answer's hunks with their origins. first_line: where in it the hunk of an id begins."""
        lines = self._lines()
        return [self._named(hunk, lines[first_line(hunk.id) :]) for hunk in hunks]

    def _named(self, hunk: Hunk, written: Sequence[_Line]) -> Hunk:
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
        self._text.append(text)
        self._numbers += numbers
        if not body:
            return
        if not self._body:
            self._first = "".join(self._text).rfind(body)  # talk stands before it
        self._body.append(body)

    def finish(self, said: Sequence[TokenText]) -> None:
        """``said``: text that became final only with the answer's end."""
        for text, body, _ in said:
            self._add(text, [_NEW] * len(text), body)

    def _number(self, source: TokenOrigin, hesitation: Hesitation | None = None) -> int:
        number = len(self._sources)
        if hesitation is None and (known := self._known.setdefault(source, number)) != number:
            return known
        self._sources.append(source)
        if hesitation is not None:
            self._unsure[number] = hesitation
        return number

    def _lines(self) -> list[_Line]:
        """The region's new lines: those that it brings along, and the answer's."""
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
        """The sources of one line of a hunk, ``written`` so in the answer."""
        said, numbers = written
        said_bare, bare = len(said) - len(line_end(said)), len(line) - len(line_end(line))
        if said[:said_bare] != line[:bare]:
            return [_NEW] * len(line)
        # A line end is whose it was in the answer, whatever it looks like in this buffer.
        ends = {self._sources[number] for number in numbers[said_bare:]}
        ended = self._number(ends.pop()) if len(ends) == 1 else _NEW
        return numbers[:bare] + [ended] * (len(line) - bare)

    def _origins(self, index: int, numbers: Sequence[int]) -> list[Origin]:
        """The spans of one line."""
        runs = groupby(range(len(numbers)), lambda place: self._sources[numbers[place]])
        return [
            Origin(index, places[0], places[-1] + 1, *source)
            for source, places in ((source, list(run)) for source, run in runs)
        ]

    def _hesitated(self, index: int, line: str, numbers: Sequence[int]) -> list[Hesitated]:
        """The words of one line that the model was not sure of."""
        found = []
        for number, run in groupby(range(len(numbers)), numbers.__getitem__):
            if number in self._unsure:
                places = list(run)
                text = line[places[0] : places[-1] + 1]
                start = places[0] + len(text) - len(text.lstrip())
                text = text.strip()
                end = start + len(text)
                found.append(Hesitated(index, start, end, text, self._unsure[number]))
        return found


_NEW = 0  # the number of ``NEW``
_Line = tuple[str, list[int]]
"""A line, and for each of its characters the number of its source."""

"""Where every character of a hunk came from: from the sources of tokens to spans of new lines.

The way of a token's bytes is followed through everything that stands between a round and a hunk:
bytes become characters, fences and talk fall away, line ends are translated, lines are found in
the buffer or become hunks. Where the way is not certain a span is called ``new``, never more: it
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
from collections.abc import Callable, Sequence
from dataclasses import replace
from heapq import nsmallest
from itertools import groupby
from typing import NamedTuple

from editd.diff.document import BOM, line_end, split_lines
from editd.diff.hunk import Keep, Op, Origin, Span

LESS_THAN = 0.6
"""A token of the model's own that was less likely than that is told (``python -m benchmarks hesitation``)."""

_MOST = 3  # in one hunk, the least certain: a line under every word would say nothing


class Hesitation(NamedTuple):
    """At one token of the model's own: how likely it was, and the text of the likeliest other."""

    chance: float
    rival: str


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


def _differ(one: Hesitated) -> bool:
    """Whether a person sees a difference between what was written and what might have been."""
    words = (one.text.strip(), one.at.rival.strip())
    return bool(words[0]) and words[0] != words[1] and "\ufffd" not in "".join(words)


def _sentence(one: Hesitated) -> str:
    rival = one.at.rival
    if not rival.strip():
        return f"hesitated here: {_quoted(one.text)} or {_blank(rival)}"
    return f"hesitated here: {_quoted(one.text)} or {_quoted(rival)}"


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
    """Follows the answer for one region, and finds the origins of its hunks.

    given: new lines that the region has before the answer's first (``StreamingDiff`` takes the
    last line of a text without final newline along). at_start: whether the region begins the text.
    """

    def __init__(self, given: Sequence[str] = (), *, at_start: bool = False) -> None:
        self._answer = _Answer()
        self._lines = _Lines(at_start=at_start)
        self._sources: list[TokenOrigin] = []  # every one that occurred, by number
        self._numbers: dict[TokenOrigin, int] = {}
        # A token that the model was not sure of has a number of its own for its source.
        self._unsure: dict[int, Hesitation] = {}
        self._new = self._number(NEW)
        buffer = self._number(BUFFER)
        self._given: list[_Line] = []
        for line in given:
            bare = len(line) - len(line_end(line))
            numbers = [buffer] * bare + [self._new] * (len(line) - bare)
            self._given.append((line, numbers))
        self._begun: int | None = None  # source of a character that misses bytes

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
                numbers[:1] = [self._new] * min(len(text), 1)
                self._begun = number if text else self._new
            self._begun = (number if text or self._begun is None else self._begun) if cut else None
            self._add(text, numbers, body)

    def finish(self, said: Sequence[TokenText]) -> None:
        """The answer has ended; ``said``: text that became final only then."""
        for text, body, _ in said:
            self._add(text, [self._new] * len(text), body)
        self._lines.finish()

    def attach(self, ops: Sequence[Op], first_line: Callable[[int], int]) -> list[Op]:
        """The next operations of the walk, done hunks with their origins.

        first_line: where in the answer the hunk of an id begins.
        """
        return [self._attached(op, first_line) for op in ops]

    def _attached(self, op: Op, first_line: Callable[[int], int]) -> Op:
        if isinstance(op, Keep) or not op.done:
            return op
        origins: list[Origin] = []
        hesitated: list[Hesitated] = []
        first = first_line(op.id)
        for index, line in enumerate(op.new_lines):
            numbers = self._numbers_of(line, self._line(first + index))
            origins += self._origins(index, numbers)
            hesitated += self._hesitated(index, line, numbers)
        return replace(op, origins=tuple(origins), note_spans=spans(hesitated))

    def _add(self, text: str, numbers: list[int], body: str) -> None:
        self._answer.add(text, numbers)
        if not body:
            return
        found = self._answer.find(body)
        if found is None and not self._answer.lost:
            found = self._answer.find_again()
            self._lines.start_over()
            body = self._answer.body
        self._lines.add(body, found if found is not None else [self._new] * len(body))

    def _number(self, source: TokenOrigin, hesitation: Hesitation | None = None) -> int:
        if hesitation is not None:
            self._sources.append(source)
            self._unsure[len(self._sources) - 1] = hesitation
            return len(self._sources) - 1
        number = self._numbers.get(source)
        if number is None:
            number = self._numbers[source] = len(self._sources)
            self._sources.append(source)
        return number

    def _line(self, number: int) -> _Line:
        if number < len(self._given):
            return self._given[number]
        return self._lines.line(number - len(self._given))

    def _numbers_of(self, line: str, written: _Line) -> list[int]:
        """The sources of one line of a hunk, ``written`` so in the answer."""
        said, numbers = written
        said_bare, bare = len(said) - len(line_end(said)), len(line) - len(line_end(line))
        if said[:said_bare] != line[:bare]:
            return [self._new] * len(line)
        # A line end is whose it was in the answer, whatever it looks like in this buffer.
        ends = {self._sources[number] for number in numbers[said_bare:]}
        ended = self._numbers.get(ends.pop(), self._new) if len(ends) == 1 else self._new
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


_Line = tuple[str, list[int]]
"""A line, and for each of its characters the number of its source."""


class _Answer:
    """All text of the model, and how much of it is known to be body.

    The body is one run of the answer: talk and fences before and after it are left out.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._numbers: list[int] = []
        self._tail: list[str] = []  # pieces behind the body found so far
        self._found_until: int | None = None  # index in the answer; ``None``: no body yet
        self._body: list[str] = []
        self.lost = False  # the body is no run of the answer after all

    @property
    def body(self) -> str:
        """All of the body so far."""
        return "".join(self._body)

    def add(self, text: str, numbers: list[int]) -> None:
        """The model wrote ``text``."""
        self._pieces.append(text)
        self._tail.append(text)
        self._numbers += numbers

    def find(self, body: str) -> list[int] | None:
        """The sources of the next piece of the body, if it is found at once."""
        self._body.append(body)
        if self.lost:
            return None
        tail = "".join(self._tail)
        at = tail.rfind(body) if self._found_until is None else 0  # talk stands before it
        if at < 0 or not tail.startswith(body, at):
            return None
        start = len(self._numbers) - len(tail) + at
        self._found_until = start + len(body)
        self._tail = [tail[at + len(body) :]]
        return self._numbers[start : self._found_until]

    def find_again(self) -> list[int] | None:
        """The sources of all of the body: text left out before it may look like its beginning."""
        answer, body = "".join(self._pieces), self.body
        start = answer.find(body)
        if start < 0:
            self.lost = True
            return None
        self._found_until = start + len(body)
        self._tail = [answer[self._found_until :]]
        return self._numbers[start : self._found_until]


class _Lines:
    """The body in lines, as they become whole."""

    def __init__(self, *, at_start: bool) -> None:
        self._at_start = at_start
        self._finished = False
        self.start_over()

    def start_over(self) -> None:
        """Forget all lines."""
        self._whole: list[_Line] = []
        self._open: list[str] = []  # pieces that are not cut into lines yet
        self._open_numbers: list[int] = []

    def add(self, text: str, numbers: list[int]) -> None:
        self._open.append(text)
        self._open_numbers += numbers

    def finish(self) -> None:
        """The end: the last line is complete, too."""
        self._finished = True

    def line(self, number: int) -> _Line:
        """A line by its number; empty if there is none."""
        if number >= len(self._whole):
            self._cut()
        return self._whole[number] if number < len(self._whole) else ("", [])

    def _cut(self) -> None:
        text, numbers = "".join(self._open), self._open_numbers
        if self._at_start and not self._whole:
            kept = text.removeprefix(BOM)
            numbers = numbers[len(text) - len(kept) :]
            text = kept
        start = 0
        for line in split_lines(text):
            end = start + len(line)
            # A CR at the end may be half of a line end.
            if not self._finished and (
                not line_end(line) or (end == len(text) and line[-1] == "\r")
            ):
                break
            self._whole.append((line, numbers[start:end]))
            start = end
        self._open, self._open_numbers = [text[start:]], numbers[start:]

"""Who decodes what, and when: case by case, all engines in turn, several times over.

Interleaved, so that whatever else the machine does hits all alike; the turn begins with another
engine each time. Knows no engine: rows are asked through a function.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import geometric_mean
from typing import Any

from benchmarks.compare.cases import Case
from benchmarks.compare.peer import Question
from benchmarks.compare.peers import PLAIN, Row
from benchmarks.compare.process import PeerFailed

Ask = Callable[[Row, dict[str, Any], Question], dict[str, Any]]
"""Decode one question with a row's engine and these settings; as ``worker.measure``."""


_WARM_UP_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Measurement:
    """One answer. Seconds; ``first_difference``: the first token that is not plain decoding's.

    first_tokens: how many came at once when the first were known.
    """

    row: str
    case: str
    repeat: int
    num_tokens: int
    seconds: float
    cpu_seconds: float
    first_seconds: float | None
    first_cpu_seconds: float | None
    rounds: int | None
    first_difference: int | None
    first_tokens: int = 1


@dataclass(frozen=True, slots=True)
class Reading:
    """CPU seconds in which an engine has read a case's prompt and its answer, as one prompt."""

    peer: str
    case: str
    repeat: int
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """What one case turned out to be."""

    name: str
    num_lines: int
    prompt_tokens: int
    output_tokens: int


@dataclass(slots=True)
class Results:
    """All measurements. settings: the settings of each row, found by a search or fixed.

    failures: an engine's error, by row; a failed row is not run again. left_out: editd's error for a
    case that it could not decode without drafts; no engine runs that case.
    """

    rows: list[Row]
    cases: list[CaseFacts] = field(default_factory=list)
    measurements: list[Measurement] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    searched: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    repeats: int = 0


def turns(rows: Sequence[Row], cases: Sequence[Case], repeat: int) -> Iterator[tuple[Case, Row]]:
    """One repeat in order: each case with every row, beginning with another row each time.

    In the first repeat references begin, because the others' questions are made of their answers.
    """
    for number, case in enumerate(cases):
        start = (repeat + number) % len(rows)
        turn = [*rows[start:], *rows[:start]]
        if repeat == 0:
            turn.sort(key=lambda row: not row.is_reference)
        for row in turn:
            yield case, row


def run(
    rows: Sequence[Row],
    cases: Sequence[Case],
    ask: Ask,
    *,
    repeats: int,
    minutes: float = 0.0,
    advanced: Callable[[str, int], None] = lambda _what, _left: None,
) -> Results:
    """Search settings, warm up, measure. Raises ``PeerFailed`` if references fail in every case.

    minutes: no repeat begins that would probably end later than this; 0: no limit. advanced: told
    before each answer what it is, and about how many are left.
    """
    one = _Run(rows, cases, ask, repeats, advanced)
    began = time.monotonic()
    one.search_settings()
    one.warm_up()
    for repeat in range(repeats):
        repeat_began = time.monotonic()
        one.measure(repeat)
        now = time.monotonic()
        if minutes and now - began + (now - repeat_began) > 60 * minutes:
            break
    return one.results


class _Run:
    """One comparison under way. Questions are made of the reference's answers, case by case."""

    def __init__(
        self,
        rows: Sequence[Row],
        cases: Sequence[Case],
        ask: Ask,
        repeats: int,
        advanced: Callable[[str, int], None],
    ) -> None:
        self.results = Results(list(rows))
        self._cases = cases
        self._ask = ask
        self._repeats = repeats
        self._advanced = advanced
        self._plain = {row.name: row for row in rows if row.is_reference}
        self._readers = readers(rows)
        # By the row of plain decoding and the case.
        self._questions: dict[tuple[str, str], Question] = {}
        self._references: dict[tuple[str, str], list[int]] = {}
        searches = sum(len(row.mode.candidates) for row in rows) * len(_sample(cases))
        self._left = searches + repeats * len(rows) * len(cases)

    def search_settings(self) -> None:
        """Of rows that have candidates, the one with the most tokens per CPU second."""
        for row in self.results.rows:
            tried: list[dict[str, Any]] = [
                {"settings": candidate, "tokens_per_cpu_second": round(rate, 1)}
                for candidate in row.mode.candidates
                if (rate := self._rate(row, candidate)) is not None
            ]
            self.results.searched[row.name] = tried
            best = max(tried, key=lambda one: float(one["tokens_per_cpu_second"]), default=None)
            self.results.settings[row.name] = best["settings"] if best else row.mode.settings

    def warm_up(self) -> None:
        """What every engine does only once, out of the way."""
        for row in self.results.rows:
            if not row.is_reference and row.name not in self.results.failures:
                self._advanced(f"{row.name}: warming up", self._left)
                settings = self.results.settings[row.name]
                self._told(row, settings, self._cases[0], _WARM_UP_TOKENS)

    def measure(self, repeat: int) -> None:
        """Every case with every row, once."""
        results = self.results
        for case, row in turns(results.rows, self._cases, repeat):
            self._left -= 1
            if row.name in results.failures or case.name in results.left_out:
                continue
            self._advanced(f"{row.name}: {case.name} ({repeat + 1} of {self._repeats})", self._left)
            at = (row.reference, case.name)
            if row.is_reference and repeat == 0:
                reply = self._reference(row, case)
                if reply is not None and case.name not in [one.name for one in results.cases]:
                    results.cases.append(_facts(case, self._questions[at]))
            else:
                reply = self._reply(row, results.settings[row.name], case)
            if reply is not None:
                question, reference = self._questions[at], self._references[at]
                results.measurements.append(
                    _measurement(row, case, repeat, reply, reference, question)
                )
                if self._readers.get(row.peer.name) == row.name:
                    self._read(row, case, repeat)
        results.repeats = repeat + 1
        if not results.cases:
            raise PeerFailed(next(iter(results.left_out.values())))

    def _rate(self, row: Row, candidate: dict[str, Any]) -> float | None:
        """Output tokens per CPU second on the sample; ``None`` if there was no answer."""
        rates = []
        for case in _sample(self._cases):
            self._left -= 1
            if row.name in self.results.failures:
                continue
            self._advanced(f"{row.name}: trying {_words(candidate)} on {case.name}", self._left)
            if (found := self._told(row, candidate, case)) is not None:
                num_tokens = max(len(found["token_ids"]), 1)  # a mean of ratios has no zero
                rates.append(num_tokens / max(found["cpu_seconds"], 1e-9))
        return geometric_mean(rates) if rates and row.name not in self.results.failures else None

    def _told(
        self, row: Row, settings: dict[str, Any], case: Case, most_tokens: int = 0
    ) -> dict[str, Any] | None:
        """What a row answers outside the measurement; ``None``, and noted, if it failed."""
        if case.name in self.results.left_out:
            return None
        if (row.reference, case.name) not in self._questions:
            plain = self._plain[row.reference]
            if self._reference(plain, case) is None:
                return None
        return self._reply(row, settings, case, most_tokens)

    def _read(self, row: Row, case: Case, repeat: int) -> None:
        """How long the row's engine takes to read what it has written, behind the prompt."""
        at = (row.reference, case.name)
        prompt_ids = [*self._questions[at].prompt_ids, *self._references[at]]
        question = Question({}, prompt_ids, self._questions[at].stop_ids, max_new_tokens=1)
        self._advanced(f"{row.peer.name}: reading {case.name}", self._left)
        try:
            reply = self._ask(row, self.results.settings[row.name], question)
        except PeerFailed as error:
            self.results.failures[row.name] = f"{case.name}, read as a prompt: {error}"
            return
        if (seconds := reply["first_cpu_seconds"]) is not None:
            self.results.readings.append(Reading(row.peer.name, case.name, repeat, seconds))

    def _reference(self, row: Row, case: Case) -> dict[str, Any] | None:
        """Ask a row of plain decoding, and make the others' question of its answer."""
        try:
            reply = self._ask(row, row.mode.settings, Question(asdict(case)))
        except PeerFailed as error:
            self.results.left_out[case.name] = str(error)
            return None
        said, token_ids = reply["said"], reply["token_ids"]
        self._references[row.name, case.name] = token_ids
        self._questions[row.name, case.name] = Question(
            asdict(case), said["prompt_ids"], said["stop_ids"], len(token_ids)
        )
        return reply

    def _reply(
        self, row: Row, settings: dict[str, Any], case: Case, most_tokens: int = 0
    ) -> dict[str, Any] | None:
        """A row's answer to a case whose question is known; ``None``, and noted, if it failed."""
        question = self._questions[row.reference, case.name]
        if most_tokens:
            most_tokens = min(most_tokens, question.max_new_tokens)
            question = replace(question, max_new_tokens=most_tokens)
        try:
            return self._ask(row, settings, question)
        except PeerFailed as error:
            self.results.failures[row.name] = f"{case.name}: {error}"
            return None


def first_difference(
    token_ids: Sequence[int], reference_ids: Sequence[int], stop_ids: Sequence[int]
) -> int | None:
    """Where an output leaves plain decoding's, ``None`` if it does not.

    A stop token at the end counts on neither side: some engines tell it, some do not.
    """
    ours, plain = _stopped(token_ids, stop_ids), _stopped(reference_ids, stop_ids)
    for index, (one, other) in enumerate(zip(ours, plain, strict=False)):
        if one != other:
            return index
    return None if len(ours) == len(plain) else min(len(ours), len(plain))


def _stopped(token_ids: Sequence[int], stop_ids: Sequence[int]) -> Sequence[int]:
    return token_ids[:-1] if token_ids and token_ids[-1] in stop_ids else token_ids


def _measurement(
    row: Row,
    case: Case,
    repeat: int,
    reply: dict[str, Any],
    reference_ids: list[int],
    question: Question,
) -> Measurement:
    differs = first_difference(reply["token_ids"], reference_ids, question.stop_ids)
    return Measurement(
        row=row.name,
        case=case.name,
        repeat=repeat,
        # The same work, whether or not an engine tells the stop token.
        num_tokens=len(reference_ids) if differs is None else len(reply["token_ids"]),
        seconds=reply["seconds"],
        cpu_seconds=reply["cpu_seconds"],
        first_seconds=reply["first_seconds"],
        first_cpu_seconds=reply["first_cpu_seconds"],
        rounds=reply["rounds"],
        first_difference=differs,
        first_tokens=reply["first_tokens"],
    )


def readers(rows: Sequence[Row]) -> dict[str, str]:
    """By engine, the row that also reads: plain decoding, whose passes over a prompt are the least."""
    readers = {row.peer.name: row.name for row in reversed(rows)}
    return readers | {row.peer.name: row.name for row in rows if row.mode.name == PLAIN}


def _facts(case: Case, question: Question) -> CaseFacts:
    return CaseFacts(case.name, case.num_lines, len(question.prompt_ids), question.max_new_tokens)


def _sample(cases: Sequence[Case]) -> list[Case]:
    """Two cases of middling length to try settings on."""
    by_length = sorted(cases, key=lambda case: len(case.text))
    return list({n: by_length[n] for n in (len(cases) // 3, 2 * len(cases) // 3)}.values())


def _words(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())

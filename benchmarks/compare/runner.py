"""The order of a comparison: edit by edit, all engines in turn, several times over.

Interleaved, so that whatever else the machine does hits all alike; each turn begins with another engine. Knows no
engine: rows are asked through a function.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace

from benchmarks.compare.cases import Case
from benchmarks.compare.peer import Question
from benchmarks.compare.peers import PLAIN, Row
from benchmarks.compare.process import PeerFailed, Reply

Ask = Callable[[Row, Question], Reply]
"""Decodes a question with a row's engine and settings. Raises ``PeerFailed``."""

_WARM_UP_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Measurement:
    """An answer. Seconds; first_difference: the first token that is not plain decoding's.

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
    """CPU seconds in which an engine has read an edit's prompt and its answer, as one prompt."""

    peer: str
    case: str
    repeat: int
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """Sizes of an edit."""

    name: str
    num_lines: int
    prompt_tokens: int
    output_tokens: int


@dataclass(slots=True)
class Results:
    """The measurements.

    failures: an engine's error, by row; a failed row is not run again. left_out: editd's error for an edit that it could
    not decode without drafts; no engine runs that edit.
    """

    rows: list[Row]
    cases: list[CaseFacts] = field(default_factory=list)
    measurements: list[Measurement] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    repeats: int = 0


def turns(rows: Sequence[Row], cases: Sequence[Case], repeat: int) -> Iterator[tuple[Case, Row]]:
    """A repeat in order: each edit with every row, beginning with another row each time.

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
    report: Callable[[str, int], None] = lambda _answer, _left: None,
) -> Results:
    """Warm up and measure. Raises ``PeerFailed`` if references fail in every edit.

    minutes: no repeat begins that would probably end later than this; 0: no limit. report: called before each
    answer with its name and about how many are left.
    """
    comparison = _Comparison(rows, cases, ask, repeats, report)
    began = time.monotonic()
    comparison.warm_up()
    for repeat in range(repeats):
        repeat_began = time.monotonic()
        comparison.measure(repeat)
        now = time.monotonic()
        if minutes and now - began + (now - repeat_began) > 60 * minutes:
            break
    return comparison.results


class _Comparison:
    """A comparison under way. Questions are made of the reference's answers, edit by edit."""

    def __init__(
        self,
        rows: Sequence[Row],
        cases: Sequence[Case],
        ask: Ask,
        repeats: int,
        report: Callable[[str, int], None],
    ) -> None:
        self.results = Results(list(rows))
        self._cases = cases
        self._ask = ask
        self._repeats = repeats
        self._report = report
        self._plain = {row.name: row for row in rows if row.is_reference}
        self._readers = readers(rows)
        # By the row of plain decoding and the edit.
        self._questions: dict[tuple[str, str], Question] = {}
        self._references: dict[tuple[str, str], Sequence[int]] = {}
        self._left = repeats * len(rows) * len(cases)

    def warm_up(self) -> None:
        """Ask each row but the references for a few tokens, so that every engine has done what it does only once."""
        for row in self.results.rows:
            if not row.is_reference:
                self._report(f"{row.name}: warming up", self._left)
                self._warm_up(row, self._cases[0])

    def measure(self, repeat: int) -> None:
        """Decode every edit with every row, once. Raises ``PeerFailed`` if no reference has answered."""
        results = self.results
        for case, row in turns(results.rows, self._cases, repeat):
            self._left -= 1
            if row.name in results.failures or case.name in results.left_out:
                continue
            self._report(f"{row.name}: {case.name} ({repeat + 1} of {self._repeats})", self._left)
            at = (row.reference, case.name)
            if row.is_reference and repeat == 0:
                reply = self._reference(row, case)
                if reply is not None and case.name not in [facts.name for facts in results.cases]:
                    results.cases.append(_facts(case, self._questions[at]))
            else:
                reply = self._reply(row, case, self._questions[at])
            if reply is not None:
                results.measurements.append(
                    _measurement(
                        row, case, repeat, reply, self._references[at], self._questions[at]
                    )
                )
                if self._readers[row.peer.name] == row.name:
                    self._read(row, case, repeat)
        results.repeats = repeat + 1
        if not results.cases:
            raise PeerFailed(next(iter(results.left_out.values())))

    def _warm_up(self, row: Row, case: Case) -> None:
        at = (row.reference, case.name)
        if case.name in self.results.left_out:
            return
        if at in self._questions or self._reference(self._plain[row.reference], case) is not None:
            question = self._questions[at]
            most = min(_WARM_UP_TOKENS, question.max_new_tokens)
            self._reply(row, case, replace(question, max_new_tokens=most))

    def _read(self, row: Row, case: Case, repeat: int) -> None:
        """Take the time in which the row's engine reads prompt and answer, as one prompt."""
        at = (row.reference, case.name)
        ids = [*self._questions[at].prompt_ids, *self._references[at]]
        self._report(f"{row.peer.name}: reading {case.name}", self._left)
        question = Question({}, ids, self._questions[at].stop_ids, max_new_tokens=1)
        reply = self._reply(row, case, question)
        if reply is not None and reply.first_cpu_seconds is not None:
            self.results.readings.append(
                Reading(row.peer.name, case.name, repeat, reply.first_cpu_seconds)
            )

    def _reference(self, row: Row, case: Case) -> Reply | None:
        """Ask a row of plain decoding, and make the others' question of its answer; ``None``, and noted, if it failed."""
        try:
            reply = self._ask(row, Question(asdict(case)))
        except PeerFailed as error:
            self.results.left_out[case.name] = str(error)
            return None
        answer = reply.answer
        self._references[row.name, case.name] = answer.token_ids
        self._questions[row.name, case.name] = Question(
            asdict(case), answer.prompt_ids, answer.stop_ids, len(answer.token_ids)
        )
        return reply

    def _reply(self, row: Row, case: Case, question: Question) -> Reply | None:
        """A row's answer; ``None``, and noted, if it failed."""
        try:
            return self._ask(row, question)
        except PeerFailed as error:
            self.results.failures[row.name] = f"{case.name}: {error}"
            return None


def first_difference(
    token_ids: Sequence[int], reference_ids: Sequence[int], stop_ids: Sequence[int]
) -> int | None:
    """Where an output leaves plain decoding's, ``None`` if it does not.

    A stop token at the end counts on neither side: some engines return it, some do not.
    """
    ours, plain = _stopped(token_ids, stop_ids), _stopped(reference_ids, stop_ids)
    for index, (token_id, reference_id) in enumerate(zip(ours, plain, strict=False)):
        if token_id != reference_id:
            return index
    return None if len(ours) == len(plain) else min(len(ours), len(plain))


def _stopped(token_ids: Sequence[int], stop_ids: Sequence[int]) -> Sequence[int]:
    return token_ids[:-1] if token_ids and token_ids[-1] in stop_ids else token_ids


def _measurement(
    row: Row,
    case: Case,
    repeat: int,
    reply: Reply,
    reference_ids: Sequence[int],
    question: Question,
) -> Measurement:
    token_ids = reply.answer.token_ids
    differs = first_difference(token_ids, reference_ids, question.stop_ids)
    return Measurement(
        row=row.name,
        case=case.name,
        repeat=repeat,
        # The same work, whether or not an engine returns the stop token.
        num_tokens=len(reference_ids) if differs is None else len(token_ids),
        seconds=reply.seconds,
        cpu_seconds=reply.cpu_seconds,
        first_seconds=reply.first_seconds,
        first_cpu_seconds=reply.first_cpu_seconds,
        rounds=reply.answer.rounds,
        first_difference=differs,
        first_tokens=reply.first_tokens,
    )


def readers(rows: Sequence[Row]) -> dict[str, str]:
    """By engine, the row that also reads: plain decoding, whose passes over a prompt are the least, else its first."""
    first = {row.peer.name: row.name for row in reversed(rows)}
    return first | {row.peer.name: row.name for row in rows if row.mode.name == PLAIN}


def _facts(case: Case, question: Question) -> CaseFacts:
    return CaseFacts(case.name, case.num_lines, len(question.prompt_ids), question.max_new_tokens)

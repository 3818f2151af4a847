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

from editd.bench.compare.cases import Case
from editd.bench.compare.peer import Question
from editd.bench.compare.peers import REFERENCE, Row
from editd.bench.compare.process import PeerFailed

Ask = Callable[[Row, dict[str, Any], Question], dict[str, Any]]
"""Decode one question with a row's engine and these settings; as ``worker.measure``."""


_WARM_UP_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Measurement:
    """One answer. Seconds; ``first_difference``: the first token that is not plain decoding's."""

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


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """What one case turned out to be."""

    name: str
    num_lines: int
    prompt_tokens: int
    output_tokens: int


@dataclass(slots=True)
class Results:
    """All that was measured. settings: what each row was told, found by a search or fixed.

    failures: what an engine said, by row; a row that failed is not asked again. left_out: what editd
    said of a case that it could not decode plainly; nobody is asked for it.
    """

    rows: list[Row]
    cases: list[CaseFacts] = field(default_factory=list)
    measurements: list[Measurement] = field(default_factory=list)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    searched: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    repeats: int = 0


def turns(rows: Sequence[Row], cases: Sequence[Case], repeat: int) -> Iterator[tuple[Case, Row]]:
    """One repeat in order: each case with every row, beginning with another row each time.

    In the first repeat the reference begins, because the others' questions are made of its answer.
    """
    for number, case in enumerate(cases):
        start = (repeat + number) % len(rows)
        turn = [*rows[start:], *rows[:start]]
        if repeat == 0:
            turn.sort(key=lambda row: row.name != REFERENCE)
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
    """Search settings, warm up, measure. Raises ``PeerFailed`` if the reference fails in every case.

    minutes: no repeat begins that would probably end later than this; 0: no limit. advanced: told
    before each answer what it is, and about how many are left.
    """
    results = Results(list(rows))
    questions: dict[str, Question] = {}
    references: dict[str, list[int]] = {}
    by_name = {row.name: row for row in rows}
    began = time.monotonic()
    searches = sum(len(row.mode.candidates) for row in rows) * len(_sample(cases))
    left = searches + repeats * len(rows) * len(cases)

    def reference(case: Case) -> dict[str, Any] | None:
        """Ask the reference, and make the others' question of its answer."""
        plain = by_name[REFERENCE]
        try:
            reply = ask(plain, plain.mode.settings, Question(asdict(case)))
        except PeerFailed as error:
            results.left_out[case.name] = str(error)
            return None
        said = reply["said"]
        references[case.name] = reply["token_ids"]
        questions[case.name] = Question(
            asdict(case), said["prompt_ids"], said["stop_ids"], len(reply["token_ids"])
        )
        return reply

    def told(
        row: Row, settings: dict[str, Any], case: Case, most: int = 0
    ) -> dict[str, Any] | None:
        """What a row answers outside the measurement; ``None``, and noted, if it failed."""
        if case.name in results.left_out:
            return None
        if case.name not in questions and reference(case) is None:
            return None
        question = questions[case.name]
        if most:
            question = replace(question, max_new_tokens=min(most, question.max_new_tokens))
        try:
            return ask(row, settings, question)
        except PeerFailed as error:
            results.failures[row.name] = f"{case.name}: {error}"
            return None

    # 1) settings that have to be found
    for row in rows:
        results.settings[row.name] = row.mode.settings
        tried = results.searched[row.name] = []
        for candidate in row.mode.candidates:
            rates = []
            for case in _sample(cases):
                left -= 1
                if row.name in results.failures:
                    continue
                advanced(f"{row.name}: trying {_words(candidate)} on {case.name}", left)
                if (found := told(row, candidate, case)) is not None:
                    num_tokens = max(len(found["token_ids"]), 1)  # a mean of ratios has no zero
                    rates.append(num_tokens / max(found["cpu_seconds"], 1e-9))
            if row.name not in results.failures and rates:
                rate = geometric_mean(rates)
                tried.append({"settings": candidate, "tokens_per_cpu_second": round(rate, 1)})
        if tried:
            best = max(tried, key=lambda one: float(one["tokens_per_cpu_second"]))
            results.settings[row.name] = best["settings"]
    # 2) what every engine does only once, out of the way
    for row in rows:
        if row.name != REFERENCE and row.name not in results.failures:
            advanced(f"{row.name}: warming up", left)
            told(row, results.settings[row.name], cases[0], _WARM_UP_TOKENS)
    # 3) the measurement
    for repeat in range(repeats):
        repeat_began = time.monotonic()
        for case, row in turns(rows, cases, repeat):
            left -= 1
            if row.name in results.failures or case.name in results.left_out:
                continue
            advanced(f"{row.name}: {case.name} ({repeat + 1} of {repeats})", left)
            try:
                if row.name == REFERENCE and repeat == 0:
                    told_first = reference(case)
                    if told_first is None:
                        continue
                    reply = told_first
                    results.cases.append(_facts(case, questions[case.name]))
                else:
                    reply = ask(row, results.settings[row.name], questions[case.name])
            except PeerFailed as error:
                results.failures[row.name] = f"{case.name}: {error}"
                continue
            results.measurements.append(
                _measurement(row, case, repeat, reply, references, questions)
            )
        results.repeats = repeat + 1
        if not results.cases:
            raise PeerFailed(next(iter(results.left_out.values())))
        now = time.monotonic()
        if minutes and now - began + (now - repeat_began) > 60 * minutes:
            break
    return results


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
    references: dict[str, list[int]],
    questions: dict[str, Question],
) -> Measurement:
    reference_ids = references[case.name]
    differs = first_difference(reply["token_ids"], reference_ids, questions[case.name].stop_ids)
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
    )


def _facts(case: Case, question: Question) -> CaseFacts:
    return CaseFacts(case.name, case.num_lines, len(question.prompt_ids), question.max_new_tokens)


def _sample(cases: Sequence[Case]) -> list[Case]:
    """Two cases of middling length to try settings on."""
    by_length = sorted(cases, key=lambda case: len(case.text))
    return list({n: by_length[n] for n in (len(cases) // 3, 2 * len(cases) // 3)}.values())


def _words(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())

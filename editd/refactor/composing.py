"""Composes the answers of several requests, each to the text that the one before it left, as one answer to the first text.

Each mark goes with its lines to where they stand at the end, so that a doubt about one answer is none about another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from editd.diff.document import Document
from editd.diff.edits import apply
from editd.diff.hunk import Hunk
from editd.messages import EditResult
from editd.messages.options import ways_from
from editd.messages.reports import Stats
from editd.refactor.candidates import Lines
from editd.refactor.computed import hunks_to

_SENTENCES = re.compile(r"(?<=\.) (?=[A-Z])")
_OF_ONE = frozenset(
    """
    prompt_tokens cached_tokens rounds tokens_per_round drafted accepted rejected tokens_per_second
    drafter_seconds near_ties accepted_prediction_tokens rejected_prediction_tokens
    """.split()  # noqa: SIM905
)


def composed(before: str, results: Sequence[EditResult]) -> EditResult:
    """The answers to several requests as a single result with the last text, all hunks of which are to ``before``.

    Suspects and notices are those of all answers; figures and the sentences of summaries those of the answers that a model
    wrote, if any, else of all; each once. The summaries stand behind a sentence that says so if the words wrote some answers and a model
    others. Other fields are the last such answer's; the ways are those of a computed edit if the
    words wrote some answer, else none. results: at least one; each has a text, the first of them made of ``before``,
    each other of the text before it.
    """
    document = Document.of(before)
    text = results[-1].text or ""
    hunks = hunks_to(document, Document.of(text).model_text)
    by_model = [result for result in results if result.stats.written_by != "words"]
    is_mixed = len(by_model) < len(results)
    summaries = ["Computed from the words, and then by the model."] if is_mixed and by_model else []
    summaries += [result.summary for result in by_model or results]
    return replace(
        (by_model or results)[-1],
        text=apply(hunks, before, document),
        hunks=tuple(_marked(hunks, list(_written(results)))),
        suspects=_once(text for result in results for text in result.suspects),
        notices=_once(text for result in results for text in result.notices),
        stats=_sum([result.stats for result in by_model or results]),
        summary=" ".join(_once(part for text in summaries for part in _SENTENCES.split(text))),
        ways=ways_from("words") if is_mixed else (),
    )


def _written(results: Sequence[EditResult]) -> Iterator[tuple[Hunk, list[Lines]]]:
    """Yield each hunk of each answer, and where it stands in the last text (0-based lines, end
    exclusive): all of it, then each of its lines.
    """
    for number, result in enumerate(results):
        later = [x.hunks for x in results[number + 1 :]]
        shift = 0
        for hunk in result.hunks:
            start = hunk.start + shift
            end = start + len(hunk.new_lines)
            shift += len(hunk.new_lines) - hunk.old_count
            yield (
                hunk,
                [
                    _moved((start, end), later),
                    *(_moved((n, n + 1), later) for n in range(start, end)),
                ],
            )


def _moved(lines: Lines, later: Iterable[Sequence[Hunk]]) -> Lines:
    """The lines at which ``lines`` stand after these answers, each to the text of the one before it. A hunk above them
    shifts them; one that overlaps them becomes a part of them with all its lines, and makes them more or fewer.
    """
    for hunks in later:
        start, end = lines
        for hunk in hunks:
            more = len(hunk.new_lines) - hunk.old_count
            if hunk.start + hunk.old_count <= lines[0]:
                start, end = start + more, end + more
            elif hunk.start < lines[1]:
                start -= max(0, lines[0] - hunk.start)
                end = max(start, end + more)
        lines = start, end
    return lines


def _marked(hunks: Sequence[Hunk], written: Sequence[tuple[Hunk, list[Lines]]]) -> Iterator[Hunk]:
    """Yield ``hunks``, each with the first reason to suspect one of the earlier hunks that wrote its lines, and the
    notes of all of them; a line that is still as such a hunk wrote it also gets its origins and spans of notes.

    written: each hunk of an earlier answer, with the places of all its lines, and of each by itself, in the text after
    ``hunks``.
    """
    shift = 0
    for hunk in hunks:
        first, end = hunk.start + shift, hunk.start + shift + len(hunk.new_lines)
        shift += len(hunk.new_lines) - hunk.old_count
        writers = [(by, at) for by, at in written if _meet(at[0], (first, end))]
        origins = {
            n: [origin for origin in hunk.origins if origin.line == n] for n in range(end - first)
        }
        spans = {}
        for by, (_, *places) in writers:
            for number, (line, place) in enumerate(zip(by.new_lines, places, strict=True)):
                at = place[0] - first
                if 0 <= at < end - first and hunk.new_lines[at] == line:
                    of_line = [origin for origin in by.origins if origin.line == number]
                    origins[at] = [replace(origin, line=at) for origin in of_line] or origins[at]
                    spans[at] = [replace(s, line=at) for s in by.note_spans if s.line == number]
        yield replace(
            hunk,
            suspect=next((by.suspect for by, _ in writers if by.suspect), None),
            note=" ".join(_once(by.note for by, _ in writers if by.note)) or None,
            origins=tuple(origin for line in origins.values() for origin in line),
            note_spans=tuple(origin for _, line in sorted(spans.items()) for origin in line),
        )


def _meet(first: Lines, second: Lines) -> bool:
    """Whether two ranges of lines overlap; an empty range, where something was deleted, also at a border."""
    if first[0] == first[1] or second[0] == second[1]:  # something was deleted there
        return first[0] <= second[1] and second[0] <= first[1]
    return first[0] < second[1] and second[0] < first[1]


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts that are not empty, each once, in order."""
    return tuple(dict.fromkeys(filter(None, texts)))


def _sum(stats: Sequence[Stats]) -> Stats:
    """The statistics of several answers as one: the sums of the output tokens (``None`` if one is
    unknown) and of the seconds to load, to decode and in total; exactness, drafter and author of the
    last. Of the rest nothing is kept: ``None``, ``restored_lines`` 0.

    Those of a single answer as they are; raises ``IndexError`` for none.
    """
    if len(stats) == 1:
        return stats[0]
    untold: dict[str, Any] = dict.fromkeys(_OF_ONE)
    tokens = [x.output_tokens for x in stats]
    return Stats(
        **untold,
        output_tokens=None if None in tokens else sum(filter(None, tokens)),
        load_seconds=sum(x.load_seconds for x in stats),
        decode_seconds=sum(x.decode_seconds for x in stats),
        total_seconds=sum(x.total_seconds for x in stats),
        exactness=stats[-1].exactness,
        drafter=stats[-1].drafter,
        written_by=stats[-1].written_by,
    )

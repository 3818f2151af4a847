"""Answers a request with a sketch by text: merges, runs the guards, and returns a normal ``EditResult``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import starmap
from time import monotonic

from editd.apply.file_names import is_same, listed
from editd.apply.kept_comments import with_kept_comments
from editd.apply.keyed import losses
from editd.apply.lines import Lines
from editd.apply.merging import merge
from editd.apply.outcome import Change, InDoubt, Merged, Unsettled
from editd.checks import check_hunks
from editd.checks.definitions import lost_definitions, suspicion_of_loss
from editd.checks.rewrite import Rewrite
from editd.diff.document import Document
from editd.diff.hunk import Hunk
from editd.diff.matching import is_weak
from editd.errors import EditdError, EditRefused, UsageError
from editd.messages import EditRequest, EditResult
from editd.messages.options import BY_MODEL, check_way, ways_from
from editd.messages.reports import Stats
from editd.syntax.language import language_of
from editd.syntax.outline import Definition

_MERGED = "Merged without a model, one reading."
_SURE = "Merged without a model from the likeliest reading of the paste; look at it."
_BEST = "Merged without a model; the marked changes could be read otherwise."

_OTHERS = "Only what is for this file was taken; the answer also changes {}."

_MOST_SKETCH = 2 << 20  # characters: some fifty thousand lines


def settle(request: EditRequest) -> EditResult | EditRequest:
    """The edit by text; or, if that is ambiguous, the request for a model, with what is known of it.

    Raises ``EditRefused`` if no model is to be asked or none could decide it, and ``UsageError`` for a
    sketch that is too large. What was settled before, or holds no sketch, is returned as it is.
    """
    if request.sketch is None or request.merge == "model" or request.doubt is not None:
        return request
    if len(request.sketch) > _MOST_SKETCH:
        raise UsageError(
            f"The sketch has {len(request.sketch):,} characters, but may have {_MOST_SKETCH:,}: "
            "leave out what stays, or apply it in parts."
        )
    answer = by_text(request)
    if isinstance(answer, EditResult):
        return request if request.asks_model else answer
    if (request.merge in ("text", "certain") and not request.asks_model) or answer.final:
        raise EditRefused(answer.reason)
    told = (answer.reason, answer.line, answer.final, answer.certain, answer.doubtful)
    return replace(request, doubt=InDoubt(*told))


def is_reading(result: EditResult) -> bool:
    """Whether a merge is the best reading of a sketch that can mean more than one text."""
    return result.summary in (_SURE, _BEST)


def by_text(request: EditRequest) -> EditResult | InDoubt:
    """The edit that ``request.sketch`` means, or its best reading, or why there is none.

    Never asks a model. A reading that is not certain has ``suspects``, so nobody writes it unasked.
    Raises ``EditRefused`` for another reading than there is.
    """
    started = monotonic()
    assert request.sketch is not None  # noqa: S101 - the caller has looked
    kept = with_kept_comments(request.sketch, request.text, request.instruction)
    request = replace(request, sketch=kept.answer)
    way = request.options.way
    if way != "reading":
        check_way(way)
    lines = None
    if request.start_line is not None and request.end_line is not None:
        lines = (request.start_line, request.end_line)
    merged = merge(
        request.text,
        kept.answer,
        path=request.path,
        lines=lines,
        file=request.file,
        beside=request.beside,
    )
    doubts: tuple[str, ...] = ()
    other = False
    reading = merged.reading if isinstance(merged, Unsettled) else None
    others = merged.others if isinstance(merged, Merged) else ()
    if reading is not None:
        others = reading.merged.others
    if way == "reading" and (reading is None or reading.other is None):
        check_way(way)
    if isinstance(merged, Unsettled):
        if reading is None or request.merge == "certain" or way in BY_MODEL:
            return merged
        doubts = (merged.reason,)
        merged, other = reading.merged, reading.other is not None
        if way == "reading" and reading.other is not None:
            merged, other = reading.other, False
    hunks, suspects = guarded(merged, request)
    told = [hunk.suspect for hunk in hunks if hunk.suspect and hunk.suspect not in suspects]
    sure = bool(doubts) and not any(hunk.suspect for hunk in hunks)
    return EditResult(
        request.request_id,
        "stop",
        text=merged.text,
        hunks=hunks,
        suspects=tuple(dict.fromkeys((*suspects, *told, *((_SURE,) if sure else ())))),
        summary=_MERGED if not doubts else _SURE if sure else _BEST,
        notices=(*((kept.notice,) if kept.notice else ()), *_about_others(others, request.beside)),
        ways=ways_from("text", other_reading=other),
        stats=Stats(written_by="text", total_seconds=monotonic() - started),
    )


def _about_others(others: Sequence[str], beside: Sequence[str]) -> tuple[str, ...]:
    """A sentence about files that the paste changes too, and that it is not applied to."""
    left = [name for name in others if not any(is_same(name, other) for other in beside)]
    return (_OTHERS.format(listed(left)),) if left else ()


_MANY = 4  # strong lines in a row
_SMALL = 20  # lines; a paste often rewrites most of a small file
_SHARE = 0.8
_LEFT = 0.4


def undecided(request: EditRequest, error: EditdError) -> EditdError:
    """Why a sketch was not merged: what is ambiguous, then what a model says, if there is one."""
    if request.doubt is None:
        return error
    if error.code.startswith("model"):
        return EditRefused(f"{request.doubt.reason} No model is set up that could decide it.")
    return type(error)(f"{request.doubt.reason} The model did not decide it: {error}")


def guarded(merged: Merged, request: EditRequest) -> tuple[tuple[Hunk, ...], tuple[str, ...]]:
    """The hunks, the doubtful ones marked with a reason, and all reasons."""
    document = Document.of(request.text)
    language = language_of(request.path, request.language_id)
    # A patch names each line that it removes. A sketch does not, so definitions that it loses are
    # checked below.
    instruction = f"{request.instruction}\nremove" if merged.form != "sketch" else _REMOVES
    if merged.form == "sketch" and request.instruction:
        instruction = request.instruction
    hunks, suspects = check_hunks(document, merged.hunks, instruction, language, pasted=True)
    if merged.form == "sketch":
        for reason, doubted in (
            *_much_changed(document, merged.hunks),
            *_truncated(document, merged),
            *_repeated(document, merged.hunks, request.sketch or ""),
            *_definitions_lost(document, merged.hunks, language),
            *_members_lost(document, merged.hunks, language),
        ):
            suspects.append(reason)
            hunks = [
                replace(hunk, suspect=hunk.suspect or reason) if hunk.id in doubted else hunk
                for hunk in hunks
            ]
    return tuple(hunks), tuple(dict.fromkeys(suspects))


# A sketch may delete lines by leaving them out, so that alone is no reason for doubt.
_REMOVES = "remove"


def _much_changed(document: Document, hunks: Sequence[Hunk]) -> list[tuple[str, set[int]]]:
    """More than 80 % of the file changed."""
    total = len(document.lines)
    changed = sum(hunk.old_count for hunk in hunks)
    if total < _SMALL or changed <= _SHARE * total:
        return []
    reason = f"{changed} of {total} lines change; look whether the sketch is of this file."
    return [(reason, {hunk.id for hunk in hunks})]


def _truncated(document: Document, merged: Merged) -> list[tuple[str, set[int]]]:
    """Less than half of the lines and 40 % of the characters are left."""
    total = len(document.lines)
    left = total + sum(len(hunk.new_lines) - hunk.old_count for hunk in merged.hunks)
    before = document.line_offset(total)
    if total < _SMALL or 2 * left >= total or len(merged.text) >= _LEFT * before:
        return []
    reason = f"{left} of {total} lines are left; look whether the sketch was cut short."
    shrinking = {hunk.id for hunk in merged.hunks if len(hunk.new_lines) < hunk.old_count}
    return [(reason, shrinking)]


def _repeated(document: Document, hunks: Sequence[Hunk], sketch: str) -> list[tuple[str, set[int]]]:
    """Kept lines that are written a second time, although the sketch does not have them.

    A model that is asked for a few lines may write the whole file instead.
    """
    gone = {i for hunk in hunks for i in range(hunk.start, hunk.start + hunk.old_count)}
    stay = {line.strip(): i for i, line in enumerate(document.model_lines) if i not in gone}
    said = {line.strip() for line in Document.of(sketch).lines}
    found = []
    for hunk in hunks:
        rows: list[list[str]] = [[]]
        for line in (one.strip() for one in hunk.new_lines):
            if line in stay and line not in said:
                rows[-1] += [] if is_weak(line) else [line]
            elif not is_weak(line):
                rows.append([])
        row = max(rows, key=len)
        if len(row) >= _MANY:
            reason = (
                f"{len(row)} lines that stay in the file, the first at line {stay[row[0]] + 1}, are written "
                "once more; look whether they are meant to stand there twice."
            )
            found.append((reason, {hunk.id}))
    return found


def _definitions_lost(
    document: Document, hunks: tuple[Hunk, ...], language: str
) -> list[tuple[str, set[int]]]:
    """Definitions in replaced lines that are missing from the result, asked for or not."""
    doubts = starmap(suspicion_of_loss, _lost(document, hunks, language).items())
    return [(doubt.reason, set(doubt.hunk_ids)) for doubt in doubts]


def _members_lost(
    document: Document, hunks: Sequence[Hunk], language: str
) -> list[tuple[str, set[int]]]:
    """Members of containers, such as keys of a mapping, that are missing from the result."""
    changes = [
        Change(x.start, x.start + x.old_count, tuple(y.rstrip("\r\n") for y in x.new_lines))
        for x in hunks
    ]
    reasons = losses(changes, Lines(document.model_lines, language))
    return [(reason, {x.id}) for x, reason in zip(hunks, reasons, strict=True) if reason]


def _lost(document: Document, hunks: Sequence[Hunk], language: str) -> dict[Hunk, list[Definition]]:
    return lost_definitions(Rewrite(document, tuple(hunks), "", language, ()))

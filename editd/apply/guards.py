"""Checks of a merged text before it is shown: each hunk that may be wrong gets a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import starmap

from editd.apply.outcome import Merged
from editd.apply.readers.by_keys import loss_sentences
from editd.apply.reading import ChangedLines
from editd.apply.text.file_lines import FileLines
from editd.checks import check_hunks
from editd.checks.definitions import lost_definitions, suspicion_of_loss
from editd.checks.rewrite import Rewrite
from editd.diff.document import Document
from editd.diff.hunk import Hunk
from editd.diff.matching import is_weak
from editd.messages import EditRequest
from editd.syntax.definition import Definition
from editd.syntax.language import language_of

_MANY = 4  # strong lines in a row

_SMALL = 20  # lines; a paste often rewrites most of a small file

_SHARE = 0.8

_LEFT = 0.4
# A sketch may delete lines by leaving them out, so that alone is no reason for doubt.
_REMOVES = "remove"


def checked_hunks(merged: Merged, request: EditRequest) -> tuple[tuple[Hunk, ...], tuple[str, ...]]:
    """The merged hunks, those that a check doubts with the reason as ``suspect`` (an earlier reason stays), some with a
    note, and all reasons of these checks without duplicates.

    Runs the checks of every answer (``checks.check_hunks``) and, for a sketch, five of its own: too much changed, cut
    short, lines doubled, definitions or members lost. Deletions count as asked for in a diff, which names them, and in
    a sketch without an instruction.
    """
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


def _much_changed(document: Document, hunks: Sequence[Hunk]) -> list[tuple[str, set[int]]]:
    """A list of a reason and all hunks' ids if more than 80 % of the lines of a file of 20 lines or more are replaced
    or removed; else empty.
    """
    total = len(document.lines)
    changed = sum(hunk.old_count for hunk in hunks)
    if total < _SMALL or changed <= _SHARE * total:
        return []
    reason = f"{changed} of {total} lines change; look whether the sketch is of this file."
    return [(reason, {hunk.id for hunk in hunks})]


def _truncated(document: Document, merged: Merged) -> list[tuple[str, set[int]]]:
    """A list of a reason and the ids of the hunks that shrink, if a file of 20 lines or more keeps less than half of
    its lines and less than 40 % of its characters; else empty.
    """
    total = len(document.lines)
    left = total + sum(len(hunk.new_lines) - hunk.old_count for hunk in merged.hunks)
    before = document.line_offset(total)
    if total < _SMALL or 2 * left >= total or len(merged.text) >= _LEFT * before:
        return []
    reason = f"{left} of {total} lines are left; look whether the sketch was cut short."
    shrinking = {hunk.id for hunk in merged.hunks if len(hunk.new_lines) < hunk.old_count}
    return [(reason, shrinking)]


def _repeated(document: Document, hunks: Sequence[Hunk], sketch: str) -> list[tuple[str, set[int]]]:
    """A reason and the hunk's id for each hunk that writes four or more lines in a row that stay elsewhere in the file
    and that the sketch does not have.

    Lines are compared without the blanks around them; those without a letter or digit neither count nor interrupt a
    row. A model that is asked for a few lines may write the whole file instead.
    """
    removed = {i for hunk in hunks for i in range(hunk.start, hunk.start + hunk.old_count)}
    stay = {line.strip(): i for i, line in enumerate(document.model_lines) if i not in removed}
    pasted = {line.strip() for line in Document.of(sketch).lines}
    found = []
    for hunk in hunks:
        rows: list[list[str]] = [[]]
        for line in (bare.strip() for bare in hunk.new_lines):
            if line in stay and line not in pasted:
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
    """A reason and hunk ids for each hunk by which the file loses definitions, asked for or not; see
    ``_lost_definitions``.
    """
    doubts = starmap(suspicion_of_loss, _lost_definitions(document, hunks, language).items())
    return [(doubt.reason, set(doubt.hunk_ids)) for doubt in doubts]


def _members_lost(
    document: Document, hunks: Sequence[Hunk], language: str
) -> list[tuple[str, set[int]]]:
    """A reason and the hunk's id for each hunk that takes members of a container away, such as keys of a mapping; where
    members cannot be read, for each that has fewer lines and loses one.
    """
    changes = [
        ChangedLines(x.start, x.start + x.old_count, tuple(y.rstrip("\r\n") for y in x.new_lines))
        for x in hunks
    ]
    reasons = loss_sentences(changes, FileLines(document.model_lines, language))
    return [(reason, {x.id}) for x, reason in zip(hunks, reasons, strict=True) if reason]


def _lost_definitions(
    document: Document, hunks: Sequence[Hunk], language: str
) -> dict[Hunk, list[Definition]]:
    """The definitions that each hunk loses, as ``checks.definitions`` finds them; hunks that lose none are absent."""
    return lost_definitions(Rewrite(document, tuple(hunks), "", language, ()))

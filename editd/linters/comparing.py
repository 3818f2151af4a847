"""Compares the findings in the old and the new text, and names the hunk that each new finding is about.

A finding is not new if the old text had one of the same rule in the same line, wherever that stands now, or in the lines
that the same hunk replaces. A finding about a name that the instruction brings along, or about the lines that it asks to
delete, is what was asked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from editd.checks.deletion import lines_asked_for
from editd.checks.rewrite import Rewrite, Suspicion
from editd.diff.document import with_lf
from editd.diff.hunk import Hunk
from editd.linters.findings import LintFinding

_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"[`'\"‘“]([^`'\"’”]+)[`'\"’”]")


def new_suspicions(
    rewrite: Rewrite, name: str, before: Sequence[LintFinding], after: Sequence[LintFinding]
) -> list[Suspicion]:
    """A suspicion for each finding in ``after`` that ``before`` does not have, in the finding's own words.

    name: of the linter. before, after: its findings in the old and in the new text.
    """
    expected = _expected_words(rewrite)
    return [
        Suspicion(
            f"{name}: {finding.sentence} at line {finding.line + 1}.",
            (_hunk_of(rewrite, finding).id,),
        )
        for finding in _new_findings(rewrite, before, after)
        if not expected & _names_in(finding)
    ]


def _new_findings(
    rewrite: Rewrite, before: Sequence[LintFinding], after: Sequence[LintFinding]
) -> Iterator[LintFinding]:
    """Yield the findings of ``after`` that are new, in order.

    Others have a counterpart of the same rule in ``before``, each counted once: in a line of the same text (blanks
    around it aside), wherever it stands, or, for a line that a hunk writes, in the lines that this hunk replaces.
    """
    new_lines = rewrite.new_text(0, len(rewrite.old_lines)).split("\n")
    by_text = Counter((finding.rule, _text(rewrite.old_lines, finding)) for finding in before)
    fresh = []
    for finding in after:
        key = (finding.rule, _text(new_lines, finding))
        if by_text[key]:
            by_text[key] -= 1
        else:
            fresh.append(finding)
    by_hunk = Counter(
        (finding.rule, hunk.id)
        for finding in before
        if by_text[finding.rule, _text(rewrite.old_lines, finding)]
        and (hunk := _replacing(rewrite, finding.line))
    )
    for finding in fresh:
        hunk = _writing(rewrite, finding.line)
        if hunk is not None and by_hunk[finding.rule, hunk.id]:
            by_hunk[finding.rule, hunk.id] -= 1
        else:
            yield finding


def _text(lines: Sequence[str], finding: LintFinding) -> str:
    """The text of a finding's line, without blanks around it; empty for a line after the end."""
    return lines[finding.line].strip() if finding.line < len(lines) else ""


def _hunk_of(rewrite: Rewrite, finding: LintFinding) -> Hunk:
    """The hunk that a finding is about: the one that writes the line, else the first that takes away a name in the
    message, else the nearest before the line.
    """
    if hunk := _writing(rewrite, finding.line):
        return hunk
    names = _names_in(finding)
    for hunk in rewrite.hunks:
        replaced = rewrite.old_lines[hunk.start : hunk.start + hunk.old_count]
        if names & (_words(replaced) - _words(with_lf(hunk.new_lines))):
            return hunk
    return rewrite.hunk_at(finding.line)


def _writing(rewrite: Rewrite, line: int) -> Hunk | None:
    """The hunk that writes a line of the new text; ``None`` if the line is an old one."""
    return next(
        (
            hunk
            for hunk, start in zip(rewrite.hunks, rewrite.new_starts, strict=True)
            if start <= line < start + len(hunk.new_lines)
        ),
        None,
    )


def _replacing(rewrite: Rewrite, line: int) -> Hunk | None:
    """The hunk that replaces a line of the old text; ``None`` if none does."""
    return next(
        (hunk for hunk in rewrite.hunks if hunk.start <= line < hunk.start + hunk.old_count), None
    )


def _expected_words(rewrite: Rewrite) -> set[str]:
    """Words of the instruction that the old text lacks, and words of the lines that the instruction asks to delete."""
    brought = _words([rewrite.instruction]) - _words(rewrite.old_lines)
    deleted = lines_asked_for(rewrite.instruction, rewrite.old_lines)
    return brought | _words([rewrite.old_lines[line] for line in deleted])


def _names_in(finding: LintFinding) -> set[str]:
    """The words that a finding's message quotes."""
    return _words(_QUOTED.findall(finding.message))


def _words(lines: Sequence[str]) -> set[str]:
    """The words in ``lines``."""
    return {word for line in lines for word in _WORD.findall(line)}
